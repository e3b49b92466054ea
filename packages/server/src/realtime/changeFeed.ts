import { randomBytes } from "node:crypto";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { EventBus } from "../core/eventBus.ts";
import type { Logger } from "../core/logger.ts";
import {
  CHANGES_NOTIFICATION,
  type ChangeLog,
  type ChangesSince,
  type LoggedChange,
  type LogPosition,
} from "../database/changeLog.ts";

/** The change log was replaced: all subscribers have to query again, and numbers restart after `seq`. */
export interface ChangeFeedReset {
  kind: "reset";
  seq: number;
}

/** A change; the name of a class whose changes may have been missed; or a reset of all classes. */
export type ChangeFeedEvent = LoggedChange | string | ChangeFeedReset;

/** Publishes the changes of subscribed classes in one order. */
export interface ChangeFeed {
  /**
   * Subscribes to a class. Resolves with the last committed change, after which every change of the class is published.
   */
  subscribe(className: string): Promise<number>;
  /** Renews the subscriptions of these classes; others expire. */
  renewLease(classNames: string[]): Promise<void>;
  /** Calls the listener with each change, and with resets. Returns a function that removes it. */
  onChange(listener: (event: ChangeFeedEvent) => void): () => void;
  /** Returns the changes of a class after one sequence number and up to another. */
  changesSince(className: string, after: number, upTo: number): Promise<ChangesSince>;
  /** The position of a change, as clients receive it. */
  positionOf(seq: number): string;
  stop(): void;
}

export interface FeedLimits {
  /** Maximum number of changes that are replayed to a reconnecting client; beyond it, it has to query again. */
  maxReplayed: number;
  /** Changes and characters that are retained, and for how long, in ms. */
  maxChanges: number;
  maxCharacters: number;
  retentionMs: number;
}

export const FEED_LIMITS: FeedLimits = {
  maxReplayed: 2_000,
  maxChanges: 20_000,
  maxCharacters: 16 * 1024 * 1024,
  retentionMs: 10 * 60_000,
};

const POSITION = /^([0-9a-z]{1,48})\.(\d{1,15})$/;

/**
 * The sequence number of a position of this feed; undefined for one of another feed. Throws 102 for an invalid
 * position.
 */
export function seqOf(position: string, feed: ChangeFeed): number | undefined {
  const match = POSITION.exec(position);
  if (!match) throw new ProtocolError(ErrorCode.INVALID_QUERY, "resumeFrom must be the position of an event");
  const seq = Number(match[2]);
  return feed.positionOf(seq) === position ? seq : undefined;
}

/** Creates the feed of a single process: the log is in memory and lost when the process ends. */
export function createLocalFeed(
  events: Pick<EventBus, "on">,
  limits: FeedLimits = FEED_LIMITS,
  now: () => number = () => performance.now(),
): ChangeFeed {
  const epoch = randomBytes(6).toString("hex");
  const subscribedClasses = new Map<string, { firstSeq: number; leaseExpiresAt: number }>();
  const listeners = new Set<(event: ChangeFeedEvent) => void>();
  let retained: { change: LoggedChange; at: number }[] = [];
  let characters = 0;
  let headSeq = 0;
  let trimmedSeq = 0;

  const stop = events.on("objects.changed", ({ className, objectId, before, after }) => {
    if (!subscribedClasses.has(className)) return;
    headSeq += 1;
    const change: LoggedChange = { seq: headSeq, className, objectId, before, after };
    retained.push({ change, at: now() });
    characters += lengthOf(change);
    // Trims in larger steps, so that it does not happen with every change.
    if (retained.length > limits.maxChanges * 1.25 || characters > limits.maxCharacters * 1.25) trim();
    for (const listener of listeners) listener(change);
  });

  function trim(): void {
    let removedCount = 0;
    for (const { change, at } of retained) {
      const isOverLimit =
        retained.length - removedCount > limits.maxChanges || characters > limits.maxCharacters;
      if (!isOverLimit && at > now() - limits.retentionMs) break;
      removedCount += 1;
      characters -= lengthOf(change);
      trimmedSeq = change.seq;
    }
    if (removedCount > 0) retained = retained.slice(removedCount);
  }

  return {
    async subscribe(className) {
      const firstSeq = subscribedClasses.get(className)?.firstSeq ?? headSeq;
      subscribedClasses.set(className, { firstSeq, leaseExpiresAt: now() + limits.retentionMs });
      return headSeq;
    },
    async renewLease(classNames) {
      const leaseExpiresAt = now() + limits.retentionMs;
      for (const name of classNames)
        subscribedClasses.set(name, {
          firstSeq: subscribedClasses.get(name)?.firstSeq ?? headSeq,
          leaseExpiresAt,
        });
      for (const [name, known] of subscribedClasses)
        if (known.leaseExpiresAt < now()) subscribedClasses.delete(name);
      trim();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async changesSince(className, after, upTo) {
      const known = subscribedClasses.get(className);
      if (!known || after < Math.max(known.firstSeq, trimmedSeq) || after > upTo) return "truncated";
      const changes = retained
        .map(({ change }) => change)
        .filter((change) => change.className === className && change.seq > after && change.seq <= upTo);
      return changes.length > limits.maxReplayed ? "truncated" : { changes };
    },
    positionOf: (seq) => `${epoch}.${seq}`,
    stop,
  };
}

export interface SharedFeedDependencies {
  changeLog: ChangeLog;
  subscribeToNotifications(listener: (message: string | undefined) => void): () => void;
  logger: Logger;
  limits?: FeedLimits;
  /** The database's clock, in ms since the epoch. */
  clock?: () => number;
}

/** How long the subscription of a class lasts without renewal, in ms. */
const LEASE_MS = 15 * 60_000;
const BATCH_SIZE = 500;
const RETRY_MS = 1_000;
/** How often the continuity of the log is verified although no connection was lost, in ms. */
const CHECK_INTERVAL_MS = 5_000;

/** Creates the feed of several processes that write to one database: each reads the changes of all. */
export function createSharedFeed({
  changeLog,
  subscribeToNotifications,
  logger,
  limits = FEED_LIMITS,
  clock = Date.now,
}: SharedFeedDependencies): ChangeFeed {
  const subscribedClasses = new Map<string, Promise<void>>();
  const listeners = new Set<(event: ChangeFeedEvent) => void>();
  /** The position of the last change that was read; undefined until a class is subscribed. */
  let position: LogPosition | undefined;
  let isReading = false;
  let hasMore = false;
  let mustVerify = false;
  let headRequest: Promise<void> = Promise.resolve();
  let nextHead: Promise<number> | undefined;
  let isStopped = false;

  const stopListening = subscribeToNotifications((message) => {
    // Without a message, notifications may have been missed; missed changes are read like new ones.
    if (message === undefined) void read(true);
    else if (message === CHANGES_NOTIFICATION) void read();
  });
  const checkTimer = setInterval(() => void read(true), CHECK_INTERVAL_MS);
  checkTimer.unref();

  const emit = (event: ChangeFeedEvent): void => {
    for (const listener of listeners) listener(event);
  };

  /** Reads new changes; with `verifies` it first verifies that the log is still the same. */
  async function read(verifies = false): Promise<void> {
    hasMore = true;
    mustVerify ||= verifies;
    if (isReading || position === undefined) return;
    isReading = true;
    try {
      while (hasMore && !isStopped) {
        hasMore = false;
        if (mustVerify) position = await check(position);
        const changes = await changeLog.read(position.seq, BATCH_SIZE);
        if (changes.length === BATCH_SIZE) hasMore = true;
        for (const change of changes) {
          position = { epoch: position.epoch, seq: change.seq, fingerprint: change.fingerprint };
          emit(change);
        }
      }
    } catch (error) {
      if (isStopped) return;
      logger.error("changes could not be read", { error: String(error) });
      setTimeout(() => void read(), RETRY_MS).unref();
    } finally {
      isReading = false;
    }
  }

  async function check(known: LogPosition): Promise<LogPosition> {
    const { head, isContinuous: isContinued } = await changeLog.check(known);
    mustVerify = false;
    if (isContinued) return known;
    logger.warn("the change log is not continuous: live query clients have to query again", {
      from: known.seq,
      to: head.seq,
    });
    // Only the previous database knows the subscribed classes.
    const names = [...subscribedClasses.keys()];
    subscribedClasses.clear();
    position = head;
    await Promise.all(names.map(subscribe));
    emit({ kind: "reset", seq: head.seq });
    return head;
  }

  function subscribe(className: string): Promise<void> {
    const known = subscribedClasses.get(className);
    if (known) return known;
    const subscription = changeLog.subscribe(className, clock() + LEASE_MS).then((found) => {
      if (position !== undefined) return;
      position = found;
      void read();
    });
    subscribedClasses.set(className, subscription);
    subscription.catch(() => subscribedClasses.delete(className));
    return subscription;
  }

  /** Returns the last change. Concurrent callers share the next request. */
  function fetchHead(): Promise<number> {
    nextHead ??= headRequest.then(() => {
      const request = changeLog.head();
      nextHead = undefined;
      headRequest = request.then(
        () => undefined,
        () => undefined,
      );
      return request;
    });
    return nextHead;
  }

  return {
    async subscribe(className) {
      await subscribe(className);
      return fetchHead();
    },
    async renewLease(classNames) {
      for (const name of subscribedClasses.keys())
        if (!classNames.includes(name)) subscribedClasses.delete(name);
      await changeLog.trim(clock() - limits.retentionMs, limits.maxChanges);
      if (classNames.length === 0) return;
      const lost = await changeLog.renew(classNames, clock() + LEASE_MS);
      for (const name of lost) subscribedClasses.delete(name);
      await Promise.all(lost.map(subscribe));
      for (const name of lost) emit(name);
      await read();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    changesSince: (className, after, upTo) =>
      changeLog.changesSince(className, after, upTo, limits.maxReplayed),
    positionOf: (seq) => `${position?.epoch ?? ""}.${seq}`,
    stop() {
      isStopped = true;
      clearInterval(checkTimer);
      stopListening();
    },
  };
}

function lengthOf({ before, after }: LoggedChange): number {
  return (before?.length ?? 0) + (after?.length ?? 0);
}
