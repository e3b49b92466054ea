import { randomUUID } from "node:crypto";
import {
  assertClassName,
  ErrorCode,
  isJsonObject,
  type JsonObject,
  MAX_INSTALLATION_ID_LENGTH,
  MAX_REQUEST_ID_LENGTH,
  ProtocolError,
  parseWhere,
} from "@purse/protocol";
import { addressKey } from "../core/http/address.ts";
import type { Logger } from "../core/logger.ts";
import { operationForbidden } from "../core/operationForbidden.ts";
import type { LiveConnectionEvent } from "../data/objects/liveTriggers.ts";
import type { LiveSocket } from "./liveSocket.ts";
import { fieldsOf, invalid, parseMessage, requestIdOf, stringField } from "./messageFields.ts";
import type { SharedText } from "./sharedText.ts";
import { CLOSE_POLICY_VIOLATION, type SocketGuard } from "./socketGuard.ts";
import type { Subscriber, Subscription } from "./subscriptions.ts";
import { CLOSE_TRY_AGAIN, isTemporary, TRY_AGAIN } from "./temporaryErrors.ts";

export interface ClientLimits {
  /** Maximum number of subscriptions of one socket. */
  maxSubscriptions: number;
  /** How long a socket may stay open without `connect`, in ms. */
  connectTimeoutMs: number;
}

/** A connection event, for observers. */
export interface ClientEvent {
  client: LiveClient;
  event: LiveConnectionEvent["event"];
  sessionToken: string | undefined;
  error?: string;
}

export interface ClientDependencies {
  appId: string;
  /** Whether a key is the master key and may be used from this address. */
  isMasterKey(key: string, ip: string): boolean;
  /** Checks whether a client may connect. Rejects with ProtocolError. */
  authenticate(client: LiveClient, sessionToken: string | undefined): Promise<void>;
  /** Returns the query to subscribe to: cloud code may change it. Rejects with ProtocolError. */
  rewriteQuery(
    client: LiveClient,
    sessionToken: string | undefined,
    className: string,
    query: JsonObject,
    requestId: number | string,
  ): Promise<JsonObject>;
  /**
   * Authorizes and activates a subscription, and replays missed events. Calls `onSubscribed` when its events start.
   * Rejects with ProtocolError.
   */
  subscribe(subscription: Subscription, onSubscribed: (position: string) => void): Promise<void>;
  unsubscribe(subscription: Subscription): void;
  guard: SocketGuard;
  /** Whether the messages of the socket have been counted already, in the protocol that it has on the network. */
  isCounted: boolean;
  /** Called for every connection event; must not throw. */
  onEvent(event: ClientEvent): void;
  logger: Logger;
  limits: ClientLimits;
}

/** What the query of a subscription may consist of; `fields` is the name of `keys` in older SDKs. */
const QUERY_MEMBERS: ReadonlySet<string> = new Set(["className", "where", "keys", "fields", "watch"]);
/** As in Parse Server. The SDKs know the text: they connect again without what older servers do not know. */
const UNKNOWN_MEMBER = new ProtocolError(
  ErrorCode.INTERNAL_SERVER_ERROR,
  "Additional properties not allowed",
);

/** One WebSocket of a live query client, with its subscriptions. */
export class LiveClient implements Subscriber {
  readonly id = randomUUID();
  readonly ip: string;
  /** The key under which limits count it. */
  readonly address: string;
  installationId: string | undefined;
  /** Whether it sent the master key. */
  hasMasterKey = false;
  /** Whether it answered the last ping. */
  isAlive = true;
  readonly subscriptions = new Map<number | string, Subscription>();

  readonly #socket: LiveSocket;
  readonly #dependencies: ClientDependencies;
  readonly #connectTimer: NodeJS.Timeout;
  #isConnected = false;
  #sessionToken: string | undefined;
  #queue: Promise<void> = Promise.resolve();

  constructor(socket: LiveSocket, ip: string, dependencies: ClientDependencies) {
    this.#socket = socket;
    this.ip = ip;
    this.address = addressKey(ip);
    this.#dependencies = dependencies;
    this.#connectTimer = setTimeout(
      () => this.close(CLOSE_POLICY_VIOLATION, "connect was not sent"),
      dependencies.limits.connectTimeoutMs,
    );
    this.#connectTimer.unref();
    socket.on("message", (data, isBinary) => this.#receive(isBinary ? undefined : data.toString()));
    socket.on("pong", () => {
      this.isAlive = true;
    });
    socket.on("error", (error) => {
      dependencies.logger.debug("live query socket failed", { clientId: this.id, error: error.message });
      this.#emit("ws_disconnect_error", { error: error.message });
    });
    socket.on("close", () => this.#onClose());
    this.#emit("ws_connect");
  }

  /** Sends a message; disconnects a client that reads too slowly. */
  send(text: string): void {
    this.#dependencies.guard.send(text);
  }

  /** Like `send`, for a message with an end that is the same for many clients, which share its bytes. */
  sendEvent(head: string, tail: SharedText): void {
    this.#dependencies.guard.sendEvent(head, tail);
  }

  /** Sends an error; with `reconnect`, the SDKs open a new connection. */
  sendError(error: ProtocolError, requestId?: number | string, { reconnect = false } = {}): void {
    const { code, message } = error;
    this.send(JSON.stringify({ op: "error", clientId: this.id, requestId, code, error: message, reconnect }));
  }

  /** Ends one subscription with an error. */
  endSubscription(subscription: Subscription, reason: ProtocolError): void {
    if (this.subscriptions.get(subscription.requestId) !== subscription) return;
    this.#removeSubscription(subscription);
    this.sendError(reason, subscription.requestId);
  }

  /** Ends the subscriptions of a session that has ended; closes the socket if that session opened it. */
  endSession(subscription: Subscription, reason: ProtocolError): void {
    this.endSubscription(subscription, reason);
    if (this.#sessionToken === undefined || subscription.sessionToken !== this.#sessionToken) return;
    for (const sibling of [...this.subscriptions.values()]) {
      if (sibling.sessionToken === this.#sessionToken) this.endSubscription(sibling, reason);
    }
    if (this.subscriptions.size === 0) this.close(CLOSE_POLICY_VIOLATION, "the session ended");
  }

  /** Notifies the client that it may have missed changes and has to query again. */
  sendRefetch({ requestId, binding }: Subscription, position: string): void {
    this.send(JSON.stringify({ op: "refetch", clientId: this.id, requestId, position, binding }));
  }

  ping(): void {
    if (!this.isAlive) {
      this.terminate();
      return;
    }
    this.isAlive = false;
    this.#socket.ping();
  }

  /** Once it is being closed, its messages are not handled anymore. */
  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  #onClose(): void {
    clearTimeout(this.#connectTimer);
    for (const subscription of [...this.subscriptions.values()]) this.#removeSubscription(subscription);
    this.#emit("ws_disconnect");
  }

  #emit(
    event: ClientEvent["event"],
    details: Partial<Pick<ClientEvent, "error" | "sessionToken">> = {},
  ): void {
    this.#dependencies.onEvent({ client: this, event, sessionToken: this.#sessionToken, ...details });
  }

  #removeSubscription(subscription: Subscription): void {
    this.subscriptions.delete(subscription.requestId);
    this.#dependencies.unsubscribe(subscription);
  }

  #receive(text: string | undefined): void {
    const { guard, isCounted } = this.#dependencies;
    const chars = text?.length ?? 0;
    if (!this.#isOpen || (!isCounted && !guard.admit(chars))) return;
    // Sequentially: an unsubscribe must not overtake the subscribe before it.
    this.#queue = this.#queue.then(async () => {
      if (!isCounted && this.#isOpen) await guard.turn(chars);
      if (this.#isOpen) await this.#process(text);
    });
  }

  async #process(text: string | undefined): Promise<void> {
    let message: JsonObject | undefined;
    try {
      message = parseMessage(text);
      await this.#handleMessage(message);
    } catch (error) {
      this.#sendFailure(error, message && requestIdOf(message));
    }
  }

  /** Sends the error of a message, or closes the socket if the message would succeed later. */
  #sendFailure(error: unknown, requestId: number | string | undefined): void {
    if (isTemporary(error)) {
      this.close(CLOSE_TRY_AGAIN, TRY_AGAIN);
      return;
    }
    const isExpected = error instanceof ProtocolError;
    if (!isExpected)
      this.#dependencies.logger.error("live query message failed", { clientId: this.id, error });
    this.sendError(
      isExpected ? error : new ProtocolError(ErrorCode.INTERNAL_SERVER_ERROR, "Internal server error"),
      requestId,
    );
  }

  async #handleMessage(message: JsonObject): Promise<void> {
    if (message.op === "connect") return this.#connect(message);
    if (!this.#isConnected)
      throw new ProtocolError(ErrorCode.NOT_INITIALIZED, "the first message must be connect");
    switch (message.op) {
      case "subscribe":
      case "update":
        return this.#subscribe(message);
      case "unsubscribe":
        return this.#unsubscribe(message);
      default:
        throw new ProtocolError(
          ErrorCode.COMMAND_UNAVAILABLE,
          `unknown op: ${String(message.op).slice(0, 64)}`,
        );
    }
  }

  async #connect(message: JsonObject): Promise<void> {
    const errorMessage = this.#connectError(message);
    if (errorMessage) {
      this.sendError(operationForbidden(errorMessage));
      this.close(CLOSE_POLICY_VIOLATION, errorMessage);
      return;
    }
    const hasMasterKey = stringField(message.masterKey) !== undefined;
    const sessionToken = stringField(message.sessionToken);
    // Subscriptions are grouped by the credentials that the socket had when they began.
    if (this.#isConnected && (hasMasterKey !== this.hasMasterKey || sessionToken !== this.#sessionToken)) {
      throw operationForbidden("the credentials of a socket cannot be changed: open another one");
    }
    this.hasMasterKey = hasMasterKey;
    this.#sessionToken = sessionToken;
    // It is repeated in every event, so it is limited to the length of such ids.
    this.installationId = stringField(message.installationId)?.slice(0, MAX_INSTALLATION_ID_LENGTH);
    try {
      await this.#dependencies.authenticate(this, this.#sessionToken);
    } catch (error) {
      this.#sendFailure(error, undefined);
      this.close(CLOSE_POLICY_VIOLATION, "refused");
      return;
    }
    this.#isConnected = true;
    clearTimeout(this.#connectTimer);
    this.send(JSON.stringify({ op: "connected", clientId: this.id, installationId: this.installationId }));
    this.#emit("connect");
  }

  #connectError(message: JsonObject): string | undefined {
    const masterKey = stringField(message.masterKey);
    if (message.applicationId !== this.#dependencies.appId) return "unauthorized: unknown application id";
    if (masterKey !== undefined && !this.#dependencies.isMasterKey(masterKey, this.ip))
      return "unauthorized: master key";
    return undefined;
  }

  async #subscribe(message: JsonObject): Promise<void> {
    const { requestId, query: requestedQuery } = message;
    if (typeof requestId !== "number" && typeof requestId !== "string") throw invalid("requestId is missing");
    if (String(requestId).length > MAX_REQUEST_ID_LENGTH) {
      throw invalid(`requestId takes ${MAX_REQUEST_ID_LENGTH} characters at most`);
    }
    if (!isJsonObject(requestedQuery)) throw invalid("query is missing");
    if (!Object.keys(requestedQuery).every((name) => QUERY_MEMBERS.has(name)))
      return this.sendError(UNKNOWN_MEMBER, requestId, { reconnect: true });
    const { className } = requestedQuery;
    assertClassName(className);
    const sessionToken = stringField(message.sessionToken) ?? this.#sessionToken;
    const query = await this.#dependencies.rewriteQuery(
      this,
      sessionToken,
      className,
      requestedQuery,
      requestId,
    );
    const { where = {} } = query;
    const replaced = this.subscriptions.get(requestId);
    if (!replaced && this.subscriptions.size >= this.#dependencies.limits.maxSubscriptions) {
      const max = this.#dependencies.limits.maxSubscriptions;
      throw new ProtocolError(
        ErrorCode.REQUEST_LIMIT_EXCEEDED,
        `a socket can have ${max} subscriptions at most`,
      );
    }
    const subscription: Subscription = {
      client: this,
      requestId,
      className,
      where: parseWhere(where),
      whereText: JSON.stringify(where),
      sessionToken,
      resumeFrom: stringField(message.resumeFrom),
      binding: stringField(message.binding),
      identity: "",
      deliveredPosition: 0,
      fields: fieldsOf(query.keys ?? query.fields, "fields"),
      watch: fieldsOf(query.watch, "watch"),
    };
    await this.#dependencies.subscribe(subscription, (position) => {
      // The socket may have been closed during authorization.
      if (!this.#isOpen) return this.#dependencies.unsubscribe(subscription);
      if (replaced) this.#removeSubscription(replaced);
      this.subscriptions.set(requestId, subscription);
      const { id: clientId, installationId } = this;
      const { binding } = subscription;
      this.send(JSON.stringify({ op: "subscribed", clientId, requestId, installationId, position, binding }));
      this.#emit("subscribe", { sessionToken });
    });
  }

  #unsubscribe(message: JsonObject): void {
    const requestId = requestIdOf(message);
    const subscription = requestId === undefined ? undefined : this.subscriptions.get(requestId);
    if (!subscription) throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "there is no such subscription");
    this.#removeSubscription(subscription);
    this.send(JSON.stringify({ op: "unsubscribed", clientId: this.id, requestId }));
    this.#emit("unsubscribe", { sessionToken: subscription.sessionToken });
  }
}
