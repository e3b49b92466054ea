import { type JsonObject, type JsonValue, wireDate } from "@purse/protocol";

/** Values that serialize themselves: GeoPoint, Polygon, ParseFile, ACL, Relation, operations. */
interface Encodable {
  toJSON(): JsonValue;
}

/** ParseObjects, which are sent as pointers. */
interface Referable {
  readonly className: string;
  toPointer(): JsonValue;
}

export interface EncodeOptions {
  /** Serializes an object instead of its pointer. */
  object?: (object: Referable) => JsonValue;
}

/** For `object`: rejects objects, as in parameters of cloud functions. */
export function rejectObject(): never {
  throw new Error("Parse Objects not allowed here");
}

/** Encodes a value into wire format. Undefined fields and functions are left out. */
export function encode(value: unknown, options?: EncodeOptions): JsonValue {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object") throw new Error(`Cannot encode a ${typeof value}.`);
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw new Error("Tried to encode an invalid date.");
    return wireDate(value);
  }
  if (Array.isArray(value)) return value.map((item) => encode(item, options));
  if (isReferable(value)) {
    return options?.object ? options.object(value) : value.toPointer();
  }
  if (value instanceof RegExp) return value.source;
  if (isEncodable(value)) return value.toJSON();
  return encodeFields(value, options);
}

export function encodeFields(value: object, options?: EncodeOptions): JsonObject {
  // Spreading first is the fastest way.
  const fields: JsonObject = { ...value };
  const source: Readonly<Record<string, unknown>> = fields;
  for (const key in fields) {
    const item = source[key];
    if (item === undefined || typeof item === "function") delete fields[key];
    else if (typeof item !== "string" && typeof item !== "number") fields[key] = encode(item, options);
  }
  return fields;
}

/** Copies a list or object with its structured children transformed; drops `__proto__`. */
export function mapChildren<T>(
  value: readonly JsonValue[] | JsonObject,
  transform: (item: JsonValue) => T,
): T[] | Record<string, T | JsonValue> {
  return isList(value) ? value.map((item) => transform(item)) : mapFields(value, transform);
}

export function mapFields<T>(
  fields: JsonObject,
  transform: (item: JsonValue) => T,
): Record<string, T | JsonValue> {
  const copy: Record<string, T | JsonValue> = { ...fields };
  for (const key in fields) {
    const item = fields[key];
    if (key === "__proto__") delete copy[key];
    else if (typeof item === "object" && item !== null) copy[key] = transform(item);
  }
  return copy;
}

function isList(value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Copies JSON deeply. */
export function deepCopy(value: JsonValue): JsonValue {
  return typeof value === "object" && value !== null ? mapChildren(value, deepCopy) : value;
}

function isReferable(value: object): value is Referable {
  return "className" in value && "toPointer" in value && typeof value.toPointer === "function";
}

function isEncodable(value: object): value is Encodable {
  return "toJSON" in value && typeof value.toJSON === "function";
}

/** Whether a value is a plain object, not an instance of a class. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
