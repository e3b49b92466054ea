import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Order,
  parseOrder,
  wireDate,
} from "@purse/protocol";
import { invalidParameter } from "../studioApi/parseInput.ts";

/*
 * Keyset pagination: pages begin after the last row of the previous page instead of skipping a number of rows, so that
 * all pages cost the same and are stable when rows are added or removed. Orders by types without a defined order fall
 * back to skipping rows.
 */

/** Types whose values the database sorts and compares consistently. */
const COMPARABLE_TYPES: ReadonlySet<string> = new Set(["String", "Number", "Date"]);

export interface Keyset {
  /** The order with objectId as last key, so that it is unique. */
  order: string;
  /** Condition on the rows after the cursor. */
  where: JsonObject | undefined;
  skip: number;
  cursorAfter(row: JsonObject, rowCount: number): string;
}

/** `typeOf` returns the type of a field; `after` is the cursor of the previous page. Throws 102 if it is invalid. */
export function createKeyset(
  order: unknown,
  after: string | undefined,
  typeOf: (field: string) => string | undefined,
): Keyset {
  const requested = parseOrder(order);
  const keys: Order[] = requested.some(({ path }) => path[0] === "objectId")
    ? requested
    : [...requested, { path: ["objectId"], descending: false }];
  const text = keys.map(({ path, descending }) => (descending ? "-" : "") + path.join(".")).join();
  const isComparable = keys.every(
    ({ path }) => path.length === 1 && COMPARABLE_TYPES.has(typeOf(path[0]) ?? ""),
  );
  const cursor = after === undefined ? undefined : decode(after);
  if (!isComparable) {
    const skip = typeof cursor === "number" ? cursor : 0;
    return { order: text, where: undefined, skip, cursorAfter: (_, rowCount) => encode(skip + rowCount) };
  }
  if (cursor !== undefined && !(Array.isArray(cursor) && cursor.length === keys.length))
    throw invalidCursor();
  return {
    order: text,
    where: Array.isArray(cursor) ? whereAfter(keys, cursor) : undefined,
    skip: 0,
    cursorAfter: (row) => encode(keys.map(({ path }) => cursorValue(row, path[0]))),
  };
}

/** Returns the fields that a page must contain to create its cursor. */
export function orderFields({ order }: Keyset): string[] {
  return order.split(",").map((key) => key.replace(/^-/, ""));
}

function cursorValue(row: JsonObject, field: string): JsonValue {
  const value = row[field];
  if (value === undefined) return null;
  const isTime = field === "createdAt" || field === "updatedAt";
  return isTime && typeof value === "string" ? wireDate(new Date(value)) : value;
}

/** Builds the condition on later rows: for each key, equal in all previous keys and greater in this one. */
function whereAfter(keys: readonly Order[], values: readonly JsonValue[]): JsonObject {
  const alternatives: JsonObject[] = [];
  keys.forEach(({ path: [field], descending }, i) => {
    const condition = afterCondition(field, values[i] ?? null, descending);
    if (!condition) return;
    const equal = keys.slice(0, i).map((key, j): JsonObject => ({ [key.path[0]]: values[j] ?? null }));
    alternatives.push({ $and: [...equal, condition] });
  });
  return { $or: alternatives };
}

/** Missing values sort before all others. */
function afterCondition(field: string, value: JsonValue, descending: boolean): JsonObject | undefined {
  if (value === null) return descending ? undefined : { [field]: { $ne: null } };
  if (!descending) return { [field]: { $gt: value } };
  return { $or: [{ [field]: { $lt: value } }, { [field]: null }] };
}

function encode(value: JsonValue): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function decode(cursor: string): JsonValue {
  try {
    const value: JsonValue = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
    if (Array.isArray(value) && value.every(isCursorValue)) return value;
  } catch {
    // Handled below like any other invalid cursor.
  }
  throw invalidCursor();
}

function isCursorValue(value: JsonValue): boolean {
  return value === null || typeof value !== "object" || (isJsonObject(value) && value.__type === "Date");
}

function invalidCursor() {
  return invalidParameter("after is not a valid cursor for this order");
}
