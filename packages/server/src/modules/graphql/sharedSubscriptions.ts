import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  type ValidatedSubscriptionArgs,
  validateSubscriptionArgs,
} from "graphql";
import { EventQueue } from "./eventQueue.ts";

/** Resolves one event of a subscription. */
export type ResolveEvent = (args: ValidatedSubscriptionArgs) => Promise<ExecutionResult>;

/** The subscriptions of one connection. Each event is resolved once for all that are identical. */
export class SharedSubscriptions {
  readonly #resolve: ResolveEvent;
  readonly #byKey = new Map<string, Promise<SharedSubscription | ExecutionResult>>();

  constructor(resolve: ResolveEvent) {
    this.#resolve = resolve;
  }

  /** Returns the results of the events of a subscription, or why it cannot start. Identical ones have the same key. */
  async subscribe(
    key: string,
    args: ExecutionArgs,
  ): Promise<AsyncGenerator<ExecutionResult> | ExecutionResult> {
    const starting = this.#byKey.get(key) ?? this.#start(args);
    this.#byKey.set(key, starting);
    const forget = () => {
      if (this.#byKey.get(key) === starting) this.#byKey.delete(key);
    };
    const shared = await starting.catch((error: unknown) => {
      forget();
      throw error;
    });
    if (!(shared instanceof SharedSubscription)) {
      forget();
      return shared;
    }
    // Its last reader may have left in the meantime.
    return shared.read(forget) ?? this.subscribe(key, args);
  }

  async #start(args: ExecutionArgs): Promise<SharedSubscription | ExecutionResult> {
    const validated = validateSubscriptionArgs(args);
    if (!("schema" in validated)) return { errors: validated };
    const source = await createSourceEventStream(validated);
    if (!(Symbol.asyncIterator in source)) return source;
    return new SharedSubscription(source, (event) => this.#resolve({ ...validated, rootValue: event }));
  }
}

/** A subscription whose results have several readers. */
class SharedSubscription {
  readonly #events: AsyncIterator<unknown>;
  readonly #resolve: (event: unknown) => Promise<ExecutionResult>;
  readonly #readers = new Set<EventQueue<ExecutionResult>>();
  #state: "new" | "running" | "ended" = "new";

  constructor(source: AsyncIterable<unknown>, resolve: (event: unknown) => Promise<ExecutionResult>) {
    this.#events = source[Symbol.asyncIterator]();
    this.#resolve = resolve;
  }

  /** Adds a reader; undefined if the subscription has ended. `onEnd` is called when it ends. */
  read(onEnd: () => void): EventQueue<ExecutionResult> | undefined {
    if (this.#state === "ended") return undefined;
    const reader = new EventQueue<ExecutionResult>(() => {
      this.#readers.delete(reader);
      if (this.#readers.size === 0) this.#end(onEnd);
    });
    this.#readers.add(reader);
    if (this.#state === "new") {
      this.#state = "running";
      void this.#run(onEnd);
    }
    return reader;
  }

  async #run(onEnd: () => void): Promise<void> {
    try {
      for (let next = await this.#events.next(); next.done !== true; next = await this.#events.next()) {
        const result = await this.#resolve(next.value);
        for (const reader of this.#readers) reader.push(result, 0);
      }
      this.#end(onEnd);
    } catch (error) {
      this.#end(onEnd, error);
    }
  }

  #end(onEnd: () => void, error?: unknown): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    onEnd();
    for (const reader of this.#readers) reader.end(error);
    void this.#events.return?.();
  }
}
