import {
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type Operation,
  ownValue,
  ProtocolError,
  parseOperation,
  parsePath,
} from "@purse/protocol";
import type { ConfigTrigger } from "../../cloud/index.ts";
import type { RequestContext } from "../../core/authContext.ts";
import type { AssertAllowed } from "../../data/objects/keywordDenylist.ts";
import { CONFIG_OBJECT_ID } from "../../data/schema/systemClasses.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { createRow, getRow } from "../../database/serverRows.ts";
import type { Store } from "../../database/store.ts";
import type { ConfigHistory } from "./configHistory.ts";

export interface GlobalConfigDependencies {
  store: Store;
  schemaOf(className: string): ClassSchema;
  clock(): number;
  /** Throws 105 for denied keywords. */
  assertAllowed?: AssertAllowed;
  /** Returns the cloud code trigger for saving the config; undefined if there is none. */
  triggerOf?(trigger: "beforeSave" | "afterSave"): ConfigTrigger | undefined;
  /** Where each version is saved that a change replaces. */
  history?: Pick<ConfigHistory, "save">;
}

/** The config of applications: parameters that clients read, some of them only with the master key. */
export interface GlobalConfig {
  params: JsonObject;
  /** The parameters that only the master key reads, each with `true`. Undefined until the config is first saved. */
  masterKeyOnly?: JsonObject;
}

/** Reads and changes Parse Config. */
export class GlobalConfigService {
  readonly #dependencies: GlobalConfigDependencies;

  constructor(dependencies: GlobalConfigDependencies) {
    this.#dependencies = dependencies;
  }

  /** Returns the parameters that a client may read. */
  async read({ auth }: Pick<RequestContext, "auth">): Promise<GlobalConfig> {
    // Not cached, so that changes by one process are visible to all others at once.
    const row = await this.#readRow();
    const { params: known, masterKeyOnly: hidden } = configOf(row);
    const isVisible = ([name]: [string, unknown]) => auth.kind === "master" || hidden[name] !== true;
    return {
      params: Object.fromEntries(Object.entries(known).filter(isVisible)),
      ...(row && {
        masterKeyOnly: Object.fromEntries(Object.entries(hidden).filter(isVisible)),
      }),
    };
  }

  /**
   * Sets parameters (or deletes them by `{ __op: "Delete" }`); `masterKeyOnly` holds a boolean per parameter. Its caller
   * verifies that the client has the master key. `changedBy` names an operator in the history. Throws 107 for invalid types
   * and 105 for invalid names.
   */
  async change(
    request: RequestContext,
    { params = {}, masterKeyOnly = {} }: JsonObject,
    changedBy = "master key",
  ): Promise<void> {
    if (!isJsonObject(params) || !isJsonObject(masterKeyOnly)) {
      throw new ProtocolError(ErrorCode.INVALID_JSON, "params and masterKeyOnly must be objects");
    }
    this.#dependencies.assertAllowed?.(params);
    const operations: Record<string, Operation> = {};
    for (const [name, value] of Object.entries(params)) {
      const operation = parseOperation(value, name);
      if (operation.op === "Relation" || name.includes(".")) {
        throw new ProtocolError(ErrorCode.INVALID_KEY_NAME, `${name.slice(0, 128)} cannot be a parameter`);
      }
      parsePath(`params.${name}`);
      operations[`params.${name}`] = operation;
      const isHidden = ownValue(masterKeyOnly, name) ?? false;
      if (typeof isHidden !== "boolean") {
        throw new ProtocolError(ErrorCode.INVALID_JSON, `masterKeyOnly.${name} must be true or false`);
      }
      operations[`masterKeyOnly.${name}`] =
        operation.op === "Delete" ? { op: "Delete" } : { op: "Set", value: isHidden };
    }
    if (Object.keys(operations).length > 0) await this.#save(request, params, operations, changedBy);
  }

  /** Saves the config, records its previous version, and runs the triggers; errors that they throw are the response. */
  async #save(
    request: RequestContext,
    params: JsonObject,
    operations: Record<string, Operation>,
    changedBy: string,
  ): Promise<void> {
    const { triggerOf, history } = this.#dependencies;
    const before = triggerOf?.("beforeSave");
    const after = triggerOf?.("afterSave");
    const original = await this.#readRow();
    await before?.(params, paramsOf(original), request);
    await this.#update(operations, original === undefined);
    const changed = await this.#readRow();
    await history?.save(configOf(original), configOf(changed), Object.keys(params), changedBy);
    await after?.(paramsOf(changed) ?? {}, paramsOf(original), request);
  }

  #readRow(): Promise<JsonObject | undefined> {
    const { store, schemaOf } = this.#dependencies;
    return getRow(store, schemaOf("_GlobalConfig"), CONFIG_OBJECT_ID);
  }

  async #update(operations: Record<string, Operation>, isFirst: boolean): Promise<void> {
    const { store, schemaOf, clock } = this.#dependencies;
    const schema = schemaOf("_GlobalConfig");
    const at = new Date(clock()).toISOString();
    if (isFirst) await this.#createRow(schema);
    await store.write([{ kind: "update", schema, id: CONFIG_OBJECT_ID, at, operations, subjects: null }]);
  }

  async #createRow(schema: ClassSchema): Promise<void> {
    const { store, clock } = this.#dependencies;
    const fields = { params: {}, masterKeyOnly: {} };
    try {
      await store.write([createRow(schema, CONFIG_OBJECT_ID, clock(), fields)]);
    } catch (error) {
      // Another process has created the row.
      if (!(error instanceof ProtocolError && error.code === ErrorCode.DUPLICATE_VALUE)) throw error;
    }
  }
}

function paramsOf(row: JsonObject | undefined): JsonObject | undefined {
  return row && configOf(row).params;
}

function configOf(row: JsonObject | undefined): Required<GlobalConfig> {
  const { params, masterKeyOnly } = row ?? {};
  return {
    params: isJsonObject(params) ? params : {},
    masterKeyOnly: isJsonObject(masterKeyOnly) ? masterKeyOnly : {},
  };
}
