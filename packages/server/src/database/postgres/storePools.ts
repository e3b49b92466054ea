import { ExclusivePool, SharedPool } from "./pools.ts";
import { ReadScheduler } from "./readScheduler.ts";
import type { SessionOptions } from "./session.ts";
import { type SessionKinds, type SessionUrls, sessionKinds } from "./sessionKinds.ts";

/** Interval for looking for dead connections of maintenance, in ms. */
const CHECK_MS = 5_000;
/** After this time without work on a statement of maintenance, its connection counts as dead, in ms. */
const ABANDONED_MS = 3_000;

export interface PoolOptions extends SessionUrls {
  /** Maximum number of connections of this process. */
  connections: number;
  /** Timeout of read statements, in ms. */
  queryTimeoutMs: number;
}

/** The pools of a store, by purpose. */
export interface StorePools {
  kinds: SessionKinds;
  maintenance: ExclusivePool;
  writes: ExclusivePool;
  reads: ReadScheduler;
  /** Undefined without a replica. */
  replica: ReadScheduler | undefined;
  /** Destroys sessions that have received nothing for this many ms, except for those of maintenance. */
  destroySilent(ms: number): void;
  end(): Promise<void>;
}

/** Creates the pools of a store; their sessions are opened on demand. */
export function createPools({ connections, queryTimeoutMs, ...urls }: PoolOptions): StorePools {
  const kinds = sessionKinds(urls, queryTimeoutMs);
  const maintenance = new ExclusivePool(kinds.maintenance, 1);
  const writers = Math.max(1, Math.floor(connections / 2));
  const writes = new ExclusivePool(kinds.writes, writers);
  const shared: SharedPool[] = [];
  const createReads = (fast: SessionOptions, slow: SessionOptions, sessions: number): ReadScheduler => {
    const fastSessions = Math.max(1, Math.ceil(sessions / 2));
    const slowSessions = Math.max(1, sessions - fastSessions);
    const [fastPool, slowPool] = [new SharedPool(fast, fastSessions), new SharedPool(slow, slowSessions)];
    shared.push(fastPool, slowPool);
    const pools = { fast: fastPool, fastSessions, slow: slowPool, slowSessions };
    return new ReadScheduler({ ...pools, maxWaitMs: queryTimeoutMs });
  };
  const reads = createReads(kinds.fastReads, kinds.slowReads, connections - writers);
  const replica =
    urls.replicaUrl === undefined
      ? undefined
      : createReads(kinds.fastReplica, kinds.slowReplica, connections);
  // Statements of maintenance have no deadline. Those of the start, such as migrations, are checked too.
  const checkTimer = setInterval(() => {
    maintenance.destroyAbandoned(reads.internal, ABANDONED_MS).catch(() => undefined);
  }, CHECK_MS).unref();
  return {
    kinds,
    maintenance,
    writes,
    reads,
    replica,
    destroySilent(ms) {
      for (const pool of [...shared, writes]) pool.destroySilent(ms);
    },
    async end() {
      clearInterval(checkTimer);
      await Promise.all([...shared, writes, maintenance].map((pool) => pool.end()));
    },
  };
}
