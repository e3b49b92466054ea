import {
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type Operation,
  ProtocolError,
  parseOperation,
  parsePath,
} from "@purse/protocol";
import type { ConfigTrigger } from "../cloud/index.ts";
import type { ApiRequest, ApiRoute } from "../core/http/apiRoute.ts";
import { assertMaster } from "../core/http/masterKeyAccess.ts";
import { CONFIG_OBJECT_ID } from "../data/schema/systemClasses.ts";
import type { ClassSchema } from "../database/classSchema.ts";
import type { Store } from "../database/store.ts";

export interface GlobalConfigDependencies {
  store: Store;
  schemaOf(className: string): ClassSchema;
  clock(): number;
  /** Returns the cloud code trigger for saving the config; undefined if there is none. */
  triggerOf?(trigger: "beforeSave" | "afterSave"): ConfigTrigger | undefined;
}

/** Routes of Parse Config: parameters that clients read, some of them only with the master key. */
export function globalConfigRoutes({
  store,
  schemaOf,
  clock,
  triggerOf = () => undefined,
}: GlobalConfigDependencies): ApiRoute[] {
  return [
    { method: "GET", path: "/config", acceptsEndedSession: true, handle: read },
    { method: "PUT", path: "/config", handle: change, retry: "again" },
  ];

  async function read({ auth }: ApiRequest): Promise<JsonObject> {
    // Not cached, so that changes by one process are visible to all others at once.
    const row = await readRow();
    const { params, masterKeyOnly } = row ?? {};
    const known = isJsonObject(params) ? params : {};
    const hidden = isJsonObject(masterKeyOnly) ? masterKeyOnly : {};
    const isVisible = ([name]: [string, unknown]) => auth.kind === "master" || hidden[name] !== true;
    return {
      params: Object.fromEntries(Object.entries(known).filter(isVisible)),
      ...(row && {
        masterKeyOnly: Object.fromEntries(Object.entries(hidden).filter(isVisible)),
      }),
    };
  }

  async function change(request: ApiRequest): Promise<JsonObject> {
    assertMaster(request, "write");
    const { params = {}, masterKeyOnly = {} } = request.params;
    if (!isJsonObject(params) || !isJsonObject(masterKeyOnly)) {
      throw new ProtocolError(ErrorCode.INVALID_JSON, "params and masterKeyOnly must be objects");
    }
    const operations: Record<string, Operation> = {};
    for (const [name, value] of Object.entries(params)) {
      const operation = parseOperation(value);
      if (operation.op === "Relation" || name.includes(".")) {
        throw new ProtocolError(ErrorCode.INVALID_KEY_NAME, `${name.slice(0, 128)} cannot be a parameter`);
      }
      parsePath(`params.${name}`);
      operations[`params.${name}`] = operation;
      const isHidden = masterKeyOnly[name] ?? false;
      if (typeof isHidden !== "boolean") {
        throw new ProtocolError(ErrorCode.INVALID_JSON, `masterKeyOnly.${name} must be true or false`);
      }
      operations[`masterKeyOnly.${name}`] =
        operation.op === "Delete" ? { op: "Delete" } : { op: "Set", value: isHidden };
    }
    if (Object.keys(operations).length > 0) await save(request, params, operations);
    return { result: true };
  }

  /** Saves the config and runs the triggers; errors that they throw are the response. */
  async function save(request: ApiRequest, params: JsonObject, operations: Record<string, Operation>) {
    const before = triggerOf("beforeSave");
    const after = triggerOf("afterSave");
    const original = before || after ? paramsOf(await readRow()) : undefined;
    await before?.(params, original, request);
    await update(operations);
    if (after) await after(paramsOf(await readRow()) ?? {}, original, request);
  }

  async function readRow(): Promise<JsonObject | undefined> {
    const text = await store.get(schemaOf("_GlobalConfig"), CONFIG_OBJECT_ID, null);
    const row: unknown = text === undefined ? undefined : JSON.parse(text);
    return isJsonObject(row) ? row : undefined;
  }

  async function update(operations: Record<string, Operation>): Promise<void> {
    const schema = schemaOf("_GlobalConfig");
    const at = new Date(clock()).toISOString();
    if ((await store.get(schema, CONFIG_OBJECT_ID, null)) === undefined) await createRow(schema, at);
    await store.write([{ kind: "update", schema, id: CONFIG_OBJECT_ID, at, operations, subjects: null }]);
  }

  async function createRow(schema: ClassSchema, at: string): Promise<void> {
    const object = {
      objectId: CONFIG_OBJECT_ID,
      createdAt: at,
      updatedAt: at,
      params: {},
      masterKeyOnly: {},
    };
    try {
      await store.write([{ kind: "create", schema, id: CONFIG_OBJECT_ID, at, object }]);
    } catch (error) {
      // Another process has created the row.
      if (!(error instanceof ProtocolError && error.code === ErrorCode.DUPLICATE_VALUE)) throw error;
    }
  }
}

function paramsOf(row: JsonObject | undefined): JsonObject | undefined {
  return row && (isJsonObject(row.params) ? row.params : {});
}
