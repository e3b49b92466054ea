import { FAST_TIMEOUT_MS } from "./readScheduler.ts";
import type { SessionOptions } from "./session.ts";

/** Maximum wait for locks, in ms; longer than the server's timeout for transactions of unresponsive clients. */
const LOCK_TIMEOUT_MS = 8_000;
/** Limits how long a frozen process can hold row locks, in ms. */
const IDLE_IN_TRANSACTION_MS = 3_000;
const WRITE_TIMEOUT_MS = 10_000;
/** How much longer than the server a session waits for a statement, in ms. */
const GRACE_MS = 5_000;

/** Each process has one session of this name. */
export const NOTIFICATIONS_APPLICATION = "purse announcements";
const MAINTENANCE_APPLICATION = "purse maintenance";
/** Of backups and restores. */
export const BULK_APPLICATION = "purse backup";
/** The sessions that never use a pooler. */
export const DIRECT_APPLICATIONS: readonly string[] = [
  NOTIFICATIONS_APPLICATION,
  MAINTENANCE_APPLICATION,
  BULK_APPLICATION,
];

/** Settings by which the server detects dead clients, ends their transactions and releases their locks. */
const LIVENESS = {
  client_connection_check_interval: 5_000,
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 3,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 15_000,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
};

/** Options for the sessions of a process, by purpose. */
export interface SessionKinds {
  /** Shared sessions for reads that must not block each other. */
  fastReads: SessionOptions;
  /** Client queries may contain expensive patterns and orders, so their duration is limited. */
  slowReads: SessionOptions;
  fastReplica: SessionOptions;
  slowReplica: SessionOptions;
  writes: SessionOptions;
  /** Creating indexes and purging classes have no time limit. */
  maintenance: SessionOptions;
  notifications: SessionOptions;
}

export interface SessionUrls {
  url: string;
  replicaUrl: string | undefined;
  /** Without a pooler, for what needs a session; undefined if the others are not poolers either. */
  directUrl: string | undefined;
}

/** `queryTimeoutMs` is the timeout of read statements. */
export function sessionKinds(
  { url, replicaUrl, directUrl }: SessionUrls,
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
    requiresPrimary: true,
    isPooled: directUrl !== undefined,
    ...withTimeout(queryTimeoutMs),
  };
  const direct: SessionOptions = { ...slowReads, url: directUrl ?? url, isPooled: false };
  const fastReads = { ...slowReads, ...withTimeout(FAST_TIMEOUT_MS) };
  const replicaOptions = { url: replicaUrl ?? url, requiresPrimary: false, reportsPosition: true };
  return {
    fastReads,
    slowReads,
    fastReplica: { ...fastReads, ...replicaOptions },
    slowReplica: { ...slowReads, ...replicaOptions },
    writes: {
      ...slowReads,
      applicationName: "purse writes",
      ...withTimeout(WRITE_TIMEOUT_MS),
    },
    maintenance: {
      ...direct,
      applicationName: MAINTENANCE_APPLICATION,
      settings: { ...limits, statement_timeout: 0 },
      deadlineMs: undefined,
    },
    notifications: { ...direct, applicationName: NOTIFICATIONS_APPLICATION, deadlineMs: GRACE_MS },
  };
}
