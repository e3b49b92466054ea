import { compileMatcher, isJsonObject, type JsonObject, type Matcher, parseWhere } from "@purse/protocol";
import { serveRequests } from "@purse/workers";
import { compileRegex } from "../core/regex.ts";

export interface MatchRequest {
  /** JSON texts of the object before and after the change. */
  before: string | null;
  after: string | null;
  /** JSON texts of the conditions. */
  wheres: string[];
  /** Time after which no further condition is started, in ms. */
  sliceMs: number;
  /**
   * The first item is the index of the condition that is being matched; the others are 0 until their condition has been
   * matched, then the result of `packOutcome`. Shared memory, so that it can be read after the thread was terminated.
   */
  outcomes: Int32Array<SharedArrayBuffer>;
}

/** Number of conditions that were matched, from the first one on. */
export interface MatchResponse {
  matchedCount: number;
}

export interface MatchOutcome {
  /** Whether the object matched before the change, and matches after it. */
  matchedBefore: boolean;
  matchesAfter: boolean;
  /** CPU time of the match, in µs. */
  cpuMicros: number;
}

const DONE = 1;
const MATCHED_BEFORE = 2;
const MATCHES_AFTER = 4;
const FLAG_BITS = 3;
const MAX_MICROS = 2 ** 28 - 1;

function packOutcome({ matchedBefore, matchesAfter, cpuMicros }: MatchOutcome): number {
  const micros = Math.min(MAX_MICROS, Math.round(cpuMicros));
  return (
    DONE | (matchedBefore ? MATCHED_BEFORE : 0) | (matchesAfter ? MATCHES_AFTER : 0) | (micros << FLAG_BITS)
  );
}

export function unpackOutcome(packed: number): MatchOutcome | undefined {
  if ((packed & DONE) === 0) return undefined;
  return {
    matchedBefore: (packed & MATCHED_BEFORE) !== 0,
    matchesAfter: (packed & MATCHES_AFTER) !== 0,
    cpuMicros: packed >>> FLAG_BITS,
  };
}

/** Limits of the matcher cache: entries, and characters of their conditions. */
const MAX_MATCHERS = 5_000;
const MAX_MATCHER_CHARS = 4 * 1024 * 1024;
const matchers = new Map<string, Matcher>();
let matcherChars = 0;

function matcherOf(where: string): Matcher {
  const cached = matchers.get(where);
  if (cached) {
    matchers.delete(where);
    matchers.set(where, cached);
    return cached;
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

serveRequests<MatchRequest, MatchResponse>({
  handle({ before, after, wheres, sliceMs, outcomes }) {
    const end = performance.now() + sliceMs;
    const objects = { before: parseObject(before), after: parseObject(after) };
    let matchedCount = 0;
    for (const where of wheres) {
      Atomics.store(outcomes, 0, matchedCount);
      const started = process.threadCpuUsage();
      const matches = matcherOf(where);
      const matchedBefore = objects.before !== null && matches(objects.before);
      const matchesAfter = objects.after !== null && matches(objects.after);
      const { user, system } = process.threadCpuUsage(started);
      matchedCount += 1;
      Atomics.store(
        outcomes,
        matchedCount,
        packOutcome({ matchedBefore, matchesAfter, cpuMicros: user + system }),
      );
      if (performance.now() >= end) break;
    }
    return { matchedCount };
  },
});
