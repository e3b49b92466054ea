import type { JsonValue } from "@purse/protocol";

export const CONFIG_TYPES = ["String", "Number", "Boolean", "Date", "Object", "Array"] as const;
export type ConfigType = (typeof CONFIG_TYPES)[number];

/** The form value of a parameter; types without their own input (File, GeoPoint) are edited as JSON. */
export function toEditable(value: JsonValue): { type: ConfigType; text: string } {
  if (typeof value === "string") return { type: "String", text: value };
  if (typeof value === "number") return { type: "Number", text: String(value) };
  if (typeof value === "boolean") return { type: "Boolean", text: String(value) };
  if (Array.isArray(value)) return { type: "Array", text: JSON.stringify(value, null, 2) };
  if (value?.__type === "Date" && typeof value.iso === "string") return { type: "Date", text: value.iso };
  return { type: "Object", text: JSON.stringify(value, null, 2) };
}

/** Parses form input as a type; returns a `problem` (text key) when it is invalid. */
export function parseAs(
  type: ConfigType,
  text: string,
): { value: JsonValue; problem?: undefined } | { problem: string } {
  switch (type) {
    case "String":
      return { value: text };
    case "Number": {
      const number = Number(text.trim());
      const isNumber = text.trim() !== "" && Number.isFinite(number);
      return isNumber ? { value: number } : { problem: "Enter a number, for example 1.5." };
    }
    case "Boolean":
      return { value: text === "true" };
    case "Date": {
      const date = new Date(text);
      if (Number.isNaN(date.getTime())) return { problem: "Enter a date, for example 2026-01-31T12:00:00Z." };
      return { value: { __type: "Date", iso: date.toISOString() } };
    }
    case "Array":
    case "Object":
      return parseJson(type, text);
  }
}

function parseJson(type: "Array" | "Object", text: string): { value: JsonValue } | { problem: string } {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: "Invalid JSON" };
  }
  if (type === "Array") {
    return Array.isArray(value) ? { value } : { problem: 'Enter a JSON array, for example ["a", 2].' };
  }
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? { value } : { problem: 'Enter a JSON object, for example {"a": 2}.' };
}
