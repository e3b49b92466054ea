import type { Caller } from "../caller.ts";
import type { RateLimit } from "../config/rateLimits.ts";
import type { RateLimiter } from "../limits/rateLimiter.ts";
import { tooManyRequests } from "../limits/tooManyRequests.ts";
import { addressKey } from "./address.ts";

/** What a limit looks at. */
export interface Limited {
  method: string;
  /** Below the mount path, as it came. */
  path: string;
  caller: Caller;
  ip: string;
  /** Whether cloud code sends it, inside the process. */
  isInternal?: boolean;
}

/** Counts a request towards every limit of its path. Rejects with 155 (HTTP 429) where it is one too many. */
export type AssertWithinLimits = (request: Limited) => Promise<void>;

/**
 * The limits that the operator has set for the Parse protocol, and those that the cloud code asks for: `defined` tells
 * them, and gives another list when they are others.
 */
export function createRequestLimits(
  limits: readonly RateLimit[],
  limiter: RateLimiter,
  defined: () => readonly RateLimit[] = () => NONE,
): AssertWithinLimits {
  const fixed = limits.map((limit, index) => prepare(limit, `request:${index}:`));
  let last: readonly RateLimit[] = NONE;
  let prepared = fixed;

  return async function assertWithinLimits({ method, path, caller, ip, isInternal = false }) {
    const wanted = defined();
    if (wanted !== last) {
      // Counted on by what they are: the code may have been loaded again.
      const scope = (limit: RateLimit) => `code:${JSON.stringify(limit)}:`;
      prepared = [...fixed, ...wanted.map((limit) => prepare(limit, scope(limit)))];
      last = wanted;
    }
    if (prepared.length === 0) return;
    const segments = segmentsOf(path);
    for (const limit of prepared) {
      if (isInternal && !limit.includeInternalRequests) continue;
      if (caller.kind === "master" && !limit.includeMasterKey) continue;
      if (limit.methods && !limit.methods.includes(method)) continue;
      if (!matches(limit.segments, segments)) continue;
      const usage = await limiter.count(
        limit.scope + whoAsks(limit.by, caller, ip),
        limit.windowSeconds * 1000,
      );
      if (usage.used > limit.count) throw tooManyRequests(usage.resetsInMs, limit.message);
    }
  };
}

const NONE: readonly RateLimit[] = [];

function prepare(limit: RateLimit, scope: string) {
  return { ...limit, scope, segments: canonical(limit.path.slice(1).split("/")) };
}

function whoAsks(by: RateLimit["by"], caller: Caller, ip: string): string {
  if (by === "all") return "all";
  if (caller.kind === "user" && by !== "ip")
    return by === "user" ? `user:${caller.userId}` : `session:${caller.sessionId}`;
  return `ip:${addressKey(ip)}`;
}

/** As the router reads a path, so that no way of writing it leads around a limit. Throws URIError on broken escapes. */
function segmentsOf(path: string): string[] {
  const segments = path.slice(1).split("/");
  if (segments.at(-1) === "") segments.pop();
  return canonical(segments.map((each) => (each.includes("%") ? decodeURIComponent(each) : each)));
}

/** Classes that have a path of their own can be asked for by both. */
const PATHS: ReadonlyMap<string, string> = new Map([
  ["_User", "users"],
  ["_Role", "roles"],
  ["_Session", "sessions"],
  ["_Installation", "installations"],
]);

function canonical(segments: string[]): string[] {
  const [first, second = "", ...rest] = segments;
  const own = first === "classes" ? PATHS.get(second) : undefined;
  return own === undefined ? segments : [own, ...rest];
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  const open = pattern.at(-1) === "*";
  const fixed = open ? pattern.slice(0, -1) : pattern;
  if (open ? segments.length < fixed.length : segments.length !== fixed.length) return false;
  return fixed.every((each, index) => each.startsWith(":") || each === segments[index]);
}
