import type { JsonObject } from "@purse/protocol";
import type { AnyObject } from "../object/AnyObject.ts";

/** What a live query asks for: queries are such. */
export interface LiveQuestion {
  readonly className: string;
  toJSON(): JsonObject;
}

/** Where an event came from. */
export interface EventMeta {
  clientId: string | undefined;
  installationId: string | undefined;
}

/** Events of a live query and what their listeners get. `original` is the object as it was before. */
export interface SubscriptionEvents<T> {
  /** The server tells of changes from now on; again after each lost connection. */
  open: [answer: object];
  /** It does not any more: the connection is lost, or the subscription is over. */
  close: [];
  error: [error: unknown];
  create: [object: T, meta: unknown];
  update: [object: T, original: unknown, meta?: unknown];
  enter: [object: T, original: unknown, meta?: unknown];
  leave: [object: T, original: unknown, meta?: unknown];
  delete: [object: T, meta: unknown];
  /** After a lost connection, where the server does not know any more what was missed: ask anew. */
  refetch: [];
}

export type SubscriptionEvent = keyof SubscriptionEvents<unknown>;
type Listener<T, E extends SubscriptionEvent> = (...args: SubscriptionEvents<T>[E]) => void;
type Listeners<T> = { [E in SubscriptionEvent]: Set<Listener<T, E>> };

/** An open live query. */
export class Subscription<T extends AnyObject = AnyObject> {
  readonly id: number;
  readonly query: LiveQuestion;
  readonly sessionToken: string | undefined;
  /** Whether the server tells of changes now; false while the connection is lost. */
  subscribed = false;
  /** Settles when the server confirmed the subscription, or refused it. */
  readonly subscribePromise: Promise<void>;
  readonly #listeners: Listeners<T> = {
    open: new Set(),
    close: new Set(),
    error: new Set(),
    create: new Set(),
    update: new Set(),
    enter: new Set(),
    leave: new Set(),
    delete: new Set(),
    refetch: new Set(),
  };
  /** Where the last message stands among the changes; the server tells from there on after a lost connection. */
  _position: string | undefined;
  readonly #close: (subscription: Subscription<T>) => Promise<void>;
  #settle: { resolve(): void; reject(error: unknown): void };

  constructor(
    id: number,
    query: LiveQuestion,
    sessionToken: string | undefined,
    close: (subscription: Subscription<T>) => Promise<void>,
  ) {
    this.id = id;
    this.query = query;
    this.sessionToken = sessionToken;
    this.#close = close;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.subscribePromise = promise;
    this.#settle = { resolve, reject };
    // Whoever does not wait for it listens to "error" instead.
    promise.catch(() => undefined);
  }

  on<E extends SubscriptionEvent>(event: E, listener: Listener<T, E>): this {
    this.#listeners[event].add(listener);
    return this;
  }

  off<E extends SubscriptionEvent>(event: E, listener: Listener<T, E>): this {
    this.#listeners[event].delete(listener);
    return this;
  }

  /** Ends it; `close` is the last event. */
  unsubscribe(): Promise<void> {
    return this.#close(this);
  }

  _emit<E extends SubscriptionEvent>(event: E, ...args: SubscriptionEvents<T>[E]): void {
    for (const listener of [...this.#listeners[event]]) listener(...args);
  }

  _confirm(): void {
    this.#settle.resolve();
  }

  _refuse(error: unknown): void {
    this.#settle.reject(error);
  }
}
