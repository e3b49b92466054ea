import type { JsonObject } from "@purse/protocol";
import { Emitter } from "../emitter.ts";
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

/** The name of an event of a live query. */
export type SubscriptionEvent = keyof SubscriptionEvents<unknown>;
type Listener<T, E extends SubscriptionEvent> = (...args: SubscriptionEvents<T>[E]) => void;

/** An open live query. */
export class Subscription<T extends AnyObject = AnyObject> {
  readonly id: number;
  readonly query: LiveQuestion;
  readonly sessionToken: string | undefined;
  /** Whether the server tells of changes now; false while the connection is lost. */
  subscribed = false;
  /** Settles when the server confirmed the subscription, or refused it. */
  readonly subscribePromise: Promise<void>;
  readonly #events = new Emitter<SubscriptionEvents<T>>();
  /** Where the last message stands among the changes; the server tells from there on after a lost connection. */
  _position: string | undefined;
  readonly #close: (subscription: Subscription<T>) => Promise<void>;
  #resolve = (): void => {};
  #reject = (_error: unknown): void => {};

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
    this.subscribePromise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Whoever does not wait for it listens to "error" instead.
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

  /** `off` by its old name. */
  removeListener<E extends SubscriptionEvent>(event: E, listener: Listener<T, E>): this {
    return this.off(event, listener);
  }

  /** Of one event, or all. */
  removeAllListeners(event?: SubscriptionEvent): this {
    this.#events.removeAll(event);
    return this;
  }

  /** Ends it; `close` is the last event. */
  unsubscribe(): Promise<void> {
    return this.#close(this);
  }

  _emit<E extends SubscriptionEvent>(event: E, ...args: SubscriptionEvents<T>[E]): void {
    this.#events.emit(event, ...args);
  }

  _confirm(): void {
    this.#resolve();
  }

  _refuse(error: unknown): void {
    this.#reject(error);
  }
}
