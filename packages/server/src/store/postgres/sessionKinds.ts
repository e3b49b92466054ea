import { QUICK_TIMEOUT_MS } from "./readLanes.ts";
import type { SessionOptions } from "./session.ts";

/** Longest waits for locks, in ms; longer than a server waits for a client that is silent amid a transaction. */
const LOCK_TIMEOUT_MS = 8_000;
/** A process that is frozen amid a transaction holds its rows no longer than this, in ms. */
const IDLE_IN_TRANSACTION_MS = 3_000;
const WRITE_TIMEOUT_MS = 10_000;
/** How much later than the server a session gives a statement up, in ms. */
const GRACE_MS = 5_000;

/** So that a server notices clients that are gone: their transactions end, and what they hold is free. */
const LIVENESS = {
  client_connection_check_interval: 5_000,
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 3,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 15_000,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
};

/** The sessions of one process, by what they are for. */
export interface SessionKinds {
  /** Sessions that answer many requests one after the other: none may hold up those behind it. */
  quickReads: SessionOptions;
  /** Patterns and orders that somebody else thought up must not hold a session for ever. */
  slowReads: SessionOptions;
  quickReplica: SessionOptions;
  slowReplica: SessionOptions;
  writes: SessionOptions;
  /** Making indexes and emptying classes takes as long as it takes. */
  maintenance: SessionOptions;
  announcements: SessionOptions;
}

/** `queryTimeoutMs`: how long a statement that reads may run. */
export function sessionKinds(
  url: string,
  replicaUrl: string | undefined,
  queryTimeoutMs: number,
): SessionKinds {
  const limits = { ...LIVENESS, lock_timeout: LOCK_TIMEOUT_MS };
  const withTimeout = (timeoutMs: number) => ({
    settings: { ...limits, statement_timeout: timeoutMs },
    deadlineMs: timeoutMs + GRACE_MS,
  });
  const slowReads: SessionOptions = {
    url,
    applicationName: "purse",
    needsPrimary: true,
    ...withTimeout(queryTimeoutMs),
  };
  const quickReads = { ...slowReads, ...withTimeout(QUICK_TIMEOUT_MS) };
  const atReplica = { url: replicaUrl ?? url, needsPrimary: false };
  return {
    quickReads,
    slowReads,
    quickReplica: { ...quickReads, ...atReplica },
    slowReplica: { ...slowReads, ...atReplica },
    writes: {
      ...slowReads,
      applicationName: "purse writes",
      ...withTimeout(WRITE_TIMEOUT_MS),
    },
    maintenance: {
      ...slowReads,
      applicationName: "purse maintenance",
      settings: { ...limits, statement_timeout: 0 },
      deadlineMs: undefined,
    },
    announcements: { ...slowReads, applicationName: "purse announcements", deadlineMs: GRACE_MS },
  };
}
