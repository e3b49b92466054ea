import { compileMatcher, isJsonObject, type JsonObject, type Matcher, parseWhere } from "@purse/protocol";
import { serveRequests } from "@purse/workers";
import { compileRegex } from "../store/regex.ts";

export interface MatchRequest {
  /** JSON texts of the object before and after its change. */
  before: string | null;
  after: string | null;
  /** JSON texts of the wheres. */
  wheres: string[];
  /** After so many ms no further where is begun. */
  sliceMs: number;
  /**
   * The first item is the where that is being matched; then one for each where: 0 as long as it has not been matched,
   * else what `packOutcome` makes of it. Shared, so that it can be read though the thread was ended.
   */
  outcomes: Int32Array<SharedArrayBuffer>;
}

/** How many wheres were matched, from the first one on. */
export interface MatchAnswer {
  done: number;
}

export interface MatchOutcome {
  /** Whether the object matched before the change, and matches now. */
  was: boolean;
  is: boolean;
  /** CPU time that it took, in µs. */
  cpuMicros: number;
}

const DONE = 1;
const WAS = 2;
const IS = 4;
const FLAG_BITS = 3;
const MAX_MICROS = 2 ** 28 - 1;

export function packOutcome({ was, is, cpuMicros }: MatchOutcome): number {
  const micros = Math.min(MAX_MICROS, Math.round(cpuMicros));
  return DONE | (was ? WAS : 0) | (is ? IS : 0) | (micros << FLAG_BITS);
}

export function unpackOutcome(packed: number): MatchOutcome | undefined {
  if ((packed & DONE) === 0) return undefined;
  return { was: (packed & WAS) !== 0, is: (packed & IS) !== 0, cpuMicros: packed >>> FLAG_BITS };
}

/** Matchers that are kept, and characters of their wheres. */
const MAX_MATCHERS = 5_000;
const MAX_MATCHER_CHARS = 4 * 1024 * 1024;
const matchers = new Map<string, Matcher>();
let matcherChars = 0;

function matcherOf(where: string): Matcher {
  const known = matchers.get(where);
  if (known) {
    matchers.delete(where);
    matchers.set(where, known);
    return known;
  }
  const matcher = compileMatcher(parseWhere(JSON.parse(where)), { regex: compileRegex });
  matchers.set(where, matcher);
  matcherChars += where.length;
  for (const oldest of matchers.keys()) {
    if (matchers.size <= MAX_MATCHERS && matcherChars <= MAX_MATCHER_CHARS) break;
    matchers.delete(oldest);
    matcherChars -= oldest.length;
  }
  return matcher;
}

function parseObject(text: string | null): JsonObject | null {
  if (text === null) return null;
  const object: unknown = JSON.parse(text);
  return isJsonObject(object) ? object : null;
}

serveRequests<MatchRequest, MatchAnswer>({
  handle({ before, after, wheres, sliceMs, outcomes }) {
    const end = performance.now() + sliceMs;
    const objects = { before: parseObject(before), after: parseObject(after) };
    let done = 0;
    for (const where of wheres) {
      Atomics.store(outcomes, 0, done);
      const started = process.threadCpuUsage();
      const matches = matcherOf(where);
      const was = objects.before !== null && matches(objects.before);
      const is = objects.after !== null && matches(objects.after);
      const { user, system } = process.threadCpuUsage(started);
      done += 1;
      Atomics.store(outcomes, done, packOutcome({ was, is, cpuMicros: user + system }));
      if (performance.now() >= end) break;
    }
    return { done };
  },
});
