import type { Place } from "./distance.ts";
import { EARTH_RADIUS_KM, EARTH_RADIUS_MILES } from "./earth.ts";
import { ErrorCode, ProtocolError } from "./errors.ts";
import { isGeoPoint, isPolygon, isWireFile } from "./fieldTypes.ts";
import { type Area, closedPolygon } from "./geo.ts";
import { assertClassName, parsePath } from "./names.ts";
import { type Order, parseOrder } from "./order.ts";
import { relativeTime } from "./relativeTime.ts";
import {
  isJsonObject,
  isPointer,
  isWireDate,
  type JsonObject,
  type JsonValue,
  type WirePointer,
} from "./values.ts";

/** What a field is compared with. Dates compare by time, pointers by class and id, the rest as JSON. */
export type Operand =
  | { type: "null" }
  | { type: "string"; value: string }
  | { type: "number"; value: number }
  | { type: "boolean"; value: boolean }
  | { type: "date"; value: string }
  | { type: "pointer"; value: WirePointer }
  /** By its name. */
  | { type: "file"; value: string }
  | { type: "json"; value: JsonValue };

export type Comparison = "eq" | "ne" | "lt" | "lte" | "gt" | "gte";

/** A question inside a question: the objects of another class that a field leads to, or shares a value with. */
export interface SubQuery {
  className: string;
  /** The class that this key of `className` points to is asked in its place. */
  redirectClassNameForKey: string | undefined;
  where: Condition;
  order: Order[];
  /** Without one, all. */
  limit: number | undefined;
  skip: number;
}

export interface TextSearch {
  term: string;
  /** As text search engines name languages: `english`, `es`, `none` … */
  language: string | undefined;
  caseSensitive: boolean;
  diacriticSensitive: boolean;
}

/** A condition on one field. `path` is the field's name and, for dotted keys, the way into it. */
export type FieldCondition = { path: [string, ...string[]] } & (
  | { kind: Comparison; operand: Operand }
  | { kind: "in" | "nin" | "all" | "containedBy"; operands: Operand[] }
  | { kind: "exists"; exists: boolean }
  | { kind: "regex"; source: string; flags: string }
  /** An array with, for each pattern, an item that it fits. */
  | { kind: "allRegex"; patterns: { source: string; flags: string }[] }
  /** Points to one of the objects that the sub-query finds; `negated`: to none of them. */
  | { kind: "inQuery"; negated: boolean; query: SubQuery }
  /** Equals the value at `key` of one of the objects that the sub-query finds. */
  | { kind: "select"; negated: boolean; query: SubQuery; key: [string, ...string[]] }
  | { kind: "text"; search: TextSearch }
  /** Nearest first, where nothing else is said about the order. `maxDistance` in radians. */
  | { kind: "near"; place: Place; maxDistance: number | undefined }
  | { kind: "geoWithin"; area: Area }
  | { kind: "geoIntersects"; place: Place }
);

export type Condition =
  | FieldCondition
  | { kind: "and" | "or" | "nor"; conditions: Condition[] }
  | { kind: "relatedTo"; object: WirePointer; key: string };

export const MAX_WHERE_DEPTH = 12;
export const MAX_WHERE_CONDITIONS = 1_000;
export const MAX_IN_OPERANDS = 20_000;
export const MAX_REGEX_LENGTH = 1_000;

/** How deep questions may stand inside questions. */
export const MAX_SUB_QUERIES = 8;

const LIST_OPERATORS = { $in: "in", $nin: "nin", $containedBy: "containedBy" } as const;

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  $eq: "eq",
  $ne: "ne",
  $lt: "lt",
  $lte: "lte",
  $gt: "gt",
  $gte: "gte",
};

/**
 * Reads a `where` from the wire; only the operators known here get through.
 * Throws 102 for an unknown operator or shape, 105 for a bad key, which an operator in a field's place is too.
 */
export function parseWhere(where: unknown): Condition {
  return parseNode(where, 0, { left: MAX_WHERE_CONDITIONS, subQueries: MAX_SUB_QUERIES });
}

/** What a where may still use up. */
interface Budget {
  left: number;
  subQueries: number;
}

function parseNode(where: unknown, depth: number, budget: Budget): Condition {
  if (!isJsonObject(where)) throw invalid("a where must be an object");
  if (depth > MAX_WHERE_DEPTH) throw invalid(`conditions nest deeper than ${MAX_WHERE_DEPTH} levels`);
  const conditions: Condition[] = [];
  for (const [key, value] of Object.entries(where)) {
    if (key === "$or" || key === "$and" || key === "$nor") {
      conditions.push(parseBranches(key, value, depth, budget));
    } else if (key === "$relatedTo") {
      conditions.push(parseRelatedTo(value));
    } else if (key.startsWith("$")) {
      throw new ProtocolError(ErrorCode.INVALID_KEY_NAME, `Invalid key name: ${key.slice(0, 64)}`);
    } else {
      conditions.push(...parseField(key, value, depth, budget));
    }
    budget.left -= 1;
    if (budget.left < 0) throw invalid(`a where can hold ${MAX_WHERE_CONDITIONS} conditions at most`);
  }
  const [only] = conditions;
  return conditions.length === 1 && only ? only : { kind: "and", conditions };
}

function parseBranches(
  key: "$or" | "$and" | "$nor",
  value: unknown,
  depth: number,
  budget: Budget,
): Condition {
  if (!Array.isArray(value) || value.length === 0) {
    throw invalid(`Bad ${key} format - use an array of at least 1 value.`);
  }
  const kind = key === "$or" ? "or" : key === "$and" ? "and" : "nor";
  return { kind, conditions: value.map((branch) => parseNode(branch, depth + 1, budget)) };
}

function parseRelatedTo(value: unknown): Condition {
  if (!isJsonObject(value) || !isJsonObject(value.object) || typeof value.key !== "string") {
    throw invalid("improper usage of $relatedTo: it takes an object and a key");
  }
  const { object, key } = value;
  if (isPointer(object)) return { kind: "relatedTo", object, key };
  // SDKs ask for the relation of an object that was never saved: nothing is in it.
  if (object.__type === "Pointer" && object.objectId === undefined) {
    return { path: ["objectId"], kind: "in", operands: [] };
  }
  throw invalid("improper usage of $relatedTo: it takes an object and a key");
}

function parseField(
  key: string,
  value: JsonValue | undefined,
  depth: number,
  budget: Budget,
): FieldCondition[] {
  const path = parsePath(key);
  if (!isConstraint(value)) return [{ path, kind: "eq", operand: operandOf(value) }];
  const conditions: FieldCondition[] = [];
  for (const [operator, argument] of Object.entries(value)) {
    const parsed = parseConstraint(path, operator, argument, value, depth, budget);
    if (parsed) conditions.push(parsed);
  }
  return conditions;
}

/** An object whose keys are operators; a mix of operators and plain keys is refused. */
function isConstraint(value: JsonValue | undefined): value is JsonObject {
  if (!isJsonObject(value)) return false;
  const keys = Object.keys(value);
  const operators = keys.filter((key) => key.startsWith("$"));
  if (operators.length > 0 && operators.length < keys.length) {
    throw invalid("a condition mixes operators and plain keys");
  }
  return operators.length > 0;
}

function parseConstraint(
  path: [string, ...string[]],
  operator: string,
  argument: JsonValue | undefined,
  constraint: JsonObject,
  depth: number,
  budget: Budget,
): FieldCondition | undefined {
  const comparison = Object.hasOwn(COMPARISONS, operator) ? COMPARISONS[operator] : undefined;
  if (comparison) return { path, kind: comparison, operand: comparedWith(argument, comparison) };
  switch (operator) {
    case "$in":
    case "$nin":
    case "$containedBy":
      return { path, kind: LIST_OPERATORS[operator], operands: listOf(argument, operator).map(operandOf) };
    case "$all":
      return parseAll(path, listOf(argument, operator));
    case "$exists":
      if (typeof argument !== "boolean") throw badValue("bad $exists value: it takes a boolean");
      return { path, kind: "exists", exists: argument };
    case "$regex":
      return { path, kind: "regex", ...parseRegex(argument, constraint.$options) };
    case "$options":
      if (!("$regex" in constraint)) throw invalid("$options goes with $regex");
      return undefined;
    case "$inQuery":
    case "$notInQuery": {
      const query = parseSubQuery(argument, operator, depth, budget);
      return { path, kind: "inQuery", negated: operator === "$notInQuery", query };
    }
    case "$select":
    case "$dontSelect": {
      if (!isJsonObject(argument) || typeof argument.key !== "string") {
        throw invalid(`improper usage of ${operator}`);
      }
      const query = parseSubQuery(argument.query, operator, depth, budget);
      return {
        path,
        kind: "select",
        negated: operator === "$dontSelect",
        query,
        key: parsePath(argument.key),
      };
    }
    case "$text":
      return { path, kind: "text", search: parseTextSearch(argument) };
    case "$nearSphere":
      return {
        path,
        kind: "near",
        place: placeOf(argument, "$nearSphere"),
        maxDistance: radiansOf(constraint),
      };
    case "$maxDistance":
    case "$maxDistanceInRadians":
    case "$maxDistanceInMiles":
    case "$maxDistanceInKilometers":
      if (!("$nearSphere" in constraint)) throw invalid(`${operator} goes with $nearSphere`);
      return undefined;
    case "$within":
    case "$geoWithin":
      return { path, kind: "geoWithin", area: parseArea(argument, operator) };
    case "$geoIntersects":
      if (!isJsonObject(argument) || !isGeoPoint(argument.$point)) {
        throw badValue("bad $geoIntersect value; $point should be GeoPoint");
      }
      return { path, kind: "geoIntersects", place: placeOf(argument.$point, "$geoIntersects") };
    default:
      throw invalid(`bad constraint: ${operator.slice(0, 64)}`);
  }
}

function listOf(argument: JsonValue | undefined, operator: string): JsonValue[] {
  if (!Array.isArray(argument)) {
    throw badValue(
      operator === "$containedBy" ? "bad $containedBy: should be an array" : `bad ${operator} value`,
    );
  }
  if (argument.length > MAX_IN_OPERANDS) throw invalid(`${operator} takes ${MAX_IN_OPERANDS} values at most`);
  return argument;
}

/** Values, or patterns as containsAllStartingWith makes them; not both. */
function parseAll(path: [string, ...string[]], values: JsonValue[]): FieldCondition {
  // Nothing that has to be there is there in nothing: so answer the servers that clients know.
  if (values.length === 0) return { path, kind: "in", operands: [] };
  const isPattern = (value: JsonValue) => isJsonObject(value) && "$regex" in value;
  if (!values.some(isPattern)) return { path, kind: "all", operands: values.map(operandOf) };
  if (!values.every(isPattern)) {
    throw badValue(`All $all values must be of regex type or none: ${JSON.stringify(values).slice(0, 200)}`);
  }
  const patterns = values.map((value) =>
    isJsonObject(value) ? parseRegex(value.$regex, value.$options) : { source: "", flags: "" },
  );
  return { path, kind: "allRegex", patterns };
}

function parseSubQuery(
  value: JsonValue | undefined,
  operator: string,
  depth: number,
  budget: Budget,
): SubQuery {
  if (!isJsonObject(value) || typeof value.className !== "string") {
    throw invalid(`improper usage of ${operator}`);
  }
  const { className, where = {}, redirectClassNameForKey, limit, skip, order } = value;
  assertClassName(className);
  budget.subQueries -= 1;
  if (budget.subQueries < 0) throw invalid(`a where can hold ${MAX_SUB_QUERIES} sub-queries at most`);
  if (redirectClassNameForKey !== undefined && typeof redirectClassNameForKey !== "string") {
    throw invalid(`improper usage of ${operator}`);
  }
  const count = (given: JsonValue | undefined): number | undefined =>
    typeof given === "number" && Number.isInteger(given) && given >= 0 ? given : undefined;
  return {
    className,
    redirectClassNameForKey: redirectClassNameForKey && parsePath(redirectClassNameForKey)[0],
    where: parseNode(where, depth + 1, budget),
    order: parseOrder(order),
    limit: count(limit),
    skip: count(skip) ?? 0,
  };
}

function parseTextSearch(value: JsonValue | undefined): TextSearch {
  const search = isJsonObject(value) ? value.$search : undefined;
  if (!isJsonObject(search)) throw badValue("bad $text: $search, should be object");
  const { $term, $language, $caseSensitive, $diacriticSensitive } = search;
  if (typeof $term !== "string") throw badValue("bad $text: $term, should be string");
  if ($term.length > MAX_REGEX_LENGTH) throw invalid(`$term takes ${MAX_REGEX_LENGTH} characters at most`);
  if ($language !== undefined && typeof $language !== "string") {
    throw badValue("bad $text: $language, should be string");
  }
  const flag = (given: JsonValue | undefined, name: string): boolean => {
    if (given === undefined) return false;
    if (typeof given === "boolean") return given;
    throw badValue(`bad $text: ${name}, should be boolean`);
  };
  return {
    term: $term,
    language: $language,
    caseSensitive: flag($caseSensitive, "$caseSensitive"),
    diacriticSensitive: flag($diacriticSensitive, "$diacriticSensitive"),
  };
}

function placeOf(value: JsonValue | undefined, operator: string): Place {
  if (isGeoPoint(value)) return { latitude: value.latitude, longitude: value.longitude };
  throw badValue(`bad ${operator} value: it takes a GeoPoint`);
}

/** The greatest distance in radians, in whichever unit it is given. */
function radiansOf(constraint: JsonObject): number | undefined {
  const units: [string, number][] = [
    ["$maxDistance", 1],
    ["$maxDistanceInRadians", 1],
    ["$maxDistanceInMiles", EARTH_RADIUS_MILES],
    ["$maxDistanceInKilometers", EARTH_RADIUS_KM],
  ];
  for (const [name, radius] of units) {
    const value = constraint[name];
    if (value === undefined) continue;
    if (typeof value !== "number" || value < 0)
      throw badValue(`bad ${name} value: it takes a number from 0 on`);
    return value / radius;
  }
  return undefined;
}

function parseArea(value: JsonValue | undefined, operator: string): Area {
  if (!isJsonObject(value)) throw badValue(`bad ${operator} value`);
  if (operator === "$within") {
    const corners = value.$box;
    if (!Array.isArray(corners) || corners.length !== 2) throw badValue("malformatted $within arg");
    return { type: "box", ...boxOf(placeOf(corners[0], "$box"), placeOf(corners[1], "$box")) };
  }
  if (value.$polygon !== undefined) return { type: "polygon", points: polygonOf(value.$polygon) };
  if (value.$centerSphere !== undefined) return parseSphere(value.$centerSphere);
  throw badValue("bad $geoWithin value");
}

/** The box between two corners, whichever they are. */
function boxOf(a: Place, b: Place): { southwest: Place; northeast: Place } {
  const latitudes = [a.latitude, b.latitude];
  const longitudes = [a.longitude, b.longitude];
  return {
    southwest: { latitude: Math.min(...latitudes), longitude: Math.min(...longitudes) },
    northeast: { latitude: Math.max(...latitudes), longitude: Math.max(...longitudes) },
  };
}

function polygonOf(value: JsonValue | undefined): [number, number][] {
  if (isPolygon(value)) return closedPolygon(value.coordinates);
  if (!Array.isArray(value)) {
    throw badValue("bad $geoWithin value; $polygon should be Polygon object or Array of Parse.GeoPoint's");
  }
  if (value.length < 3) throw badValue("bad $geoWithin value; $polygon should contain at least 3 GeoPoints");
  const points = value.map((point): [number, number] => {
    if (Array.isArray(point) && typeof point[0] === "number" && typeof point[1] === "number") {
      return [point[0], point[1]];
    }
    if (!isGeoPoint(point)) throw badValue("bad $geoWithin value");
    return [point.latitude, point.longitude];
  });
  return closedPolygon(points);
}

function parseSphere(value: JsonValue): Area {
  if (!Array.isArray(value) || value.length < 2) {
    throw badValue("bad $geoWithin value; $centerSphere should be an array of Parse.GeoPoint and distance");
  }
  const [center, radius] = value;
  const point: JsonValue | undefined =
    Array.isArray(center) && center.length === 2
      ? { __type: "GeoPoint", latitude: center[1] ?? null, longitude: center[0] ?? null }
      : center;
  if (!isGeoPoint(point)) throw badValue("bad $geoWithin value; $centerSphere geo point invalid");
  if (typeof radius !== "number" || radius < 0) {
    throw badValue("bad $geoWithin value; $centerSphere distance invalid");
  }
  return { type: "sphere", center: placeOf(point, "$centerSphere"), radius };
}

function parseRegex(
  source: JsonValue | undefined,
  options: JsonValue | undefined,
): { source: string; flags: string } {
  if (typeof source !== "string") throw invalid("$regex value must be a string");
  if (source.length > MAX_REGEX_LENGTH) throw invalid(`$regex takes ${MAX_REGEX_LENGTH} characters at most`);
  if (options === undefined) return { source, flags: "" };
  if (typeof options !== "string" || !/^[imxsu]*$/.test(options)) {
    throw invalid(`Bad $options value for query: ${JSON.stringify(options).slice(0, 100)}`);
  }
  return { source, flags: [...new Set(options)].sort().join("") };
}

/** A value, or a time told from now on. */
function comparedWith(argument: JsonValue | undefined, comparison: Comparison): Operand {
  const told = isJsonObject(argument) ? argument.$relativeTime : undefined;
  if (told === undefined) return operandOf(argument);
  if (comparison === "eq" || comparison === "ne") {
    throw badValue("$relativeTime can only be used with the $lt, $lte, $gt, and $gte operators");
  }
  try {
    return { type: "date", value: new Date(relativeTime(String(told), Date.now())).toISOString() };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw badValue(`bad $relativeTime ($${comparison}) value. ${reason}`);
  }
}

function operandOf(value: JsonValue | undefined): Operand {
  if (value === null || value === undefined) return { type: "null" };
  if (typeof value === "string") return { type: "string", value };
  if (typeof value === "number") return { type: "number", value };
  if (typeof value === "boolean") return { type: "boolean", value };
  if (isWireDate(value)) return { type: "date", value: new Date(value.iso).toISOString() };
  if (isPointer(value)) return { type: "pointer", value };
  if (isWireFile(value)) return { type: "file", value: value.name };
  if (isPolygon(value)) {
    return { type: "json", value: { __type: "Polygon", coordinates: closedPolygon(value.coordinates) } };
  }
  return { type: "json", value };
}

/** What a where asks in a way that nobody can. */
function invalid(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_QUERY, message);
}

/** An operand of the wrong shape. */
function badValue(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_JSON, message);
}
