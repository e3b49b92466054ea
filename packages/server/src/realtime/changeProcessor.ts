import { ErrorCode, ProtocolError } from "@purse/protocol";
import { TimeSlicer } from "../core/limits/timeSlicer.ts";
import type { Logger } from "../core/logger.ts";
import { type SpanOptions, trace } from "../core/tracing/tracing.ts";
import type { LoggedChange } from "../database/changeLog.ts";
import { takeChangeTrace } from "../database/traceStore.ts";
import { ChangeView } from "./changeView.ts";
import type { ExpensiveMatcher, ExpensiveMatchResult } from "./expensiveMatcher.ts";
import type { LiveQueryDispatcher, MatchState, Recipients } from "./liveQueryDispatcher.ts";
import type { PositionBinding } from "./positionBinding.ts";
import { type Group, isInline, type Subscription, type SubscriptionIndex } from "./subscriptions.ts";
import { TaskQueue } from "./taskQueue.ts";

export interface ChangeProcessorDependencies {
  index: SubscriptionIndex;
  dispatcher: LiveQueryDispatcher;
  matcher: ExpensiveMatcher;
  positionOf(seq: number): string;
  positionBinding: PositionBinding;
  /**
   * Called when the backlog of a class overflowed: its changes were dropped, and its subscribers have to query again.
   */
  onOverflow(subscriptions: Subscription[]): void;
  logger: Logger;
  limits: { maxBacklog: number };
}

/** Maximum size of the backlog of one class, in characters. */
const MAX_BACKLOG_CHARS = 64 * 1024 * 1024;
/** The same for changes that wait for a matcher thread, per class and address. */
const MAX_EXPENSIVE_BACKLOG = 1_000;
const MAX_EXPENSIVE_BACKLOG_CHARS = 8 * 1024 * 1024;
/** Larger changes (before and after together, in characters) are not parsed on the event loop. */
const MAX_CHANGE_CHARS = 4 * 1024 * 1024;

interface ClassState {
  queue: TaskQueue;
  /** Queues of changes to be matched in threads, by the address that they are attributed to. */
  expensive: Map<string, TaskQueue>;
  /** The sequence number of the last change that was processed, whether or not it affected a subscription. */
  processedPosition: number;
}

/**
 * Matches changes with subscriptions and dispatches them. Each class has its own queue, so that a slow trigger of one
 * class delays no other; expensive matches have queues of their own per address. The events of a subscription keep
 * their order.
 */
export class ChangeProcessor {
  readonly #dependencies: ChangeProcessorDependencies;
  readonly #classes = new Map<string, ClassState>();

  constructor(dependencies: ChangeProcessorDependencies) {
    this.#dependencies = dependencies;
  }

  /** The sequence number of the last processed change of a class. */
  processedPosition(className: string): number {
    return this.#classes.get(className)?.processedPosition ?? 0;
  }

  enqueue(change: LoggedChange): void {
    const { className } = change;
    const { queue } = this.#stateOf(className);
    queue.push(async () => {
      try {
        await this.#process(change);
      } catch (error) {
        this.#logFailure(error);
        this.refetch(className);
      }
    }, charsOf(change));
    if (queue.length <= this.#dependencies.limits.maxBacklog && queue.chars <= MAX_BACKLOG_CHARS) return;
    this.#dependencies.logger.warn("live queries of a class fell behind", {
      className,
      changes: queue.length,
    });
    this.#dropBacklog(className, change.seq);
    this.#dependencies.onOverflow(this.#dependencies.index.ofClass(className));
  }

  /** Runs work between two changes of a class. */
  runBetweenChanges(className: string, work: () => Promise<void> | void): void {
    this.#stateOf(className).queue.push(work);
  }

  /**
   * Replays missed changes to a new subscription before it receives new ones. `readableIds`: the objects that it may read
   * now, if not all; it is not told what others were.
   */
  async replay(
    changes: readonly LoggedChange[],
    subscription: Subscription,
    group: Group,
    readableIds: ReadonlySet<string> | undefined,
  ): Promise<void> {
    const recipients: Recipients = {
      subscribersByCredential: new Map([["", new Set([subscription])]]),
      readableIds,
    };
    const slices = new TimeSlicer();
    for (const change of changes) {
      if (isInline(group, charsOf(change))) {
        const view = ChangeView.parse(change, this.#dependencies.positionOf(change.seq));
        await this.#dependencies.dispatcher.dispatchToGroup(
          change,
          view,
          recipients,
          matchInline(group, view),
        );
      } else this.#enqueueExpensiveMatch(change, undefined, [group], group.address, recipients);
      if (slices.isExpired) await slices.pause();
    }
  }

  /** Sends a refetch to all subscribers of a class, because they may have missed changes. */
  refetch(className: string): void {
    for (const subscription of this.#dependencies.index.ofClass(className)) this.#sendRefetch(subscription);
  }

  /** Handles a new change log: its sequence numbers, from `seq` on, are unrelated to those delivered so far. */
  resetPositions(seq: number): void {
    for (const className of new Set([...this.#dependencies.index.classNames(), ...this.#classes.keys()])) {
      this.runBetweenChanges(className, () => this.#resetPositions(className, seq));
    }
  }

  /** Forgets classes without subscribers. */
  prune(): void {
    const subscribedClasses = new Set(this.#dependencies.index.classNames());
    for (const [className, { queue, expensive }] of this.#classes) {
      for (const [address, expensiveQueue] of expensive) if (expensiveQueue.isIdle) expensive.delete(address);
      if (!subscribedClasses.has(className) && queue.isIdle && expensive.size === 0)
        this.#classes.delete(className);
    }
  }

  stop(): void {
    for (const { queue, expensive } of this.#classes.values()) {
      queue.drop("all");
      for (const expensiveQueue of expensive.values()) expensiveQueue.drop("all");
    }
  }

  async #process(change: LoggedChange): Promise<void> {
    const { positionOf } = this.#dependencies;
    const { className, seq } = change;
    const state = this.#stateOf(className);
    state.processedPosition = Math.max(state.processedPosition, seq);
    const chars = charsOf(change);
    if (chars > MAX_CHANGE_CHARS) {
      this.refetch(className);
      return;
    }
    const view = ChangeView.parse(change, positionOf(seq));
    await trace(
      "live dispatch",
      () => this.#dispatch(change, view, chars),
      () => dispatchSpan(change, view),
    );
  }

  async #dispatch(change: LoggedChange, view: ChangeView, chars: number): Promise<void> {
    const { index, dispatcher } = this.#dependencies;
    const { className } = change;
    const expensive = new Map<string, Group[]>();
    const slices = new TimeSlicer();
    let deliveries: Promise<void>[] = [];
    for (const group of index.candidates(className, view.before, view.after)) {
      if (isInline(group, chars))
        deliveries.push(dispatcher.dispatchToGroup(change, view, group, matchInline(group, view)));
      else expensive.set(group.address, [...(expensive.get(group.address) ?? []), group]);
      if (!slices.isExpired) continue;
      await Promise.all(deliveries);
      deliveries = [];
      await slices.pause();
    }
    for (const [address, groups] of expensive) this.#enqueueExpensiveMatch(change, view, groups, address);
    await Promise.all(deliveries);
  }

  /** `recipients` replaces the subscribers of the only group. */
  #enqueueExpensiveMatch(
    change: LoggedChange,
    parsedView: ChangeView | undefined,
    groups: Group[],
    address: string,
    recipients?: Recipients,
  ): void {
    const { matcher, dispatcher, positionOf, logger } = this.#dependencies;
    const { expensive } = this.#stateOf(change.className);
    const queue = expensive.get(address) ?? new TaskQueue((error) => this.#logFailure(error));
    expensive.set(address, queue);
    if (queue.length >= MAX_EXPENSIVE_BACKLOG || queue.chars >= MAX_EXPENSIVE_BACKLOG_CHARS) {
      logger.warn("live queries that are expensive to match fell behind", {
        address,
        className: change.className,
      });
      for (const group of groups) this.#endOrRefetch(recipients ?? group, "missed");
      return;
    }
    for (const group of groups) group.pendingMatches += 1;
    queue.push(async () => {
      try {
        const active = groups.filter(({ subscribersByCredential }) => subscribersByCredential.size > 0);
        if (active.length === 0) return;
        const outcomes = await matcher.match(change, active, address);
        const view = parsedView ?? ChangeView.parse(change, positionOf(change.seq));
        for (const [group, outcome] of outcomes) {
          if (typeof outcome === "string") this.#endOrRefetch(recipients ?? group, outcome);
          else await dispatcher.dispatchToGroup(change, view, recipients ?? group, outcome);
        }
      } catch (error) {
        this.#logFailure(error);
        for (const group of groups) this.#endOrRefetch(recipients ?? group, "missed");
      } finally {
        for (const group of groups) group.pendingMatches -= 1;
      }
    }, charsOf(change));
  }

  #endOrRefetch(
    { subscribersByCredential }: Pick<Group, "subscribersByCredential">,
    outcome: Extract<ExpensiveMatchResult, string>,
  ): void {
    for (const subscription of [...subscribersByCredential.values()].flatMap((subscribers) => [
      ...subscribers,
    ])) {
      if (outcome === "missed") this.#sendRefetch(subscription);
      else subscription.client.endSubscription(subscription, queryTooExpensive());
    }
  }

  #sendRefetch(subscription: Subscription): void {
    const seq = Math.max(subscription.deliveredPosition, this.processedPosition(subscription.className));
    subscription.client.sendRefetch(subscription, this.#dependencies.positionOf(seq));
  }

  #resetPositions(className: string, seq: number): void {
    const state = this.#stateOf(className);
    state.processedPosition = seq;
    for (const subscription of this.#dependencies.index.ofClass(className)) {
      subscription.deliveredPosition = seq;
      subscription.binding = this.#dependencies.positionBinding.of(subscription, seq);
    }
    this.refetch(className);
    // Changes that wait for a matcher thread belong to the old log: their subscribers have to query once more.
    for (const queue of state.expensive.values()) queue.push(() => this.refetch(className));
  }

  #dropBacklog(className: string, seq: number): void {
    const state = this.#stateOf(className);
    state.processedPosition = Math.max(state.processedPosition, seq);
    state.queue.drop("holdingMemory");
  }

  #stateOf(className: string): ClassState {
    const existing = this.#classes.get(className);
    if (existing) return existing;
    const state: ClassState = {
      queue: new TaskQueue((error) => this.#logFailure(error)),
      expensive: new Map(),
      processedPosition: 0,
    };
    this.#classes.set(className, state);
    return state;
  }

  #logFailure(error: unknown): void {
    this.#dependencies.logger.error("live query event failed", { error });
  }
}

/** The span of a change is a child of its write, if this process has made it. */
function dispatchSpan({ className, objectId }: LoggedChange, { after }: ChangeView): SpanOptions {
  const updatedAt = typeof after?.updatedAt === "string" ? after.updatedAt : "";
  return {
    attributes: { "db.collection.name": className, "purse.object_id": objectId },
    parent: takeChangeTrace(className, objectId, updatedAt) ?? "",
  };
}

function matchInline({ matches }: { matches(object: object): boolean }, view: ChangeView): MatchState {
  return {
    matchedBefore: view.before !== null && matches(view.before),
    matchesAfter: view.after !== null && matches(view.after),
  };
}

function charsOf({ before, after }: LoggedChange): number {
  return (before?.length ?? 0) + (after?.length ?? 0);
}

function queryTooExpensive(): ProtocolError {
  return new ProtocolError(
    ErrorCode.TIMEOUT,
    "The query takes too long to match with changes: its subscription has ended",
  );
}
