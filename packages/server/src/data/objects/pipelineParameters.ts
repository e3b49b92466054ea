import { isJsonObject, type JsonValue } from "@purse/protocol";

/** Parses a parameter of a query string, which is JSON, a number, or text. */
export function parseTextParameters(value: JsonValue): JsonValue {
  if (typeof value === "string") {
    try {
      return JSON.parse(value);
    } catch {
      return value;
    }
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      typeof inner === "string" ? parseTextParameter(inner) : inner,
    ]),
  );
}

/** Parses a parameter that is JSON, or JSON of a text with JSON, as a text in a query string. */
export function parseTexts(value: JsonValue): JsonValue {
  const parsed = typeof value === "string" ? parseTextParameters(value) : value;
  return typeof parsed === "string" ? parseTextParameters(parsed) : parsed;
}

function parseTextParameter(text: string): JsonValue {
  if (!/^[[{\d"]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
