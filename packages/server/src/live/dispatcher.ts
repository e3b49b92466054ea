import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { Log } from "../observe/log.ts";
import type { LoggedChange } from "../store/changeLog.ts";
import type { CostlyMatcher, CostlyOutcome } from "./costlyMatcher.ts";
import { ChangeView } from "./event.ts";
import { Slices } from "./slices.ts";
import { type Group, isInline, type Subscription, type SubscriptionIndex } from "./subscriptions.ts";
import { TaskQueue } from "./taskQueue.ts";
import type { Matched, Teller } from "./teller.ts";

export interface DispatcherParts {
  index: SubscriptionIndex;
  teller: Teller;
  matcher: CostlyMatcher;
  positionOf(seq: number): string;
  /** More changes of a class wait than may: they were dropped, and whoever follows the class has to ask anew. */
  onOverflow(subscriptions: Subscription[]): void;
  log: Log;
  limits: { maxBacklog: number };
}

/** Characters of the changes of one class that may wait. */
const MAX_BACKLOG_CHARS = 64 * 1024 * 1024;
/** The same for what waits to be matched in a thread, for each class and address. */
const MAX_COSTLY_BACKLOG = 1_000;
const MAX_COSTLY_BACKLOG_CHARS = 8 * 1024 * 1024;
/** Objects of more characters than this, before and after a change together, are not read on the event loop. */
const MAX_CHANGE_CHARS = 4 * 1024 * 1024;

interface ClassState {
  queue: TaskQueue;
  /** What is matched in threads, by the address that it is put down to. */
  costly: Map<string, TaskQueue>;
  /** The last change that has been told, to whomever it concerned. */
  told: number;
}

/**
 * Brings changes to subscriptions. Each class has a queue of its own, so that a slow trigger of one holds up no other;
 * what is expensive to match waits in queues of its own, for each address that asks for it. The events of a
 * subscription keep their order.
 */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #classes = new Map<string, ClassState>();

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  /** The last change of a class that has been told. */
  told(className: string): number {
    return this.#classes.get(className)?.told ?? 0;
  }

  dispatch(change: LoggedChange): void {
    const { className } = change;
    const { queue } = this.#stateOf(className);
    queue.push(() => this.#tell(change), charsOf(change));
    if (queue.length <= this.#parts.limits.maxBacklog && queue.chars <= MAX_BACKLOG_CHARS) return;
    this.#parts.log.warn("live queries of a class fell behind", { className, changes: queue.length });
    this.#drop(className, change.seq);
    this.#parts.onOverflow(this.#parts.index.ofClass(className));
  }

  /** Does something between two changes of a class. */
  between(className: string, work: () => Promise<void> | void): void {
    this.#stateOf(className).queue.push(work);
  }

  /** Tells a subscription that was just entered what it missed, before what comes from now on. */
  async replay(changes: readonly LoggedChange[], subscription: Subscription, group: Group): Promise<void> {
    const one = { ...group, audiences: new Map([["", new Set([subscription])]]) };
    const slices = new Slices();
    for (const change of changes) {
      if (isInline(group, charsOf(change))) {
        const view = ChangeView.of(change, this.#parts.positionOf(change.seq));
        await this.#parts.teller.tellGroup(change, view, one, matchInline(group, view));
      } else this.#enqueueCostly(change, undefined, [group], group.address, one);
      if (slices.isOver) await slices.pause();
    }
  }

  /** Changes of a class may have been missed: whoever follows it asks anew. */
  refetch(className: string): void {
    for (const subscription of this.#parts.index.ofClass(className)) this.#sendRefetch(subscription);
  }

  /** The log is another one: its numbers, from `seq` on, have nothing to do with those that were told. */
  beginAnew(seq: number): void {
    for (const className of new Set([...this.#parts.index.classNames(), ...this.#classes.keys()])) {
      this.between(className, () => this.#beginAnew(className, seq));
    }
  }

  /** Forgets classes that nobody follows any more. */
  prune(): void {
    const followed = new Set(this.#parts.index.classNames());
    for (const [className, { queue, costly }] of this.#classes) {
      for (const [address, each] of costly) if (each.isIdle) costly.delete(address);
      if (!followed.has(className) && queue.isIdle && costly.size === 0) this.#classes.delete(className);
    }
  }

  stop(): void {
    for (const { queue, costly } of this.#classes.values()) {
      queue.drop("all");
      for (const each of costly.values()) each.drop("all");
    }
  }

  async #tell(change: LoggedChange): Promise<void> {
    const { index, teller, positionOf } = this.#parts;
    const { className, seq } = change;
    const state = this.#stateOf(className);
    state.told = Math.max(state.told, seq);
    const chars = charsOf(change);
    if (chars > MAX_CHANGE_CHARS) {
      this.refetch(className);
      return;
    }
    const view = ChangeView.of(change, positionOf(seq));
    const costly = new Map<string, Group[]>();
    const slices = new Slices();
    let telling: Promise<void>[] = [];
    for (const group of index.candidates(className, view.before, view.after)) {
      if (isInline(group, chars))
        telling.push(teller.tellGroup(change, view, group, matchInline(group, view)));
      else costly.set(group.address, [...(costly.get(group.address) ?? []), group]);
      if (!slices.isOver) continue;
      await Promise.all(telling);
      telling = [];
      await slices.pause();
    }
    for (const [address, groups] of costly) this.#enqueueCostly(change, view, groups, address);
    await Promise.all(telling);
  }

  /** `told`: who is told instead of everybody in the only group. */
  #enqueueCostly(
    change: LoggedChange,
    known: ChangeView | undefined,
    groups: Group[],
    address: string,
    told?: Pick<Group, "audiences">,
  ): void {
    const { matcher, teller, positionOf, log } = this.#parts;
    const { costly } = this.#stateOf(change.className);
    const queue = costly.get(address) ?? new TaskQueue((error) => this.#failed(error));
    costly.set(address, queue);
    if (queue.length >= MAX_COSTLY_BACKLOG || queue.chars >= MAX_COSTLY_BACKLOG_CHARS) {
      log.warn("live queries that are expensive to match fell behind", {
        address,
        className: change.className,
      });
      for (const group of groups) this.#endOrRefetch(told ?? group, "missed");
      return;
    }
    for (const group of groups) group.pending += 1;
    queue.push(async () => {
      try {
        const left = groups.filter(({ audiences }) => audiences.size > 0);
        if (left.length === 0) return;
        const outcomes = await matcher.match(change, left, address);
        const view = known ?? ChangeView.of(change, positionOf(change.seq));
        for (const [group, outcome] of outcomes) {
          if (typeof outcome === "string") this.#endOrRefetch(told ?? group, outcome);
          else await teller.tellGroup(change, view, told ?? group, outcome);
        }
      } finally {
        for (const group of groups) group.pending -= 1;
      }
    }, charsOf(change));
  }

  #endOrRefetch({ audiences }: Pick<Group, "audiences">, outcome: Extract<CostlyOutcome, string>): void {
    for (const subscription of [...audiences.values()].flatMap((audience) => [...audience])) {
      if (outcome === "missed") this.#sendRefetch(subscription);
      else subscription.client.end(subscription, tooExpensive());
    }
  }

  #sendRefetch(subscription: Subscription): void {
    const seq = Math.max(subscription.told, this.told(subscription.className));
    subscription.client.sendRefetch(subscription, this.#parts.positionOf(seq));
  }

  #beginAnew(className: string, seq: number): void {
    const state = this.#stateOf(className);
    state.told = seq;
    for (const subscription of this.#parts.index.ofClass(className)) subscription.told = seq;
    this.refetch(className);
    // What waits to be matched in threads is of the old log: whoever is told of it asks once more.
    for (const queue of state.costly.values()) queue.push(() => this.refetch(className));
  }

  #drop(className: string, seq: number): void {
    const state = this.#stateOf(className);
    state.told = Math.max(state.told, seq);
    state.queue.drop("holdingMemory");
  }

  #stateOf(className: string): ClassState {
    const known = this.#classes.get(className);
    if (known) return known;
    const state: ClassState = {
      queue: new TaskQueue((error) => this.#failed(error)),
      costly: new Map(),
      told: 0,
    };
    this.#classes.set(className, state);
    return state;
  }

  #failed(error: unknown): void {
    this.#parts.log.error("live query event failed", { error });
  }
}

function matchInline({ matches }: { matches(object: object): boolean }, view: ChangeView): Matched {
  return {
    was: view.before !== null && matches(view.before),
    is: view.after !== null && matches(view.after),
  };
}

function charsOf({ before, after }: LoggedChange): number {
  return (before?.length ?? 0) + (after?.length ?? 0);
}

function tooExpensive(): ProtocolError {
  return new ProtocolError(
    ErrorCode.TIMEOUT,
    "The query takes too long to match with changes: it is not followed any more",
  );
}
