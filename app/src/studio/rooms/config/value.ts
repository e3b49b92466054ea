import type { JsonValue } from "@purse/protocol";

export const CONFIG_TYPES = ["String", "Number", "Boolean", "Date", "Object", "Array"] as const;
export type ConfigType = (typeof CONFIG_TYPES)[number];

/** A value of the config, as `GET /config` tells it. */
export interface Parameter {
  name: string;
  value: JsonValue;
  type: string;
  isMasterKeyOnly: boolean;
}

/** How a value stands in the form; what has no form of its own (a file, a place) is edited as the object it travels as. */
export function writtenAs(value: JsonValue): { type: ConfigType; text: string } {
  if (typeof value === "string") return { type: "String", text: value };
  if (typeof value === "number") return { type: "Number", text: String(value) };
  if (typeof value === "boolean") return { type: "Boolean", text: String(value) };
  if (Array.isArray(value)) return { type: "Array", text: JSON.stringify(value, null, 2) };
  if (value?.__type === "Date" && typeof value.iso === "string") return { type: "Date", text: value.iso };
  return { type: "Object", text: JSON.stringify(value, null, 2) };
}

/** What was written, as a value of its type; otherwise what is wrong with it, as a sentence of the texts. */
export function readAs(
  type: ConfigType,
  text: string,
): { value: JsonValue; problem?: undefined } | { problem: string } {
  switch (type) {
    case "String":
      return { value: text };
    case "Number": {
      const number = Number(text.trim());
      const isNumber = text.trim() !== "" && Number.isFinite(number);
      return isNumber ? { value: number } : { problem: "That must be a number, as 1.5." };
    }
    case "Boolean":
      return { value: text === "true" };
    case "Date": {
      const at = new Date(text);
      if (Number.isNaN(at.getTime())) return { problem: "That must be a time, as 2026-01-31T12:00:00Z." };
      return { value: { __type: "Date", iso: at.toISOString() } };
    }
    case "Array":
    case "Object":
      return readJson(type, text);
  }
}

function readJson(type: "Array" | "Object", text: string): { value: JsonValue } | { problem: string } {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: "That is not JSON yet." };
  }
  if (type === "Array") {
    return Array.isArray(value) ? { value } : { problem: 'That must be a list, as ["a", 2].' };
  }
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? { value } : { problem: 'That must be an object, as {"a": 2}.' };
}
