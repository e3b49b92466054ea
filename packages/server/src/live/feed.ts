import { randomBytes } from "node:crypto";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { ChangeListener } from "../objects/change.ts";
import type { Log } from "../observe/log.ts";
import {
  CHANGES_ANNOUNCEMENT,
  type ChangeLog,
  type LoggedChange,
  type LogPosition,
  type Missed,
} from "../store/changeLog.ts";

/** The log does not go on from what was told: all subscribers have to ask anew, and numbers begin again after `seq`. */
export interface FeedReset {
  kind: "reset";
  seq: number;
}

/** A change; the name of a class of which changes may have been missed; or that all of them have. */
export type FeedEvent = LoggedChange | string | FeedReset;

/** Changes of followed classes, in one order for all who hear of them. */
export interface ChangeFeed {
  /** From its answer on every change of the class is told. Answers the last change of all that is committed. */
  follow(className: string): Promise<number>;
  /** Follows on with these classes, and in time no more with others. */
  keep(classNames: string[]): Promise<void>;
  /** Calls back with each change, and where changes may have been missed. */
  onChange(listener: (event: FeedEvent) => void): () => void;
  /** The changes of a class after one and up to another. */
  since(className: string, after: number, upTo: number): Promise<Missed>;
  /** A change's number as clients are told it. */
  positionOf(seq: number): string;
  stop(): void;
}

export interface FeedLimits {
  /** Changes that a client which comes back is told; more, and it has to ask anew. */
  maxMissed: number;
  /** Changes and characters that are kept, and for how long, in ms. */
  maxChanges: number;
  maxCharacters: number;
  keepMs: number;
}

export const FEED_LIMITS: FeedLimits = {
  maxMissed: 2_000,
  maxChanges: 20_000,
  maxCharacters: 16 * 1024 * 1024,
  keepMs: 10 * 60_000,
};

const POSITION = /^([0-9a-z]{1,48})\.(\d{1,15})$/;

/** The number of a position of this feed; undefined for one of another. Throws 102 for what is no position. */
export function seqOf(position: string, feed: ChangeFeed): number | undefined {
  const match = POSITION.exec(position);
  if (!match) throw new ProtocolError(ErrorCode.INVALID_QUERY, "resumeFrom must be the position of an event");
  const seq = Number(match[2]);
  return feed.positionOf(seq) === position ? seq : undefined;
}

/** The feed of a process that writes alone: the log is in memory, and gone when the process is. */
export function createLocalFeed(
  onChange: (listener: ChangeListener) => () => void,
  limits: FeedLimits = FEED_LIMITS,
  now: () => number = () => performance.now(),
): ChangeFeed {
  const epoch = randomBytes(6).toString("hex");
  const followed = new Map<string, { since: number; until: number }>();
  const listeners = new Set<(event: FeedEvent) => void>();
  let kept: { change: LoggedChange; at: number }[] = [];
  let characters = 0;
  let head = 0;
  let trimmed = 0;

  const stop = onChange(({ className, objectId, before, after }) => {
    if (!followed.has(className)) return;
    head += 1;
    const change: LoggedChange = { seq: head, className, objectId, before, after };
    kept.push({ change, at: now() });
    characters += lengthOf(change);
    // Cut off a good part at once, so that this is not done at every change.
    if (kept.length > limits.maxChanges * 1.25 || characters > limits.maxCharacters * 1.25) trim();
    for (const listener of listeners) listener(change);
  });

  function trim(): void {
    let gone = 0;
    for (const { change, at } of kept) {
      const isOver = kept.length - gone > limits.maxChanges || characters > limits.maxCharacters;
      if (!isOver && at > now() - limits.keepMs) break;
      gone += 1;
      characters -= lengthOf(change);
      trimmed = change.seq;
    }
    if (gone > 0) kept = kept.slice(gone);
  }

  return {
    async follow(className) {
      const since = followed.get(className)?.since ?? head;
      followed.set(className, { since, until: now() + limits.keepMs });
      return head;
    },
    async keep(classNames) {
      const until = now() + limits.keepMs;
      for (const name of classNames) followed.set(name, { since: followed.get(name)?.since ?? head, until });
      for (const [name, known] of followed) if (known.until < now()) followed.delete(name);
      trim();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async since(className, after, upTo) {
      const known = followed.get(className);
      if (!known || after < Math.max(known.since, trimmed) || after > upTo) return "forgotten";
      const changes = kept
        .map(({ change }) => change)
        .filter((change) => change.className === className && change.seq > after && change.seq <= upTo);
      return changes.length > limits.maxMissed ? "forgotten" : { changes };
    },
    positionOf: (seq) => `${epoch}.${seq}`,
    stop,
  };
}

export interface SharedFeedParts {
  changeLog: ChangeLog;
  onAnnounced(listener: (message: string | undefined) => void): () => void;
  log: Log;
  limits?: FeedLimits;
  /** The database's clock, in ms since the epoch. */
  clock?: () => number;
}

/** How long a class is followed without anybody saying so again, in ms. */
const FOLLOW_MS = 15 * 60_000;
const BATCH = 500;
const RETRY_MS = 1_000;
/** How often it is checked that the log goes on from what was told, though no connection was lost, in ms. */
const CHECK_MS = 5_000;

/** The feed of several processes that write to one database: each reads what all have written. */
export function createSharedFeed({
  changeLog,
  onAnnounced,
  log,
  limits = FEED_LIMITS,
  clock = Date.now,
}: SharedFeedParts): ChangeFeed {
  const followed = new Map<string, Promise<void>>();
  const listeners = new Set<(event: FeedEvent) => void>();
  /** The last change that was read; undefined until something is followed. */
  let position: LogPosition | undefined;
  let isReading = false;
  let isMore = false;
  let mustCheck = false;
  let asking: Promise<void> = Promise.resolve();
  let next: Promise<number> | undefined;
  let stopped = false;

  const stopListening = onAnnounced((message) => {
    // Without a message some may have been missed; what was missed is read like what is new.
    if (message === undefined) void read(true);
    else if (message === CHANGES_ANNOUNCEMENT) void read();
  });
  const checking = setInterval(() => void read(true), CHECK_MS);
  checking.unref();

  const emit = (event: FeedEvent): void => {
    for (const listener of listeners) listener(event);
  };

  /** Reads on; first it is checked, where that is asked for, that the log is still the one that was read so far. */
  async function read(isChecked = false): Promise<void> {
    isMore = true;
    mustCheck ||= isChecked;
    if (isReading || position === undefined) return;
    isReading = true;
    try {
      while (isMore && !stopped) {
        isMore = false;
        if (mustCheck) position = await check(position);
        const changes = await changeLog.read(position.seq, BATCH);
        if (changes.length === BATCH) isMore = true;
        for (const change of changes) {
          position = { epoch: position.epoch, seq: change.seq, mark: change.mark };
          emit(change);
        }
      }
    } catch (error) {
      if (stopped) return;
      log.error("changes could not be read", { error: String(error) });
      setTimeout(() => void read(), RETRY_MS).unref();
    } finally {
      isReading = false;
    }
  }

  async function check(known: LogPosition): Promise<LogPosition> {
    const { head, isContinued } = await changeLog.check(known);
    mustCheck = false;
    if (isContinued) return known;
    log.warn("the log of changes does not go on from what was read: live queries ask anew", {
      from: known.seq,
      to: head.seq,
    });
    // What is followed is known by the database that was.
    const names = [...followed.keys()];
    followed.clear();
    position = head;
    await Promise.all(names.map(follow));
    emit({ kind: "reset", seq: head.seq });
    return head;
  }

  function follow(className: string): Promise<void> {
    const known = followed.get(className);
    if (known) return known;
    const following = changeLog.follow(className, clock() + FOLLOW_MS).then((found) => {
      if (position !== undefined) return;
      position = found;
      void read();
    });
    followed.set(className, following);
    following.catch(() => followed.delete(className));
    return following;
  }

  /** The last change now. Those who ask while somebody else is told share the next answer. */
  function latest(): Promise<number> {
    next ??= asking.then(() => {
      const answer = changeLog.head();
      next = undefined;
      asking = answer.then(
        () => undefined,
        () => undefined,
      );
      return answer;
    });
    return next;
  }

  return {
    async follow(className) {
      await follow(className);
      return latest();
    },
    async keep(classNames) {
      for (const name of followed.keys()) if (!classNames.includes(name)) followed.delete(name);
      await changeLog.trim(clock() - limits.keepMs, limits.maxChanges);
      if (classNames.length === 0) return;
      const lost = await changeLog.renew(classNames, clock() + FOLLOW_MS);
      for (const name of lost) followed.delete(name);
      await Promise.all(lost.map(follow));
      for (const name of lost) emit(name);
      await read();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    since: (className, after, upTo) => changeLog.since(className, after, upTo, limits.maxMissed),
    positionOf: (seq) => `${position?.epoch ?? ""}.${seq}`,
    stop() {
      stopped = true;
      clearInterval(checking);
      stopListening();
    },
  };
}

function lengthOf({ before, after }: LoggedChange): number {
  return (before?.length ?? 0) + (after?.length ?? 0);
}
