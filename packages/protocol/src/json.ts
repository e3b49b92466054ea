import { ErrorCode, ProtocolError } from "./errors.ts";

/** Limits for parsing JSON. The number of values determines the cost in time and memory, not the length of the text. */
export interface JsonLimits {
  /** Maximum nesting depth of arrays and objects. */
  depth: number;
  /** Maximum number of keys, strings, arrays and objects, which cost the most. */
  nodes: number;
  /** Maximum number of values: nodes, numbers, booleans and nulls. */
  values: number;
  /** Maximum number of escaped characters in strings, which are slow to read and to write. */
  escapes: number;
}

/**
 * Limits for clients: enough for a batch of 500 large objects, a `$in` of 20,000 strings or an array of 250,000
 * numbers.
 */
export const CLIENT_JSON: JsonLimits = { depth: 200, nodes: 60_000, values: 300_000, escapes: 2_000_000 };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
/**
 * Number of characters that are scanned one by one before switching to a regular expression search, which is much
 * faster for long runs.
 */
const SCAN_LENGTH = 128;
const STRUCTURE = /["[\]{},]/g;
const STRING_STOP = /["\\]/g;

/**
 * Parses JSON sent by a client. The text is scanned first, in a single pass that stops as soon as a limit is exceeded,
 * so that rejected input costs no more than the scan. Throws 107 for too many or too deeply nested values, and
 * SyntaxError for invalid JSON.
 */
export function parseJson(text: string, limits: JsonLimits = CLIENT_JSON): unknown {
  assertWithinJsonLimits(text, limits);
  return JSON.parse(text);
}

/** Throws like `parseJson` if a text exceeds the limits. Does not check whether the text is valid JSON. */
export function assertWithinJsonLimits(text: string, limits: JsonLimits): void {
  // Every value takes at least one character, so short texts cannot exceed a limit.
  if (text.length <= limits.depth) return;
  let depth = 0;
  let nodes = 0;
  let commas = 0;
  let plainCount = 0;
  const strings = { escapes: 0 };
  const { length } = text;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      nodes++;
      at = stringEnd(text, at + 1, strings);
    } else if (code === COMMA) {
      commas++;
    } else if (code === 0x5b || code === 0x7b) {
      nodes++;
      depth++;
      if (depth > limits.depth) throw tooDeepError(limits.depth);
    } else if (code === 0x5d || code === 0x7d) {
      depth--;
    } else {
      if (++plainCount === SCAN_LENGTH) {
        plainCount = 0;
        at = findNext(STRUCTURE, text, at + 1) - 1;
      }
      continue;
    }
    plainCount = 0;
    if (nodes > limits.nodes) throw tooManyError("keys, strings, arrays and objects", limits.nodes);
    if (commas > limits.values) throw tooManyError("values", limits.values);
    if (strings.escapes > limits.escapes) throw tooManyError("escaped characters", limits.escapes);
  }
}

/**
 * Returns the position of the closing quote of the string whose content begins at `from`, or the end of the text.
 * Counts the escaped characters in it.
 */
function stringEnd(text: string, from: number, counter: { escapes: number }): number {
  const { length } = text;
  let at = from;
  let escapes = 0;
  while (at < length) {
    const scanEnd = Math.min(at + SCAN_LENGTH, length);
    while (at < scanEnd) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        counter.escapes += escapes;
        return at;
      }
      at++;
      if (code === BACKSLASH) {
        at++;
        escapes++;
      }
    }
    if (at < length) at = findNext(STRING_STOP, text, at);
  }
  counter.escapes += escapes;
  return length;
}

/** Returns the position of the next match of a pattern; the length of the text if there is none. */
function findNext(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex - 1 : text.length;
}

function tooDeepError(depth: number): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_JSON, `JSON nests deeper than ${depth} levels`);
}

function tooManyError(what: string, limit: number): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_JSON, `JSON holds more than ${limit} ${what}`);
}
