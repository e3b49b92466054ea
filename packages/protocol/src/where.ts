import type { Coordinates } from "./distance.ts";
import { EARTH_RADIUS_KM, EARTH_RADIUS_MILES } from "./earth.ts";
import { ErrorCode, ProtocolError } from "./errors.ts";
import { isGeoPoint, isPolygon, isWireFile } from "./fieldTypes.ts";
import { type Area, closedPolygon } from "./geo.ts";
import {
  MAX_IN_OPERANDS,
  MAX_PATTERN_SIZE,
  MAX_PATTERN_TEXT,
  MAX_PATTERNS,
  MAX_POLYGON_POINTS,
  MAX_REGEX_LENGTH,
  MAX_SUB_QUERIES,
  MAX_WHERE_CONDITIONS,
  MAX_WHERE_DEPTH,
} from "./limits.ts";
import { assertClassName, assertFieldName, parsePath } from "./names.ts";
import { type Order, parseOrder } from "./order.ts";
import { patternSize } from "./patternSize.ts";
import { relativeTime } from "./relativeTime.ts";
import {
  isJsonObject,
  isPointer,
  isStorableText,
  isWireDate,
  type JsonObject,
  type JsonValue,
  type WirePointer,
} from "./values.ts";

/** The operand of a comparison. Dates are compared by time, pointers by class and id, everything else as JSON. */
export type Operand =
  | { type: "null" }
  | { type: "string"; value: string }
  | { type: "number"; value: number }
  | { type: "boolean"; value: boolean }
  | { type: "date"; value: string }
  | { type: "pointer"; value: WirePointer }
  /** Compared by name. */
  | { type: "file"; value: string }
  | { type: "json"; value: JsonValue };

export type Comparison = "eq" | "ne" | "lt" | "lte" | "gt" | "gte";

/** A nested query: the objects of another class that a field points to or shares a value with. */
export interface SubQuery {
  className: string;
  /** Key of `className` whose target class is queried instead. */
  redirectClassNameForKey: string | undefined;
  where: Condition;
  order: Order[];
  /** Undefined for no limit. */
  limit: number | undefined;
  skip: number;
}

export interface TextSearch {
  term: string;
  /** Language of the text search: `english`, `es`, `none` … */
  language: string | undefined;
  caseSensitive: boolean;
  diacriticSensitive: boolean;
}

/** A condition on one field. `path` is the field's name, followed by nested keys. */
export type FieldCondition = { path: [string, ...string[]] } & (
  | { kind: Comparison; operand: Operand }
  | { kind: "in" | "nin" | "all" | "containedBy"; operands: Operand[] }
  | { kind: "exists"; exists: boolean }
  | { kind: "regex"; source: string; flags: string }
  /** The array has a matching item for each pattern. */
  | { kind: "allRegex"; patterns: { source: string; flags: string }[] }
  /** Points to an object that the sub-query finds, or to none of them if `negated`. */
  | { kind: "inQuery"; negated: boolean; query: SubQuery }
  /** Equals the value at `key` of an object that the sub-query finds. */
  | { kind: "select"; negated: boolean; query: SubQuery; key: [string, ...string[]] }
  | { kind: "text"; search: TextSearch }
  /** Sorts by ascending distance unless another order is given. `maxDistance` is in radians. */
  | { kind: "near"; point: Coordinates; maxDistance: number | undefined }
  | { kind: "geoWithin"; area: Area }
  | { kind: "geoIntersects"; point: Coordinates }
);

export type Condition =
  | FieldCondition
  | { kind: "and" | "or" | "nor"; conditions: Condition[] }
  | { kind: "relatedTo"; object: WirePointer; key: string };

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
 * Parses a `where` from the wire; only known operators are accepted. Throws 102 for an unknown operator or shape, 105
 * for an invalid key, including an operator in place of a field.
 */
export function parseWhere(where: unknown): Condition {
  return parseNode(where, 0, new Budget());
}

/** Remaining budget of a where, including everything nested in it. */
class Budget {
  #conditions = MAX_WHERE_CONDITIONS;
  #operands = MAX_IN_OPERANDS;
  #subQueries = MAX_SUB_QUERIES;
  #patterns = MAX_PATTERNS;
  #patternText = MAX_PATTERN_TEXT;
  #patternSize = MAX_PATTERN_SIZE;

  useConditions(count: number): void {
    this.#conditions -= count;
    if (this.#conditions < 0) throw invalid(`a where can hold ${MAX_WHERE_CONDITIONS} conditions at most`);
  }

  useOperands(count: number): void {
    this.#operands -= count;
    if (this.#operands < 0) throw invalid(`a where takes ${MAX_IN_OPERANDS} values in lists at most`);
  }

  useSubQuery(): void {
    this.#subQueries -= 1;
    if (this.#subQueries < 0) throw invalid(`a where can hold ${MAX_SUB_QUERIES} sub-queries at most`);
  }

  usePattern(source: string): void {
    this.#patterns -= 1;
    this.#patternText -= source.length;
    if (this.#patterns < 0) throw invalid(`a where can hold ${MAX_PATTERNS} patterns at most`);
    if (this.#patternText < 0) {
      throw invalid(`the patterns of a where take ${MAX_PATTERN_TEXT} characters at most`);
    }
    this.#patternSize -= patternSize(source);
    if (this.#patternSize < 0)
      throw invalid("the repetitions in the patterns of a where make them too large");
  }
}

function parseNode(where: unknown, depth: number, budget: Budget): Condition {
  if (!isJsonObject(where)) throw invalid("a where must be an object");
  if (depth > MAX_WHERE_DEPTH) throw invalid(`conditions nest deeper than ${MAX_WHERE_DEPTH} levels`);
  const conditions: Condition[] = [];
  const keys = Object.keys(where);
  // An empty branch is evaluated as well and counts as one condition.
  budget.useConditions(Math.max(keys.length, depth > 0 ? 1 : 0));
  for (const key of keys) {
    const value = where[key];
    if (key === "$or" || key === "$and" || key === "$nor") {
      conditions.push(parseBranches(key, value, depth, budget));
    } else if (key === "$relatedTo") {
      conditions.push(parseRelatedTo(value));
    } else if (key.startsWith("$")) {
      throw new ProtocolError(ErrorCode.INVALID_KEY_NAME, `Invalid key name: ${key.slice(0, 64)}`);
    } else {
      for (const condition of parseField(key, value, depth, budget)) conditions.push(condition);
    }
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
  if (value.length > MAX_WHERE_CONDITIONS) {
    throw invalid(`a where can hold ${MAX_WHERE_CONDITIONS} conditions at most`);
  }
  const kind = key === "$or" ? "or" : key === "$and" ? "and" : "nor";
  return { kind, conditions: value.map((branch) => parseNode(branch, depth + 1, budget)) };
}

function parseRelatedTo(value: unknown): Condition {
  if (!isJsonObject(value) || !isJsonObject(value.object) || typeof value.key !== "string") {
    throw invalid("improper usage of $relatedTo: it takes an object and a key");
  }
  const { object, key } = value;
  assertFieldName(key);
  if (isPointer(object)) {
    assertComparableText(object.className);
    assertComparableText(object.objectId);
    return { kind: "relatedTo", object, key };
  }
  // SDKs may query the relation of an object that was never saved: it is empty.
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
  if (!isConstraint(value)) return [{ path, kind: "eq", operand: parseOperand(value) }];
  const conditions: FieldCondition[] = [];
  const operators = Object.entries(value);
  // The first operator was counted together with the key.
  budget.useConditions(operators.length - 1);
  for (const [operator, argument] of operators) {
    const parsed = parseConstraint(path, operator, argument, value, depth, budget);
    if (parsed) conditions.push(parsed);
  }
  return conditions;
}

/** Whether a value is an object of operators. Throws 102 for a mix of operators and plain keys. */
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
  if (comparison) return { path, kind: comparison, operand: parseComparisonOperand(argument, comparison) };
  switch (operator) {
    case "$in":
    case "$nin":
    case "$containedBy": {
      const operands = parseListOperand(argument, operator, budget).map(parseOperand);
      // Objects and arrays are compared one by one, like separate conditions; pointers once per class.
      const classes = operands.flatMap((each) => (each.type === "pointer" ? each.value.className : []));
      budget.useConditions(operands.filter(({ type }) => type === "json").length + new Set(classes).size);
      return { path, kind: LIST_OPERATORS[operator], operands };
    }
    case "$all":
      return parseAll(path, parseListOperand(argument, operator, budget), budget);
    case "$exists":
      if (typeof argument !== "boolean") throw invalidValue("bad $exists value: it takes a boolean");
      return { path, kind: "exists", exists: argument };
    case "$regex":
      return { path, kind: "regex", ...parseRegex(argument, constraint.$options, budget) };
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
      return { path, kind: "text", search: parseTextSearch(argument, budget) };
    case "$nearSphere":
      return {
        path,
        kind: "near",
        point: parsePoint(argument, "$nearSphere"),
        maxDistance: parseMaxDistance(constraint),
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
        throw invalidValue("bad $geoIntersect value; $point should be GeoPoint");
      }
      return { path, kind: "geoIntersects", point: parsePoint(argument.$point, "$geoIntersects") };
    default:
      throw invalid(`bad constraint: ${operator.slice(0, 64)}`);
  }
}

function parseListOperand(argument: JsonValue | undefined, operator: string, budget: Budget): JsonValue[] {
  if (!Array.isArray(argument)) {
    throw invalidValue(
      operator === "$containedBy" ? "bad $containedBy: should be an array" : `bad ${operator} value`,
    );
  }
  if (argument.length > MAX_IN_OPERANDS) throw invalid(`${operator} takes ${MAX_IN_OPERANDS} values at most`);
  budget.useOperands(argument.length);
  return argument;
}

/** Parses `$all`: either values, or patterns as containsAllStartingWith sends them, but not both. */
function parseAll(path: [string, ...string[]], values: JsonValue[], budget: Budget): FieldCondition {
  // `$all` with an empty list matches nothing, as in Parse Server.
  if (values.length === 0) return { path, kind: "in", operands: [] };
  // Each value counts as a condition of its own.
  budget.useConditions(values.length - 1);
  const isPattern = (value: JsonValue) => isJsonObject(value) && "$regex" in value;
  if (!values.some(isPattern)) return { path, kind: "all", operands: values.map(parseOperand) };
  if (!values.every(isPattern)) {
    throw invalidValue(
      `All $all values must be of regex type or none: ${JSON.stringify(values.slice(0, 10)).slice(0, 200)}`,
    );
  }
  const patterns = values.map((value) =>
    isJsonObject(value) ? parseRegex(value.$regex, value.$options, budget) : { source: "", flags: "" },
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
  budget.useSubQuery();
  if (redirectClassNameForKey !== undefined && typeof redirectClassNameForKey !== "string") {
    throw invalid(`improper usage of ${operator}`);
  }
  const count = (raw: JsonValue | undefined): number | undefined =>
    typeof raw === "number" && Number.isSafeInteger(raw) && raw >= 0 ? raw : undefined;
  return {
    className,
    redirectClassNameForKey: redirectClassNameForKey && parsePath(redirectClassNameForKey)[0],
    where: parseNode(where, depth + 1, budget),
    order: parseOrder(order),
    limit: count(limit),
    skip: count(skip) ?? 0,
  };
}

function parseTextSearch(value: JsonValue | undefined, budget: Budget): TextSearch {
  const search = isJsonObject(value) ? value.$search : undefined;
  if (!isJsonObject(search)) throw invalidValue("bad $text: $search, should be object");
  const { $term, $language, $caseSensitive, $diacriticSensitive } = search;
  if (typeof $term !== "string") throw invalidValue("bad $text: $term, should be string");
  if ($term.length > MAX_REGEX_LENGTH) throw invalid(`$term takes ${MAX_REGEX_LENGTH} characters at most`);
  budget.usePattern($term);
  assertComparableText($term);
  if ($language !== undefined && typeof $language !== "string") {
    throw invalidValue("bad $text: $language, should be string");
  }
  const flag = (raw: JsonValue | undefined, name: string): boolean => {
    if (raw === undefined) return false;
    if (typeof raw === "boolean") return raw;
    throw invalidValue(`bad $text: ${name}, should be boolean`);
  };
  return {
    term: $term,
    language: $language,
    caseSensitive: flag($caseSensitive, "$caseSensitive"),
    diacriticSensitive: flag($diacriticSensitive, "$diacriticSensitive"),
  };
}

function parsePoint(value: JsonValue | undefined, operator: string): Coordinates {
  if (isGeoPoint(value)) return { latitude: value.latitude, longitude: value.longitude };
  throw invalidValue(`bad ${operator} value: it takes a GeoPoint`);
}

/** Returns the maximum distance in radians, given in any unit. */
function parseMaxDistance(constraint: JsonObject): number | undefined {
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
      throw invalidValue(`bad ${name} value: it takes a number from 0 on`);
    return value / radius;
  }
  return undefined;
}

function parseArea(value: JsonValue | undefined, operator: string): Area {
  if (!isJsonObject(value)) throw invalidValue(`bad ${operator} value`);
  if (operator === "$within") {
    const corners = value.$box;
    if (!Array.isArray(corners) || corners.length !== 2) throw invalidValue("malformatted $within arg");
    return { type: "box", ...toBox(parsePoint(corners[0], "$box"), parsePoint(corners[1], "$box")) };
  }
  if (value.$polygon !== undefined) return { type: "polygon", points: parsePolygon(value.$polygon) };
  if (value.$centerSphere !== undefined) return parseSphere(value.$centerSphere);
  throw invalidValue("bad $geoWithin value");
}

/** Returns the box between two opposite corners. */
function toBox(a: Coordinates, b: Coordinates): { southwest: Coordinates; northeast: Coordinates } {
  const latitudes = [a.latitude, b.latitude];
  const longitudes = [a.longitude, b.longitude];
  return {
    southwest: { latitude: Math.min(...latitudes), longitude: Math.min(...longitudes) },
    northeast: { latitude: Math.max(...latitudes), longitude: Math.max(...longitudes) },
  };
}

function parsePolygon(value: JsonValue | undefined): [number, number][] {
  const raw = isJsonObject(value) ? value.coordinates : value;
  if (Array.isArray(raw) && raw.length > MAX_POLYGON_POINTS) {
    throw invalid(`$polygon takes ${MAX_POLYGON_POINTS} points at most`);
  }
  if (isPolygon(value)) return closedPolygon(value.coordinates);
  if (!Array.isArray(value)) {
    throw invalidValue(
      "bad $geoWithin value; $polygon should be Polygon object or Array of Parse.GeoPoint's",
    );
  }
  if (value.length < 3)
    throw invalidValue("bad $geoWithin value; $polygon should contain at least 3 GeoPoints");
  const points = value.map((point): [number, number] => {
    if (Array.isArray(point) && typeof point[0] === "number" && typeof point[1] === "number") {
      return [point[0], point[1]];
    }
    if (!isGeoPoint(point)) throw invalidValue("bad $geoWithin value");
    return [point.latitude, point.longitude];
  });
  return closedPolygon(points);
}

function parseSphere(value: JsonValue): Area {
  if (!Array.isArray(value) || value.length < 2) {
    throw invalidValue(
      "bad $geoWithin value; $centerSphere should be an array of Parse.GeoPoint and distance",
    );
  }
  const [center, radius] = value;
  const point: JsonValue | undefined =
    Array.isArray(center) && center.length === 2
      ? { __type: "GeoPoint", latitude: center[1] ?? null, longitude: center[0] ?? null }
      : center;
  if (!isGeoPoint(point)) throw invalidValue("bad $geoWithin value; $centerSphere geo point invalid");
  if (typeof radius !== "number" || radius < 0) {
    throw invalidValue("bad $geoWithin value; $centerSphere distance invalid");
  }
  return { type: "sphere", center: parsePoint(point, "$centerSphere"), radius };
}

function parseRegex(
  source: JsonValue | undefined,
  options: JsonValue | undefined,
  budget: Budget,
): { source: string; flags: string } {
  if (typeof source !== "string") throw invalid("$regex value must be a string");
  if (source.length > MAX_REGEX_LENGTH) throw invalid(`$regex takes ${MAX_REGEX_LENGTH} characters at most`);
  budget.usePattern(source);
  assertComparableText(source);
  if (options === undefined) return { source, flags: "" };
  if (typeof options !== "string" || !/^[imxsu]{0,16}$/.test(options)) {
    throw invalid(`Bad $options value for query: ${excerpt(options)}`);
  }
  return { source, flags: [...new Set(options)].sort().join("") };
}

/** Parses an operand: a value or a relative time. */
function parseComparisonOperand(argument: JsonValue | undefined, comparison: Comparison): Operand {
  const relative = isJsonObject(argument) ? argument.$relativeTime : undefined;
  if (relative === undefined) return parseOperand(argument);
  if (comparison === "eq" || comparison === "ne") {
    throw invalidValue("$relativeTime can only be used with the $lt, $lte, $gt, and $gte operators");
  }
  try {
    return { type: "date", value: new Date(relativeTime(String(relative), Date.now())).toISOString() };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalidValue(`bad $relativeTime ($${comparison}) value. ${reason}`);
  }
}

function parseOperand(value: JsonValue | undefined): Operand {
  if (value === null || value === undefined) return { type: "null" };
  if (typeof value === "string") {
    assertComparableText(value);
    return { type: "string", value };
  }
  if (typeof value === "number") return { type: "number", value };
  if (typeof value === "boolean") return { type: "boolean", value };
  if (isWireDate(value)) return { type: "date", value: new Date(value.iso).toISOString() };
  if (isPointer(value)) {
    assertComparableText(value.className);
    assertComparableText(value.objectId);
    return { type: "pointer", value };
  }
  if (isWireFile(value)) {
    assertComparableText(value.name);
    return { type: "file", value: value.name };
  }
  if (isPolygon(value)) {
    return { type: "json", value: { __type: "Polygon", coordinates: closedPolygon(value.coordinates) } };
  }
  assertComparable(value);
  return { type: "json", value };
}

function assertComparable(value: JsonValue): void {
  if (typeof value === "string") assertComparableText(value);
  else if (Array.isArray(value)) for (const item of value) assertComparable(item);
  else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      assertComparableText(key);
      assertComparable(value[key] ?? null);
    }
  }
}

/** Throws 107 for a string that cannot be stored, and therefore never match. */
function assertComparableText(text: string): void {
  if (!isStorableText(text)) {
    throw invalidValue("a string holds a character that cannot be stored: NUL, or half of a surrogate pair");
  }
}

/** Returns the beginning of a value for error messages. */
function excerpt(value: JsonValue): string {
  const text = typeof value === "object" && value !== null ? "an object" : JSON.stringify(value);
  return text.slice(0, 100);
}

/** Creates the error of an invalid query. */
function invalid(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_QUERY, message);
}

/** Creates the error of an operand with the wrong shape. */
function invalidValue(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_JSON, message);
}
