import type { JsonValue } from "./wireValues.ts";

/** Parses a text of bounded length; undefined if it is not JSON. */
export function tryParseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
