import { ErrorCode, ProtocolError } from "./errors.ts";
import { MAX_OBJECT_KEYS } from "./limits.ts";

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
/** The same in strings, whose ends are found even faster. */
const STRING_SCAN_LENGTH = 16;
const STRUCTURE = /["[\]{},]/g;

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
  // The commas of the objects around the current position, each after a key; undefined for arrays.
  const keys: (number | undefined)[] = [];
  const strings: StringScan = { escapes: 0, maxEscapes: limits.escapes, quoteAt: -1, backslashAt: -1 };
  const { length } = text;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      nodes++;
      at = stringEnd(text, at + 1, strings);
    } else if (code === COMMA) {
      commas++;
      const previousKeys = keys[depth];
      if (previousKeys !== undefined) {
        if (previousKeys + 1 >= MAX_OBJECT_KEYS) throw tooManyError("keys in one object", MAX_OBJECT_KEYS);
        keys[depth] = previousKeys + 1;
      }
    } else if (code === 0x5b || code === 0x7b) {
      nodes++;
      depth++;
      if (depth > limits.depth) throw tooDeepError(limits.depth);
      keys[depth] = code === 0x7b ? 0 : undefined;
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

/** What is known of the strings of a text. */
interface StringScan {
  /** Escaped characters so far. Beyond the maximum, the end of a string is not searched for. */
  escapes: number;
  readonly maxEscapes: number;
  /** The quote and the backslash that were found last: each is searched for once, which takes hardly any time. */
  quoteAt: number;
  backslashAt: number;
}

/**
 * Returns the position of the closing quote of the string whose content begins at `from`, or the end of the text.
 * Counts the escaped characters in it.
 */
function stringEnd(text: string, from: number, scan: StringScan): number {
  const { length } = text;
  let at = from;
  let escapes = 0;
  const maxEscapes = scan.maxEscapes - scan.escapes;
  while (at < length && escapes <= maxEscapes) {
    const scanEnd = Math.min(at + STRING_SCAN_LENGTH, length);
    while (at < scanEnd) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        scan.escapes += escapes;
        return at;
      }
      at++;
      if (code === BACKSLASH) {
        at++;
        escapes++;
      }
    }
    if (at < length) at = nextQuoteOrBackslash(text, at, scan);
  }
  scan.escapes += escapes;
  return length;
}

function nextQuoteOrBackslash(text: string, from: number, scan: StringScan): number {
  if (scan.quoteAt < from) scan.quoteAt = positionOf('"', text, from);
  if (scan.backslashAt < from) scan.backslashAt = positionOf("\\", text, from);
  return Math.min(scan.quoteAt, scan.backslashAt);
}

function positionOf(character: string, text: string, from: number): number {
  const at = text.indexOf(character, from);
  return at < 0 ? text.length : at;
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
