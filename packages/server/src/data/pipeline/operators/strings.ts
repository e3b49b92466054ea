import { MAX_REGEX_LENGTH } from "@purse/protocol";
import { compileRegexSearch, type RegexMatch } from "../../../core/regex.ts";
import type { Decimal128 } from "../decimal128.ts";
import {
  binary,
  namedArguments,
  type Operator,
  type Operators,
  unary,
  variadic,
  wrongType,
} from "../evaluation.ts";
import { toDouble } from "../numbers.ts";
import { PipelineError } from "../pipelineError.ts";
import { compareTexts, Document, isNullish, isNumeric, pointerText, type Value } from "../values.ts";
import { isoText } from "../wireDocuments.ts";
import { toIndex } from "./arrays.ts";

/** Returns a text, or the text of a pointer as MongoDB stores it; undefined for other values. */
function textFrom(value: Value): string | undefined {
  return typeof value === "string" ? value : pointerText(value);
}

function toText(value: Value, name: string): string {
  const text = textFrom(value);
  if (text === undefined) throw wrongType(name, "a string", value);
  return text;
}

/** Converts null to an empty text, and numbers and dates to theirs. Throws for other values. */
function coerceToText(value: Value, name: string): string {
  if (isNullish(value)) return "";
  if (isNumeric(value)) return numberText(value);
  return value instanceof Date ? isoText(value) : toText(value, name);
}

export function numberText(value: number | bigint | Decimal128): string {
  return Object.is(value, -0) ? "-0" : value.toString();
}

const isAscii = (text: string) => /^[\0-\x7f]*$/.test(text);

function byteLength(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

function codePoints(text: string): string[] {
  return Array.from(text);
}

function codePointLength(text: string): number {
  return isAscii(text) ? text.length : codePoints(text).length;
}

function substringOfBytes([value, start, length]: Value[], name: string): Value {
  const text = coerceToText(value, name);
  const from = integerOf(start, name);
  if (from < 0) throw new PipelineError(`${name} takes a start that is not negative`);
  const count = integerOf(length, name);
  const end = count < 0 ? Number.POSITIVE_INFINITY : from + count;
  if (isAscii(text)) return text.slice(from, end);
  const bytes = Buffer.from(text, "utf8");
  if (isWithinCharacter(bytes, from) || isWithinCharacter(bytes, end)) {
    throw new PipelineError(`${name} cannot divide a character: its bounds are bytes`);
  }
  return bytes.subarray(from, end).toString("utf8");
}

function isWithinCharacter(bytes: Buffer, at: number): boolean {
  const byte = bytes[at];
  return byte !== undefined && byte >= 0x80 && byte < 0xc0;
}

function substringOfCodePoints([value, start, length]: Value[], name: string): Value {
  const text = coerceToText(value, name);
  const [from, count] = [integerOf(start, name), integerOf(length, name)];
  if (from < 0 || count < 0) {
    throw new PipelineError(`${name} takes a start and a length that are not negative`);
  }
  if (isAscii(text)) return text.slice(from, from + count);
  return codePoints(text)
    .slice(from, from + count)
    .join("");
}

/** Numbers are truncated. */
function integerOf(value: Value, name: string): number {
  if (!isNumeric(value)) throw wrongType(name, "numbers", value);
  return Math.trunc(toDouble(value));
}

/** `$indexOfCP` and `$indexOfBytes`. Positions are code points or bytes. */
function indexWithin(toUnits: (text: string) => string[] | Buffer) {
  return (values: Value[], name: string): Value => {
    const [value, searched, start, end] = values;
    if (isNullish(value)) return null;
    const [text, part] = [toText(value, name), toText(searched, name)];
    const from = values.length > 2 ? toPosition(start, name) : 0;
    const to = values.length > 3 ? toPosition(end, name) : Number.POSITIVE_INFINITY;
    if (to < from || from > text.length) return -1;
    if (isAscii(text)) return text.slice(0, to).indexOf(part, from);
    const [units, searchedUnits] = [toUnits(text), toUnits(part)];
    const last = Math.min(to, units.length) - searchedUnits.length;
    for (let at = from; at <= last; at++) {
      let i = 0;
      while (i < searchedUnits.length && units[at + i] === searchedUnits[i]) i += 1;
      if (i === searchedUnits.length) return at;
    }
    return -1;
  };
}

function toPosition(value: Value, name: string): number {
  const position = toIndex(value, name);
  if (position < 0) throw new PipelineError(`${name} takes positions that are not negative`);
  return position;
}

function split([value, separator]: Value[], name: string): Value {
  if (isNullish(value) || isNullish(separator)) return null;
  const [text, by] = [toText(value, name), toText(separator, name)];
  if (by === "") throw new PipelineError("$split takes a separator that is not empty");
  return text.split(by);
}

/** What `$trim` removes by default. */
const WHITESPACE = new Set(
  "\0 \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a",
);

function trim(atStart: boolean, atEnd: boolean): Operator {
  return (argument, compiler, name) => {
    const named = namedArguments(argument, compiler, name, ["input"], ["chars"]);
    const [input, chars] = [named.get("input"), named.get("chars")];
    const hasChars = named.has("chars");
    return (document) => {
      const [value, removed] = [input(document), chars(document)];
      if (isNullish(value) || (hasChars && isNullish(removed))) return null;
      const units = codePoints(toText(value, name));
      const set = hasChars ? new Set(toText(removed, name)) : WHITESPACE;
      let [start, end] = [0, units.length];
      if (atStart) while (start < end && set.has(units[start] ?? "")) start += 1;
      if (atEnd) while (end > start && set.has(units[end - 1] ?? "")) end -= 1;
      return units.slice(start, end).join("");
    };
  };
}

function replace(compute: (text: string, find: string, replacement: string) => string): Operator {
  return (argument, compiler, name) => {
    const named = namedArguments(argument, compiler, name, ["input", "find", "replacement"]);
    const parts = [named.get("input"), named.get("find"), named.get("replacement")];
    return (document) => {
      const values = parts.map((evaluate) => evaluate(document));
      const texts = values.flatMap((value) => (isNullish(value) ? [] : [toText(value, name)]));
      const [text, find, replacement] = texts;
      if (text === undefined || find === undefined || replacement === undefined) return null;
      return compute(text, find, replacement);
    };
  };
}

/** Operators on the matches of a regular expression; `nothing` is the result without an input. */
function regex(
  nothing: () => Value,
  compute: (text: string, search: ReturnType<typeof compileRegexSearch>) => Value,
): Operator {
  return (argument, compiler, name) => {
    const named = namedArguments(argument, compiler, name, ["input", "regex"], ["options"]);
    const [input, pattern, options] = [named.get("input"), named.get("regex"), named.get("options")];
    const compile = memoizeLast((source, flags) => compileSearch(source, flags, name));
    return (document) => {
      const [value, source, flags] = [input(document), pattern(document), options(document)];
      const search = isNullish(source)
        ? undefined
        : compile(toText(source, name), isNullish(flags) ? "" : toText(flags, name));
      if (isNullish(value) || !search) return nothing();
      return compute(toText(value, name), search);
    };
  };
}

function compileSearch(source: string, flags: string, name: string): ReturnType<typeof compileRegexSearch> {
  if (source.length > MAX_REGEX_LENGTH) {
    throw new PipelineError(`${name} takes ${MAX_REGEX_LENGTH} characters as regex at most`);
  }
  if (source.includes("\0")) throw new PipelineError(`${name} takes no NUL in its regex`);
  if (!/^[imsxu]*$/.test(flags)) throw new PipelineError(`${name} takes the options i, m, s and x`);
  return compileRegexSearch(source, flags);
}

/** Keeps the last result: most patterns, formats and time zones of a pipeline are the same for all documents. */
export function memoizeLast<Result>(
  compute: (first: string, second: string) => Result,
): (first: string, second: string) => Result {
  let last: { first: string; second: string; result: Result } | undefined;
  return (first, second) => {
    if (last?.first !== first || last.second !== second) {
      last = { first, second, result: compute(first, second) };
    }
    return last.result;
  };
}

function matchDocument(text: string, match: RegexMatch): Document {
  return Object.assign(new Document(), {
    match: match.text,
    idx: codePointLength(text.slice(0, match.start)),
    captures: match.groups,
  });
}

const concat = variadic((values, name) => {
  let result = "";
  for (const value of values) {
    if (isNullish(value)) return null;
    result += toText(value, name);
  }
  return result;
});

const textLength = (length: (text: string) => number): Operator =>
  unary((value, name) => length(toText(value, name)));

export const STRINGS: Operators = {
  $concat: concat,
  $indexOfBytes: variadic(
    indexWithin((text) => Buffer.from(text, "utf8")),
    2,
    4,
  ),
  $indexOfCP: variadic(indexWithin(codePoints), 2, 4),
  $ltrim: trim(true, false),
  $regexFind: regex(
    () => null,
    (text, search) => {
      for (const match of search(text)) return matchDocument(text, match);
      return null;
    },
  ),
  $regexFindAll: regex(
    () => [],
    (text, search) => {
      // As in MongoDB, nothing is found behind the last character, unless the text is empty.
      const found = [...search(text)].filter(({ start }) => start < text.length || text === "");
      return found.map((match) => matchDocument(text, match));
    },
  ),
  $regexMatch: regex(
    () => false,
    (text, search) => {
      for (const _ of search(text)) return true;
      return false;
    },
  ),
  $replaceAll: replace((text, find, replacement) => text.replaceAll(find, () => replacement)),
  $replaceOne: replace((text, find, replacement) => text.replace(find, () => replacement)),
  $rtrim: trim(false, true),
  $split: variadic(split, 2, 2),
  $strcasecmp: binary((a, b, name) =>
    Math.sign(compareTexts(coerceToText(a, name).toUpperCase(), coerceToText(b, name).toUpperCase())),
  ),
  $strLenBytes: textLength(byteLength),
  $strLenCP: textLength(codePointLength),
  $substr: variadic(substringOfBytes, 3, 3),
  $substrBytes: variadic(substringOfBytes, 3, 3),
  $substrCP: variadic(substringOfCodePoints, 3, 3),
  $toLower: unary((value, name) => coerceToText(value, name).toLowerCase()),
  $toUpper: unary((value, name) => coerceToText(value, name).toUpperCase()),
  $trim: trim(true, true),
};
