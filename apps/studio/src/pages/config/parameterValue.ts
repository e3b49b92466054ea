import { fieldTypeOf, isWireDate, type JsonValue } from "@purse/protocol";
import { editableText, type ParsedValue, parseValue } from "@purse/ui";

export const CONFIG_TYPES = ["String", "Number", "Boolean", "Date", "Object", "Array"] as const;
export type ConfigType = (typeof CONFIG_TYPES)[number];

/** The form value of a parameter; types without their own input (File, GeoPoint) are edited as JSON. */
export function toEditable(value: JsonValue): { type: ConfigType; text: string } {
  if (isWireDate(value)) return { type: "Date", text: value.iso };
  const type = CONFIG_TYPES.find((each) => each === fieldTypeOf(value)?.type) ?? "Object";
  return { type, text: editableText(value, { type }) };
}

/** Parses form input as a type; returns a `problem` (text key) when it is invalid or missing. */
export function parseAs(type: ConfigType, text: string): ParsedValue {
  const isMissing = type !== "String" && text.trim() === "";
  return isMissing ? { problem: "Enter a value." } : parseValue(text, { type });
}
