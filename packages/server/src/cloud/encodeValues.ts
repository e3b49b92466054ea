import { ParseObject } from "@purse/client";
import { canonicalDates, isJsonObject, isRecord, type JsonObject, type JsonValue } from "@purse/protocol";

/* Parameters and results are encoded as a field of an unsaved object: functions support the same values as fields. */

/**
 * Decodes the parameters of a function: dates become Date objects (also with `__type` and `iso`, as in Parse Server),
 * pointers become Parse objects. Throws 111 for a date that does not exist.
 */
export function decodeParams(params: JsonObject): Record<string, unknown> {
  if (!hasTypedValue(params)) return params;
  const fields = { className: "Parameters", value: canonicalDates(params, "params") };
  const value = ParseObject.fromJSON(fields)._get("value");
  addDateFields(value);
  return isRecord(value) ? value : {};
}

/**
 * Decodes the parameters of a function like Parse Server without `encodeParseObjectInCloudFunction`: only dates and files,
 * pointers stay as they were sent.
 */
export function decodeDatesAndFiles(params: JsonObject): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      decodeDateOrFile(canonicalDates(value, `params.${name}`)),
    ]),
  );
}

function decodeDateOrFile(value: JsonValue): unknown {
  if (Array.isArray(value)) return value.map(decodeDateOrFile);
  if (!isJsonObject(value)) return value;
  if (value.__type === "Date" || value.__type === "File") return decodeParams({ value }).value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, decodeDateOrFile(inner)]));
}

function addDateFields(value: unknown): void {
  if (value instanceof Date) Object.assign(value, { __type: "Date", iso: value.toISOString() });
  else if (Array.isArray(value)) value.forEach(addDateFields);
  else if (isRecord(value) && Object.getPrototypeOf(value) === Object.prototype)
    Object.values(value).forEach(addDateFields);
}

/** Encodes the result of a function; objects include all their fields. Undefined stays undefined. */
export function encodeResult(result: unknown): JsonValue | undefined {
  if (result === undefined || isPlainScalar(result)) return result;
  const holder = new ParseObject("Result");
  holder._set({ value: result }, { ignoreValidation: true });
  return holder.toJSON().value;
}

/** Whether a value contains, at any depth, something that is encoded by a field such as `__type`. */
function hasTypedValue(value: JsonValue): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(hasTypedValue);
  return Object.keys(value).some((key) => key.startsWith("__") || hasTypedValue(value[key] ?? null));
}

/** Whether a value is the same in JSON. */
function isPlainScalar(value: unknown): value is string | boolean | number | null {
  return typeof value === "string" || typeof value === "boolean" || value === null || Number.isFinite(value);
}
