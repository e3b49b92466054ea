import { Decimal128 } from "./decimal128.ts";

/**
 * A document of a pipeline or a nested object. Has no prototype members, so that a field that every object inherits,
 * such as `constructor`, is missing unless a document has it.
 */
export class Document {
  [field: string]: Value;
}
Object.setPrototypeOf(Document.prototype, null);
Reflect.deleteProperty(Document.prototype, "constructor");

/**
 * A value of a pipeline. `undefined` is a missing value. Numbers are MongoDB's int (whole numbers of 32 bits) and double
 * (all others), bigints its long, which has 64 bits.
 */
export type Value =
  | undefined
  | null
  | boolean
  | number
  | bigint
  | Decimal128
  | string
  | Date
  | Value[]
  | Document;

export type Numeric = number | bigint | Decimal128;

export function isNumeric(value: Value): value is Numeric {
  return typeof value === "number" || typeof value === "bigint" || value instanceof Decimal128;
}

export function isNullish(value: Value): value is null | undefined {
  return value === null || value === undefined;
}

/** Whether a number has MongoDB's type int. */
export function isInt(value: number): boolean {
  return (value | 0) === value;
}

/** The name that `$type` has for the type of a value. */
export function typeName(value: Value): string {
  switch (typeof value) {
    case "undefined":
      return "missing";
    case "boolean":
      return "bool";
    case "number":
      return isInt(value) ? "int" : "double";
    case "bigint":
      return "long";
    case "string":
      return "string";
    default:
      if (value === null) return "null";
      if (Array.isArray(value)) return "array";
      if (value instanceof Date) return "date";
      return value instanceof Decimal128 ? "decimal" : "object";
  }
}

/** A condition is false for false, 0, null and missing values only. */
export function isTrue(value: Value): boolean {
  switch (typeof value) {
    case "boolean":
      return value;
    case "number":
      return value !== 0;
    case "bigint":
      return value !== 0n;
    case "undefined":
      return false;
    default:
      return value instanceof Decimal128 ? !value.isZero : value !== null;
  }
}

/** Returns a pointer as MongoDB stores it, `Class$id`; undefined for other values. */
export function pointerText(value: Value): string | undefined {
  if (!(value instanceof Document) || value.__type !== "Pointer") return undefined;
  const { className, objectId } = value;
  return typeof className === "string" && typeof objectId === "string"
    ? `${className}$${objectId}`
    : undefined;
}

/** The place of the type of a value in the order of types (BSON order). Pointers are texts. */
function rank(value: Value): number {
  switch (typeof value) {
    case "undefined":
      return 0;
    case "number":
    case "bigint":
      return 2;
    case "string":
      return 3;
    case "boolean":
      return 6;
    default:
      if (value === null) return 1;
      if (value instanceof Document) return pointerText(value) === undefined ? 4 : 3;
      if (Array.isArray(value)) return 5;
      return value instanceof Date ? 7 : 2;
  }
}

/** Compares values of any types in BSON order: missing, null, numbers, texts, objects, arrays, booleans, dates. */
export function compareValues(a: Value, b: Value): number {
  if (a === b) return 0;
  if (typeof a === "number" && typeof b === "number") return compareNumbers(a, b);
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  const [rankOfA, rankOfB] = [rank(a), rank(b)];
  if (rankOfA !== rankOfB) return rankOfA - rankOfB;
  if (isNumeric(a) && isNumeric(b)) return compareNumbers(a, b);
  if (a instanceof Date && b instanceof Date) return a.getTime() - b.getTime();
  if (typeof a === "boolean") return a ? 1 : -1;
  if (Array.isArray(a) && Array.isArray(b)) return compareArrays(a, b);
  if (rankOfA === 3) return compareTexts(textOf(a), textOf(b));
  return a instanceof Document && b instanceof Document ? compareDocuments(a, b) : 0;
}

function textOf(value: Value): string {
  return typeof value === "string" ? value : (pointerText(value) ?? "");
}

/** Compares numbers by value; NaN is less than all others. */
function compareNumbers(a: Numeric, b: Numeric): number {
  if (a instanceof Decimal128 || b instanceof Decimal128) return toExact(a).compare(toExact(b));
  if (a < b) return -1;
  if (a > b) return 1;
  // The operator compares numbers and bigints by value.
  // biome-ignore lint/suspicious/noDoubleEquals: as above
  return a == b ? 0 : Number(isNotANumber(b)) - Number(isNotANumber(a));
}

function isNotANumber(value: number | bigint): boolean {
  return typeof value === "number" && Number.isNaN(value);
}

function toExact(value: Numeric): Decimal128 {
  if (value instanceof Decimal128) return value;
  return typeof value === "bigint" ? Decimal128.of(value) : Decimal128.exactly(value);
}

/** Compares texts by code point, as their bytes in UTF-8 compare. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x === y) continue;
    // Halves of surrogate pairs are less than the last part of the plane of 16 bits, but the pairs are beyond it.
    return x >= 0xd800 && y >= 0xd800 ? afterSurrogates(x) - afterSurrogates(y) : x - y;
  }
  return a.length - b.length;
}

function afterSurrogates(unit: number): number {
  return unit < 0xe000 ? unit + 0x10000 : unit;
}

function compareArrays(a: readonly Value[], b: readonly Value[]): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const result = compareValues(a[i], b[i]);
    if (result !== 0) return result;
  }
  return a.length - b.length;
}

/**
 * Compares the fields in the order of their names: types first, then names, then values. MongoDB compares them in their
 * own order, which not every database keeps.
 */
function compareDocuments(a: Document, b: Document): number {
  const [namesOfA, namesOfB] = [fieldNames(a), fieldNames(b)];
  const length = Math.min(namesOfA.length, namesOfB.length);
  for (let i = 0; i < length; i++) {
    const [nameOfA = "", nameOfB = ""] = [namesOfA[i], namesOfB[i]];
    const [valueOfA, valueOfB] = [a[nameOfA], b[nameOfB]];
    const result =
      rank(valueOfA) - rank(valueOfB) || compareTexts(nameOfA, nameOfB) || compareValues(valueOfA, valueOfB);
    if (result !== 0) return result;
  }
  return namesOfA.length - namesOfB.length;
}

function fieldNames(document: Document): string[] {
  return Object.keys(document)
    .filter((name) => document[name] !== undefined)
    .sort(compareTexts);
}

/** Whether two values are the same: numbers of different types by value, objects regardless of the order of fields. */
export function isSame(a: Value, b: Value): boolean {
  return compareValues(a, b) === 0;
}

/** What a `Map` or `Set` can find equal values by. */
export type Key = string | number | bigint | boolean | null | undefined;

/** Begins the keys of values that are no texts; no stored text contains it. */
const MARK = "\0";

/** Returns a key that is the same for two values exactly if `isSame` holds. */
export function keyOf(value: Value): Key {
  switch (typeof value) {
    case "string":
      return value.startsWith(MARK) ? `${MARK}s${value}` : value;
    case "bigint":
      return keyOfInteger(value);
    case "object": {
      if (value === null) return null;
      if (value instanceof Decimal128) return keyOfDecimal(value);
      const pointer = pointerText(value);
      return pointer === undefined ? `${MARK}${partOfKey(value)}` : keyOf(pointer);
    }
    default:
      return value;
  }
}

/** Integers that are doubles have the key of that double. */
function keyOfInteger(value: bigint): number | bigint {
  const double = Number(value);
  return BigInt(double) === value ? double : value;
}

function keyOfDecimal(value: Decimal128): Key {
  if (!value.isFinite) return value.toNumber();
  if (value.isInteger && value.absolute().compare(MAX_KEY_INTEGER) <= 0)
    return keyOfInteger(value.toBigInt());
  const double = value.toNumber();
  return Decimal128.exactly(double).compare(value) === 0 ? double : `${MARK}m${value.toKey()}`;
}

/** Larger decimals may have thousands of digits. */
const MAX_KEY_INTEGER = Decimal128.of(10n ** 34n);

/** The key of a value within an array or a document. */
function partOfKey(value: Value): string {
  if (value instanceof Date) return `d${value.getTime()}`;
  if (Array.isArray(value)) return `[${value.map(partOfKey).join()}]`;
  if (value instanceof Document && pointerText(value) === undefined) {
    const parts = fieldNames(value).map((name) => `${JSON.stringify(name)}:${partOfKey(value[name])}`);
    return `{${parts.join()}}`;
  }
  const key = keyOf(value);
  return typeof key === "string" ? JSON.stringify(key) : typeof key === "bigint" ? `${key}n` : String(key);
}
