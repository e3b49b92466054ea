import type { JsonObject } from "@purse/protocol";
import { Emitter } from "../emitter.ts";
import type { AnyObject } from "../object/AnyObject.ts";

/** A query that can be subscribed to. */
export interface SubscribableQuery {
  readonly className: string;
  toJSON(): JsonObject;
}

/** The client that caused an event. */
export interface EventMeta {
  clientId: string | undefined;
  installationId: string | undefined;
}

/** Events of a live query and their arguments. `original` is the object before the change. */
export interface SubscriptionEvents<T> {
  /** The server sends changes from now on; emitted again after each reconnection. */
  open: [answer: object];
  /** The connection is lost, or the subscription has ended. */
  close: [];
  error: [error: unknown];
  create: [object: T, meta: unknown];
  update: [object: T, original: unknown, meta?: unknown];
  enter: [object: T, original: unknown, meta?: unknown];
  leave: [object: T, original: unknown, meta?: unknown];
  delete: [object: T, meta: unknown];
  /** Changes were missed during a lost connection and cannot be replayed: run the query again. */
  refetch: [];
}

/** The name of an event of a live query. */
export type SubscriptionEvent = keyof SubscriptionEvents<unknown>;
type Listener<T, E extends SubscriptionEvent> = (...args: SubscriptionEvents<T>[E]) => void;

/** An open live query. */
export class Subscription<T extends AnyObject = AnyObject> {
  readonly id: number;
  readonly query: SubscribableQuery;
  readonly sessionToken: string | undefined;
  /** Whether the server sends changes now; false while the connection is lost. */
  subscribed = false;
  /** Resolves when the server confirms the subscription; rejects when it refuses it. */
  readonly subscribePromise: Promise<void>;
  readonly #events = new Emitter<SubscriptionEvents<T>>();
  /** The position of the last message in the change log; after a lost connection the server resumes from it. */
  _position: string | undefined;
  /** Shows the server that the position is of this subscription. */
  _binding: string | undefined;
  readonly #close: (subscription: Subscription<T>) => Promise<void>;
  #resolve = (): void => {};
  #reject = (_error: unknown): void => {};

  constructor(
    id: number,
    query: SubscribableQuery,
    sessionToken: string | undefined,
    close: (subscription: Subscription<T>) => Promise<void>,
  ) {
    this.id = id;
    this.query = query;
    this.sessionToken = sessionToken;
    this.#close = close;
    this.subscribePromise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Callers that do not await the promise listen to "error" instead.
    this.subscribePromise.catch(() => undefined);
  }

  on<E extends SubscriptionEvent>(event: E, listener: Listener<T, E>): this {
    this.#events.on(event, listener);
    return this;
  }

  once<E extends SubscriptionEvent>(event: E, listener: Listener<T, E>): this {
    this.#events.once(event, listener);
    return this;
  }

  off<E extends SubscriptionEvent>(event: E, listener: Listener<T, E>): this {
    this.#events.off(event, listener);
    return this;
  }

  /** Alias of `off`. */
  removeListener<E extends SubscriptionEvent>(event: E, listener: Listener<T, E>): this {
    return this.off(event, listener);
  }

  /** Removes the listeners of one event, or of all. */
  removeAllListeners(event?: SubscriptionEvent): this {
    this.#events.removeAll(event);
    return this;
  }

  /** Ends the subscription; `close` is the last event. */
  unsubscribe(): Promise<void> {
    return this.#close(this);
  }

  _emit<E extends SubscriptionEvent>(event: E, ...args: SubscriptionEvents<T>[E]): void {
    this.#events.emit(event, ...args);
  }

  _resolve(): void {
    this.#resolve();
  }

  _reject(error: unknown): void {
    this.#reject(error);
  }
}
