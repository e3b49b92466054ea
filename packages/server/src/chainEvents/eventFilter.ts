import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";

/** Whether an event's fields are wanted. */
export type EventFilter = (fields: JsonObject) => boolean;

type Comparison = (field: JsonValue, operand: JsonValue) => boolean;

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  eq: (field, operand) => order(field, operand) === 0,
  ne: (field, operand) => order(field, operand) !== 0,
  gt: (field, operand) => (order(field, operand) ?? 0) > 0,
  gte: (field, operand) => (order(field, operand) ?? -1) >= 0,
  lt: (field, operand) => (order(field, operand) ?? 0) < 0,
  lte: (field, operand) => (order(field, operand) ?? 1) <= 0,
  in: (field, operand) => Array.isArray(operand) && operand.some((each) => order(field, each) === 0),
  nin: (field, operand) => Array.isArray(operand) && operand.every((each) => order(field, each) !== 0),
};

const MAX_DEPTH = 8;
const MAX_OPERANDS = 1_000;

/**
 * Reads a filter as Moralis v1 has it: { and: [ … ] }, { or: [ … ] }, { eq: ["to", "0x…"] } with eq, ne, gt, gte, lt,
 * lte, in and nin; several keys have to hold together. Whole numbers are compared as such, of any length. Throws 142.
 */
export function parseEventFilter(value: JsonValue | undefined, depth = 0): EventFilter {
  if (value === undefined || value === null) return () => true;
  if (!isJsonObject(value) || depth > MAX_DEPTH) throw refused("it must be { and | or | eq | … : [ … ] }");
  const parts = Object.entries(value).map(([key, operands]) => part(key, operands, depth));
  return (fields) => parts.every((holds) => holds(fields));
}

function part(key: string, operands: JsonValue, depth: number): EventFilter {
  if (key === "and" || key === "or") {
    if (!Array.isArray(operands)) throw refused(`${key} takes a list of filters`);
    const parts = operands.map((each) => parseEventFilter(each, depth + 1));
    return (fields) =>
      key === "and" ? parts.every((holds) => holds(fields)) : parts.some((holds) => holds(fields));
  }
  const compare = Object.hasOwn(COMPARISONS, key) ? COMPARISONS[key] : undefined;
  if (!compare) throw refused(`there is no ${key.slice(0, 32)}: ${Object.keys(COMPARISONS).join(", ")} are`);
  const [name, operand] = Array.isArray(operands) ? operands : [];
  if (typeof name !== "string" || operand === undefined) throw refused(`${key} takes a name and a value`);
  const isList = key === "in" || key === "nin";
  if (isList && (!Array.isArray(operand) || operand.length > MAX_OPERANDS)) {
    throw refused(`${key} takes a name and a list of at most ${MAX_OPERANDS} values`);
  }
  return (fields) => compare(Object.hasOwn(fields, name) ? (fields[name] ?? null) : null, operand);
}

/** Below zero, zero or above; undefined where the two cannot be put in an order. */
function order(field: JsonValue, operand: JsonValue): number | undefined {
  const [a, b] = [wholeNumber(field), wholeNumber(operand)];
  if (a !== undefined && b !== undefined) return a < b ? -1 : a > b ? 1 : 0;
  if (typeof field === "string" && typeof operand === "string") {
    // Addresses and bytes are the same in any case.
    const [one, other] = [field, operand].map((each) => (/^0x/i.test(each) ? each.toLowerCase() : each));
    return one === other ? 0 : undefined;
  }
  return field === operand ? 0 : undefined;
}

function wholeNumber(value: JsonValue): bigint | undefined {
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  return typeof value === "string" && /^-?\d{1,80}$/.test(value) ? BigInt(value) : undefined;
}

function refused(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, `A filter of events cannot be read: ${message}`);
}
