import { parseSearchWith, stringifySearchWith } from "@tanstack/react-router";

const parseValues = parseSearchWith(parseParam);

/** Reads the params of a URL. Numbers stay text: amounts and IDs exceed their precision, and need no quotes. */
export function parseSearch(text: string): Record<string, unknown> {
  const params: Record<string, unknown> = parseValues(text);
  return Object.fromEntries(
    // The parser takes text for a number only if the number has the same text.
    Object.entries(params).map(([name, value]) => [name, typeof value === "number" ? String(value) : value]),
  );
}

export const stringifySearch = stringifySearchWith(JSON.stringify, parseParam);

function parseParam(text: string): unknown {
  if (/^([[{"]|(true|false|null)$)/.test(text)) return JSON.parse(text);
  throw new SyntaxError();
}
