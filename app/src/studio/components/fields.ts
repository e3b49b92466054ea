import type { JsonObject, JsonValue } from "@purse/protocol";

/*
 * Reads rows as they travel in the Parse protocol. What is missing or of another type is empty: rows of a database
 * that others write are nothing to break a page over.
 */

export function stringField(row: JsonObject, name: string): string {
  const value = row[name];
  return typeof value === "string" ? value : value === undefined || value === null ? "" : String(value);
}

export function numberField(row: JsonObject, name: string): number | undefined {
  const value = row[name];
  return typeof value === "number" ? value : undefined;
}

/** A time, whether it is a text or a Date of the protocol. */
export function timeField(row: JsonObject, name: string): string | undefined {
  const value = row[name];
  if (typeof value === "string" && value !== "") return value;
  const object = objectField(row, name);
  return object && typeof object.iso === "string" ? object.iso : undefined;
}

export function objectField(row: JsonObject, name: string): JsonObject | undefined {
  return asObject(row[name]);
}

export function asObject(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
}

/** JSON for people. */
export function prettyJson(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? "";
}

/** What people typed as JSON; nothing typed is undefined. Throws SyntaxError. */
export function parseJson(text: string): JsonValue | undefined {
  return text.trim() === "" ? undefined : JSON.parse(text);
}

/** The same where only an object will do; `problem` says what is wrong. */
export function parseJsonObject(
  text: string,
): { value: JsonObject; problem?: undefined } | { problem: string } {
  try {
    const value = parseJson(text);
    const object = value === undefined ? {} : asObject(value);
    return object ? { value: object } : { problem: 'Enter a JSON object, for example {"name": "value"}.' };
  } catch (error) {
    return {
      problem: error instanceof Error ? `Invalid JSON: ${error.message}` : "Invalid JSON",
    };
  }
}

const BYTE_UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** Bytes as people read them: `1.4 MB`. */
export function formatBytes(size: number, language: string): string {
  let unitIndex = 0;
  let amount = size;
  while (amount >= 1000 && unitIndex < BYTE_UNITS.length - 1) {
    amount /= 1000;
    unitIndex += 1;
  }
  const unit = BYTE_UNITS[unitIndex] ?? "byte";
  return new Intl.NumberFormat(language, {
    style: "unit",
    unit,
    unitDisplay: unitIndex === 0 ? "long" : "short",
    maximumFractionDigits: amount < 10 ? 1 : 0,
  }).format(amount);
}
