import { isoTime } from "./isoTime.ts";
import { MAX_NAME_LENGTH, MAX_OBJECT_ID_LENGTH } from "./limits.ts";

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

/** A date in wire format. */
export function wireDate(date: Date): WireDate {
  return { __type: "Date", iso: date.toISOString() };
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
