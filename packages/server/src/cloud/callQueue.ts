import { FairWaitingList } from "../core/limits/fairWaitingList.ts";
import type { CloudBreaker } from "./cloudBreaker.ts";
import type { CloudCall } from "./cloudCall.ts";
import type { CloudWorker } from "./cloudWorker.ts";

/** Functions and jobs cannot take what triggers and logins need. */
const LANES = ["triggers", "functions"] as const;
type Lane = (typeof LANES)[number];

export interface CallQueueOptions {
  breaker: CloudBreaker;
  /** Maximum number of waiting calls in each lane, a quarter of them of one client. */
  maxWaiting?: number;
}

/** A thread and whether it is reserved for triggers. */
export interface Thread {
  worker: Pick<CloudWorker, "hasCapacity" | "defines" | "offer" | "withdraw" | "stalledBy">;
  isReserve: boolean;
}

const MAX_WAITING = 10_000;
const CLIENT_SHARE = 4;
const MESSAGE = "Too many calls of cloud code at once. Try again in a few seconds.";

/**
 * Calls that wait for a thread of the cloud code: bounded in number, clients served in turn, and triggers in turn with
 * functions. The first thread that has capacity gets a call, so that there is no need for others while it is fast enough.
 */
export class CallQueue {
  readonly #breaker: CloudBreaker;
  readonly #lanes: Record<Lane, FairWaitingList<CloudCall>>;
  #nextLane = 0;

  constructor({ breaker, maxWaiting = MAX_WAITING }: CallQueueOptions) {
    this.#breaker = breaker;
    const limits = { maxWaiting, maxWaitingPerKey: Math.ceil(maxWaiting / CLIENT_SHARE), message: MESSAGE };
    this.#lanes = { triggers: new FairWaitingList(limits), functions: new FairWaitingList(limits) };
  }

  get size(): number {
    return this.#lanes.triggers.size + this.#lanes.functions.size;
  }

  /** Throws 155 if too many calls wait. */
  add(call: CloudCall): void {
    this.#laneOf(call).add(call.client, call);
  }

  /** Takes calls back that a thread has not begun. */
  putBack(calls: readonly CloudCall[]): void {
    for (const call of calls.toReversed()) this.#laneOf(call).putBack(call.client, call);
  }

  /** Returns whether the call was waiting. */
  remove(call: CloudCall): boolean {
    return this.#laneOf(call).remove(call.client, call);
  }

  clear(): CloudCall[] {
    return LANES.flatMap((lane) => this.#lanes[lane].clear());
  }

  /** Gives waiting calls to threads, as long as these have capacity. */
  dispatch(threads: readonly Thread[]): void {
    let failedLanes = 0;
    while (this.size > 0 && failedLanes < LANES.length) {
      const lane = LANES[this.#nextLane] ?? "triggers";
      this.#nextLane = (this.#nextLane + 1) % LANES.length;
      failedLanes = this.#dispatchNext(lane, threads) ? 0 : failedLanes + 1;
    }
  }

  /** Whether a call waits that would be given to another thread, if there were one: for triggers only, or for all calls. */
  needsThread(threads: readonly Thread[], lane: Lane): boolean {
    const stalled = namesThatStall(threads);
    return (
      !threads.some((thread) => isOpen(thread, lane)) &&
      this.#lanes[lane].some(({ name }) => !stalled.has(name))
    );
  }

  #dispatchNext(lane: Lane, threads: readonly Thread[]): boolean {
    const open = threads.filter((thread) => isOpen(thread, lane));
    const [last] = open;
    if (!last || this.#lanes[lane].size === 0) return false;
    // What stalls one thread leaves the last one to others.
    const held = open.length === 1 && threads.length > 1 ? namesThatStall(threads) : new Set<string>();
    const call = this.#lanes[lane].takeNext(({ name }) => !held.has(name));
    if (!call) return false;
    const rejection = this.#breaker.rejection(call.name, call.client);
    if (rejection) {
      call.refuse(rejection);
      return true;
    }
    const defining = threads.filter(({ worker }) => worker.defines(call.definition));
    const able = defining.length === 0 ? open : open.filter((thread) => defining.includes(thread));
    // The last thread is the one that others need the least, and the one for what may block it.
    const preferred = this.#breaker.isSuspect(call.name) ? able.toReversed() : able;
    if (preferred.some(({ worker }) => worker.offer(call))) return true;
    this.putBack([call]);
    return false;
  }

  #laneOf({ invocation }: CloudCall): FairWaitingList<CloudCall> {
    const { kind } = invocation;
    return this.#lanes[kind === "function" || kind === "job" ? "functions" : "triggers"];
  }
}

function isOpen({ worker, isReserve }: Thread, lane: Lane): boolean {
  return worker.hasCapacity && (lane === "triggers" || !isReserve);
}

function namesThatStall(threads: readonly Thread[]): ReadonlySet<string> {
  return new Set(threads.flatMap(({ worker }) => worker.stalledBy ?? []));
}
