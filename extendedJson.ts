import { isJsonObject, type JsonValue } from "@purse/protocol";

/**
 * A value of MongoDB's Extended JSON (version 1 or 2, canonical or relaxed) as it travels: dates as dates, numbers as
 * numbers, bytes as bytes, ids as text. `onRounded` is told of a number that has more digits than numbers here have.
 * Throws Error for what has no counterpart.
 */
export function fromExtendedJson(value: JsonValue, onRounded: (text: string) => void): JsonValue {
  if (Array.isArray(value)) return value.map((item) => fromExtendedJson(item, onRounded));
  if (!isJsonObject(value)) return value;
  const [key, ...others] = Object.keys(value);
  if (key?.startsWith("$") && (others.length === 0 || key === "$binary")) {
    const inner = value[key];
    switch (key) {
      case "$date":
        return { __type: "Date", iso: dateOf(inner).toISOString() };
      case "$oid":
        return String(inner);
      case "$numberInt":
      case "$numberLong":
      case "$numberDouble":
      case "$numberDecimal":
        return numberOf(String(inner), onRounded);
      case "$binary":
        return { __type: "Bytes", base64: bytesOf(inner) };
      default:
        throw new Error(`${key} is not known`);
    }
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, fromExtendedJson(inner, onRounded)]),
  );
}

function numberOf(text: string, onRounded: (text: string) => void): number {
  const number = Number(text);
  if (text.trim() === "" || !Number.isFinite(number)) throw new Error(`${text} is not a number that can be kept`);
  if (digitsOf(text) !== digitsOf(String(number))) onRounded(text);
  return number;
}

/** The digits that count, without sign, point, exponent and zeros at the ends. */
function digitsOf(text: string): string {
  const [mantissa = ""] = text.toLowerCase().split("e", 1);
  return mantissa.replaceAll(/[^0-9]/g, "").replaceAll(/^0+|0+$/g, "");
}

function bytesOf(value: JsonValue | undefined): string {
  const base64 = isJsonObject(value) ? value.base64 : value;
  if (typeof base64 === "string") return base64;
  throw new Error("$binary must hold base64");
}

function dateOf(value: JsonValue | undefined): Date {
  const plain = isJsonObject(value) ? Number(value.$numberLong) : value;
  const date = new Date(typeof plain === "number" ? plain : String(plain));
  if (Number.isNaN(date.getTime())) throw new Error(`${JSON.stringify(value)} is not a date`);
  return date;
}
