import { ErrorCode, ProtocolError } from "./errors.ts";
import { isoTime } from "./isoTime.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./wireValues.ts";

/**
 * Returns a value with the dates in it in one format, so that their texts sort in the order of their times. A value
 * without other dates is returned as it is. Throws 111, with the name of the field, for a date that does not exist.
 */
export function canonicalDates(value: JsonValue, name: string): JsonValue {
  // Most values have none, which takes a fraction of the time.
  return containsDate(value) ? withCanonicalDates(value, name) : value;
}

function containsDate(value: JsonValue | undefined): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object" && containsDate(item)) return true;
    return false;
  }
  if (value.__type === "Date") return true;
  for (const key in value) {
    const inner = value[key];
    if (typeof inner === "object" && containsDate(inner)) return true;
  }
  return false;
}

function withCanonicalDates(value: JsonValue, name: string): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => withCanonicalDates(item, name));
    return items.some((item, i) => item !== value[i]) ? items : value;
  }
  if (value.__type === "Date") return canonicalDate(value, name);
  let result = value;
  for (const key of Object.keys(value)) {
    const inner = value[key] ?? null;
    const canonical = withCanonicalDates(inner, `${name}.${key}`);
    if (canonical === inner) continue;
    if (result === value) result = { ...value };
    result[key] = canonical;
  }
  return result;
}

function canonicalDate(value: JsonObject, name: string): JsonObject {
  const { iso } = value;
  const time = typeof iso === "string" ? isoTime(iso) : undefined;
  if (time === undefined) throw invalidDate(name, iso);
  const canonical = new Date(time).toISOString();
  return canonical === iso && Object.keys(value).length === 2 ? value : { __type: "Date", iso: canonical };
}

function invalidDate(name: string, iso: JsonValue | undefined): ProtocolError {
  const text = isJsonObject(iso) || Array.isArray(iso) ? "" : ` (${String(iso).slice(0, 64)})`;
  return new ProtocolError(
    ErrorCode.INCORRECT_TYPE,
    `This is not a valid Date: ${name.slice(0, 128)}${text}`,
  );
}
