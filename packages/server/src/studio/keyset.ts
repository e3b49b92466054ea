import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Order,
  parseOrder,
  wireDate,
} from "@purse/protocol";
import { invalid } from "./parameters.ts";

/*
 * Pages that begin after the last row of the page before, not after a number of rows: the thousandth costs what the
 * first does, and rows that come or go meanwhile shift nothing. Orders by what has no order of its own fall back to
 * counting rows.
 */

/** Types whose values the database orders and compares alike. */
const ORDERED: ReadonlySet<string> = new Set(["String", "Number", "Date"]);

export interface Keyset {
  /** As the pipeline takes it: with objectId at the end, so that no two rows stand at one place. */
  order: string;
  /** What narrows the rows to those after the cursor. */
  where: JsonObject | undefined;
  skip: number;
  cursorAfter(row: JsonObject, shown: number): string;
}

/** `typeOf` answers the type of a field; `after` is the cursor of the page before. Throws 102. */
export function keyset(
  order: unknown,
  after: string | undefined,
  typeOf: (field: string) => string | undefined,
): Keyset {
  const asked = parseOrder(order);
  const parts: Order[] = asked.some(({ path }) => path[0] === "objectId")
    ? asked
    : [...asked, { path: ["objectId"], descending: false }];
  const text = parts.map(({ path, descending }) => (descending ? "-" : "") + path.join(".")).join();
  const isOrdered = parts.every(({ path }) => path.length === 1 && ORDERED.has(typeOf(path[0]) ?? ""));
  const cursor = after === undefined ? undefined : decode(after);
  if (!isOrdered) {
    const skip = typeof cursor === "number" ? cursor : 0;
    return { order: text, where: undefined, skip, cursorAfter: (_, shown) => encode(skip + shown) };
  }
  if (cursor !== undefined && !(Array.isArray(cursor) && cursor.length === parts.length)) throw badCursor();
  return {
    order: text,
    where: Array.isArray(cursor) ? whereAfter(parts, cursor) : undefined,
    skip: 0,
    cursorAfter: (row) => encode(parts.map(({ path }) => keyOf(row, path[0]))),
  };
}

/** Fields that a page has to be read with for its cursor. */
export function fieldsOfOrder({ order }: Keyset): string[] {
  return order.split(",").map((part) => part.replace(/^-/, ""));
}

function keyOf(row: JsonObject, field: string): JsonValue {
  const value = row[field];
  if (value === undefined) return null;
  const isTime = field === "createdAt" || field === "updatedAt";
  return isTime && typeof value === "string" ? wireDate(new Date(value)) : value;
}

/** Equal in the first keys and beyond in the next one, for each number of first keys. */
function whereAfter(parts: readonly Order[], values: readonly JsonValue[]): JsonObject {
  const alternatives: JsonObject[] = [];
  parts.forEach(({ path: [field], descending }, i) => {
    const beyond = beyondOf(field, values[i] ?? null, descending);
    if (!beyond) return;
    const equal = parts.slice(0, i).map((part, j): JsonObject => ({ [part.path[0]]: values[j] ?? null }));
    alternatives.push({ $and: [...equal, beyond] });
  });
  return { $or: alternatives };
}

/** What is not there comes before everything that is. */
function beyondOf(field: string, value: JsonValue, descending: boolean): JsonObject | undefined {
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
    if (Array.isArray(value) && value.every(isKey)) return value;
  } catch {
    // Told below like every other that is none.
  }
  throw badCursor();
}

function isKey(value: JsonValue): boolean {
  return value === null || typeof value !== "object" || (isJsonObject(value) && value.__type === "Date");
}

function badCursor() {
  return invalid("after is no cursor of this order");
}
