import { ANONYMOUS, type AuthContext } from "../authContext.ts";
import type { RateLimit } from "../config/rateLimits.ts";
import type { RateLimiter } from "../limits/rateLimiter.ts";
import { tooManyRequests } from "../limits/tooManyRequests.ts";
import { addressKey } from "./address.ts";
import { canonicalSegments, routeSegments } from "./routeSegments.ts";

/** What a limit looks at. */
export interface Limited {
  /** Undefined where it is not known yet. */
  method: string | undefined;
  /** Below the mount path, as it came. */
  path: string;
  /** Undefined where it is not known yet. */
  auth: AuthContext | undefined;
  ip: string;
  /** False only looks whether a limit is used up: limits that depend on what is not known yet are left out. */
  isCounted?: boolean;
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

  return async function assertWithinLimits({ method, path, auth, ip, isCounted = true, isInternal = false }) {
    const wanted = defined();
    if (wanted !== last) {
      // Counted on by what they are: the code may have been loaded again.
      const scope = (limit: RateLimit) => `code:${JSON.stringify(limit)}:`;
      prepared = [...fixed, ...wanted.map((limit) => prepare(limit, scope(limit)))];
      last = wanted;
    }
    if (prepared.length === 0) return;
    const segments = routeSegments(path);
    for (const limit of prepared) {
      if (isInternal && !limit.includeInternalRequests) continue;
      if (auth?.kind === "master" && !limit.includeMasterKey) continue;
      if (limit.methods && (method === undefined || !limit.methods.includes(method))) continue;
      if (auth === undefined && (limit.by === "user" || limit.by === "session")) continue;
      if (!matches(limit.segments, segments)) continue;
      const key = limit.scope + whoAsks(limit.by, auth ?? ANONYMOUS, ip);
      const windowMs = limit.windowSeconds * 1000;
      const usage = await (isCounted ? limiter.count(key, windowMs) : limiter.usage(key, windowMs));
      if (usage.used > limit.count - (isCounted ? 0 : 1)) {
        throw tooManyRequests(usage.resetsInMs, limit.message);
      }
    }
  };
}

const NONE: readonly RateLimit[] = [];

function prepare(limit: RateLimit, scope: string) {
  return { ...limit, scope, segments: canonicalSegments(limit.path.slice(1).split("/")) };
}

function whoAsks(by: RateLimit["by"], auth: AuthContext, ip: string): string {
  if (by === "all") return "all";
  if (auth.kind === "user" && by !== "ip")
    return by === "user" ? `user:${auth.userId}` : `session:${auth.sessionId}`;
  return `ip:${addressKey(ip)}`;
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  const open = pattern.at(-1) === "*";
  const fixed = open ? pattern.slice(0, -1) : pattern;
  if (open ? segments.length < fixed.length : segments.length !== fixed.length) return false;
  return fixed.every((each, index) => each.startsWith(":") || each === segments[index]);
}
