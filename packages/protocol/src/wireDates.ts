import { ErrorCode, ProtocolError } from "./errors.ts";
import { isoTime } from "./isoTime.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./wireValues.ts";

/**
 * Returns a value with the dates in it in one format, so that their texts sort in the order of their times. A value
 * without other dates is returned as it is. Throws 111, with the name of the field, for a date that does not exist.
 */
export function canonicalDates(value: JsonValue, name: string): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => canonicalDates(item, name));
    return items.some((item, i) => item !== value[i]) ? items : value;
  }
  if (value.__type === "Date") return canonicalDate(value, name);
  let result = value;
  for (const key of Object.keys(value)) {
    const inner = value[key] ?? null;
    const canonical = canonicalDates(inner, `${name}.${key}`);
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
