import {
  type Condition,
  compileMatcher,
  distanceBetween,
  ErrorCode,
  isGeoPoint,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Order,
  ProtocolError,
  parseQuery,
  type SubQuery,
  type TextSearch,
} from "@purse/protocol";
import { compareValues } from "../query/compareValues.ts";

/**
 * Runs a query as the server would, on local objects (with `className`). Subqueries run
 * on the same objects. Throws 102 for invalid queries and for relations, whose members
 * are known only to the server.
 */
export function runOfflineQuery(
  objects: readonly JsonObject[],
  className: string,
  params: JsonObject,
): { results: JsonObject[]; count: number } {
  const unlimited = { defaultLimit: Number.POSITIVE_INFINITY, maxLimit: Number.POSITIVE_INFINITY };
  const query = parseQuery(className, params, unlimited);
  const found = select(objects, className, query.where, query.order);
  return { results: found.slice(query.skip, query.skip + query.limit), count: found.length };
}

function select(
  objects: readonly JsonObject[],
  className: string,
  where: Condition,
  order: readonly Order[],
): JsonObject[] {
  const matches = compileMatcher(where, {
    regex: compileRegex,
    text: compileSearch,
    subQuery: ({ className, where, order, skip, limit }: SubQuery) =>
      select(objects, className, where, order)
        .slice(skip, limit === undefined ? undefined : skip + limit)
        .map(toWireForm),
    relatedTo: () => {
      throw invalid("a relation cannot be queried offline");
    },
  });
  const found = objects.filter((object) => object.className === className && matches(toWireForm(object)));
  const near = order.length === 0 ? findNear(where) : undefined;
  if (near) return found.sort((a, b) => distanceTo(near, a) - distanceTo(near, b));
  return order.length > 0 ? found.sort((a, b) => compareBy(order, a, b)) : found;
}

/** Replaces nested objects by pointers, which conditions compare with. */
function toWireForm(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, flattenPointers(value)]));
}

function flattenPointers(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(flattenPointers);
  if (!isJsonObject(value) || value.__type !== "Object") return value;
  const { className = null, objectId = null } = value;
  return { __type: "Pointer", className, objectId };
}

type Near = Extract<Condition, { kind: "near" }>;

function findNear(where: Condition): Near | undefined {
  if (where.kind === "near") return where;
  return where.kind === "and" ? where.conditions.map(findNear).find((near) => near !== undefined) : undefined;
}

function distanceTo({ path, point: place }: Near, object: JsonObject): number {
  const value = valueAt(object, path);
  return isGeoPoint(value) ? distanceBetween(place, value) : Number.POSITIVE_INFINITY;
}

function valueAt(object: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const key of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

function compareBy(order: readonly Order[], a: JsonObject, b: JsonObject): number {
  for (const { path, descending } of order) {
    const difference = compareValues(valueAt(a, path), valueAt(b, path));
    if (difference !== 0) return descending ? -difference : difference;
  }
  return 0;
}

const QUOTED = /\\Q(.*?)(?:\\E|$)/gs;

/** A class by Unicode property in the syntax of the server: a category or the name of a script. */
const PROPERTY = /\\([pP])(?:\{(\^?)(\w+)\}|([A-Z]))/g;

/** Flags as on the server: i, m, s, u, and x, which ignores whitespace and comments in the pattern. */
function compileRegex(source: string, flags: string): (text: string) => boolean {
  const compact = flags.includes("x") ? source.replace(/(?<!\\)#.*$|(?<!\\)\s+/gm, "") : source;
  const escaped = compact.replace(QUOTED, (_, text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  try {
    const unicode = escaped.replace(PROPERTY, (_, kind: string, not = "", name = "", letter = "") => {
      const property = /^[A-Z][a-z]?$/.test(name || letter) ? name || letter : `Script=${name}`;
      return `\\${(kind === "P") === (not === "^") ? "p" : "P"}{${property}}`;
    });
    const isUnicode = escaped.search(PROPERTY) >= 0 && !flags.includes("u");
    const pattern = new RegExp(unicode, `${flags.replaceAll("x", "")}${isUnicode ? "u" : ""}`);
    return (text) => pattern.test(text);
  } catch (error) {
    throw invalid(`bad $regex: ${error instanceof Error ? error.message : "unknown"}`);
  }
}

/** Matches all quoted phrases or, without any, one of the terms; terms after a minus exclude. */
function compileSearch({ term, caseSensitive, diacriticSensitive }: TextSearch): (text: string) => boolean {
  const normalize = (text: string): string => {
    const folded = diacriticSensitive ? text : text.normalize("NFD").replace(/\p{M}/gu, "");
    return ` ${(caseSensitive ? folded : folded.toLowerCase()).split(/[^\p{L}\p{N}]+/u).join(" ")} `;
  };
  const phrases = [...term.matchAll(/"([^"]*)"/g)].map(([, phrase = ""]) => normalize(phrase));
  const terms = term
    .replace(/"[^"]*"/g, " ")
    .split(/\s+/)
    .filter(Boolean);
  const excluded = terms.filter((term) => term.startsWith("-")).map((term) => normalize(term.slice(1)));
  const included = terms.filter((term) => !term.startsWith("-")).map(normalize);
  return (text) => {
    const normalized = normalize(text);
    const has = (phrase: string): boolean => normalized.includes(` ${phrase.trim()} `);
    if (excluded.some(has)) return false;
    return phrases.length > 0 ? phrases.every(has) : included.some(has);
  };
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_QUERY, message);
}
