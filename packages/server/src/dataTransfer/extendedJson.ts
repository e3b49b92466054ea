import { isJsonObject, type JsonValue } from "@purse/protocol";
import { extendedJsonDate } from "../core/extendedJsonDate.ts";

/** Converts a value of MongoDB's Extended JSON (version 2, canonical or relaxed) to the wire format. */
export function fromExtendedJson(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(fromExtendedJson);
  if (!isJsonObject(value)) return value;
  const [key, ...others] = Object.keys(value);
  if (key?.startsWith("$") && (others.length === 0 || key === "$binary")) {
    const inner = value[key];
    switch (key) {
      case "$date":
        return { __type: "Date", iso: parseDate(inner).toISOString() };
      case "$oid":
        return String(inner);
      case "$numberInt":
      case "$numberLong":
      case "$numberDouble":
      case "$numberDecimal":
        return Number(inner);
      case "$binary":
        return {
          __type: "Bytes",
          base64: isJsonObject(inner) ? String(inner.base64) : String(inner),
        };
      default:
        throw new Error(`${key} is not known`);
    }
  }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fromExtendedJson(inner)]));
}

function parseDate(value: JsonValue | undefined): Date {
  const date = extendedJsonDate(value);
  if (!date) throw new Error(`${JSON.stringify(value)} is not a date`);
  return date;
}
