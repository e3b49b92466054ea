import { ErrorCode, MAX_PATTERN_SIZE, ProtocolError, patternSize } from "@purse/protocol";
import { RE2JS, RE2Set } from "re2js";

/** Total number of instructions of the cached patterns, which take some hundred bytes each. */
const MAX_CACHED_SIZE = 50_000;
const MAX_CACHED = 500;
const cache = new Map<string, { test: (text: string) => boolean; size: number }>();
let cachedSize = 0;
/** The last valid patterns that were not compiled. */
const valid = new Set<string>();

/**
 * Compiles a regular expression of a client to a test that runs in linear time (RE2 syntax: no look-around, no back
 * references). Plain `\Q…\E` patterns, which the SDKs generate for startsWith and contains, become string searches.
 * Flags: i, m, s, x, u. Throws 102 for invalid patterns and for those that are too expensive to compile.
 */
export function compileRegex(source: string, flags: string): (text: string) => boolean {
  const key = `${flags}/${source}`;
  const cached = cache.get(key);
  if (cached) return cached.test;
  const plain = plainTest(source, flags);
  const size = plain ? 1 : limitedSize(source);
  const test = plain ?? re2Test(source, flags);
  cache.set(key, { test, size });
  cachedSize += size;
  for (const [oldest, dropped] of cache) {
    if (cache.size <= MAX_CACHED && cachedSize <= MAX_CACHED_SIZE) break;
    cache.delete(oldest);
    cachedSize -= dropped.size;
  }
  return test;
}

/**
 * Throws for the patterns that compileRegex() rejects. It only parses them, in a fifth of the time and a third of the memory:
 * for databases that match in another thread or process.
 */
export function validateRegex(source: string, flags: string): void {
  const key = `${flags}/${source}`;
  if (valid.has(key) || cache.has(key) || plainTest(source, flags)) return;
  limitedSize(source);
  const { pattern, bits } = re2Pattern(source, flags);
  try {
    new RE2Set(RE2Set.UNANCHORED, bits).add(pattern);
  } catch (error) {
    throw badRegex(error);
  }
  valid.add(key);
  for (const oldest of valid) {
    if (valid.size <= MAX_CACHED) break;
    valid.delete(oldest);
  }
}

/** The number of instructions of a pattern. Throws for one that is too expensive to compile. */
function limitedSize(source: string): number {
  const size = patternSize(source);
  if (size > MAX_PATTERN_SIZE)
    throw new ProtocolError(ErrorCode.INVALID_QUERY, "bad $regex: its repetitions make it too large");
  return size;
}

/** Returns the literal text if the whole pattern is `^\Q…\E`. */
export function literalOf(source: string): { text: string; start: boolean; end: boolean } | undefined {
  const match = /^(\^?)\\Q(.*?)\\E(\$?)$/s.exec(source);
  const text = match?.[2];
  if (!match || text === undefined || text.includes("\\E")) return undefined;
  return { text, start: match[1] === "^", end: match[3] === "$" };
}

function plainTest(source: string, flags: string): ((text: string) => boolean) | undefined {
  const literal = flags === "" ? literalOf(source) : undefined;
  if (!literal) return undefined;
  const { text, start, end } = literal;
  if (start && end) return (value) => value === text;
  if (start) return (value) => value.startsWith(text);
  if (end) return (value) => value.endsWith(text);
  return (value) => value.includes(text);
}

function re2Test(source: string, flags: string): (text: string) => boolean {
  const compiled = compileRe2(source, flags);
  return (value) => compiled.matcher(value).find();
}

function compileRe2(source: string, flags: string): RE2JS {
  const { pattern, bits } = re2Pattern(source, flags);
  try {
    return RE2JS.compile(pattern, bits);
  } catch (error) {
    throw badRegex(error);
  }
}

/** Where a regular expression matches a text. `start` is in UTF-16 code units; groups that do not take part are null. */
export interface RegexMatch {
  start: number;
  text: string;
  groups: (string | null)[];
}

/**
 * Compiles a regular expression of a client to a function that finds its matches from the first on, each in linear time.
 * Throws 102 as compileRegex() does. The result is not cached.
 */
export function compileRegexSearch(source: string, flags: string): (text: string) => Iterable<RegexMatch> {
  limitedSize(source);
  const compiled = compileRe2(source, flags);
  return function* (text) {
    const matcher = compiled.matcher(text);
    while (matcher.find()) {
      const groups = Array.from({ length: matcher.groupCount() }, (_, i) => matcher.group(i + 1));
      yield { start: matcher.start(), text: matcher.group() ?? "", groups };
    }
  };
}

function re2Pattern(source: string, flags: string): { pattern: string; bits: number } {
  let bits = 0;
  if (flags.includes("i")) bits |= RE2JS.CASE_INSENSITIVE;
  if (flags.includes("m")) bits |= RE2JS.MULTILINE;
  if (flags.includes("s")) bits |= RE2JS.DOTALL;
  return { pattern: flags.includes("x") ? withoutComments(source) : source, bits };
}

/** A pattern with the flag x without its whitespace and comments. */
export function withoutComments(source: string): string {
  return source.replace(/(?<!\\)#.*$|(?<!\\)\s+/gm, "");
}

/**
 * The code points that a set of characters such as `[a-z]` or `\p{Han}` matches besides NUL, as ascending ranges. Throws 102
 * if it is invalid.
 */
export function characterRanges(set: string, flags: string): [from: number, to: number][] {
  const ranges: [number, number][] = [];
  // RE2 keeps a letter and its other case as one letter with a flag, but not in a set with another member.
  for (const instruction of instructionsOf(compileRe2(`(?:${set}|\\x00)`, flags))) {
    const runes: unknown = Reflect.get(instruction, "runes");
    if (!(Array.isArray(runes) || runes instanceof Int32Array)) continue;
    for (let i = 0; i < runes.length; i += 2)
      ranges.push([Number(runes[i]), Number(runes[i + 1] ?? runes[i])]);
  }
  return ranges.sort(([a], [b]) => a - b);
}

function instructionsOf(compiled: RE2JS): object[] {
  const program: unknown = compiled.re2().prog;
  const list: unknown = typeof program === "object" && program ? Reflect.get(program, "inst") : undefined;
  return Array.isArray(list) ? list.filter((each) => typeof each === "object" && each !== null) : [];
}

function badRegex(error: unknown): ProtocolError {
  const reason = error instanceof Error ? error.message : "unknown";
  return new ProtocolError(ErrorCode.INVALID_QUERY, `bad $regex: ${reason.slice(0, 200)}`);
}
