import { ParseObject } from "@purse/client";
import { type FieldType, fieldTypeOf, isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import {
  type DataField,
  displayText,
  editableText,
  formatDate,
  formatNumber,
  type ParsedValue,
  parseValue,
} from "@purse/ui";
import { decimalSeparator, parseDecimal } from "../../money/decimal.ts";

/*
 * Values of records in the JSON format of the API, as users read and enter them.
 */

const NUMBER = /^([+-]?)(.*?)(e[+-]?\d+)?$/i;

/** The fields of a record as JSON, without the fields of the records that it points to. */
export function toJson(record: ParseObject): JsonObject {
  const plain = (value: JsonValue): JsonValue =>
    isJsonObject(value) && value.__type === "Object"
      ? { __type: "Pointer", className: String(value.className), objectId: String(value.objectId) }
      : value;
  return Object.fromEntries(Object.entries(record.toJSON()).map(([name, value]) => [name, plain(value)]));
}

/** The values of the client for fields in JSON. Fields that are null are left out. */
export function toValues(className: string, fields: JsonObject): { [name: string]: unknown } {
  const values = Object.entries(fields).filter(([, value]) => value !== null);
  return ParseObject.fromJSON({ ...Object.fromEntries(values), className }).attributes;
}

/** The type of a value; undefined for missing values. */
export function typeOf(value: JsonValue | undefined): FieldType | undefined {
  return value === undefined ? undefined : fieldTypeOf(value);
}

/** A value as the text of an input, with numbers in the user's locale. */
export function toText(value: JsonValue | undefined, field: DataField, locale: string): string {
  if (typeof value === "number") return String(value).replace(".", decimalSeparator(locale));
  // The class is there already, so that only the ID is missing.
  if (field.type === "Pointer" && !value)
    return field.targetClass === undefined ? "" : `${field.targetClass}:`;
  return editableText(value, field);
}

/** Parses the text of an input. An empty text removes the value, except for String. */
export function parseText(text: string, field: DataField, locale: string): ParsedValue {
  return field.type === "Number" && text.trim() !== "" ? parseNumber(text, locale) : parseValue(text, field);
}

/** Formats a value in one line. */
export function formatValue(value: JsonValue | undefined, language: string): string {
  if (typeof value === "number") return formatNumber(value, language, 20);
  if (isJsonObject(value) && value.__type === "Date") return formatDate(String(value.iso), language);
  if (isJsonObject(value) && value.__type === "Pointer") return `${value.className} ${value.objectId}`;
  return displayText(value);
}

export function isSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}

function parseNumber(text: string, locale: string): ParsedValue {
  const [, sign = "", digits = "", exponent = ""] = NUMBER.exec(text.trim()) ?? [];
  const read = parseDecimal(digits, locale);
  if ("reason" in read) {
    return {
      problem:
        read.reason === "ambiguous"
          ? "Ambiguous number: enter it without a thousands separator."
          : "Invalid number: use digits with at most one decimal separator.",
    };
  }
  const value = Number(`${sign}${read.integer || "0"}.${read.fraction || "0"}${exponent}`);
  return Number.isFinite(value) ? { value } : { problem: "Number too large." };
}
