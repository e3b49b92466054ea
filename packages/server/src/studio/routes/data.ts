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
import type { RequestContext } from "../../authContext.ts";
import { fieldsOf } from "../../schema/describe.ts";
import { OUTDATED } from "../../store/store.ts";
import { Conflict } from "../door.ts";
import { fieldsOfOrder, keyset } from "../keyset.ts";
import {
  flagIn,
  invalid,
  objectIn,
  optionalObjectIn,
  optionalTextIn,
  textIn,
  textsIn,
  wholeIn,
} from "../parameters.ts";
import { json, type StudioRequest, type StudioRoute } from "../route.ts";
import { suggestIndex } from "../suggestIndex.ts";
import { type LiveRowsParts, liveRowsRoute } from "./liveRows.ts";
import { moveRowsRoutes } from "./moveRows.ts";
import { lookingAs, type PipelineParts } from "./pipeline.ts";

const PAGE = 100;
const MOST_ROWS = 1_000;
const COUNT_CAP = 1_000;
const MOST_CAP = 10_000;
const MOST_BULK = 100_000;
/** Rows that are changed side by side, so that their writes share a commit. */
const TOGETHER = 50;

export interface DataParts extends PipelineParts, Pick<LiveRowsParts, "feed" | "presenter"> {
  /** Rows that one question may answer at most. */
  maxLimit: number;
}

/** Rows of any class, as the grid shows and changes them. Everything goes through the pipeline of all doors. */
export function dataRoutes(parts: DataParts): StudioRoute[] {
  const { objects, schemas } = parts;
  return [
    { method: "GET", path: "/data/:className", needs: "readOnly", handle: list },
    { method: "GET", path: "/data/:className/count", needs: "readOnly", handle: count },
    { method: "GET", path: "/data/:className/explain", needs: "readOnly", handle: explain },
    { method: "GET", path: "/data/:className/rows/:objectId", needs: "readOnly", handle: get },
    { method: "POST", path: "/data/:className/rows", needs: "editor", handle: create },
    { method: "PUT", path: "/data/:className/rows/:objectId", needs: "editor", handle: update },
    { method: "DELETE", path: "/data/:className/rows/:objectId", needs: "editor", handle: remove },
    { method: "POST", path: "/data/:className/bulk", needs: "editor", handle: bulk },
    liveRowsRoute({ ...parts, classIn }),
    ...moveRowsRoutes({ ...parts, classIn }),
  ];

  async function list(request: StudioRequest) {
    const { params } = request;
    const className = classIn(request);
    const context = await lookingAs(parts, request);
    const limit = Math.max(1, wholeIn(params, "limit", PAGE, MOST_ROWS));
    const set = keyset(params.order, optionalTextIn(params, "after"), typesOf(className));
    const keys = optionalTextIn(params, "keys", 10_000);
    const text = await objects.find(context, className, {
      where: both(whereIn(params), set.where),
      order: set.order,
      // One more than is shown tells whether there are more, without a count.
      limit: limit + 1,
      skip: set.skip,
      ...(keys !== undefined && { keys: [keys, ...fieldsOfOrder(set)].join() }),
      ...included(params),
    });
    const rows = resultsOf(text);
    const results = rows.slice(0, limit);
    const last = rows.length > limit ? results.at(-1) : undefined;
    return json({ results, ...(last && { next: set.cursorAfter(last, results.length) }) });
  }

  async function count(request: StudioRequest) {
    const { params } = request;
    const className = classIn(request);
    const context = await lookingAs(parts, request);
    const where = whereIn(params);
    if (flagIn(params, "exact")) return json(await exactly(context, className, where));
    const cap = Math.max(1, wholeIn(params, "cap", COUNT_CAP, MOST_CAP));
    // One row beyond the cap tells that there are more; where no question may answer so many, all that it may.
    const limit = Math.min(cap + 1, parts.maxLimit);
    const asked = { where, keys: "objectId", limit };
    const found = resultsOf(await objects.find(context, className, asked)).length;
    const isCapped = found === limit;
    const counted: StudioCount = { count: Math.min(found, cap), isCapped };
    return json(counted);
  }

  async function exactly(
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
    const className = classIn(request);
    const where = whereIn(params);
    const order = optionalTextIn(params, "order");
    const text = await objects.find(context, className, { where, ...(order && { order }), explain: true });
    const { results: plan }: { results: JsonValue } = JSON.parse(text);
    const suggestedIndex = suggestIndex(schemas.get(className), where, order);
    const explained: StudioExplain = { plan, ...(suggestedIndex && { suggestedIndex }) };
    return json(explained);
  }

  async function get(request: StudioRequest) {
    const context = await lookingAs(parts, request);
    const { objectId = "" } = request.names;
    const text = await objects.get(context, classIn(request), objectId, included(request.params));
    return { status: 200, body: text };
  }

  async function create(request: StudioRequest) {
    const className = classIn(request);
    const fields = objectIn(request.params, "fields");
    const { body } = await objects.create(request.context, className, fields);
    request.note({ target: `${className}/${String(body.objectId)}`, after: fields });
    return json(await rowOf(request, className, String(body.objectId)), 201);
  }

  async function update(request: StudioRequest) {
    const className = classIn(request);
    const { objectId = "" } = request.names;
    const fields = objectIn(request.params, "fields");
    const ifUpdatedAt = optionalTextIn(request.params, "expectedUpdatedAt");
    const before = await rowOf(request, className, objectId);
    const was = Object.fromEntries(Object.keys(fields).map((name) => [name, before[name] ?? null]));
    request.note({ before: was, after: fields });
    try {
      const context = { ...request.context, ...(ifUpdatedAt !== undefined && { ifUpdatedAt }) };
      await objects.update(context, className, objectId, fields);
    } catch (error) {
      if (!(error instanceof ProtocolError && error.code === OUTDATED)) throw error;
      throw new Conflict(await rowOf(request, className, objectId));
    }
    return json(await rowOf(request, className, objectId));
  }

  async function remove(request: StudioRequest) {
    const className = classIn(request);
    const { objectId = "" } = request.names;
    request.note({ before: await rowOf(request, className, objectId) });
    await objects.remove(request.context, className, objectId);
    return {};
  }

  /** One change of many rows: by their ids, or all of a where, or those ids that fulfil it. A dry run counts. */
  async function bulk(request: StudioRequest) {
    const { params, context } = request;
    const className = classIn(request);
    const action = textIn(params, "action");
    if (action !== "update" && action !== "delete") throw invalid("action must be update or delete");
    const fields = action === "update" ? objectIn(params, "fields") : {};
    const named = params.ids === undefined ? undefined : { objectId: { $in: textsIn(params, "ids") } };
    const where = named ? both(named, optionalObjectIn(params, "where")) : objectIn(params, "where");
    const { count: matched } = await exactly(context, className, where);
    request.note({ target: className, before: where, after: { action, fields, matched } });
    if (flagIn(params, "dryRun")) return json({ matched, changed: 0, failed: [] } satisfies StudioBulkResult);
    const expected = params.expectedCount;
    if (expected !== undefined && expected !== matched) {
      throw new ProtocolError(OUTDATED, `There are ${matched} rows now.`, 409);
    }
    if (matched > MOST_BULK) throw invalid(`at most ${MOST_BULK} rows are changed at once`);
    // All ids are read first: what is changed may no longer fulfil the where.
    const ids = await idsOf(context, className, where, matched);
    const failed: StudioBulkResult["failed"] = [];
    for (let i = 0; i < ids.length; i += TOGETHER) {
      await Promise.all(
        ids.slice(i, i + TOGETHER).map(async (id) => {
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
    const done: StudioBulkResult = { matched, changed: ids.length - failed.length, failed };
    return json(done);
  }

  async function idsOf(
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
    return resultsOf(text).map(({ objectId }) => String(objectId));
  }

  async function rowOf({ context }: StudioRequest, className: string, objectId: string): Promise<JsonObject> {
    return JSON.parse(await objects.get(context, className, objectId, {}));
  }

  function classIn({ names: { className = "" } }: StudioRequest): string {
    if (schemas.get(className)) return className;
    throw new ProtocolError(
      ErrorCode.INVALID_CLASS_NAME,
      `Class ${className.slice(0, 128)} does not exist.`,
      404,
    );
  }

  function typesOf(className: string): (field: string) => string | undefined {
    const fields = fieldsOf(className, schemas.get(className)?.fields ?? {});
    return (field) => (Object.hasOwn(fields, field) ? fields[field]?.type : undefined);
  }
}

function whereIn(params: JsonObject): JsonObject {
  return optionalObjectIn(params, "where") ?? {};
}

function both(where: JsonObject, more: JsonObject | undefined): JsonObject {
  return more ? { $and: [where, more] } : where;
}

function included(params: JsonObject): JsonObject {
  const include = optionalTextIn(params, "include");
  return include === undefined ? {} : { include };
}

function resultsOf(text: string): JsonObject[] {
  const { results }: { results: JsonValue[] } = JSON.parse(text);
  return results.filter(isJsonObject);
}
