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
}

/** Counts a request towards every limit of its path. Rejects with 155 (HTTP 429) where it is one too many. */
export type AssertWithinLimits = (request: Limited) => Promise<void>;

/** The limits that the operator has set for the Parse protocol. */
export function createRequestLimits(limits: readonly RateLimit[], limiter: RateLimiter): AssertWithinLimits {
  const prepared = limits.map((limit, index) => ({
    ...limit,
    scope: `request:${index}:`,
    segments: canonical(limit.path.slice(1).split("/")),
  }));

  return async function assertWithinLimits({ method, path, caller, ip }) {
    if (prepared.length === 0) return;
    const segments = segmentsOf(path);
    for (const limit of prepared) {
      if (caller.kind === "master" && !limit.includeMasterKey) continue;
      if (limit.methods && !limit.methods.includes(method)) continue;
      if (!matches(limit.segments, segments)) continue;
      const usage = await limiter.count(
        limit.scope + whoAsks(limit.by, caller, ip),
        limit.windowSeconds * 1000,
      );
      if (usage.used > limit.count) throw tooManyRequests(usage.resetsInMs);
    }
  };
}

function whoAsks(by: RateLimit["by"], caller: Caller, ip: string): string {
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
