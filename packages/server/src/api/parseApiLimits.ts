import type { RateLimit } from "../config/rateLimits.ts";
import { ANONYMOUS, type AuthContext } from "../core/authContext.ts";
import { addressKey } from "../core/http/address.ts";
import { canonicalSegments, routeSegments } from "../core/http/routeSegments.ts";
import type { RateLimiter } from "../core/limits/rateLimiter.ts";
import { tooManyRequests } from "../core/limits/tooManyRequests.ts";

/** The properties of a request that rate limits depend on. */
interface LimitedRequest {
  /** Undefined if it is not known yet. */
  method: string | undefined;
  /** Below the mount path, not normalized. */
  path: string;
  /** Undefined if it is not known yet. */
  auth: AuthContext | undefined;
  ip: string;
  /**
   * If false, the request is only checked against the limits and not counted; limits that depend on what is not known
   * yet are skipped.
   */
  isCounted?: boolean;
  /** Whether cloud code sent it inside the process. */
  isInternal?: boolean;
}

export interface RequestLimits {
  /**
   * Counts a request toward every limit of its path; undefined if there is none. Rejects with 155 (HTTP 429) if it
   * exceeds one.
   */
  assertWithin(request: LimitedRequest): Promise<void> | undefined;
  /** Whether a request counts toward any limit. */
  isLimited(request: LimitedRequest): boolean;
  /** Whether there are limits at all. */
  areDefined(): boolean;
}

/**
 * Creates the check of the configured rate limits and of those that the cloud code defines; `definedLimits` returns a
 * new list whenever they change.
 */
export function createRequestLimits(
  limits: readonly RateLimit[],
  limiter: RateLimiter,
  definedLimits: () => readonly RateLimit[] = () => NO_LIMITS,
): RequestLimits {
  const fixed = limits.map((limit, index) => prepare(limit, `request:${index}:`));
  let lastDefined: readonly RateLimit[] = NO_LIMITS;
  let prepared = fixed;

  return {
    assertWithin(request) {
      const limits = limitsOf(request);
      return limits.length === 0 ? undefined : assertWithinEach(limits, request);
    },
    isLimited: (request) => limitsOf(request).length > 0,
    areDefined: () => currentLimits().length > 0,
  };

  async function assertWithinEach(
    limits: readonly PreparedLimit[],
    { auth, ip, isCounted = true }: LimitedRequest,
  ): Promise<void> {
    for (const limit of limits) {
      const key = limit.scope + clientKey(limit.by, auth ?? ANONYMOUS, ip);
      const windowMs = limit.windowSeconds * 1000;
      const usage = await (isCounted ? limiter.count(key, windowMs) : limiter.usage(key, windowMs));
      if (usage.used > limit.count - (isCounted ? 0 : 1)) {
        throw tooManyRequests(usage.resetsInMs, limit.message);
      }
    }
  }

  /** The configured limits, and those that the cloud code defines now. */
  function currentLimits(): readonly PreparedLimit[] {
    const current = definedLimits();
    if (current !== lastDefined) {
      // Keyed by content, so that counting continues if the code is loaded again.
      const scope = (limit: RateLimit) => `code:${JSON.stringify(limit)}:`;
      prepared = [...fixed, ...current.map((limit) => prepare(limit, scope(limit)))];
      lastDefined = current;
    }
    return prepared;
  }

  /** The limits that apply to a request, as far as it is known. */
  function limitsOf({ method, path, auth, isInternal = false }: LimitedRequest): readonly PreparedLimit[] {
    const limits = currentLimits();
    if (limits.length === 0) return limits;
    const segments = routeSegments(path);
    return limits.filter((limit) => {
      if (isInternal && !limit.includeInternalRequests) return false;
      if (auth?.kind === "master" && !limit.includeMasterKey) return false;
      if (limit.methods && (method === undefined || !limit.methods.includes(method))) return false;
      if (auth === undefined && (limit.by === "user" || limit.by === "session")) return false;
      return matches(limit.segments, segments);
    });
  }
}

const NO_LIMITS: readonly RateLimit[] = [];

/** A limit with the prefix of its keys and the segments of its path. */
type PreparedLimit = RateLimit & { scope: string; segments: string[] };

function prepare(limit: RateLimit, scope: string): PreparedLimit {
  return { ...limit, scope, segments: canonicalSegments(limit.path.slice(1).split("/")) };
}

function clientKey(by: RateLimit["by"], auth: AuthContext, ip: string): string {
  if (by === "all") return "all";
  if (auth.kind === "user" && by !== "ip")
    return by === "user" ? `user:${auth.userId}` : `session:${auth.sessionId}`;
  return `ip:${addressKey(ip)}`;
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  const isPrefix = pattern.at(-1) === "*";
  const fixed = isPrefix ? pattern.slice(0, -1) : pattern;
  if (isPrefix ? segments.length < fixed.length : segments.length !== fixed.length) return false;
  return fixed.every((each, index) => each.startsWith(":") || each === segments[index]);
}
