import { isJsonObject, isoTime, type JsonValue } from "@purse/protocol";

/**
 * The date of `$date` in MongoDB's Extended JSON (version 2, canonical or relaxed, or milliseconds): a text in ISO 8601 or
 * `{ "$numberLong": … }`. Undefined if there is no such date.
 */
export function extendedJsonDate(value: JsonValue | undefined): Date | undefined {
  const plain = isJsonObject(value) ? Number(value.$numberLong) : value;
  const date = new Date(typeof plain === "number" ? plain : (isoTime(String(plain)) ?? Number.NaN));
  return Number.isNaN(date.getTime()) ? undefined : date;
}
