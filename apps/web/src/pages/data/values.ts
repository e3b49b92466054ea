import { GeoPoint, ParseFile, ParseObject } from "@purse/client";
import { decimalSeparator, parseDecimal } from "../../money/decimal.ts";

/** The types of editable fields, in display order. */
export const TYPES = [
  "string",
  "number",
  "boolean",
  "date",
  "geo",
  "pointer",
  "file",
  "array",
  "object",
] as const;

export type ValueType = (typeof TYPES)[number];

/** A value being edited. */
export interface ValueDraft {
  type: ValueType;
  /** A date as in the input (`2026-03-01T10:30`), a point as `47.4, 8.5`, a pointer as `Class:id`. */
  text: string;
  /** Whether the date is in UTC rather than in local time. */
  isUtc?: boolean;
  file?: ParseFile;
}

export type ParsedValue = { value: unknown } | { problem: string };

const NUMBER = /^([+-]?)(.*?)(e[+-]?\d+)?$/i;
const POINTER = /^([A-Za-z_]\w*):([\w-]+)$/;
const PARSERS: Readonly<Record<ValueType, (draft: ValueDraft, locale: string) => ParsedValue>> = {
  string: ({ text }) => ({ value: text }),
  number: ({ text }, locale) => parseNumber(text, locale),
  boolean: ({ text }) => ({ value: text === "true" }),
  date: parseDate,
  geo: ({ text }) => parseGeoPoint(text),
  pointer: ({ text }) => parsePointer(text),
  file: ({ file }) => (file ? { value: file } : { problem: "Select a file." }),
  array: ({ text }) => parseJson(text, Array.isArray, "An array starts with [ and ends with ]."),
  object: ({ text }) => parseJson(text, isPlainObject, "An object is enclosed in curly braces."),
};

/** Parses a draft, numbers by the locale. Returns the value or an error message to translate. */
export function parseValue(draft: ValueDraft, locale: string): ParsedValue {
  return PARSERS[draft.type](draft, locale);
}

/** The type of a value; undefined for types that cannot be edited (polygons, relations, bytes). */
export function typeOf(value: unknown): ValueType | undefined {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return PRIMITIVES[typeof value];
  }
  if (value instanceof Date) return "date";
  if (value instanceof GeoPoint) return "geo";
  if (value instanceof ParseObject) return "pointer";
  if (value instanceof ParseFile) return "file";
  if (Array.isArray(value)) return "array";
  return isPlainObject(value) ? "object" : undefined;
}

const PRIMITIVES: Readonly<Record<string, ValueType>> = {
  string: "string",
  number: "number",
  boolean: "boolean",
};

/** Converts a value to a draft that `parseValue` reads back in the same locale. */
export function toDraft(value: unknown, type: ValueType, locale: string): ValueDraft {
  if (value instanceof Date) return { type, text: localInput(value) };
  if (value instanceof GeoPoint) return { type, text: `${value.latitude}, ${value.longitude}` };
  if (value instanceof ParseObject) return { type, text: `${value.className}:${value.id ?? ""}` };
  if (value instanceof ParseFile) return { type, text: value.name(), file: value };
  if (type === "array" || type === "object") {
    return { type, text: JSON.stringify(value ?? (type === "array" ? [] : {}), null, 2) };
  }
  if (type === "boolean") return { type, text: value === true ? "true" : "false" };
  if (typeof value === "number") return { type, text: String(value).replace(".", decimalSeparator(locale)) };
  return { type, text: value === undefined || value === null ? "" : String(value) };
}

/** Formats a value in one line. */
export function formatValue(value: unknown, language: string): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "number") return value.toLocaleString(language, { maximumFractionDigits: 20 });
  if (value instanceof Date) return value.toLocaleString(language);
  if (value instanceof GeoPoint) return `${value.latitude}, ${value.longitude}`;
  if (value instanceof ParseObject) return `${value.className} ${value.id ?? ""}`;
  if (value instanceof ParseFile) return value.name();
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Whether two values are displayed the same. */
export function isSame(one: unknown, other: unknown): boolean {
  return formatValue(one, "en") === formatValue(other, "en") && typeOf(one) === typeOf(other);
}

/** Formats a date for an input of type `datetime-local`, in local time. */
export function localInput(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

const NOT_A_NUMBER = "Invalid number: use digits with at most one decimal separator.";

function parseNumber(text: string, locale: string): ParsedValue {
  const [, sign = "", digits = "", exponent = ""] = NUMBER.exec(text.trim()) ?? [];
  const read = parseDecimal(digits, locale);
  if ("reason" in read) {
    return {
      problem:
        read.reason === "ambiguous"
          ? "Ambiguous number: enter it without a thousands separator."
          : NOT_A_NUMBER,
    };
  }
  const value = Number(`${sign}${read.integer || "0"}.${read.fraction || "0"}${exponent}`);
  return Number.isFinite(value) ? { value } : { problem: "Number too large." };
}

function parseDate({ text, isUtc }: ValueDraft): ParsedValue {
  const value = new Date(isUtc ? `${text}Z` : text);
  return Number.isNaN(value.getTime()) ? { problem: "Enter a date and time." } : { value };
}

function parseGeoPoint(text: string): ParsedValue {
  const [latitude, longitude, ...more] = text.split(/[,;\s]+/).map(Number);
  const isValid =
    more.length === 0 &&
    latitude !== undefined &&
    longitude !== undefined &&
    Math.abs(latitude) <= 90 &&
    Math.abs(longitude) <= 180;
  if (!isValid) return { problem: "Enter a latitude (−90 to 90) and a longitude (−180 to 180)." };
  return { value: new GeoPoint(latitude, longitude) };
}

function parsePointer(text: string): ParsedValue {
  const [, className, objectId] = POINTER.exec(text.trim()) ?? [];
  if (className === undefined || objectId === undefined) {
    return { problem: "Select a record, or enter its class and ID, such as Note:abc123." };
  }
  return { value: ParseObject.fromJSON({ className, objectId }) };
}

function parseJson(text: string, isExpectedType: (value: unknown) => boolean, message: string): ParsedValue {
  try {
    const value: unknown = JSON.parse(text);
    return isExpectedType(value) ? { value } : { problem: message };
  } catch (error) {
    return { problem: `Invalid JSON. ${error instanceof Error ? error.message : ""}`.trim() };
  }
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
