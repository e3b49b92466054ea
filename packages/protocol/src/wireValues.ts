import { ErrorCode, ProtocolError } from "./errors.ts";
import { isoTime } from "./isoTime.ts";
import { MAX_DEPTH, MAX_NAME_LENGTH, MAX_OBJECT_ID_LENGTH } from "./limits.ts";
import { isReservedKey, reservedKeyError } from "./reservedKeys.ts";

export type JsonPrimitive = string | number | boolean | null;
export type JsonValue = JsonPrimitive | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

/** `iso` is ISO 8601, in stored values in UTC with milliseconds. */
export type WireDate = { __type: "Date"; iso: string };
export type WirePointer = { __type: "Pointer"; className: string; objectId: string };
/** `base64` is the content, standard alphabet with padding. */
export type WireBytes = { __type: "Bytes"; base64: string };
export type WireFile = { __type: "File"; name: string; url?: string; ipfs?: string; hash?: string };
/** Degrees; latitude −90…90, longitude −180…180. */
export type WireGeoPoint = { __type: "GeoPoint"; latitude: number; longitude: number };
/** The value of a key; undefined for names that every object inherits, such as `toString`. */
export function ownValue<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Points as [latitude, longitude] in degrees. */
export type WirePolygon = { __type: "Polygon"; coordinates: [number, number][] };
export type WireRelation = { __type: "Relation"; className: string };

export function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value);
}

/** Whether a value is an object and no array. Its properties can be anything, unlike those of a `JsonObject`. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads an empty array as an empty object: PHP encodes both as `[]`. Returns all other values unchanged. */
export function readEmptyArrayAsObject<T>(value: T): T | JsonObject {
  return Array.isArray(value) && value.length === 0 ? {} : value;
}

/** Whether a value has a `__type`; does not check its shape. */
export function hasType(value: unknown, type: string): value is JsonObject {
  return isJsonObject(value) && value.__type === type;
}

export function isWireDate(value: unknown): value is WireDate {
  return hasType(value, "Date") && typeof value.iso === "string" && isoTime(value.iso) !== undefined;
}

export function isPointer(value: unknown): value is WirePointer {
  return (
    hasType(value, "Pointer") &&
    typeof value.className === "string" &&
    typeof value.objectId === "string" &&
    value.className.length <= MAX_NAME_LENGTH &&
    value.objectId.length <= MAX_OBJECT_ID_LENGTH
  );
}

/** Reads a date in ms since the epoch. */
export function timeOf({ iso }: WireDate): number {
  return isoTime(iso) ?? Number.NaN;
}

/** The number of a NumberDecimal, in which Moralis v1 sent integers of on-chain events; undefined for other values. */
export function numberDecimalOf(value: unknown): number | undefined {
  if (!hasType(value, "NumberDecimal") || !isJsonObject(value.value)) return undefined;
  const text = value.value.$numberDecimal;
  const number = typeof text === "string" && text.trim() !== "" ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** A date in wire format. */
export function wireDate(date: Date): WireDate {
  return { __type: "Date", iso: date.toISOString() };
}

/**
 * Rejects values that must not be stored: nested deeper than MAX_DEPTH (107), with keys that reach an object's
 * prototype (105), or that contain `$` or a dot (121).
 */
export function assertStorable(value: unknown, depth = 0): asserts value is JsonValue {
  if (value === null || typeof value !== "object") {
    if (typeof value === "string" || typeof value === "boolean" || value === null) return;
    if (typeof value === "number" && Number.isFinite(value)) return;
    throw new ProtocolError(ErrorCode.INVALID_JSON, "A value is not JSON");
  }
  if (depth >= MAX_DEPTH) {
    throw new ProtocolError(ErrorCode.INVALID_JSON, `Values nest deeper than ${MAX_DEPTH} levels`);
  }
  if (Array.isArray(value)) {
    for (const item of value) assertStorable(item, depth + 1);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const key in value) {
    assertNestedKey(key);
    assertStorable(value[key], depth + 1);
  }
}

/** Whether all databases can store a string: PostgreSQL accepts neither NUL nor unpaired surrogates. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/** Throws 107 if a value contains a string that cannot be stored. */
export function assertStorableTexts(value: JsonValue): void {
  if (typeof value === "object" && value !== null) {
    if (Array.isArray(value)) for (const item of value) assertStorableTexts(item);
    else for (const key in value) assertStorableTexts(value[key] ?? null);
    return;
  }
  if (typeof value === "string" && !isStorableText(value)) throw unstorableTextError();
}

/** The error 107 of a string that cannot be stored. */
export function unstorableTextError(): ProtocolError {
  return new ProtocolError(
    ErrorCode.INVALID_JSON,
    "A string holds a character that cannot be stored: NUL, or half of a surrogate pair",
  );
}

/** What a key may not contain, and surrogates, of which pairs are allowed. */
const UNUSUAL_IN_KEY = /[$.\0\ud800-\udfff]/;

/** Throws 121 for an invalid key of a nested object, 105 for a reserved one. */
function assertNestedKey(key: string): void {
  if (isReservedKey(key)) throw reservedKeyError(key);
  if (!UNUSUAL_IN_KEY.test(key)) return;
  if (key.includes("$") || key.includes(".") || !isStorableText(key)) {
    throw new ProtocolError(
      ErrorCode.INVALID_NESTED_KEY,
      `Nested keys should not contain the '$' or '.' characters: ${key.slice(0, 128)}`,
    );
  }
}

/** Compares JSON values deeply, ignoring the order of keys. */
export function jsonEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return false;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => jsonEqual(item, b[i]));
  }
  if (Array.isArray(b)) return false;
  if (isPointer(a) && isPointer(b)) return a.className === b.className && a.objectId === b.objectId;
  const [first, second]: JsonObject[] = [a, b];
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && jsonEqual(first?.[key], second?.[key]))
  );
}

/** Returns a text that is equal for two values exactly if `jsonEqual` holds, for use as a key of sets and maps. */
export function jsonKey(value: JsonValue): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(jsonKey).join()}]`;
  if (isPointer(value)) return `*${JSON.stringify([value.className, value.objectId])}`;
  const entries = Object.keys(value).sort();
  return `{${entries.map((key) => `${JSON.stringify(key)}:${jsonKey(value[key] ?? null)}`).join()}}`;
}
