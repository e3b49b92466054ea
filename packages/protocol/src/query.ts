import type { Condition } from "./condition.ts";
import { ErrorCode, ProtocolError } from "./errors.ts";
import { parseJson } from "./json.ts";
import { MAX_INCLUDE_PATHS, MAX_NAME_LENGTH } from "./limits.ts";
import { parsePath } from "./names.ts";
import { type Order, parseList, parseOrder } from "./order.ts";
import { invalid } from "./queryErrors.ts";
import { parseWhere } from "./where.ts";
import { isJsonObject, type JsonObject } from "./wireValues.ts";

/** A parsed and validated query on one class. */
export interface Query {
  className: string;
  where: Condition;
  order: Order[];
  /** 0 returns no rows (for counting). */
  limit: number;
  skip: number;
  /** Whether the response contains the number of matching objects, ignoring limit and skip. */
  count: boolean;
  /** Fields to return; undefined means all. */
  keys: string[] | undefined;
  excludeKeys: string[];
  /** Paths of pointers to replace with their objects; `["*"]` for all pointers at the top level. */
  include: string[][];
  /** Whether objects get a `score`, their relevance for the text search. */
  includeScore: boolean;
  /** Key of `className` whose target class is queried instead. */
  redirectClassNameForKey: string | undefined;
  /** Preferred data source: `PRIMARY`, `SECONDARY`, … Ignored by databases without replicas. */
  readPreference: string | undefined;
  /** Whether to return the query plan instead of the objects. */
  explain: boolean;
}

export interface QueryLimits {
  defaultLimit: number;
  maxLimit: number;
}

export const DEFAULT_QUERY_LIMITS: QueryLimits = { defaultLimit: 100, maxLimit: 1_000_000 };

const KNOWN_PARAMETERS: ReadonlySet<string> = new Set([
  "where",
  "order",
  "limit",
  "skip",
  "count",
  "keys",
  "excludeKeys",
  "include",
  "includeAll",
  "readPreference",
  "includeReadPreference",
  "subqueryReadPreference",
  "hint",
  "explain",
  "comment",
  "redirectClassNameForKey",
]);

/**
 * Parses the parameters of a query, either typed (JSON body) or as text (query string). Throws 102, or 105 for an
 * invalid key.
 */
export function parseQuery(
  className: string,
  params: Record<string, unknown>,
  limits: QueryLimits = DEFAULT_QUERY_LIMITS,
): Query {
  for (const name of Object.keys(params)) {
    if (!KNOWN_PARAMETERS.has(name)) throw invalid(`Invalid parameter for query: ${name.slice(0, 64)}`);
  }
  const requestedKeys = params.keys === undefined ? undefined : parseList(params.keys, "keys");
  const keys =
    requestedKeys &&
    parseKeys(
      requestedKeys.filter((key) => key !== "$score"),
      "keys",
    );
  const excludeKeys = parseKeys(params.excludeKeys, "excludeKeys") ?? [];
  const { redirectClassNameForKey } = params;
  return {
    className,
    where: parseWhere(parseWhereText(params.where)),
    order: parseOrder(params.order),
    limit: Math.min(parseCount(params.limit, "limit") ?? limits.defaultLimit, limits.maxLimit),
    skip: parseCount(params.skip, "skip") ?? 0,
    count: parseFlag(params.count),
    // The SDKs request the score of a text search as an additional key.
    keys: requestedKeys?.includes("$score") && keys?.length === 0 ? undefined : keys,
    excludeKeys,
    include: parseInclude(params.include, [...(keys ?? []), ...excludeKeys], parseFlag(params.includeAll)),
    readPreference:
      typeof params.readPreference === "string"
        ? params.readPreference.slice(0, MAX_NAME_LENGTH).toUpperCase()
        : undefined,
    includeScore: requestedKeys?.includes("$score") ?? false,
    redirectClassNameForKey:
      typeof redirectClassNameForKey === "string" ? parsePath(redirectClassNameForKey)[0] : undefined,
    explain: isExplained(params),
  };
}

/** Whether a request asks for the plan of its query; in a query string, all parameters are text. */
export function isExplained({ explain }: { readonly explain?: unknown }): boolean {
  return explain !== undefined && explain !== false && explain !== "false";
}

/**
 * Returns the parameters of a query with `where` as an object if it is text, as in a query string. Throws 107 if the text
 * is not valid JSON.
 */
export function withParsedWhere(params: JsonObject): JsonObject {
  if (typeof params.where !== "string") return params;
  const where = parseWhereText(params.where);
  // Anything else is rejected by `parseQuery`.
  return isJsonObject(where) ? { ...params, where } : params;
}

function parseWhereText(where: unknown): unknown {
  if (where === undefined) return {};
  if (typeof where !== "string") return where;
  try {
    return parseJson(where);
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    throw new ProtocolError(ErrorCode.INVALID_JSON, "where parameter is not valid JSON");
  }
}

function parseCount(value: unknown, name: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  const count = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof count !== "number" || !Number.isInteger(count) || count < 0) {
    // Older clients send -1 for "no limit".
    if (name === "limit" && count === -1) return undefined;
    throw invalid(`${name} must be a non-negative number`);
  }
  if (name === "skip" && !Number.isSafeInteger(count)) throw invalid("skip is too large a number");
  return count;
}

function parseFlag(value: unknown): boolean {
  return value === true || value === 1 || value === "1" || value === "true";
}

function parseKeys(value: unknown, name: string): string[] | undefined {
  if (value === undefined) return undefined;
  const keys = parseList(value, name).filter((key) => key !== "");
  return keys.map((key) => parsePath(key).join("."));
}

function parseInclude(value: unknown, keys: string[], includeAll: boolean): string[][] {
  const paths = value === undefined ? [] : parseList(value, "include", MAX_INCLUDE_PATHS);
  const isAll = includeAll || paths.includes("*");
  const include = isAll ? [] : paths.filter((path) => path !== "");
  // A dotted key selects a field of an included object.
  for (const key of keys) {
    const dot = key.lastIndexOf(".");
    if (dot >= 0) include.push(key.slice(0, dot));
  }
  const distinct = [...new Set(include)];
  if (distinct.length > MAX_INCLUDE_PATHS) {
    throw invalid(`include and keys lead into ${MAX_INCLUDE_PATHS} objects at most`);
  }
  const parsed = distinct.map((path): string[] => parsePath(path));
  // `*` includes the first level.
  return isAll ? [["*"], ...parsed.filter((path) => path.length > 1)] : parsed;
}
