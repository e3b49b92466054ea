import {
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type Operation,
  ProtocolError,
  parseOperation,
  parsePath,
} from "@purse/protocol";
import type { ApiRequest, ApiRoute } from "../http/api.ts";
import { assertMaster } from "../http/rights.ts";
import type { ClassSchema } from "../schema/classSchema.ts";
import type { Store } from "../store/store.ts";

/** There is one row. */
export const CONFIG_ROW = "1";

export interface GlobalConfigParts {
  store: Store;
  schemaOf(className: string): ClassSchema;
  clock(): number;
}

/** Settings that an app's operator keeps on the server and clients read, some of them only with the master key. */
export function globalConfigRoutes({ store, schemaOf, clock }: GlobalConfigParts): ApiRoute[] {
  return [
    { method: "GET", path: "/config", tolerant: true, handle: read },
    { method: "PUT", path: "/config", handle: change },
  ];

  async function read({ caller }: ApiRequest): Promise<JsonObject> {
    // Read each time: what one process has changed, all others tell at once.
    const text = await store.get(schemaOf("_GlobalConfig"), CONFIG_ROW, null);
    const row: unknown = text === undefined ? {} : JSON.parse(text);
    const { params, masterKeyOnly } = isJsonObject(row) ? row : {};
    const known = isJsonObject(params) ? params : {};
    const hidden = isJsonObject(masterKeyOnly) ? masterKeyOnly : {};
    const isShown = ([name]: [string, unknown]) => caller.kind === "master" || hidden[name] !== true;
    return {
      params: Object.fromEntries(Object.entries(known).filter(isShown)),
      ...(text !== undefined && {
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
    if (Object.keys(operations).length > 0) await update(operations);
    return { result: true };
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
