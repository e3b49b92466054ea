import { type JsonObject, type JsonValue, ownValue, tryParseJson } from "@purse/protocol";
import { jsonErrorPosition, NO_MESSAGE, type TextPosition } from "@purse/ui";
import * as z from "zod/mini";

/*
 * Typed access to rows in the Parse wire format. Missing fields and fields of another type are read as empty, so that
 * unexpected data does not break a page.
 */

export function stringField(row: JsonObject, name: string): string {
  const value = ownValue(row, name);
  return typeof value === "string" ? value : value === undefined || value === null ? "" : String(value);
}

export function numberField(row: JsonObject, name: string): number | undefined {
  const value = ownValue(row, name);
  return typeof value === "number" ? value : undefined;
}

/** Reads a date that is an ISO string or a Parse Date. */
export function timeField(row: JsonObject, name: string): string | undefined {
  const value = ownValue(row, name);
  if (typeof value === "string" && value !== "") return value;
  const object = objectField(row, name);
  return object && typeof object.iso === "string" ? object.iso : undefined;
}

export function objectField(row: JsonObject, name: string): JsonObject | undefined {
  return asObject(ownValue(row, name));
}

export function asObject(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
}

/** Indented JSON. */
export function prettyJson(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? "";
}

/** Where a text is no JSON; null if it is JSON of another type. */
type JsonProblem = TextPosition | null;

/** Parses a JSON object; returns a `problem` when the input is not one. Empty input is an empty object. */
export function parseJsonObject(
  text: string,
): { value: JsonObject; problem?: undefined } | { problem: JsonProblem } {
  if (text.trim() === "") return { value: {} };
  const value = tryParseJson(text);
  if (value === undefined) return { problem: jsonErrorPosition(text) ?? { line: 1, column: 1 } };
  const object = asObject(value);
  return object ? { value: object } : { problem: null };
}

/** The schema of an input for a JSON object. `JsonField` shows the problem. */
export const jsonObject = z.pipe(
  z.string(),
  z.transform((text, { issues }): JsonObject => {
    const { value, problem } = { value: {}, problem: undefined, ...parseJsonObject(text) };
    if (problem !== undefined) issues.push({ code: "custom", message: NO_MESSAGE, input: text });
    return value;
  }),
);

/** The value without its undefined fields. */
export function definedFields(fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const result: JsonObject = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) result[name] = value;
  return result;
}

/** Indents JSON; other text, such as JSON that was truncated, is returned unchanged. */
export function prettyJsonText(text: string): string {
  const value = tryParseJson(text);
  return value === undefined ? text : prettyJson(value);
}
