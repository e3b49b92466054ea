import { addressKey, isLoopback } from "../../core/http/address.ts";
import type { DataApiAuthResult } from "../../core/http/dataRequest.ts";
import type { RateLimiter, Usage } from "../../core/limits/rateLimiter.ts";
import { tooManyRequests } from "../../core/limits/tooManyRequests.ts";

export interface DataApiLimitOptions {
  limiter: RateLimiter;
  /** Requests per minute: of a key without a limit of its own, and of an address that sends no key. */
  limits: { apiKey: number; address: number };
  /** In development localhost is not limited. */
  isDevelopment: boolean;
}

/** Counts the requests to the data API against the rate limits of their key or address. */
export interface DataApiLimits {
  /** Counts a request with a key toward the key's limit per minute. */
  countKey(key: { id: string; limit?: number | null | undefined }, ip: string): Promise<DataApiAuthResult>;
  /** Counts a request without a key toward the limit per minute of its address. */
  countAddress(ip: string): Promise<DataApiAuthResult>;
  /** Counts nothing: for the operator. */
  read(ip: string): Promise<DataApiAuthResult>;
}

const WINDOW_MS = 60_000;

export function createDataApiLimits({ limiter, limits, isDevelopment }: DataApiLimitOptions): DataApiLimits {
  const addressOf = (ip: string) => `address:${addressKey(ip)}`;
  return {
    async countKey(key, ip) {
      const [usage, addressUsage] = await Promise.all([
        limiter.count(`key:${key.id}`, WINDOW_MS),
        limiter.usage(addressOf(ip), WINDOW_MS),
      ]);
      return resultOf(key.limit ?? limits.apiKey, usage, addressUsage);
    },
    async countAddress(ip) {
      const usage = await limiter.count(addressOf(ip), WINDOW_MS);
      const limit = isDevelopment && isLoopback(ip) ? Number.POSITIVE_INFINITY : limits.address;
      return resultOf(limit, usage, usage);
    },
    async read(ip) {
      const usage = await limiter.usage(addressOf(ip), WINDOW_MS);
      return { headers: usageHeaders(limits.address, usage, usage) };
    },
  };

  function resultOf(limit: number, usage: Usage, addressUsage: Usage): DataApiAuthResult {
    const headers = usageHeaders(Number.isFinite(limit) ? limit : limits.address, usage, addressUsage);
    if (usage.used <= limit) return { headers };
    const { resetsInMs } = usage;
    const message = `Too many requests: ${limit} per minute are allowed. Try again in ${seconds(resetsInMs)} s.`;
    return { headers, error: tooManyRequests(resetsInMs, message) };
  }
}

function usageHeaders(limit: number, usage: Usage, addressUsage: Usage): Record<string, string> {
  return {
    "x-rate-limit-limit": String(limit),
    "x-rate-limit-remaining-ttl": seconds(usage.resetsInMs),
    "x-rate-limit-used": String(usage.used),
    "x-rate-limit-remaining-ip-ttl": seconds(addressUsage.resetsInMs),
    "x-rate-limit-ip-used": String(addressUsage.used),
  };
}

function seconds(ms: number): string {
  return String(Math.ceil(ms / 1000));
}
