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
import type { ApiRequest, ApiRoute } from "../http/api.ts";
import { assertMaster } from "../http/masterKeyAccess.ts";
import type { ClassSchema } from "../schema/classSchema.ts";
import type { Store } from "../store/store.ts";

/** There is one row. */
export const CONFIG_ROW = "1";

export interface GlobalConfigParts {
  store: Store;
  schemaOf(className: string): ClassSchema;
  clock(): number;
  /** What the cloud code runs when settings are saved; undefined where it has nothing to run. */
  triggerOf?(trigger: "beforeSave" | "afterSave"): ConfigTrigger | undefined;
}

/** Settings that an app's operator keeps on the server and clients read, some of them only with the master key. */
export function globalConfigRoutes({
  store,
  schemaOf,
  clock,
  triggerOf = () => undefined,
}: GlobalConfigParts): ApiRoute[] {
  return [
    { method: "GET", path: "/config", acceptsEndedSession: true, handle: read },
    { method: "PUT", path: "/config", handle: change, retry: "again" },
  ];

  async function read({ caller }: ApiRequest): Promise<JsonObject> {
    // Read each time: what one process has changed, all others tell at once.
    const row = await readRow();
    const { params, masterKeyOnly } = row ?? {};
    const known = isJsonObject(params) ? params : {};
    const hidden = isJsonObject(masterKeyOnly) ? masterKeyOnly : {};
    const isShown = ([name]: [string, unknown]) => caller.kind === "master" || hidden[name] !== true;
    return {
      params: Object.fromEntries(Object.entries(known).filter(isShown)),
      ...(row && {
        masterKeyOnly: Object.fromEntries(Object.entries(hidden).filter(isShown)),
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

  /** Before and after, the cloud code has its say: what either throws is the answer. */
  async function save(request: ApiRequest, params: JsonObject, operations: Record<string, Operation>) {
    const before = triggerOf("beforeSave");
    const after = triggerOf("afterSave");
    const original = before || after ? paramsOf(await readRow()) : undefined;
    await before?.(params, original, request);
    await update(operations);
    if (after) await after(paramsOf(await readRow()) ?? {}, original, request);
  }

  async function readRow(): Promise<JsonObject | undefined> {
    const text = await store.get(schemaOf("_GlobalConfig"), CONFIG_ROW, null);
    const row: unknown = text === undefined ? undefined : JSON.parse(text);
    return isJsonObject(row) ? row : undefined;
  }

  async function update(operations: Record<string, Operation>): Promise<void> {
    const schema = schemaOf("_GlobalConfig");
    const at = new Date(clock()).toISOString();
    if ((await store.get(schema, CONFIG_ROW, null)) === undefined) await makeRow(schema, at);
    await store.write([{ kind: "update", schema, id: CONFIG_ROW, at, operations, principals: null }]);
  }

  async function makeRow(schema: ClassSchema, at: string): Promise<void> {
    const object = { objectId: CONFIG_ROW, createdAt: at, updatedAt: at, params: {}, masterKeyOnly: {} };
    try {
      await store.write([{ kind: "create", schema, id: CONFIG_ROW, at, object }]);
    } catch (error) {
      // Another process was quicker: the row is there.
      if (!(error instanceof ProtocolError && error.code === ErrorCode.DUPLICATE_VALUE)) throw error;
    }
  }
}

function paramsOf(row: JsonObject | undefined): JsonObject | undefined {
  return row && (isJsonObject(row.params) ? row.params : {});
}
