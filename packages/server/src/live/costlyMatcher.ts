import { Worker } from "node:worker_threads";
import { type WorkerHealth, WorkerOverloadedError, WorkerPool, WorkerUnavailableError } from "@purse/workers";
import type { Log } from "../observe/log.ts";
import type { LoggedChange } from "../store/changeLog.ts";
import { type MatchAnswer, type MatchRequest, unpackOutcome } from "./matcherThread.ts";
import { SpendingWindow } from "./spendingWindow.ts";
import type { Group } from "./subscriptions.ts";

/** Wheres of one request are matched one after the other for about so long, in ms. */
const SLICE_MS = 100;
/** How long one where may take over one change before the thread that matches it is ended, in ms. */
const MAX_MATCH_MS = 1_000;
const MAX_QUEUED = 1_000;
const MAX_WAIT_MS = 10_000;

/** CPU time that matching may take in a window: of one where, and of all of one address together; in ms. */
const WINDOW_MS = 10_000;
const MAX_GROUP_CPU_MS = 1_000;
const MAX_ADDRESS_CPU_MS = 3_000;
/** Changes of a minute over which one where may run out of time before it is not followed any more. */
const MAX_LATE = 2;
const LATE_WINDOW_MS = 60_000;

/**
 * - `missed`: it is not known whether the change concerns the group
 * - `tooExpensive`: the same, and the group is not to be followed any more
 */
export type CostlyOutcome = { was: boolean; is: boolean } | "missed" | "tooExpensive";

export interface CostlyMatcherOptions {
  log: Log;
  /** Milliseconds of a clock that only goes forward. */
  now(): number;
}

/** Matches changes with wheres that may take long (patterns, long lists, large objects) in threads of their own. */
export class CostlyMatcher {
  readonly #pool: WorkerPool<MatchRequest, MatchAnswer>;
  readonly #now: () => number;
  readonly #log: Log;
  readonly #spent = new WeakMap<Group, { cpu: SpendingWindow; late: SpendingWindow }>();
  readonly #spentAt = new Map<string, SpendingWindow>();

  constructor({ log, now }: CostlyMatcherOptions) {
    this.#now = now;
    this.#log = log;
    this.#pool = new WorkerPool({
      name: "live query matcher",
      spawn: () => new Worker(new URL("./matcherThread.ts", import.meta.url)),
      size: 2,
      minSize: 0,
      maxQueued: MAX_QUEUED,
      maxWaitMs: MAX_WAIT_MS,
      timeoutMs: SLICE_MS + MAX_MATCH_MS,
      log,
    });
  }

  workers(): WorkerHealth[] {
    return this.#pool.health();
  }

  stop(): Promise<void> {
    return this.#pool.stop();
  }

  /** Has a thread ready for the first change. */
  warmUp(): void {
    const request = { before: null, after: null, wheres: [], sliceMs: 0 };
    const outcomes = new Int32Array(new SharedArrayBuffer(4));
    this.#pool.call({ ...request, outcomes }).catch((error: unknown) => {
      this.#log.warn("no thread matches live queries yet", { error });
    });
  }

  /** Forgets what addresses spent long ago. */
  prune(): void {
    for (const [address, window] of this.#spentAt)
      if (window.isOver(this.#now())) this.#spentAt.delete(address);
  }

  /** Matches a change with groups of one address. */
  async match(
    { before, after }: Pick<LoggedChange, "before" | "after">,
    groups: readonly Group[],
    address: string,
  ): Promise<Map<Group, CostlyOutcome>> {
    const outcomes = new Map<Group, CostlyOutcome>();
    let left = [...groups];
    while (left.length > 0) {
      const shared = new Int32Array(new SharedArrayBuffer(4 * (1 + left.length)));
      const wheres = left.map(({ whereText }) => whereText);
      const request = { before, after, wheres, sliceMs: SLICE_MS, outcomes: shared };
      const error: unknown = await this.#pool.call(request, { group: address }).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      left = left.filter((group, i) => {
        const outcome = unpackOutcome(shared[1 + i] ?? 0);
        if (outcome) outcomes.set(group, this.#judge(group, address, outcome));
        return !outcome;
      });
      if (error instanceof WorkerOverloadedError || error instanceof WorkerUnavailableError) {
        for (const group of left.splice(0)) outcomes.set(group, "missed");
      } else if (error !== undefined) {
        // They are matched one after the other: the first without an outcome is the one that ended it.
        const [culprit] = left.splice(0, 1);
        if (culprit) outcomes.set(culprit, this.#late(culprit, error));
      }
    }
    return outcomes;
  }

  /** Counts what a match has taken. */
  #judge(
    group: Group,
    address: string,
    { was, is, cpuMicros }: { was: boolean; is: boolean; cpuMicros: number },
  ): CostlyOutcome {
    const ms = cpuMicros / 1_000;
    const now = this.#now();
    const ofAddress = this.#spentAt.get(address) ?? new SpendingWindow(WINDOW_MS);
    this.#spentAt.set(address, ofAddress);
    const own = this.#windowsOf(group).cpu.add(ms, now);
    const all = ofAddress.add(ms, now);
    if (own <= MAX_GROUP_CPU_MS && all <= MAX_ADDRESS_CPU_MS) return { was, is };
    // The one whose turn it is when an address has spent everything is not always the dearest, but one of its own.
    return "tooExpensive";
  }

  #late(group: Group, error: unknown): CostlyOutcome {
    this.#log.warn("a live query could not be matched", { where: group.whereText.slice(0, 500), error });
    return this.#windowsOf(group).late.add(1, this.#now()) >= MAX_LATE ? "tooExpensive" : "missed";
  }

  #windowsOf(group: Group): { cpu: SpendingWindow; late: SpendingWindow } {
    const known = this.#spent.get(group);
    if (known) return known;
    const windows = { cpu: new SpendingWindow(WINDOW_MS), late: new SpendingWindow(LATE_WINDOW_MS) };
    this.#spent.set(group, windows);
    return windows;
  }
}
