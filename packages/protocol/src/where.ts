import { ErrorCode, ProtocolError } from "./errors.ts";
import { parsePath } from "./names.ts";
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
  | { type: "json"; value: JsonValue };

export type Comparison = "eq" | "ne" | "lt" | "lte" | "gt" | "gte";

/** A condition on one field. `path` is the field's name and, for dotted keys, the way into it. */
export type FieldCondition = { path: [string, ...string[]] } & (
  | { kind: Comparison; operand: Operand }
  | { kind: "in" | "nin" | "all"; operands: Operand[] }
  | { kind: "exists"; exists: boolean }
  | { kind: "regex"; source: string; flags: string }
);

export type Condition =
  | FieldCondition
  | { kind: "and" | "or" | "nor"; conditions: Condition[] }
  | { kind: "relatedTo"; object: WirePointer; key: string };

export const MAX_WHERE_DEPTH = 12;
export const MAX_WHERE_CONDITIONS = 1_000;
export const MAX_IN_OPERANDS = 20_000;
export const MAX_REGEX_LENGTH = 1_000;

const LIST_OPERATORS = { $in: "in", $nin: "nin", $all: "all" } as const;

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
 * Throws 102 for an unknown operator or shape, 105 for a bad key.
 */
export function parseWhere(where: unknown): Condition {
  const budget = { left: MAX_WHERE_CONDITIONS };
  return parseNode(where, 0, budget);
}

function parseNode(where: unknown, depth: number, budget: { left: number }): Condition {
  if (!isJsonObject(where)) throw invalid("a where must be an object");
  if (depth > MAX_WHERE_DEPTH) throw invalid(`conditions nest deeper than ${MAX_WHERE_DEPTH} levels`);
  const conditions: Condition[] = [];
  for (const [key, value] of Object.entries(where)) {
    if (key === "$or" || key === "$and" || key === "$nor") {
      conditions.push(parseBranches(key, value, depth, budget));
    } else if (key === "$relatedTo") {
      conditions.push(parseRelatedTo(value));
    } else if (key.startsWith("$")) {
      throw invalid(`Invalid operator: ${key.slice(0, 64)}`);
    } else {
      conditions.push(...parseField(key, value));
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
  budget: { left: number },
): Condition {
  if (!Array.isArray(value) || value.length === 0) {
    throw invalid(`Bad ${key} format - use an array of at least 1 value.`);
  }
  const kind = key === "$or" ? "or" : key === "$and" ? "and" : "nor";
  return { kind, conditions: value.map((branch) => parseNode(branch, depth + 1, budget)) };
}

function parseRelatedTo(value: unknown): Condition {
  if (!isJsonObject(value) || !isPointer(value.object) || typeof value.key !== "string") {
    throw invalid("improper usage of $relatedTo: it takes an object and a key");
  }
  return { kind: "relatedTo", object: value.object, key: value.key };
}

function parseField(key: string, value: JsonValue | undefined): FieldCondition[] {
  const path = parsePath(key);
  if (!isConstraint(value)) return [{ path, kind: "eq", operand: operandOf(value) }];
  const conditions: FieldCondition[] = [];
  for (const [operator, argument] of Object.entries(value)) {
    const parsed = parseConstraint(path, operator, argument, value);
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
): FieldCondition | undefined {
  const comparison = Object.hasOwn(COMPARISONS, operator) ? COMPARISONS[operator] : undefined;
  if (comparison) return { path, kind: comparison, operand: operandOf(argument) };
  switch (operator) {
    case "$in":
    case "$nin":
    case "$all":
      if (!Array.isArray(argument)) throw invalid(`bad ${operator} value: it takes an array`);
      if (argument.length > MAX_IN_OPERANDS)
        throw invalid(`${operator} takes ${MAX_IN_OPERANDS} values at most`);
      return { path, kind: LIST_OPERATORS[operator], operands: argument.map(operandOf) };
    case "$exists":
      if (typeof argument !== "boolean") throw invalid("bad $exists value: it takes a boolean");
      return { path, kind: "exists", exists: argument };
    case "$regex":
      return { path, kind: "regex", ...parseRegex(argument, constraint.$options) };
    case "$options":
      if (!("$regex" in constraint)) throw invalid("$options goes with $regex");
      return undefined;
    default:
      throw invalid(`bad constraint: ${operator.slice(0, 64)}`);
  }
}

function parseRegex(
  source: JsonValue | undefined,
  options: JsonValue | undefined,
): { source: string; flags: string } {
  if (typeof source !== "string") throw invalid("$regex value must be a string");
  if (source.length > MAX_REGEX_LENGTH) throw invalid(`$regex takes ${MAX_REGEX_LENGTH} characters at most`);
  if (options === undefined) return { source, flags: "" };
  if (typeof options !== "string" || !/^[imxsu]*$/.test(options)) throw invalid("bad $options value");
  return { source, flags: [...new Set(options)].sort().join("") };
}

function operandOf(value: JsonValue | undefined): Operand {
  if (value === null || value === undefined) return { type: "null" };
  if (typeof value === "string") return { type: "string", value };
  if (typeof value === "number") return { type: "number", value };
  if (typeof value === "boolean") return { type: "boolean", value };
  if (isWireDate(value)) return { type: "date", value: new Date(value.iso).toISOString() };
  if (isPointer(value)) return { type: "pointer", value };
  return { type: "json", value };
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_QUERY, message);
}
