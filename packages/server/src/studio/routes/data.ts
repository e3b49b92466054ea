import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../../core/authContext.ts";
import { clientFields } from "../../data/schema/describe.ts";
import { UPDATE_CONFLICT } from "../../database/store.ts";
import {
  dataEndpoints as endpoints,
  type StudioBulkResult,
  type StudioCount,
  type StudioExplain,
} from "../../studioApi/data.ts";
import { invalidParameter } from "../../studioApi/parseInput.ts";
import { ConflictError } from "../adminApi.ts";
import { createKeyset, orderFields } from "../keysetPages.ts";
import { type Requests, route, type StudioRequest, type StudioRoute } from "../route.ts";
import { suggestIndex } from "../suggestIndex.ts";
import { type ChartDependencies, createChart } from "./chart.ts";
import { importExportRoutes } from "./importExport.ts";
import { type ClassRequest, type LiveRowsDependencies, liveRowsRoute } from "./liveRows.ts";
import { type RouteDependencies, viewContext } from "./routeContext.ts";

type DataRequests = Requests<typeof endpoints>;

const MAX_BULK_ROWS = 100_000;
/** Number of rows that are changed concurrently, so that their writes share a commit. */
const CONCURRENT_WRITES = 50;

export interface DataDependencies
  extends RouteDependencies,
    Pick<ChartDependencies, "aggregates">,
    Pick<LiveRowsDependencies, "feed" | "serializer"> {
  /** Maximum number of rows in one result. */
  maxLimit: number;
}

/** Routes for reading and changing rows of any class, with all checks of the object service. */
export function dataRoutes(dependencies: DataDependencies): StudioRoute[] {
  const { objects, schemas } = dependencies;
  return [
    route(endpoints.list, list),
    route(endpoints.count, count),
    route(endpoints.explain, explain),
    route(endpoints.chart, createChart({ ...dependencies, requireClass, fieldTypes })),
    route(endpoints.get, get),
    route(endpoints.create, create),
    route(endpoints.update, update),
    route(endpoints.remove, remove),
    route(endpoints.bulk, bulk),
    liveRowsRoute({ ...dependencies, requireClass }),
    ...importExportRoutes({ ...dependencies, requireClass }),
  ];

  async function list(request: DataRequests["list"]) {
    const { where = {}, order, keys, limit, after } = request.params;
    const className = requireClass(request);
    const context = await viewContext(dependencies, request);
    const keyset = createKeyset(order, after, fieldTypes(className));
    const text = await objects.find(context, className, {
      where: andWhere(where, keyset.where),
      order: keyset.order,
      // One additional row shows whether there are more pages.
      limit: limit + 1,
      skip: keyset.skip,
      ...(keys !== undefined && { keys: [keys, ...orderFields(keyset)].join() }),
      ...includeParams(request.params),
    });
    const rows = parseResults(text);
    const results = rows.slice(0, limit);
    const last = rows.length > limit ? results.at(-1) : undefined;
    return { results, ...(last && { next: keyset.cursorAfter(last, results.length) }) };
  }

  async function count(request: DataRequests["count"]): Promise<StudioCount> {
    const { where = {}, cap, exact } = request.params;
    const className = requireClass(request);
    const context = await viewContext(dependencies, request);
    if (exact) return countExactly(context, className, where);
    // One row beyond the cap shows that there are more, unless the query limit is lower.
    const limit = Math.min(cap + 1, dependencies.maxLimit);
    const query = { where, keys: "objectId", limit };
    const found = parseResults(await objects.find(context, className, query)).length;
    return { count: Math.min(found, cap), isCapped: found === limit };
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

  async function explain(request: DataRequests["explain"]): Promise<StudioExplain> {
    const { where = {}, order } = request.params;
    const className = requireClass(request);
    const text = await objects.find(request.context, className, {
      where,
      ...(order && { order }),
      explain: true,
    });
    const { results: plan }: { results: JsonValue } = JSON.parse(text);
    const suggestedIndex = suggestIndex(schemas.get(className), where, order);
    return { plan, ...(suggestedIndex && { suggestedIndex }) };
  }

  async function get(request: DataRequests["get"]): Promise<JsonObject> {
    const context = await viewContext(dependencies, request);
    const { objectId } = request.pathParams;
    const text = await objects.get(context, requireClass(request), objectId, includeParams(request.params));
    return JSON.parse(text);
  }

  async function create(request: DataRequests["create"]) {
    const className = requireClass(request);
    const { fields } = request.params;
    const { body } = await objects.create(request.context, className, fields);
    request.setAuditDetails({ target: `${className}/${String(body.objectId)}`, after: fields });
    return getRow(request, className, String(body.objectId));
  }

  async function update(request: DataRequests["update"]) {
    const className = requireClass(request);
    const { objectId } = request.pathParams;
    const { fields, expectedUpdatedAt: ifUpdatedAt } = request.params;
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
    return getRow(request, className, objectId);
  }

  async function remove(request: DataRequests["remove"]) {
    const className = requireClass(request);
    const { objectId } = request.pathParams;
    request.setAuditDetails({ before: await getRow(request, className, objectId) });
    await objects.remove(request.context, className, objectId);
    return {};
  }

  /** Changes many rows: by ids, by a where, or by both. A dry run only counts them. */
  async function bulk(request: DataRequests["bulk"]): Promise<StudioBulkResult> {
    const { params, context } = request;
    const { action, ids: chosenIds, dryRun, expectedCount } = params;
    const className = requireClass(request);
    if (action === "update" && !params.fields) throw invalidParameter("fields is missing");
    const fields = (action === "update" && params.fields) || {};
    const where = chosenIds ? andWhere({ objectId: { $in: chosenIds } }, params.where) : params.where;
    if (!where) throw invalidParameter("where is missing");
    const { count: matched } = await countExactly(context, className, where);
    request.setAuditDetails({ target: className, before: where, after: { action, fields, matched } });
    if (dryRun) return { matched, changed: 0, failed: [] };
    if (expectedCount !== undefined && expectedCount !== matched) {
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
    return { matched, changed: ids.length - failed.length, failed };
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

  function requireClass({ pathParams: { className } }: ClassRequest): string {
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

function andWhere(where: JsonObject, more: JsonObject | undefined): JsonObject {
  return more ? { $and: [where, more] } : where;
}

function includeParams({ include }: { include?: string | undefined }): JsonObject {
  return include === undefined ? {} : { include };
}

function parseResults(text: string): JsonObject[] {
  const { results }: { results: JsonValue[] } = JSON.parse(text);
  return results.filter(isJsonObject);
}
