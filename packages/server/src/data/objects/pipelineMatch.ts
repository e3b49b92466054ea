import {
  type Condition,
  type FieldType,
  isJsonObject,
  isWireDate,
  type JsonObject,
  type JsonValue,
  ProtocolError,
  parseWhere,
} from "@purse/protocol";
import type { ClassSchema } from "../../database/classSchema.ts";
import { parseDateText } from "../pipeline/dateTexts.ts";
import { documentField, pointerField } from "../pipeline/fieldPaths.ts";

/** A match, divided into what the database tests and what only the aggregation worker can test. */
export interface SplitMatch {
  condition: Condition;
  /** Undefined if the database tests all of it. */
  rest: JsonObject | undefined;
}

/**
 * Divides a match. The database tests each part for which its conditions mean the same as MongoDB's. Throws 102 for
 * invalid conditions that only the database has.
 */
export function splitMatch(match: JsonObject, schema: ClassSchema | undefined): SplitMatch {
  const wheres: JsonObject[] = [];
  const rest: JsonObject = {};
  for (const [key, value] of Object.entries(match)) {
    const where = exactWhere({ [key]: value }, schema);
    if (where) wheres.push(where);
    else rest[key] = value;
  }
  return {
    // Parsed once more as a whole, because its size is limited as a whole.
    condition: parseWhere(conjunction(wheres)),
    rest: Object.keys(rest).length > 0 ? rest : undefined,
  };
}

/** Returns one where with all conditions of others. */
function conjunction(wheres: readonly JsonObject[]): JsonObject {
  const keys = wheres.flatMap((where) => Object.keys(where));
  return new Set(keys).size === keys.length ? Object.assign({}, ...wheres) : { $and: [...wheres] };
}

/** Returns a where with the same meaning as a match, if there is one that the database accepts. */
function exactWhere(match: JsonObject, schema: ClassSchema | undefined): JsonObject | undefined {
  const where = toWhere(match, schema);
  if (!where) return undefined;
  try {
    parseWhere(where);
    return where;
  } catch (error) {
    if (error instanceof ProtocolError && !hasDatabaseOperators(match)) return undefined;
    throw error;
  }
}

/** Parses a condition that the database has to test as a whole: one that stands beside the pipeline. */
export function parseCondition(where: JsonValue, schema: ClassSchema | undefined): Condition {
  return parseWhere(isJsonObject(where) ? withFieldNames(where, schema) : where);
}

function withFieldNames(where: JsonObject, schema: ClassSchema | undefined): JsonObject {
  const entries = Object.entries(where).map(([key, value]): [string, JsonValue] => {
    if (Array.isArray(value) && key.startsWith("$")) {
      return [key, value.map((branch) => (isJsonObject(branch) ? withFieldNames(branch, schema) : branch))];
    }
    const field = fieldOf(key);
    return [field, withTypedOperands(value, typeOf(field, schema))];
  });
  return Object.fromEntries(entries);
}

/** Operators of conditions that MongoDB does not have in this form. */
const DATABASE_OPERATORS: ReadonlySet<string> = new Set(
  (
    "$relatedTo $inQuery $notInQuery $select $dontSelect $containedBy $text $nearSphere $maxDistance " +
    "$maxDistanceInRadians $maxDistanceInMiles $maxDistanceInKilometers $within $geoWithin $geoIntersects"
  ).split(" "),
);

function hasDatabaseOperators(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(hasDatabaseOperators);
  return (
    isJsonObject(value) &&
    Object.entries(value).some(([key, inner]) => DATABASE_OPERATORS.has(key) || hasDatabaseOperators(inner))
  );
}

const COLUMN_DATES: ReadonlySet<string> = new Set(["createdAt", "updatedAt"]);

function typeOf(field: string, schema: ClassSchema | undefined): FieldType | undefined {
  if (COLUMN_DATES.has(field)) return { type: "Date" };
  return schema && Object.hasOwn(schema.fields, field) ? schema.fields[field] : undefined;
}

/** Returns the name that conditions have for a field which a pipeline may call by another one. */
function fieldOf(key: string): string {
  const name = pointerField(key) ?? documentField(key);
  return name === "_id" ? "objectId" : name;
}

/** Converts a match to a where with the same meaning; undefined if there is none. */
function toWhere(match: JsonObject, schema: ClassSchema | undefined): JsonObject | undefined {
  const parts: JsonObject[] = [];
  for (const [key, value] of Object.entries(match)) {
    if (key === "$comment") continue;
    if (key === "$and" || key === "$or" || key === "$nor") {
      const branches = Array.isArray(value) ? value.map((branch) => branchToWhere(branch, schema)) : [];
      if (branches.length === 0 || branches.includes(undefined)) return undefined;
      parts.push({ [key]: branches.filter((branch) => branch !== undefined) });
    } else if (key === "$relatedTo") parts.push({ [key]: value });
    else if (key.startsWith("$")) return undefined;
    else {
      const field = fieldOf(key);
      const conditions = fieldToWhere(field, value, typeOf(field, schema));
      if (!conditions) return undefined;
      parts.push(...conditions);
    }
  }
  return conjunction(parts);
}

function branchToWhere(branch: JsonValue, schema: ClassSchema | undefined): JsonObject | undefined {
  return isJsonObject(branch) ? toWhere(branch, schema) : undefined;
}

function fieldToWhere(
  field: string,
  value: JsonValue,
  type: FieldType | undefined,
): JsonObject[] | undefined {
  if (!isJsonObject(value) || !Object.keys(value).some((key) => key.startsWith("$"))) {
    return isComparable(value) ? [{ [field]: withTypedOperand(value, type) }] : undefined;
  }
  const { $not: negated, ...operators } = value;
  const parts: JsonObject[] = [];
  if (negated !== undefined) {
    const isCondition = isJsonObject(negated) && Object.keys(negated).some((key) => key.startsWith("$"));
    const inner = isCondition ? fieldToWhere(field, negated, type) : undefined;
    if (!inner) return undefined;
    parts.push({ $nor: [inner.length === 1 ? (inner[0] ?? {}) : { $and: inner }] });
  }
  const exact = exactOperators(operators, type);
  if (!exact) return undefined;
  if (Object.keys(exact).length > 0) parts.push({ [field]: withTypedOperands(exact, type) });
  return parts;
}

/** An array equals an item of an array as well, which conditions of the database do not test. */
function isComparable(operand: JsonValue): boolean {
  return !Array.isArray(operand);
}

function isOrdered(operand: JsonValue): boolean {
  return (
    (typeof operand !== "object" && operand !== null) ||
    isWireDate(operand) ||
    (isJsonObject(operand) && "$relativeTime" in operand)
  );
}

/** Returns operators with the same meaning in conditions of the database; undefined if one has none. */
function exactOperators(operators: JsonObject, type: FieldType | undefined): JsonObject | undefined {
  const result: JsonObject = {};
  const isPointerField = type?.type === "Pointer";
  for (const [name, operand] of Object.entries(operators)) {
    switch (name) {
      case "$eq":
      case "$ne":
        if (!isComparable(operand)) return undefined;
        break;
      case "$in":
      case "$nin":
        if (!Array.isArray(operand) || !operand.every(isComparable)) return undefined;
        break;
      case "$gt":
      case "$gte":
      case "$lt":
      case "$lte":
        if (isPointerField || !isOrdered(operand)) return undefined;
        break;
      case "$regex":
      case "$options":
        if (isPointerField) return undefined;
        break;
      case "$exists":
        if (typeof operand === "boolean") break;
        if (typeof operand !== "number") return undefined;
        result[name] = operand !== 0;
        continue;
      case "$all":
        if (type?.type !== "Array" || !Array.isArray(operand)) return undefined;
        if (!operand.every((each) => isComparable(each) && !isElementMatch(each))) return undefined;
        break;
      default:
        if (!DATABASE_OPERATORS.has(name)) return undefined;
    }
    result[name] = operand;
  }
  return result;
}

function isElementMatch(operand: JsonValue): boolean {
  return isJsonObject(operand) && "$elemMatch" in operand;
}

/** Converts the operands of a condition, or the value that it equals. */
function withTypedOperands(value: JsonValue, type: FieldType | undefined): JsonValue {
  if (!isJsonObject(value) || !Object.keys(value).some((key) => key.startsWith("$"))) {
    return withTypedOperand(value, type);
  }
  return Object.fromEntries(
    Object.entries(value).map(([operator, operand]) => {
      if (operator === "$regex" || operator === "$options") return [operator, operand];
      return [
        operator,
        Array.isArray(operand)
          ? operand.map((each) => withTypedOperand(each, type))
          : withTypedOperand(operand, type),
      ];
    }),
  );
}

/** Pipelines may contain dates as plain text and pointers as plain ids or as MongoDB stores them: `Class$id`. */
function withTypedOperand(operand: JsonValue, type: FieldType | undefined): JsonValue {
  if (typeof operand !== "string") return operand;
  if (type?.type === "Date") {
    const parsed = parseDateText(operand);
    if (!parsed) return operand;
    return { __type: "Date", iso: new Date(parsed.time - (parsed.offset ?? 0)).toISOString() };
  }
  if (type?.type !== "Pointer") return operand;
  const className = type.targetClass ?? "";
  const prefix = `${className}$`;
  const objectId = operand.startsWith(prefix) ? operand.slice(prefix.length) : operand;
  return { __type: "Pointer", className, objectId };
}
