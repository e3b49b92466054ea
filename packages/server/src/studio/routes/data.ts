import {
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ProtocolError,
  type StudioBulkResult,
  type StudioCount,
  type StudioExplain,
} from "@purse/protocol";
import type { RequestContext } from "../../core/authContext.ts";
import { clientFields } from "../../data/schema/describe.ts";
import { UPDATE_CONFLICT } from "../../database/store.ts";
import { ConflictError } from "../adminApi.ts";
import { createKeyset, orderFields } from "../keyset.ts";
import {
  booleanParameter,
  integerParameter,
  invalidParameter,
  objectParameter,
  optionalObjectParameter,
  optionalStringParameter,
  stringListParameter,
  stringParameter,
} from "../parameters.ts";
import { json, type StudioRequest, type StudioRoute } from "../route.ts";
import { suggestIndex } from "../suggestIndex.ts";
import { importExportRoutes } from "./importExport.ts";
import { type LiveRowsDependencies, liveRowsRoute } from "./liveRows.ts";
import { type RouteDependencies, viewContext } from "./routeHelpers.ts";

const PAGE_SIZE = 100;
const MAX_ROWS = 1_000;
const DEFAULT_COUNT_CAP = 1_000;
const MAX_COUNT_CAP = 10_000;
const MAX_BULK_ROWS = 100_000;
/** Number of rows that are changed concurrently, so that their writes share a commit. */
const CONCURRENT_WRITES = 50;

export interface DataDependencies
  extends RouteDependencies,
    Pick<LiveRowsDependencies, "feed" | "serializer"> {
  /** Maximum number of rows in one result. */
  maxLimit: number;
}

/** Routes for reading and changing rows of any class, with all checks of the object service. */
export function dataRoutes(dependencies: DataDependencies): StudioRoute[] {
  const { objects, schemas } = dependencies;
  return [
    { method: "GET", path: "/data/:className", needs: "readOnly", handle: list },
    { method: "GET", path: "/data/:className/count", needs: "readOnly", handle: count },
    { method: "GET", path: "/data/:className/explain", needs: "readOnly", handle: explain },
    { method: "GET", path: "/data/:className/rows/:objectId", needs: "readOnly", handle: get },
    { method: "POST", path: "/data/:className/rows", needs: "editor", handle: create },
    { method: "PUT", path: "/data/:className/rows/:objectId", needs: "editor", handle: update },
    { method: "DELETE", path: "/data/:className/rows/:objectId", needs: "editor", handle: remove },
    { method: "POST", path: "/data/:className/bulk", needs: "editor", handle: bulk },
    liveRowsRoute({ ...dependencies, requireClass }),
    ...importExportRoutes({ ...dependencies, requireClass }),
  ];

  async function list(request: StudioRequest) {
    const { params } = request;
    const className = requireClass(request);
    const context = await viewContext(dependencies, request);
    const limit = Math.max(1, integerParameter(params, "limit", PAGE_SIZE, MAX_ROWS));
    const keyset = createKeyset(
      params.order,
      optionalStringParameter(params, "after"),
      fieldTypes(className),
    );
    const keys = optionalStringParameter(params, "keys", 10_000);
    const text = await objects.find(context, className, {
      where: andWhere(whereParameter(params), keyset.where),
      order: keyset.order,
      // One additional row tells whether there are more pages.
      limit: limit + 1,
      skip: keyset.skip,
      ...(keys !== undefined && { keys: [keys, ...orderFields(keyset)].join() }),
      ...includeParams(params),
    });
    const rows = parseResults(text);
    const results = rows.slice(0, limit);
    const last = rows.length > limit ? results.at(-1) : undefined;
    return json({ results, ...(last && { next: keyset.cursorAfter(last, results.length) }) });
  }

  async function count(request: StudioRequest) {
    const { params } = request;
    const className = requireClass(request);
    const context = await viewContext(dependencies, request);
    const where = whereParameter(params);
    if (booleanParameter(params, "exact")) return json(await countExactly(context, className, where));
    const cap = Math.max(1, integerParameter(params, "cap", DEFAULT_COUNT_CAP, MAX_COUNT_CAP));
    // One row beyond the cap tells that there are more, unless the query limit is lower.
    const limit = Math.min(cap + 1, dependencies.maxLimit);
    const query = { where, keys: "objectId", limit };
    const found = parseResults(await objects.find(context, className, query)).length;
    const isCapped = found === limit;
    const result: StudioCount = { count: Math.min(found, cap), isCapped };
    return json(result);
  }

  async function countExactly(
    context: RequestContext,
    className: string,
    where: JsonObject,
  ): Promise<StudioCount> {
    const { count: all }: { count?: number } = JSON.parse(
      await objects.find(context, className, { where, limit: 0, count: 1 }),
    );
    return { count: all ?? 0, isCapped: false };
  }

  async function explain(request: StudioRequest) {
    const { params, context } = request;
    const className = requireClass(request);
    const where = whereParameter(params);
    const order = optionalStringParameter(params, "order");
    const text = await objects.find(context, className, { where, ...(order && { order }), explain: true });
    const { results: plan }: { results: JsonValue } = JSON.parse(text);
    const suggestedIndex = suggestIndex(schemas.get(className), where, order);
    const result: StudioExplain = { plan, ...(suggestedIndex && { suggestedIndex }) };
    return json(result);
  }

  async function get(request: StudioRequest) {
    const context = await viewContext(dependencies, request);
    const { objectId = "" } = request.pathParams;
    const text = await objects.get(context, requireClass(request), objectId, includeParams(request.params));
    return { status: 200, body: text };
  }

  async function create(request: StudioRequest) {
    const className = requireClass(request);
    const fields = objectParameter(request.params, "fields");
    const { body } = await objects.create(request.context, className, fields);
    request.setAuditDetails({ target: `${className}/${String(body.objectId)}`, after: fields });
    return json(await getRow(request, className, String(body.objectId)), 201);
  }

  async function update(request: StudioRequest) {
    const className = requireClass(request);
    const { objectId = "" } = request.pathParams;
    const fields = objectParameter(request.params, "fields");
    const ifUpdatedAt = optionalStringParameter(request.params, "expectedUpdatedAt");
    const before = await getRow(request, className, objectId);
    const previous = Object.fromEntries(Object.keys(fields).map((name) => [name, before[name] ?? null]));
    request.setAuditDetails({ before: previous, after: fields });
    try {
      await objects.update(request.context, className, objectId, fields, {
        ...(ifUpdatedAt !== undefined && { ifUpdatedAt }),
      });
    } catch (error) {
      if (!(error instanceof ProtocolError && error.code === UPDATE_CONFLICT)) throw error;
      throw new ConflictError(await getRow(request, className, objectId));
    }
    return json(await getRow(request, className, objectId));
  }

  async function remove(request: StudioRequest) {
    const className = requireClass(request);
    const { objectId = "" } = request.pathParams;
    request.setAuditDetails({ before: await getRow(request, className, objectId) });
    await objects.remove(request.context, className, objectId);
    return {};
  }

  /** Changes many rows: by ids, by a where, or by both. A dry run only counts them. */
  async function bulk(request: StudioRequest) {
    const { params, context } = request;
    const className = requireClass(request);
    const action = stringParameter(params, "action");
    if (action !== "update" && action !== "delete") throw invalidParameter("action must be update or delete");
    const fields = action === "update" ? objectParameter(params, "fields") : {};
    const byIds =
      params.ids === undefined ? undefined : { objectId: { $in: stringListParameter(params, "ids") } };
    const where = byIds
      ? andWhere(byIds, optionalObjectParameter(params, "where"))
      : objectParameter(params, "where");
    const { count: matched } = await countExactly(context, className, where);
    request.setAuditDetails({ target: className, before: where, after: { action, fields, matched } });
    if (booleanParameter(params, "dryRun"))
      return json({ matched, changed: 0, failed: [] } satisfies StudioBulkResult);
    const expected = params.expectedCount;
    if (expected !== undefined && expected !== matched) {
      throw new ProtocolError(UPDATE_CONFLICT, `There are now ${matched} matching rows.`, 409);
    }
    if (matched > MAX_BULK_ROWS)
      throw invalidParameter(`at most ${MAX_BULK_ROWS} rows can be changed at once`);
    // All ids are read first, since changed rows may no longer match the where.
    const ids = await findIds(context, className, where, matched);
    const failed: StudioBulkResult["failed"] = [];
    for (let i = 0; i < ids.length; i += CONCURRENT_WRITES) {
      await Promise.all(
        ids.slice(i, i + CONCURRENT_WRITES).map(async (id) => {
          try {
            if (action === "delete") await objects.remove(context, className, id);
            else await objects.update(context, className, id, fields);
          } catch (error) {
            if (!(error instanceof ProtocolError)) throw error;
            failed.push({ objectId: id, code: error.code, error: error.message });
          }
        }),
      );
    }
    const result: StudioBulkResult = { matched, changed: ids.length - failed.length, failed };
    return json(result);
  }

  async function findIds(
    context: RequestContext,
    className: string,
    where: JsonObject,
    limit: number,
  ): Promise<string[]> {
    if (limit === 0) return [];
    const text = await objects.find(context, className, {
      where,
      keys: "objectId",
      order: "objectId",
      limit,
    });
    return parseResults(text).map(({ objectId }) => String(objectId));
  }

  async function getRow(
    { context }: StudioRequest,
    className: string,
    objectId: string,
  ): Promise<JsonObject> {
    return JSON.parse(await objects.get(context, className, objectId, {}));
  }

  function requireClass({ pathParams: { className = "" } }: StudioRequest): string {
    if (schemas.get(className)) return className;
    throw new ProtocolError(
      ErrorCode.INVALID_CLASS_NAME,
      `Class ${className.slice(0, 128)} does not exist.`,
      404,
    );
  }

  function fieldTypes(className: string): (field: string) => string | undefined {
    const fields = clientFields(className, schemas.get(className)?.fields ?? {});
    return (field) => (Object.hasOwn(fields, field) ? fields[field]?.type : undefined);
  }
}

function whereParameter(params: JsonObject): JsonObject {
  return optionalObjectParameter(params, "where") ?? {};
}

function andWhere(where: JsonObject, more: JsonObject | undefined): JsonObject {
  return more ? { $and: [where, more] } : where;
}

function includeParams(params: JsonObject): JsonObject {
  const include = optionalStringParameter(params, "include");
  return include === undefined ? {} : { include };
}

function parseResults(text: string): JsonObject[] {
  const { results }: { results: JsonValue[] } = JSON.parse(text);
  return results.filter(isJsonObject);
}
