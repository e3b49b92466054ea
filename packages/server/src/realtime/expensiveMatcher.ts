import { Worker } from "node:worker_threads";
import { type WorkerHealth, WorkerOverloadedError, WorkerPool, WorkerUnavailableError } from "@purse/workers";
import { SpendingWindow } from "../core/limits/spendingWindow.ts";
import type { Logger } from "../core/logger.ts";
import type { LoggedChange } from "../database/changeLog.ts";
import { type MatchRequest, type MatchResponse, unpackOutcome } from "./matcherWorker.ts";
import type { Group } from "./subscriptions.ts";

/** How long conditions of one request are matched before the thread returns, in ms. */
const SLICE_MS = 100;
/** How long one condition may take to match one change before its thread is terminated, in ms. */
const MAX_MATCH_MS = 1_000;
const MAX_QUEUED = 1_000;
const MAX_WAIT_MS = 10_000;

/** CPU time that matching may take per window: for one group, and for all groups of one address together; in ms. */
const WINDOW_MS = 10_000;
const MAX_GROUP_CPU_MS = 1_000;
const MAX_ADDRESS_CPU_MS = 3_000;
/** Number of timeouts per minute after which a group is no longer matched. */
const MAX_TIMEOUTS = 2;
const TIMEOUT_WINDOW_MS = 60_000;

/**
 * `missed`: it is unknown whether the change affects the group. `tooExpensive`: the same, and the group must be
 * unsubscribed.
 */
export type ExpensiveMatchResult =
  | { matchedBefore: boolean; matchesAfter: boolean }
  | "missed"
  | "tooExpensive";

export interface ExpensiveMatcherOptions {
  logger: Logger;
  /** A monotonic clock in milliseconds. */
  now(): number;
}

/** Matches changes with expensive conditions (patterns, long lists, large objects) in worker threads. */
export class ExpensiveMatcher {
  readonly #pool: WorkerPool<MatchRequest, MatchResponse>;
  readonly #now: () => number;
  readonly #logger: Logger;
  readonly #windows = new WeakMap<Group, { cpu: SpendingWindow; timeouts: SpendingWindow }>();
  readonly #addressWindows = new Map<string, SpendingWindow>();

  constructor({ logger, now }: ExpensiveMatcherOptions) {
    this.#now = now;
    this.#logger = logger;
    this.#pool = new WorkerPool({
      name: "live query matcher",
      spawn: () => new Worker(new URL("./matcherWorker.ts", import.meta.url)),
      size: 2,
      minSize: 0,
      maxQueued: MAX_QUEUED,
      maxWaitMs: MAX_WAIT_MS,
      timeoutMs: SLICE_MS + MAX_MATCH_MS,
      logger,
    });
  }

  workers(): WorkerHealth[] {
    return this.#pool.health();
  }

  stop(): Promise<void> {
    return this.#pool.stop();
  }

  /** Starts a thread ahead of the first change. */
  warmUp(): void {
    const request = { before: null, after: null, wheres: [], sliceMs: 0 };
    const outcomes = new Int32Array(new SharedArrayBuffer(4));
    this.#pool.call({ ...request, outcomes }).catch((error: unknown) => {
      this.#logger.warn("the live query matcher could not be started", { error });
    });
  }

  /** Forgets the expired windows of addresses. */
  prune(): void {
    for (const [address, window] of this.#addressWindows)
      if (window.isExpired(this.#now())) this.#addressWindows.delete(address);
  }

  /** Matches a change with groups of one address. */
  async match(
    { before, after }: Pick<LoggedChange, "before" | "after">,
    groups: readonly Group[],
    address: string,
  ): Promise<Map<Group, ExpensiveMatchResult>> {
    const outcomes = new Map<Group, ExpensiveMatchResult>();
    let remaining = [...groups];
    while (remaining.length > 0) {
      const outcomeBuffer = new Int32Array(new SharedArrayBuffer(4 * (1 + remaining.length)));
      const wheres = remaining.map(({ whereText }) => whereText);
      const request = { before, after, wheres, sliceMs: SLICE_MS, outcomes: outcomeBuffer };
      const error: unknown = await this.#pool.call(request, { group: address }).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      remaining = remaining.filter((group, i) => {
        const outcome = unpackOutcome(outcomeBuffer[1 + i] ?? 0);
        if (outcome) outcomes.set(group, this.#recordCost(group, address, outcome));
        return !outcome;
      });
      if (error instanceof WorkerOverloadedError || error instanceof WorkerUnavailableError) {
        for (const group of remaining.splice(0)) outcomes.set(group, "missed");
      } else if (error !== undefined) {
        // Groups are matched in order: the first one without an outcome caused the timeout.
        const [timedOut] = remaining.splice(0, 1);
        if (timedOut) outcomes.set(timedOut, this.#recordTimeout(timedOut, error));
      }
    }
    return outcomes;
  }

  /** Records the CPU time of a match. */
  #recordCost(
    group: Group,
    address: string,
    {
      matchedBefore,
      matchesAfter,
      cpuMicros,
    }: { matchedBefore: boolean; matchesAfter: boolean; cpuMicros: number },
  ): ExpensiveMatchResult {
    const ms = cpuMicros / 1_000;
    const now = this.#now();
    const addressWindow = this.#addressWindows.get(address) ?? new SpendingWindow(WINDOW_MS);
    this.#addressWindows.set(address, addressWindow);
    const groupMs = this.#windowsOf(group).cpu.add(ms, now);
    const addressMs = addressWindow.add(ms, now);
    if (groupMs <= MAX_GROUP_CPU_MS && addressMs <= MAX_ADDRESS_CPU_MS)
      return { matchedBefore, matchesAfter };
    // When an address exceeds its budget, this is not necessarily its most expensive group, but one of its own.
    return "tooExpensive";
  }

  #recordTimeout(group: Group, error: unknown): ExpensiveMatchResult {
    this.#logger.warn("a live query could not be matched", { where: group.whereText.slice(0, 500), error });
    return this.#windowsOf(group).timeouts.add(1, this.#now()) >= MAX_TIMEOUTS ? "tooExpensive" : "missed";
  }

  #windowsOf(group: Group): { cpu: SpendingWindow; timeouts: SpendingWindow } {
    const existing = this.#windows.get(group);
    if (existing) return existing;
    const created = { cpu: new SpendingWindow(WINDOW_MS), timeouts: new SpendingWindow(TIMEOUT_WINDOW_MS) };
    this.#windows.set(group, created);
    return created;
  }
}
