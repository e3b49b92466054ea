import { isJsonObject, isoTime, type JsonValue } from "@purse/protocol";
import { jsonErrorPosition } from "../format/jsonPosition.ts";
import type { DataField } from "./fields.ts";

/** A parsed field value, or the problem. */
export type ParsedValue = { value: JsonValue; problem?: undefined } | { problem: string };

/**
 * A value as editable text. Dates are local times for `<input type="datetime-local">`, pointers are IDs, or `Class:ID`
 * if the field may point to any class.
 */
export function editableText(
  value: JsonValue | undefined,
  { type, targetClass }: Omit<DataField, "name">,
): string {
  if (value === undefined || value === null) return "";
  switch (type) {
    case "String":
    case "Number":
    case "Boolean":
      return String(value);
    case "Date":
      return isJsonObject(value) ? localTime(String(value.iso)) : "";
    case "Pointer":
      if (!isJsonObject(value)) return "";
      return `${targetClass === undefined ? `${value.className}:` : ""}${String(value.objectId ?? "")}`;
    case "GeoPoint":
      return isJsonObject(value) ? `${value.latitude}, ${value.longitude}` : "";
    case "Bytes":
      return isJsonObject(value) ? String(value.base64 ?? "") : "";
    case "Polygon":
      return isJsonObject(value) ? JSON.stringify(value.coordinates) : "";
    default:
      return JSON.stringify(value, null, 2);
  }
}

/** Parses text as a field value. Empty text removes the value, except for String. */
export function parseValue(text: string, field: Omit<DataField, "name">): ParsedValue {
  if (field.type === "String") return { value: text };
  const trimmed = text.trim();
  if (trimmed === "") return { value: null };
  switch (field.type) {
    case "Number": {
      const value = Number(trimmed);
      return Number.isFinite(value) ? { value } : { problem: "Enter a number." };
    }
    case "Boolean":
      if (trimmed !== "true" && trimmed !== "false") return { problem: "Enter true or false." };
      return { value: trimmed === "true" };
    case "Date": {
      const time = timeOfText(trimmed);
      if (time === undefined) return { problem: "Enter a date, for example 2026-01-31T12:00." };
      return { value: { __type: "Date", iso: new Date(time).toISOString() } };
    }
    case "Pointer": {
      const { className, objectId } = splitPointer(trimmed, field);
      if (className === undefined) return { problem: "Enter a class and an ID, for example Note:abc123." };
      if (!/^[\w:-]{1,128}$/.test(objectId)) return { problem: "IDs contain only letters and digits." };
      return { value: { __type: "Pointer", className, objectId } };
    }
    case "GeoPoint":
      return parsePoint(trimmed);
    case "Bytes":
      return trimmed.startsWith("{") ? parseTagged(trimmed, "Bytes") : parseBytes(trimmed);
    case "Polygon":
      return trimmed.startsWith("{") ? parseTagged(trimmed, "Polygon") : parsePolygon(trimmed);
    case "File":
      return parseTagged(trimmed, "File");
    default:
      return parseJson(trimmed, field.type);
  }
}

/** Reads a date in ISO 8601; without a zone it is local, as `editableText` shows it. */
function timeOfText(text: string): number | undefined {
  const time = isoTime(text);
  if (time === undefined || /[t ].*(?:z|[+-]\d\d(?::?\d\d)?)$/i.test(text)) return time;
  const [date, clock = "00:00"] = text.split(/[t ]/i);
  return Date.parse(`${date}T${clock}`);
}

/** Splits a pointer that was entered as `Class:ID`, or as the ID only if the field has a target class. */
export function splitPointer(
  text: string,
  { targetClass }: Pick<DataField, "targetClass">,
): { className: string | undefined; objectId: string } {
  const [, className, objectId = ""] = /^([A-Za-z_]\w*):(.*)$/.exec(text) ?? [];
  const isPrefixed = className !== undefined && (targetClass ?? className) === className;
  return isPrefixed ? { className, objectId } : { className: targetClass, objectId: text };
}

function parseBytes(text: string): ParsedValue {
  const isBase64 = /^[\w+/-]*={0,2}$/.test(text) && text.replace(/=+$/, "").length % 4 !== 1;
  return isBase64 ? { value: { __type: "Bytes", base64: text } } : { problem: "Enter valid base64." };
}

/** Parses `[[latitude, longitude], …]` with at least three corners. */
function parsePolygon(text: string): ParsedValue {
  const parsed = parseJson(text, "Array");
  if (parsed.problem !== undefined) return parsed;
  const corners = Array.isArray(parsed.value) ? parsed.value : [];
  if (corners.length < 3)
    return { problem: "At least three corners are required, for example [[0, 0], [0, 1], [1, 1]]." };
  const invalidIndex = corners.findIndex((corner) => !isCorner(corner));
  if (invalidIndex >= 0)
    return {
      problem: `Corner ${invalidIndex + 1} must be [latitude, longitude], from -90 to 90 and -180 to 180.`,
    };
  return { value: { __type: "Polygon", coordinates: corners } };
}

function isCorner(value: JsonValue): boolean {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [latitude, longitude] = value;
  return (
    typeof latitude === "number" &&
    typeof longitude === "number" &&
    Math.abs(latitude) <= 90 &&
    Math.abs(longitude) <= 180
  );
}

/** Parses a value in its wire format, `{"__type": …}`. */
function parseTagged(text: string, type: "Bytes" | "Polygon" | "File"): ParsedValue {
  const parsed = parseJson(text, "Object");
  if (parsed.problem !== undefined) return parsed;
  const { value } = parsed;
  if (!isJsonObject(value) || value.__type !== type) return { problem: `Expected {"__type": "${type}", …}.` };
  if (type === "Polygon") return parsePolygon(JSON.stringify(value.coordinates ?? null));
  if (type === "Bytes") return parseBytes(String(value.base64 ?? ""));
  return typeof value.name === "string" ? parsed : { problem: "A file needs a name." };
}

function parsePoint(text: string): ParsedValue {
  const [latitude = Number.NaN, longitude = Number.NaN, ...more] = text
    .split(",")
    .map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  if (more.length > 0 || !(Math.abs(latitude) <= 90) || !(Math.abs(longitude) <= 180))
    return {
      problem: "Enter a latitude (−90 to 90) and a longitude (−180 to 180), for example 47.37, 8.54.",
    };
  return { value: { __type: "GeoPoint", latitude, longitude } };
}

function parseJson(text: string, type: DataField["type"]): ParsedValue {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    const { line = 1, column = 1 } = jsonErrorPosition(text) ?? {};
    return { problem: `Invalid JSON at line ${line}, column ${column}.` };
  }
  if (type === "Array")
    return Array.isArray(value) ? { value } : { problem: "Enter a JSON array, for example [1, 2]." };
  if (!isJsonObject(value)) return { problem: 'Enter a JSON object, for example {"name": "value"}.' };
  if (type === "ACL") {
    const invalidIndex = Object.entries(value).find(([, rights]) => !isRights(rights));
    if (invalidIndex) return { problem: `${invalidIndex[0]}: read and write must be true or omitted.` };
  }
  return { value };
}

function isRights(rights: JsonValue): boolean {
  return (
    isJsonObject(rights) &&
    Object.entries(rights).every(([verb, is]) => (verb === "read" || verb === "write") && is === true)
  );
}

/** A local time as `<input type="datetime-local">` shows it. */
export function localTime(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, -1);
}
