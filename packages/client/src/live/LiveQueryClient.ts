import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { type Clock, systemClock } from "../connection.ts";
import { Emitter } from "../emitter.ts";
import type { AnyObject } from "../object/AnyObject.ts";
import { objects } from "../object/registry.ts";
import { type SubscribableQuery, Subscription } from "./Subscription.ts";

/** The server to connect to, and the application's credentials. */
export interface LiveQueryClientOptions {
  applicationId: string;
  /** Starts with ws. */
  serverURL: string;
  javascriptKey?: string | undefined;
  masterKey?: string | undefined;
  sessionToken?: string | undefined;
  installationId?: string | undefined;
  clock?: Clock;
}

/**
 * closed: not opened yet, closed manually or permanently rejected; reconnecting: the connection was lost
 * and is retried with backoff.
 */
export type LiveQueryState = "closed" | "connecting" | "open" | "reconnecting";

export interface LiveQueryClientEvents {
  open: [];
  close: [];
  error: [error: unknown];
  state: [state: LiveQueryState];
}
type ClientEvent = keyof LiveQueryClientEvents;

/** waiting: the connection was lost and reopens after a backoff. */
type State =
  | { name: "closed" }
  | { name: "opening"; socket: WebSocket; isReconnect: boolean }
  | { name: "connected"; socket: WebSocket; connectedAt: number }
  | { name: "waiting"; backoff: AbortController };

/** After a connection of this length the backoff starts at its minimum again. */
const STABLE_AFTER_MS = 5_000;

/** The code of a socket that the server closes because it restarts. */
const RESTART = 1012;

/** Error codes after which reconnecting is useless: wrong keys, no permission, no session. */
const FINAL_CODES: ReadonlySet<unknown> = new Set([
  4,
  ErrorCode.OPERATION_FORBIDDEN,
  ErrorCode.INVALID_SESSION_TOKEN,
]);

/**
 * A connection to a live query server. After a failure it reconnects after a random part of 1, 3, 7 …
 * at most 30 seconds, or once the device is online again, and resubscribes to everything from the position
 * of the interruption.
 */
export class LiveQueryClient {
  readonly #options: LiveQueryClientOptions;
  readonly #clock: Clock;
  readonly #subscriptions = new Map<number, Subscription<AnyObject>>();
  readonly #events = new Emitter<LiveQueryClientEvents>();
  #state: State = { name: "closed" };
  #nextRequestId = 1;
  #failures = 0;
  #sendInstallationId = true;

  /** Throws if the URL does not start with ws. */
  constructor(options: LiveQueryClientOptions) {
    if (!options.serverURL?.startsWith("ws")) {
      throw new Error("You need to set a proper Parse LiveQuery server url before using LiveQueryClient");
    }
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  on<E extends ClientEvent>(event: E, listener: (...args: LiveQueryClientEvents[E]) => void): this {
    this.#events.on(event, listener);
    return this;
  }

  once<E extends ClientEvent>(event: E, listener: (...args: LiveQueryClientEvents[E]) => void): this {
    this.#events.once(event, listener);
    return this;
  }

  off<E extends ClientEvent>(event: E, listener: (...args: LiveQueryClientEvents[E]) => void): this {
    this.#events.off(event, listener);
    return this;
  }

  /** Removes the listeners of one event, or of all. */
  removeAllListeners(event?: ClientEvent): this {
    this.#events.removeAll(event);
    return this;
  }

  get state(): LiveQueryState {
    const state = this.#state;
    if (state.name === "closed") return "closed";
    if (state.name === "connected") return "open";
    return state.name === "opening" && !state.isReconnect ? "connecting" : "reconnecting";
  }

  #setState(state: State): void {
    const before = this.state;
    this.#state = state;
    if (this.state !== before) this.#events.emit("state", this.state);
  }

  /** Whether `open` would open a connection. */
  shouldOpen(): boolean {
    return this.#state.name === "closed";
  }

  /** Opens the connection; cancels a pending backoff. */
  open(): void {
    const state = this.#state;
    if (state.name === "opening" || state.name === "connected") return;
    if (state.name === "waiting") state.backoff.abort();
    const socket = new WebSocket(this.#options.serverURL);
    this.#setState({ name: "opening", socket, isReconnect: state.name === "waiting" });
    socket.onopen = () => this.#send(this.#connectMessage());
    const ready = objects().loadValues();
    socket.onmessage = ({ data }) => {
      const receive = (): void => {
        if (this.#isCurrent(socket)) this.#handleMessage(String(data));
      };
      ready.then(receive, (error) => this.#events.emit("error", error));
    };
    socket.onclose = ({ code }) => this.#handleDisconnect(socket, code === RESTART);
    // A close event always follows and starts the next attempt.
    socket.onerror = () => {
      const error = new Error(`No connection to ${this.#options.serverURL}`);
      if (this.#isCurrent(socket)) this.#events.emit("error", error);
    };
  }

  #isCurrent(socket: WebSocket): boolean {
    return "socket" in this.#state && this.#state.socket === socket;
  }

  /** Closes the connection and all subscriptions. */
  close(): void {
    this.#disconnect(new Error("The live query was closed before the server confirmed it"));
  }

  #disconnect(reason: unknown): void {
    const state = this.#state;
    if (state.name === "closed") return;
    this.#setState({ name: "closed" });
    this.#failures = 0;
    if (state.name === "waiting") state.backoff.abort();
    else state.socket.close();
    for (const subscription of [...this.#subscriptions.values()])
      this.#removeSubscription(subscription, reason);
    this.#events.emit("close");
  }

  /** Subscribes as soon as there is a connection. */
  subscribe<T extends AnyObject>(query: SubscribableQuery, sessionToken?: string): Subscription<T> {
    const id = this.#nextRequestId;
    this.#nextRequestId += 1;
    const subscription = new Subscription<T>(id, query, sessionToken, (closed) => this.unsubscribe(closed));
    // The objects of an event are of the query's class, which the map's type cannot express.
    this.#subscriptions.set(id, subscription as unknown as Subscription<AnyObject>);
    if (this.#state.name === "connected") this.#sendSubscription(subscription);
    else if (this.#state.name === "closed") this.open();
    return subscription;
  }

  async unsubscribe<T extends AnyObject>(subscription: Subscription<T>): Promise<void> {
    if (!this.#subscriptions.has(subscription.id)) return;
    if (this.#state.name === "connected") this.#send({ op: "unsubscribe", requestId: subscription.id });
    this.#removeSubscription(
      subscription,
      new Error("The live query was closed before the server confirmed it"),
    );
  }

  #removeSubscription<T extends AnyObject>(subscription: Subscription<T>, reason: unknown): void {
    this.#subscriptions.delete(subscription.id);
    subscription.subscribed = false;
    // Has no effect on confirmed subscriptions.
    subscription._reject(reason);
    subscription._emit("close");
  }

  /** Resubscribes to everything, as after a lost connection. */
  resubscribe(): void {
    for (const subscription of this.#subscriptions.values()) this.#sendSubscription(subscription);
  }

  #sendSubscription<T extends AnyObject>(subscription: Subscription<T>): void {
    const { id, query, sessionToken } = subscription;
    const { where = {}, keys, watch } = query.toJSON();
    const queryJson: JsonObject = { className: query.className, where };
    if (typeof keys === "string") queryJson.fields = keys.split(",");
    if (typeof watch === "string") queryJson.watch = watch.split(",");
    const token = sessionToken ?? this.#options.sessionToken;
    const message: JsonObject = { op: "subscribe", requestId: id, query: queryJson };
    if (token) message.sessionToken = token;
    if (subscription._position !== undefined) message.resumeFrom = subscription._position;
    if (subscription._binding !== undefined) message.binding = subscription._binding;
    subscription.subscribed = false;
    this.#send(message);
  }

  #connectMessage(): JsonObject {
    const { applicationId, javascriptKey, masterKey, sessionToken, installationId } = this.#options;
    const message: JsonObject = { op: "connect", applicationId };
    if (javascriptKey) message.javascriptKey = javascriptKey;
    if (masterKey) message.masterKey = masterKey;
    if (sessionToken) message.sessionToken = sessionToken;
    if (installationId && this.#sendInstallationId) message.installationId = installationId;
    return message;
  }

  #send(message: JsonObject): void {
    const state = this.#state;
    if ("socket" in state && state.socket.readyState === WebSocket.OPEN) {
      state.socket.send(JSON.stringify(message));
    }
  }

  #handleMessage(text: string): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      this.#events.emit("error", new Error("The live query server sent something that is not JSON"));
      return;
    }
    if (!isJsonObject(message)) return;
    if (message.op === "connected") this.#handleConnected();
    else if (message.op === "error") this.#handleError(message);
    else this.#handleEvent(message);
  }

  #handleConnected(): void {
    if (this.#state.name !== "opening") return;
    const { socket } = this.#state;
    this.#setState({ name: "connected", socket, connectedAt: this.#clock.now() });
    this.resubscribe();
    this.#events.emit("open");
  }

  #handleError(message: JsonObject): void {
    const text =
      typeof message.error === "string" ? message.error : "The live query server refused the request";
    const error = new ProtocolError(typeof message.code === "number" ? message.code : -1, text);
    if (message.requestId !== undefined) {
      this.#handleSubscriptionError(Number(message.requestId), error);
      return;
    }
    this.#events.emit("error", error);
    if (text.includes("Additional properties not allowed")) this.#sendInstallationId = false;
    else if (this.#state.name === "opening" && message.reconnect === false && FINAL_CODES.has(error.code))
      this.#disconnect(error);
  }

  /** An error of one subscription: it was rejected, its session ended, or an event could not be delivered. */
  #handleSubscriptionError(id: number, error: ProtocolError): void {
    const subscription = this.#subscriptions.get(id);
    if (!subscription) return;
    if (subscription.subscribed && error.code !== ErrorCode.INVALID_SESSION_TOKEN) {
      subscription._emit("error", error);
      return;
    }
    this.#subscriptions.delete(id);
    subscription.subscribed = false;
    subscription._reject(error);
    defer(() => {
      subscription._emit("error", error);
      subscription._emit("close");
    });
  }

  #handleEvent(message: JsonObject): void {
    const subscription = this.#subscriptions.get(Number(message.requestId));
    if (!subscription) return;
    if (typeof message.position === "string") subscription._position = message.position;
    if (typeof message.binding === "string") subscription._binding = message.binding;
    if (message.op === "refetch") {
      subscription._emit("refetch");
      return;
    }
    if (message.op === "subscribed") {
      subscription.subscribed = true;
      subscription._resolve();
      defer(() => subscription._emit("open", message));
      return;
    }
    if (!isObjectJson(message.object)) return;
    const object = objects().fromJSON(message.object);
    const meta = { clientId: message.clientId, installationId: message.installationId };
    const original = isObjectJson(message.original)
      ? objects().detachedFromJSON(message.original)
      : undefined;
    for (const key of Object.keys(message.original ?? {})) {
      if (!Object.hasOwn(message.object, key)) object._forget(key);
    }
    switch (message.op) {
      case "create":
      case "delete":
        subscription._emit(message.op, object, meta);
        break;
      case "update":
      case "enter":
      case "leave":
        if (original) subscription._emit(message.op, object, original, meta);
        else subscription._emit(message.op, object, meta);
    }
  }

  #handleDisconnect(socket: WebSocket, isRestart: boolean): void {
    const state = this.#state;
    if (!this.#isCurrent(socket)) return;
    if (state.name === "connected" && this.#clock.now() - state.connectedAt >= STABLE_AFTER_MS)
      this.#failures = 0;
    const backoff = new AbortController();
    this.#setState({ name: "waiting", backoff });
    this.#failures += 1;
    this.#events.emit("close");
    for (const subscription of [...this.#subscriptions.values()]) {
      if (subscription.subscribed) subscription._emit("close");
      subscription.subscribed = false;
    }
    // A listener may have opened or closed the connection by now.
    if (backoff.signal.aborted) return;
    // A server that restarts closes its sockets in portions, when another process is ready.
    const ms = isRestart ? 0 : this.#clock.random() * Math.min(30, 2 ** this.#failures - 1) * 1_000;
    const isReconnect = (): void => {
      if (!backoff.signal.aborted) this.open();
    };
    // The backoff is aborted when the connection is opened or closed manually.
    whenOnline(isReconnect, backoff.signal);
    this.#clock.sleep(ms, backoff.signal).then(isReconnect, () => undefined);
  }
}

/** Calls back when the browser reports that the device is online, until the signal is aborted. */
function whenOnline(callback: () => void, signal: AbortSignal): void {
  if (typeof globalThis.addEventListener !== "function") return;
  globalThis.addEventListener("online", callback, { signal });
}

/** Runs the task later, so that a caller who awaited the subscription can add listeners first. */
function defer(task: () => void): void {
  setTimeout(task, 0);
}

function isObjectJson(json: JsonValue | undefined): json is JsonObject & { className: string } {
  return isJsonObject(json) && typeof json.className === "string";
}
