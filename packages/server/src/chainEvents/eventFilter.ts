import {
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownValue,
  ProtocolError,
} from "@purse/protocol";

/** Whether an event matches. */
export type EventFilter = (fields: JsonObject) => boolean;

type Comparison = (field: JsonValue, operand: JsonValue) => boolean;

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  eq: (field, operand) => compareValues(field, operand) === 0,
  ne: (field, operand) => compareValues(field, operand) !== 0,
  gt: (field, operand) => (compareValues(field, operand) ?? 0) > 0,
  gte: (field, operand) => (compareValues(field, operand) ?? -1) >= 0,
  lt: (field, operand) => (compareValues(field, operand) ?? 0) < 0,
  lte: (field, operand) => (compareValues(field, operand) ?? 1) <= 0,
  in: (field, operand) => Array.isArray(operand) && operand.some((each) => compareValues(field, each) === 0),
  nin: (field, operand) =>
    Array.isArray(operand) && operand.every((each) => compareValues(field, each) !== 0),
};

const MAX_DEPTH = 8;
const MAX_OPERANDS = 1_000;

/**
 * Parses a filter of Moralis v1: { and: [ … ] }, { or: [ … ] }, { eq: ["to", "0x…"] } with eq, ne, gt, gte, lt, lte, in
 * and nin; several keys must all match. Integers of any length are compared as numbers. Throws 142.
 */
export function parseEventFilter(value: JsonValue | undefined, depth = 0): EventFilter {
  if (value === undefined || value === null) return () => true;
  if (!isJsonObject(value) || depth > MAX_DEPTH)
    throw invalidFilter("it must be { and | or | eq | … : [ … ] }");
  const conditions = Object.entries(value).map(([key, operands]) => parseCondition(key, operands, depth));
  return (fields) => conditions.every((matches) => matches(fields));
}

function parseCondition(key: string, operands: JsonValue, depth: number): EventFilter {
  if (key === "and" || key === "or") {
    if (!Array.isArray(operands)) throw invalidFilter(`${key} takes a list of filters`);
    const conditions = operands.map((each) => parseEventFilter(each, depth + 1));
    return (fields) =>
      key === "and"
        ? conditions.every((matches) => matches(fields))
        : conditions.some((matches) => matches(fields));
  }
  const comparison = ownValue(COMPARISONS, key);
  if (!comparison)
    throw invalidFilter(`there is no ${key.slice(0, 32)}: ${Object.keys(COMPARISONS).join(", ")} are`);
  const [name, operand] = Array.isArray(operands) ? operands : [];
  if (typeof name !== "string" || operand === undefined)
    throw invalidFilter(`${key} takes a name and a value`);
  const isList = key === "in" || key === "nin";
  if (isList && (!Array.isArray(operand) || operand.length > MAX_OPERANDS)) {
    throw invalidFilter(`${key} takes a name and a list of at most ${MAX_OPERANDS} values`);
  }
  return (fields) => comparison(Object.hasOwn(fields, name) ? (fields[name] ?? null) : null, operand);
}

/** Negative, zero or positive; undefined if the values are not comparable. */
function compareValues(field: JsonValue, operand: JsonValue): number | undefined {
  const [a, b] = [integerOf(field), integerOf(operand)];
  if (a !== undefined && b !== undefined) return a < b ? -1 : a > b ? 1 : 0;
  if (typeof field === "string" && typeof operand === "string") {
    // Addresses and bytes are compared case-insensitively.
    const [one, other] = [field, operand].map((each) => (/^0x/i.test(each) ? each.toLowerCase() : each));
    return one === other ? 0 : undefined;
  }
  return field === operand ? 0 : undefined;
}

function integerOf(value: JsonValue): bigint | undefined {
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  return typeof value === "string" && /^-?\d{1,80}$/.test(value) ? BigInt(value) : undefined;
}

function invalidFilter(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, `Invalid event filter: ${message}`);
}
