import type { JsonObject, JsonValue } from "@purse/protocol";

/*
 * Reads rows as they travel in the Parse protocol. What is missing or of another type is empty: rows of a database
 * that others write are nothing to break a page over.
 */

export function textOf(row: JsonObject, name: string): string {
  const value = row[name];
  return typeof value === "string" ? value : value === undefined || value === null ? "" : String(value);
}

export function numberOf(row: JsonObject, name: string): number | undefined {
  const value = row[name];
  return typeof value === "number" ? value : undefined;
}

/** A time, whether it is a text or a Date of the protocol. */
export function timeOf(row: JsonObject, name: string): string | undefined {
  const value = row[name];
  if (typeof value === "string" && value !== "") return value;
  const object = objectOf(row, name);
  return object && typeof object.iso === "string" ? object.iso : undefined;
}

export function objectOf(row: JsonObject, name: string): JsonObject | undefined {
  return asObject(row[name]);
}

export function asObject(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
}

/** JSON for people. */
export function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? "";
}

/** What people typed as JSON; nothing typed is undefined. Throws SyntaxError. */
export function parsed(text: string): JsonValue | undefined {
  return text.trim() === "" ? undefined : JSON.parse(text);
}

/** The same where only an object will do; `problem` says what is wrong. */
export function parsedObject(text: string): { value: JsonObject; problem?: undefined } | { problem: string } {
  try {
    const value = parsed(text);
    const object = value === undefined ? {} : asObject(value);
    return object ? { value: object } : { problem: 'That must be an object, as {"name": "value"}.' };
  } catch (error) {
    return {
      problem: error instanceof Error ? `That is not JSON yet: ${error.message}` : "That is not JSON yet.",
    };
  }
}

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** Bytes as people read them: `1.4 MB`. */
export function bytes(size: number, language: string): string {
  let rank = 0;
  let rest = size;
  while (rest >= 1000 && rank < UNITS.length - 1) {
    rest /= 1000;
    rank += 1;
  }
  const unit = UNITS[rank] ?? "byte";
  return new Intl.NumberFormat(language, {
    style: "unit",
    unit,
    unitDisplay: rank === 0 ? "long" : "short",
    maximumFractionDigits: rest < 10 ? 1 : 0,
  }).format(rest);
}
