import { performance } from "node:perf_hooks";
import type { Logger } from "../core/logger.ts";
import { OutageLog } from "../core/outageLog.ts";
import {
  type ChangeLog,
  type ChangePage,
  concernsClasses,
  isOfChanges,
  type LogPosition,
} from "../database/changeLog.ts";
import { type ChangeFeed, type ChangeFeedEvent, FEED_LIMITS, type FeedLimits } from "./changeFeed.ts";

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
/** How long a class is read after its last subscriber, in ms: it may get others, and a subscription may be in progress. */
const UNUSED_MS = 5 * 60_000;
const BATCH_SIZE = 500;
const RETRY_MS = 1_000;
/** How often the continuity of the log is verified although no connection was lost, in ms. */
const CHECK_INTERVAL_MS = 5_000;
/** How often changes are read of which no notification arrives, since their writer has died, for example, in ms. */
const POLL_INTERVAL_MS = 250;
/** Delay until changes that wait for a transaction are read again, in ms. */
const HELD_BACK_RETRY_MS = 5;
/** Waits for a transaction that are logged, in ms. */
const HELD_BACK_WARNING_MS = 5_000;

interface SubscribedClass {
  subscription: Promise<void>;
  /** Time of the last use (performance.now()). */
  usedAt: number;
}

/**
 * A feed of several processes that write to one database. Each reads the changes of the classes for which it has
 * subscribers, when a notification names one of them. Changes of other classes cost it a poll now and then, which only
 * advances its position.
 */
export class SharedFeed implements ChangeFeed {
  readonly #dependencies: SharedFeedDependencies;
  readonly #limits: FeedLimits;
  readonly #clock: () => number;
  readonly #classes = new Map<string, SubscribedClass>();
  readonly #listeners = new Set<(event: ChangeFeedEvent) => void>();
  readonly #stopListening: () => void;
  readonly #timers: NodeJS.Timeout[];
  /** The position up to which all changes were read; undefined until a class is subscribed. */
  #position: LogPosition | undefined;
  #isReading = false;
  #hasMore = false;
  #mustVerify = false;
  /** The page that is being read, possibly without classes that were subscribed since. */
  #page: Promise<unknown> = Promise.resolve();
  #headRequest: Promise<void> = Promise.resolve();
  #nextHead: Promise<number> | undefined;
  /** Whether changes of its classes were announced since the last read began. */
  #isNotified = false;
  /** The last number that was assigned when announced changes were read: they are in the log up to there. */
  #notifiedUpTo = 0;
  /** Since when changes have been waiting for one transaction (performance.now()). */
  #heldBackSince: number | undefined;
  /** The number up to which all transactions had ended by then. */
  #finished = 0;
  #isHeldBackLogged = false;
  readonly #outages: OutageLog;
  #isStopped = false;

  constructor(dependencies: SharedFeedDependencies) {
    this.#dependencies = dependencies;
    this.#outages = new OutageLog(dependencies.logger);
    this.#limits = dependencies.limits ?? FEED_LIMITS;
    this.#clock = dependencies.clock ?? Date.now;
    this.#stopListening = dependencies.subscribeToNotifications((message) => this.#onNotification(message));
    this.#timers = [
      setInterval(() => void this.#read(true), CHECK_INTERVAL_MS).unref(),
      setInterval(() => this.#poll(), POLL_INTERVAL_MS).unref(),
    ];
  }

  async subscribe(className: string): Promise<number> {
    await this.#subscribe(className);
    await this.#pageRead();
    const head = await this.#fetchHead();
    return Math.max(head, this.#position?.seq ?? 0);
  }

  async renewLease(classNames: string[]): Promise<void> {
    const now = performance.now();
    const missing = classNames.filter((name) => !this.#classes.has(name));
    for (const name of classNames) {
      const known = this.#classes.get(name);
      if (known) known.usedAt = now;
    }
    for (const [name, { usedAt }] of this.#classes) if (usedAt < now - UNUSED_MS) this.#classes.delete(name);
    const { changeLog } = this.#dependencies;
    await changeLog.trim(this.#clock() - this.#limits.retentionMs, this.#limits.maxChanges);
    const expired = await changeLog.renew([...this.#classes.keys()], this.#clock() + LEASE_MS);
    for (const name of expired) this.#classes.delete(name);
    const lost = [...missing, ...expired];
    await Promise.all(lost.map((name) => this.#subscribe(name)));
    await this.#pageRead();
    for (const name of lost) this.#emit(name);
    await this.#read();
  }

  onChange(listener: (event: ChangeFeedEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  changesSince(className: string, after: number, upTo: number): ReturnType<ChangeLog["changesSince"]> {
    return this.#dependencies.changeLog.changesSince(className, after, upTo, this.#limits.maxReplayed);
  }

  positionOf(seq: number): string {
    return `${this.#position?.epoch ?? ""}.${seq}`;
  }

  delayMs(): number {
    return this.#heldBackSince === undefined ? 0 : performance.now() - this.#heldBackSince;
  }

  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#timers) clearInterval(timer);
    this.#stopListening();
  }

  /** Reads new changes; with `verifies` it first verifies that the log is still the same. */
  async #read(verifies = false): Promise<void> {
    this.#hasMore = true;
    this.#mustVerify ||= verifies;
    if (this.#isReading || this.#position === undefined) return;
    this.#isReading = true;
    try {
      while (this.#hasMore && !this.#isStopped) {
        this.#hasMore = false;
        if (this.#mustVerify) this.#position = await this.#check(this.#position);
        await this.#readPage(this.#position);
      }
      this.#outages.succeeded("read", "changes are read again");
    } catch (error) {
      if (this.#isStopped) return;
      this.#outages.failed("read", "changes could not be read", { error: String(error) });
      setTimeout(() => void this.#read(), RETRY_MS).unref();
    } finally {
      this.#isReading = false;
    }
  }

  #onNotification(message: string | undefined): void {
    // Without a message, notifications may have been missed; missed changes are read like new ones.
    if (message === undefined || concernsClasses(message, this.#classes)) this.#isNotified = true;
    // The transaction for which announced changes wait may have changed other classes.
    else if (!this.#isWaiting || !isOfChanges(message)) return;
    void this.#read(message === undefined);
  }

  /** Whether announced changes wait for a transaction that has begun to commit. */
  get #isWaiting(): boolean {
    return this.#finished < this.#notifiedUpTo;
  }

  #poll(): void {
    // Without subscribers, the position only has to be recent when the next one comes.
    if (this.#classes.size > 0) void this.#read();
  }

  async #readPage(from: LogPosition): Promise<void> {
    const isNotified = this.#isNotified;
    this.#isNotified = false;
    const request = this.#dependencies.changeLog.read(from, [...this.#classes.keys()], BATCH_SIZE);
    this.#page = request.then((page) => {
      if (isNotified) this.#notifiedUpTo = page.assigned;
      this.#publish(from, page);
    });
    await this.#page;
  }

  /** Resolves when a page has been read that may lack a new class: what it has passed is not read again. */
  async #pageRead(): Promise<void> {
    await this.#page.catch(() => undefined);
  }

  #publish(from: LogPosition, page: ChangePage): void {
    const { changes, position, hasMore, isContinuous, isTruncated } = page;
    this.#observeDelay(page);
    if (hasMore) this.#hasMore = true;
    if (!isContinuous) {
      this.#mustVerify = true;
      this.#hasMore = true;
    }
    if (isTruncated) {
      // This process was too slow, and others have deleted what it has not read.
      this.#dependencies.logger.warn(
        "changes were deleted before they were read: clients have to query again",
      );
      if (position) this.#position = { epoch: from.epoch, ...position };
      for (const name of this.#classes.keys()) this.#emit(name);
    }
    for (const change of changes) this.#emit(change);
    if (position) this.#position = { epoch: from.epoch, ...position };
  }

  #observeDelay({ assigned, finished }: ChangePage): void {
    const isHeldBack = finished < assigned;
    // Under steady writes some transaction is always in progress, but not the same one.
    if (!isHeldBack || finished !== this.#finished) {
      this.#finished = finished;
      this.#heldBackSince = undefined;
      this.#isHeldBackLogged = false;
    }
    if (!isHeldBack) return;
    this.#heldBackSince ??= performance.now();
    const delay = this.delayMs();
    // A transaction that is rolled back sends no notification. Without announced changes, the next poll is soon enough.
    if (this.#isWaiting && delay < POLL_INTERVAL_MS)
      setTimeout(() => void this.#read(), HELD_BACK_RETRY_MS).unref();
    if (delay < HELD_BACK_WARNING_MS || this.#isHeldBackLogged) return;
    this.#isHeldBackLogged = true;
    this.#dependencies.logger.warn("live events wait for a transaction that does not end", { ms: delay });
  }

  async #check(known: LogPosition): Promise<LogPosition> {
    const { changeLog, logger } = this.#dependencies;
    const { head, isContinuous } = await changeLog.check(known);
    this.#mustVerify = false;
    if (isContinuous) return known;
    logger.warn("the change log is not continuous: live query clients have to query again", {
      from: known.seq,
      to: head.seq,
    });
    // Only the previous database knows the subscribed classes.
    const names = [...this.#classes.keys()];
    this.#classes.clear();
    this.#position = head;
    // It numbers its changes anew.
    this.#notifiedUpTo = 0;
    const subscriptions = await Promise.allSettled(names.map((name) => this.#subscribe(name)));
    // Clients of a class whose subscription has failed are notified again once the lease is renewed.
    this.#emit({ kind: "reset", seq: head.seq });
    const failed = subscriptions.find((subscription) => subscription.status === "rejected");
    if (failed) throw failed.reason;
    return head;
  }

  #emit(event: ChangeFeedEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  #subscribe(className: string): Promise<void> {
    const known = this.#classes.get(className);
    if (known) {
      known.usedAt = performance.now();
      return known.subscription;
    }
    const { changeLog } = this.#dependencies;
    const subscription = changeLog.subscribe(className, this.#clock() + LEASE_MS).then((found) => {
      if (this.#position !== undefined) return;
      this.#position = found;
      void this.#read();
    });
    this.#classes.set(className, { subscription, usedAt: performance.now() });
    subscription.catch(() => this.#classes.delete(className));
    return subscription;
  }

  /** Returns the last change. Concurrent callers share the next request. */
  #fetchHead(): Promise<number> {
    this.#nextHead ??= this.#headRequest.then(() => {
      const request = this.#dependencies.changeLog.head();
      this.#nextHead = undefined;
      this.#headRequest = request.then(
        () => undefined,
        () => undefined,
      );
      return request;
    });
    return this.#nextHead;
  }
}
