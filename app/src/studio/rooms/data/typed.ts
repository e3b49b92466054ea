import { isJsonObject, type JsonValue } from "@purse/protocol";
import type { Column } from "./columns.ts";

/** What was typed, as the value of a field; or what is wrong with it. */
export type Read = { value: JsonValue; problem?: undefined } | { problem: string };

/** A value as text to edit. Dates are in the zone of the reader, to the second, as `<input>` takes them. */
export function typedOf(value: JsonValue | undefined, { type }: Pick<Column, "type">): string {
  if (value === undefined || value === null) return "";
  switch (type) {
    case "String":
    case "Number":
    case "Boolean":
      return String(value);
    case "Date":
      return isJsonObject(value) ? localTime(String(value.iso)) : "";
    case "Pointer":
      return isJsonObject(value) ? String(value.objectId ?? "") : "";
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

/** The value that a text stands for. Nothing typed takes the value away, but a String may be empty. */
export function readTyped(text: string, column: Pick<Column, "type" | "targetClass">): Read {
  if (column.type === "String") return { value: text };
  const trimmed = text.trim();
  if (trimmed === "") return { value: null };
  switch (column.type) {
    case "Number": {
      const value = Number(trimmed);
      return Number.isFinite(value) ? { value } : { problem: "That is no number." };
    }
    case "Boolean":
      if (trimmed !== "true" && trimmed !== "false") return { problem: "It is true or false." };
      return { value: trimmed === "true" };
    case "Date": {
      const at = new Date(trimmed);
      if (Number.isNaN(at.getTime())) return { problem: "That is no date, as 2026-01-31T12:00." };
      return { value: { __type: "Date", iso: at.toISOString() } };
    }
    case "Pointer":
      if (!/^[\w:-]{1,128}$/.test(trimmed)) return { problem: "An id has letters and digits alone." };
      return { value: { __type: "Pointer", className: column.targetClass ?? "", objectId: trimmed } };
    case "GeoPoint":
      return point(trimmed);
    case "Bytes":
      return trimmed.startsWith("{") ? tagged(trimmed, "Bytes") : bytes(trimmed);
    case "Polygon":
      return trimmed.startsWith("{") ? tagged(trimmed, "Polygon") : polygon(trimmed);
    case "File":
      return tagged(trimmed, "File");
    default:
      return json(trimmed, column.type);
  }
}

function bytes(text: string): Read {
  const isBase64 = /^[\w+/-]*={0,2}$/.test(text) && text.replace(/=+$/, "").length % 4 !== 1;
  return isBase64 ? { value: { __type: "Bytes", base64: text } } : { problem: "That is no base64." };
}

/** Corners as `[[latitude, longitude], …]`, at least three of them. */
function polygon(text: string): Read {
  const read = json(text, "Array");
  if (read.problem !== undefined) return read;
  const corners = Array.isArray(read.value) ? read.value : [];
  if (corners.length < 3) return { problem: "It has three corners at least, as [[0, 0], [0, 1], [1, 1]]." };
  const wrong = corners.findIndex((corner) => !isCorner(corner));
  if (wrong >= 0)
    return { problem: `Corner ${wrong + 1} is no [latitude, longitude] of -90 to 90 and -180 to 180.` };
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

/** A value as the protocol writes it. */
function tagged(text: string, type: "Bytes" | "Polygon" | "File"): Read {
  const read = json(text, "Object");
  if (read.problem !== undefined) return read;
  const { value } = read;
  if (!isJsonObject(value) || value.__type !== type)
    return { problem: `It must be written as {"__type": "${type}", …}.` };
  if (type === "Polygon") return polygon(JSON.stringify(value.coordinates ?? null));
  if (type === "Bytes") return bytes(String(value.base64 ?? ""));
  return typeof value.name === "string" ? read : { problem: "A file has a name." };
}

function point(text: string): Read {
  const [latitude = Number.NaN, longitude = Number.NaN, ...more] = text
    .split(",")
    .map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  if (more.length > 0 || !(Math.abs(latitude) <= 90) || !(Math.abs(longitude) <= 180))
    return { problem: "Latitude (-90 to 90) and longitude (-180 to 180), as 47.37, 8.54." };
  return { value: { __type: "GeoPoint", latitude, longitude } };
}

function json(text: string, type: Column["type"]): Read {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `That is not JSON yet: ${error instanceof Error ? error.message : ""}` };
  }
  if (type === "Array")
    return Array.isArray(value) ? { value } : { problem: "It must be a list, as [1, 2]." };
  if (!isJsonObject(value)) return { problem: 'It must be an object, as {"name": "value"}.' };
  if (type === "ACL") {
    const wrong = Object.entries(value).find(([, rights]) => !isRights(rights));
    if (wrong) return { problem: `${wrong[0]}: read and write are true, or left out.` };
  }
  return { value };
}

function isRights(rights: JsonValue): boolean {
  return (
    isJsonObject(rights) &&
    Object.entries(rights).every(([verb, is]) => (verb === "read" || verb === "write") && is === true)
  );
}

function localTime(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return "";
  const here = new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, -1);
  return here;
}
