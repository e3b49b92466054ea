import { isJsonObject, type JsonObject, parseJson } from "@purse/protocol";

/** Parameters that are passed on as they are. */
const OPTIONS = [
  "readPreference",
  "includeReadPreference",
  "subqueryReadPreference",
  "hint",
  "comment",
  "explain",
] as const;

const QUERY_PARAMS: ReadonlySet<string> = new Set([
  "where",
  "include",
  "excludeKeys",
  "keys",
  "count",
  "limit",
  "skip",
  "order",
  ...OPTIONS,
]);

/** Returns the parameters that are not part of the query. */
export function withoutQueryParams(params: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(params).filter(([name]) => !QUERY_PARAMS.has(name)));
}

/** Converts query parameters to the types that clients use; in a query string all of them are strings. */
export function queryParams(params: JsonObject): JsonObject {
  const { where, limit, skip, count, include, keys, excludeKeys, order } = params;
  const query: JsonObject = {};
  const parsed: unknown = typeof where === "string" ? parseJson(where) : where;
  if (isJsonObject(parsed)) query.where = parsed;
  if (limit !== undefined && Number.isFinite(Number(limit))) query.limit = Number(limit);
  if (skip !== undefined && Number.isFinite(Number(skip))) query.skip = Number(skip);
  if (count === 1 || count === "1" || count === true || count === "true") query.count = 1;
  for (const name of OPTIONS) {
    const value = params[name];
    if (value !== undefined) query[name] = name === "explain" ? value === true || value === "true" : value;
  }
  for (const [name, value] of Object.entries({ include, keys, excludeKeys, order })) {
    if (value !== undefined) query[name] = Array.isArray(value) ? value.join(",") : String(value);
  }
  return query;
}
