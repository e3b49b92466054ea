import type { Operand } from "@purse/protocol";

/**
 * Larger documents, in bytes, are not searched: one that consists of beginnings of a pattern takes 20 ns per character,
 * between two interrupt checks.
 */
export const MAX_SEARCHED_BYTES = 4 * 1024;
/** Characters of a value that a pattern contains at most: enough to exclude most documents, at a bounded cost. */
const MAX_VALUE_CHARS = 24;
/** Printable characters of ASCII that are the same in JSON and in a GLOB pattern: not `"`, `*`, `?`, `[` and `\`. */
const PLAIN_START = /^[ !#-)+->@-Z\]-~]*/;

/**
 * Returns the GLOB pattern of documents that may have a value in a top-level field: their text contains the end of the
 * key and the beginning of the value as JSON. Undefined for types of values without one. Searching a text takes less time
 * than parsing it; it is faster from a letter on than from a quote, of which JSON has many.
 */
export function documentPattern(field: string, operand: Operand): string | undefined {
  switch (operand.type) {
    case "string":
      return `*${field.slice(-1)}":${textStart(operand.value)}*`;
    case "number":
    case "boolean":
      return `*${field.slice(-1)}":${JSON.stringify(operand.value)}*`;
    case "pointer":
      return `*d":${textStart(operand.value.objectId)}*`;
    default:
      return undefined;
  }
}

/** The beginning of a text as JSON; all of it if it is short. */
function textStart(text: string): string {
  const [plain = ""] = PLAIN_START.exec(text.slice(0, MAX_VALUE_CHARS)) ?? [];
  return plain.length === text.length ? `"${plain}"` : `"${plain}`;
}
