import type { Comparison, Condition, FieldCondition, Operand, SubQuery, TextSearch } from "./condition.ts";
import { ErrorCode, ProtocolError } from "./errors.ts";
import { isGeoPoint } from "./fieldTypes.ts";
import { MAX_IN_OPERANDS, MAX_REGEX_LENGTH, MAX_WHERE_CONDITIONS, MAX_WHERE_DEPTH } from "./limits.ts";
import { assertClassName, assertFieldName, invalidQueryKey, parsePath } from "./names.ts";
import { parseOrder } from "./order.ts";
import { invalid, invalidValue } from "./queryErrors.ts";
import { WhereBudget } from "./whereBudget.ts";
import { parseArea, parseMaxDistance, parsePoint } from "./whereGeo.ts";
import { assertComparableText, parseComparisonOperand, parseOperand } from "./whereOperands.ts";
import {
  isJsonObject,
  isPointer,
  type JsonObject,
  type JsonValue,
  jsonKey,
  ownValue,
  readEmptyArrayAsObject,
} from "./wireValues.ts";

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
 * for an invalid key, including an operator in place of a field, 111 for a date that does not exist.
 */
export function parseWhere(where: unknown): Condition {
  return parseNode(readEmptyArrayAsObject(where), 0, new WhereBudget());
}

function parseNode(where: unknown, depth: number, budget: WhereBudget): Condition {
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
  budget: WhereBudget,
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
  budget: WhereBudget,
): FieldCondition[] {
  const path = parsePath(key, invalidQueryKey);
  if (!isConstraint(value)) return [{ path, kind: "eq", operand: parseOperand(value, key, budget) }];
  const conditions: FieldCondition[] = [];
  const entries = Object.entries(value);
  const operators = entries.filter(([key]) => key.startsWith("$"));
  // `equalTo` and another constraint on the same field: the SDKs add the operators to the value.
  if (operators.length < entries.length) {
    const plain = Object.fromEntries(entries.filter(([key]) => !key.startsWith("$")));
    conditions.push({ path, kind: "eq", operand: parseOperand(plain, key, budget) });
  }
  // The first operator was counted together with the key.
  budget.useConditions(conditions.length + operators.length - 1);
  for (const [operator, argument] of operators) {
    if (operator === "$all") {
      conditions.push(...parseAll(path, parseListOperand(argument, operator, budget), budget));
      continue;
    }
    const parsed = parseConstraint(path, operator, argument, value, depth, budget);
    if (parsed) conditions.push(parsed);
  }
  return conditions;
}

/** Whether a value has operators. Throws 102 for operators among the keys of an object that is no pointer, date or the like. */
function isConstraint(value: JsonValue | undefined): value is JsonObject {
  if (!isJsonObject(value)) return false;
  const keys = Object.keys(value);
  const operators = keys.filter((key) => key.startsWith("$"));
  if (operators.length > 0 && operators.length < keys.length && typeof value.__type !== "string") {
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
  budget: WhereBudget,
): FieldCondition | undefined {
  const name = path.join(".");
  const comparison = ownValue(COMPARISONS, operator);
  if (comparison)
    return { path, kind: comparison, operand: parseComparisonOperand(argument, comparison, name, budget) };
  switch (operator) {
    case "$in":
    case "$nin":
    case "$containedBy": {
      const operands = parseListOperand(argument, operator, budget).map((each) =>
        parseOperand(each, name, budget),
      );
      // Objects and arrays are compared one by one, like separate conditions; pointers once per class.
      const classes = operands.flatMap((each) => (each.type === "pointer" ? each.value.className : []));
      budget.useConditions(operands.filter(({ type }) => type === "json").length + new Set(classes).size);
      return { path, kind: LIST_OPERATORS[operator], operands };
    }
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

function parseListOperand(
  argument: JsonValue | undefined,
  operator: string,
  budget: WhereBudget,
): JsonValue[] {
  if (!Array.isArray(argument)) {
    throw invalidValue(
      operator === "$containedBy" ? "bad $containedBy: should be an array" : `bad ${operator} value`,
    );
  }
  if (argument.length > MAX_IN_OPERANDS) throw invalid(`${operator} takes ${MAX_IN_OPERANDS} values at most`);
  budget.useOperands(argument.length);
  return argument;
}

/**
 * Parses `$all`: either values, or patterns as containsAllStartingWith sends them, but not both. Each has to be found, as
 * by a condition of its own, so that a value that is no array can be the only one of them.
 */
function parseAll(path: [string, ...string[]], values: JsonValue[], budget: WhereBudget): FieldCondition[] {
  // `$all` with an empty list matches nothing, as in Parse Server.
  if (values.length === 0) return [{ path, kind: "in", operands: [] }];
  // Each value counts as a condition of its own.
  budget.useConditions(values.length - 1);
  const isPattern = (value: JsonValue) => isJsonObject(value) && "$regex" in value;
  if (!values.some(isPattern)) {
    const operands = [
      ...new Map(
        values
          .map((each) => parseOperand(each, path.join("."), budget))
          .map((each) => [operandKey(each), each]),
      ).values(),
    ];
    const [only] = operands;
    // An array among the values is looked for in the items, not only as a whole.
    const isArray = only?.type === "json" && Array.isArray(only.value);
    return [
      operands.length === 1 && only && !isArray
        ? { path, kind: "eq", operand: only }
        : { path, kind: "all", operands },
    ];
  }
  if (!values.every(isPattern)) {
    throw invalidValue(
      `All $all values must be of regex type or none: ${JSON.stringify(values.slice(0, 10)).slice(0, 200)}`,
    );
  }
  return values
    .filter(isJsonObject)
    .map(({ $regex, $options }) => ({ path, kind: "regex", ...parseRegex($regex, $options, budget) }));
}

/** A key that is equal for operands that equal the same values. */
function operandKey(operand: Operand): string {
  return operand.type === "null" ? operand.type : `${operand.type} ${jsonKey(operand.value)}`;
}

function parseSubQuery(
  value: JsonValue | undefined,
  operator: string,
  depth: number,
  budget: WhereBudget,
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

function parseTextSearch(value: JsonValue | undefined, budget: WhereBudget): TextSearch {
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

function parseRegex(
  sent: JsonValue | undefined,
  options: JsonValue | undefined,
  budget: WhereBudget,
): { source: string; flags: string } {
  if (typeof sent !== "string") throw invalid("$regex value must be a string");
  const source = withoutStrayQuoteEnds(sent);
  if (source.length > MAX_REGEX_LENGTH) throw invalid(`$regex takes ${MAX_REGEX_LENGTH} characters at most`);
  budget.usePattern(source);
  assertComparableText(source);
  if (options === undefined) return { source, flags: "" };
  if (typeof options !== "string" || !/^[imxsu]{0,16}$/.test(options)) {
    throw invalid(`Bad $options value for query: ${excerpt(options)}`);
  }
  return { source, flags: [...new Set(options)].sort().join("") };
}

/** Removes each `\E` that ends no quotation, which MongoDB's patterns (PCRE) ignore and others refuse. */
function withoutStrayQuoteEnds(source: string): string {
  if (!source.includes("\\E")) return source;
  return source.replace(/\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]/g, (token) => (token === "\\E" ? "" : token));
}

/** Returns the beginning of a value for error messages. */
function excerpt(value: JsonValue): string {
  const text = typeof value === "object" && value !== null ? "an object" : JSON.stringify(value);
  return text.slice(0, 100);
}
