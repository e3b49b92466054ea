import { createHash } from "node:crypto";
import {
  RateLimiterPostgres,
  type RateLimiterRes,
  type RateLimiterStoreAbstract,
} from "rate-limiter-flexible";
import type { RateLimiter, Usage } from "./rateLimiter.ts";

/** Runs a statement with `$1` parameters in the database that all processes share. */
export type RunLimitStatement = (
  text: string,
  values: (string | number)[],
) => Promise<{ points: number; expire: number }[]>;

export interface SharedLimiterOptions {
  table: string;
  run: RunLimitStatement;
  /** Counts for this process while the database cannot be reached. */
  fallback: RateLimiter;
}

/** Longer keys are replaced by their hash. */
const MAX_KEY_LENGTH = 200;

/** Creates a rate limiter that counts in PostgreSQL, for all processes together. */
export function createSharedLimiter({ table, run, fallback }: SharedLimiterOptions): RateLimiter {
  const limiter = new RateLimiterPostgres({
    storeClient: {
      async query({ text, values }: { text: string; values: (string | number)[] }) {
        const rows = await run(text, values);
        return { rows, rowCount: rows.length };
      },
    },
    storeType: "pool",
    tableName: table,
    tableCreated: true,
    keyPrefix: "",
    // The callers decide how much is too much.
    points: Number.MAX_SAFE_INTEGER,
    duration: 60,
  });
  return limiterOver({ limiter, run: (count) => count(), fallback });
}

export interface StoreLimiterOptions {
  limiter: RateLimiterStoreAbstract;
  /** Runs an operation of the limiter; rejects if its store cannot be reached. */
  run<T>(operation: () => Promise<T>): Promise<T>;
  /** Counts while the store cannot be reached. */
  fallback: RateLimiter;
}

/** Creates a rate limiter over one of the library's. */
export function limiterOver({ limiter, run, fallback }: StoreLimiterOptions): RateLimiter {
  return {
    async count(key, windowMs, weight = 1) {
      const options = { customDuration: windowMs / 1_000 };
      const counted = await run(() => limiter.consume(keyOf(key), weight, options)).catch(() => undefined);
      return counted ? usageOf(counted) : fallback.count(key, windowMs, weight);
    },
    async usage(key, windowMs) {
      const counted = await run(() => limiter.get(keyOf(key))).catch(() => undefined);
      if (counted === null) return { used: 0, resetsInMs: windowMs };
      return counted ? usageOf(counted) : fallback.usage(key, windowMs);
    },
    async refund(key, weight = 1) {
      await run(() => limiter.reward(keyOf(key), weight)).catch(() => fallback.refund(key, weight));
    },
  };
}

function usageOf({ consumedPoints, msBeforeNext }: RateLimiterRes): Usage {
  return { used: consumedPoints, resetsInMs: msBeforeNext };
}

function keyOf(key: string): string {
  return key.length <= MAX_KEY_LENGTH ? key : createHash("sha256").update(key).digest("base64url");
}
