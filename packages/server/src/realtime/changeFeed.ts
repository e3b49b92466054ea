import { randomBytes } from "node:crypto";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { EventBus } from "../core/eventBus.ts";
import type { ChangesSince, LoggedChange } from "../database/changeLog.ts";

/** The change log was replaced: all subscribers have to query again, and numbers restart after `seq`. */
interface ChangeFeedReset {
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
  /** How long committed changes have been waiting for a transaction that began to commit before them, in ms. */
  delayMs(): number;
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
    delayMs: () => 0,
    stop,
  };
}

function lengthOf({ before, after }: LoggedChange): number {
  return (before?.length ?? 0) + (after?.length ?? 0);
}
