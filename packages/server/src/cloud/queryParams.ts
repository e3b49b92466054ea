import { isJsonObject, type JsonObject, parseJson } from "@purse/protocol";

const QUERY_PARAMS: ReadonlySet<string> = new Set([
  "where",
  "include",
  "excludeKeys",
  "keys",
  "count",
  "limit",
  "skip",
  "order",
]);

/** What is beside the query itself. */
export function withoutQueryParams(params: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(params).filter(([name]) => !QUERY_PARAMS.has(name)));
}

/** The parameters as a client types them; in a query string all of them are text. */
export function queryParams(params: JsonObject): JsonObject {
  const { where, limit, skip, count, include, keys, excludeKeys, order } = params;
  const typed: JsonObject = {};
  const parsed: unknown = typeof where === "string" ? parseJson(where) : where;
  if (isJsonObject(parsed)) typed.where = parsed;
  if (limit !== undefined && Number.isFinite(Number(limit))) typed.limit = Number(limit);
  if (skip !== undefined && Number.isFinite(Number(skip))) typed.skip = Number(skip);
  if (count === 1 || count === "1" || count === true || count === "true") typed.count = 1;
  for (const [name, value] of Object.entries({ include, keys, excludeKeys, order })) {
    if (value !== undefined) typed[name] = Array.isArray(value) ? value.join(",") : String(value);
  }
  return typed;
}
