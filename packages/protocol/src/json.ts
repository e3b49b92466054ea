import { ErrorCode, ProtocolError } from "./errors.ts";

/** How much JSON may be parsed at once. What costs time and memory is what a text holds rather than its length. */
export interface JsonLimits {
  /** Arrays and objects inside each other. */
  depth: number;
  /** Keys, strings, arrays and objects: the values that cost most. */
  nodes: number;
  /** All values: nodes, numbers, booleans and nulls. */
  values: number;
  /** Escaped characters of strings, which take time when they are read and when they are written again. */
  escapes: number;
}

/** For what clients send: a batch of 500 large objects, a `$in` of 20,000 strings, an array of 250,000 numbers. */
export const CLIENT_JSON: JsonLimits = { depth: 200, nodes: 60_000, values: 300_000, escapes: 2_000_000 };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
/** Characters that are looked at one by one before the next that matters is searched for, which is quicker by far. */
const SCANNED = 128;
const STRUCTURE = /["[\]{},]/g;
const STRING_STOP = /["\\]/g;

/**
 * Parses JSON from outside. The text is scanned first, in one pass that ends as soon as a limit is exceeded, so that
 * what is refused costs no more than the scan. Throws 107 for too many values and for values that nest too deeply, and
 * SyntaxError for what is not JSON.
 */
export function parseJson(text: string, limits: JsonLimits = CLIENT_JSON): unknown {
  assertWithinJsonLimits(text, limits);
  return JSON.parse(text);
}

/** Throws as `parseJson` does for a text that exceeds the limits; whether it is JSON is not looked at. */
export function assertWithinJsonLimits(text: string, limits: JsonLimits): void {
  // Every value takes a character: short texts can exceed no limit.
  if (text.length <= limits.depth) return;
  let depth = 0;
  let nodes = 0;
  let commas = 0;
  let plain = 0;
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
      if (depth > limits.depth) throw tooDeep(limits.depth);
    } else if (code === 0x5d || code === 0x7d) {
      depth--;
    } else {
      if (++plain === SCANNED) {
        plain = 0;
        at = next(STRUCTURE, text, at + 1) - 1;
      }
      continue;
    }
    plain = 0;
    if (nodes > limits.nodes) throw tooMany("keys, strings, arrays and objects", limits.nodes);
    if (commas > limits.values) throw tooMany("values", limits.values);
    if (strings.escapes > limits.escapes) throw tooMany("escaped characters", limits.escapes);
  }
}

/**
 * Where the string ends whose content begins at `from`: at its closing quote, or at the end of the text. Counts what is
 * escaped in it.
 */
function stringEnd(text: string, from: number, counted: { escapes: number }): number {
  const { length } = text;
  let at = from;
  let escapes = 0;
  while (at < length) {
    const until = Math.min(at + SCANNED, length);
    while (at < until) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        counted.escapes += escapes;
        return at;
      }
      at++;
      if (code === BACKSLASH) {
        at++;
        escapes++;
      }
    }
    if (at < length) at = next(STRING_STOP, text, at);
  }
  counted.escapes += escapes;
  return length;
}

/** Where a pattern is found next; the length of the text where it is not. */
function next(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex - 1 : text.length;
}

function tooDeep(depth: number): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_JSON, `JSON nests deeper than ${depth} levels`);
}

function tooMany(what: string, limit: number): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_JSON, `JSON holds more than ${limit} ${what}`);
}
