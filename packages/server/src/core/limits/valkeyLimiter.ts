import { RateLimiterRedis } from "rate-limiter-flexible";
import type { Valkey } from "../valkey/valkey.ts";
import type { RateLimiter } from "./rateLimiter.ts";
import { limiterOver } from "./sharedLimiter.ts";

/** Counts atomically; a refund counts nothing in a window that has ended. */
const COUNT = `
if tonumber(ARGV[1]) < 0 and redis.call('exists', KEYS[1]) == 0 then return {0, 0} end
redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
local used = redis.call('incrby', KEYS[1], ARGV[1])
local ttl = redis.call('pttl', KEYS[1])
return {used, ttl}`;

export interface ValkeyLimiterOptions {
  valkey: Valkey;
  /** Counts while Valkey is unavailable. */
  fallback: RateLimiter;
}

/** Creates a rate limiter that counts in Valkey, for all processes together. Windows last whole seconds. */
export function createValkeyLimiter({ valkey, fallback }: ValkeyLimiterOptions): RateLimiter {
  const limiter = new RateLimiterRedis({
    storeClient: valkey.client,
    useRedisPackage: true,
    customIncrTtlLuaScript: COUNT,
    keyPrefix: `${valkey.prefix}limit`,
    // The callers decide how much is too much.
    points: Number.MAX_SAFE_INTEGER,
    duration: 60,
  });
  return limiterOver({ limiter, run: (count) => valkey.run(count), fallback });
}
