import {
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownValue,
  ProtocolError,
} from "@purse/protocol";
import type { FieldKind } from "./filterFields.ts";

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
/** Comparisons of integers only. */
const ORDERED: ReadonlySet<string> = new Set(["gt", "gte", "lt", "lte"]);

const MAX_DEPTH = 8;
const MAX_OPERANDS = 1_000;

/**
 * Parses a filter of Moralis v1: { and: [ … ] }, { or: [ … ] }, { eq: ["to", "0x…"] } with eq, ne, gt, gte, lt, lte, in
 * and nin; several keys must all match. Integers of any length are compared as numbers. Throws 142, with `fields` also
 * for conditions that no event can match.
 */
export function parseEventFilter(
  value: JsonValue | undefined,
  fields?: ReadonlyMap<string, FieldKind>,
  depth = 0,
): EventFilter {
  if (value === undefined || value === null) return () => true;
  if (!isJsonObject(value) || depth > MAX_DEPTH)
    throw invalidFilter("it must be { and | or | eq | … : [ … ] }");
  const conditions = Object.entries(value).map(([key, operands]) =>
    parseCondition(key, operands, fields, depth),
  );
  return (values) => conditions.every((matches) => matches(values));
}

function parseCondition(
  key: string,
  operands: JsonValue,
  known: ReadonlyMap<string, FieldKind> | undefined,
  depth: number,
): EventFilter {
  if (key === "and" || key === "or") {
    if (!Array.isArray(operands)) throw invalidFilter(`${key} takes a list of filters`);
    if (known && key === "or" && operands.length === 0) throw invalidFilter("or takes at least one filter");
    const conditions = operands.map((each) => parseEventFilter(each, known, depth + 1));
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
  if (known) assertComparable(key, name, operand, known);
  return (fields) => comparison(Object.hasOwn(fields, name) ? (fields[name] ?? null) : null, operand);
}

/** Throws 142 if no value of the field can match. */
function assertComparable(
  key: string,
  name: string,
  operand: JsonValue,
  known: ReadonlyMap<string, FieldKind>,
): void {
  const kind = known.get(name);
  const shown = name.slice(0, 64);
  if (kind === undefined)
    throw invalidFilter(`the events have no ${shown}: they have ${[...known.keys()].join(", ")}`);
  const expected = OPERANDS[kind];
  if (!expected) throw invalidFilter(`${shown} is a list or an object, which cannot be compared`);
  if (ORDERED.has(key) && kind !== "integer")
    throw invalidFilter(`${key} compares integers, and ${shown} is ${expected.text}`);
  const values = Array.isArray(operand) ? operand : [operand];
  if (values.length === 0) throw invalidFilter(`${key} takes at least one value for ${shown}`);
  if (!values.every(expected.accepts)) throw invalidFilter(`${shown} is ${expected.text}`);
}

interface Operand {
  text: string;
  accepts(value: JsonValue): boolean;
}

const OPERANDS: Readonly<Record<FieldKind, Operand | undefined>> = {
  integer: {
    text: "an integer: a number, or text of decimal digits",
    accepts: (value) => integerOf(value) !== undefined,
  },
  address: { text: "an address: 0x and 40 hexadecimal digits", accepts: (value) => isHex(value, 40) },
  hex: { text: "hexadecimal text that begins with 0x", accepts: (value) => isHex(value) },
  boolean: { text: "true or false", accepts: (value) => typeof value === "boolean" },
  text: { text: "text", accepts: (value) => typeof value === "string" },
  other: undefined,
};

function isHex(value: JsonValue, digits?: number): boolean {
  if (typeof value !== "string" || !/^0x[0-9a-f]*$/i.test(value)) return false;
  return digits === undefined || value.length === 2 + digits;
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
  if (typeof value === "number" && Number.isInteger(value)) return BigInt(value);
  return typeof value === "string" && /^-?\d{1,80}$/.test(value) ? BigInt(value) : undefined;
}

function invalidFilter(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, `Invalid event filter: ${message}`);
}
