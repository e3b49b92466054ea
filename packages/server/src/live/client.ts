import { randomUUID } from "node:crypto";
import {
  assertClassName,
  CLIENT_JSON,
  ErrorCode,
  isJsonObject,
  type JsonLimits,
  type JsonObject,
  type JsonValue,
  MAX_INSTALLATION_ID_LENGTH,
  MAX_KEYS,
  MAX_REQUEST_ID_LENGTH,
  ProtocolError,
  parseJson,
  parsePath,
  parseWhere,
} from "@purse/protocol";
import type { WebSocket } from "ws";
import { addressKey } from "../http/address.ts";
import type { Log } from "../observe/log.ts";
import type { LiveConnectionFacts } from "./connectionEvent.ts";
import { MessageAllowance, messageCost } from "./messageAllowance.ts";
import type { Subscription } from "./subscriptions.ts";
import type { TurnBudget } from "./turnBudget.ts";

export interface ClientLimits {
  /** Subscriptions of one socket. */
  maxSubscriptions: number;
  /** Bytes that may wait for a slow reader before it is cut off. */
  maxBufferedBytes: number;
  /** Messages that a socket may send at once, and, after those, per second; long ones count as several. */
  messageBurst: number;
  messagesPerSecond: number;
  /** How long a socket may stay without `connect`, in ms. */
  connectTimeoutMs: number;
}

/** What happens to a connection, for whoever observes them. */
export interface ClientEvent {
  client: LiveClient;
  event: LiveConnectionFacts["event"];
  sessionToken: string | undefined;
  error?: string;
}

export interface ClientParts {
  appId: string;
  /** Whether a key is the master key and may be used from this address. */
  isMasterKey(key: string, ip: string): boolean;
  /** Whether a client may connect. Rejects with ProtocolError to refuse it. */
  admit(client: LiveClient, sessionToken: string | undefined): Promise<void>;
  /** The query that a client follows when it asks for one: cloud code may change it. Rejects to refuse. */
  amend(
    client: LiveClient,
    sessionToken: string | undefined,
    className: string,
    query: JsonObject,
  ): Promise<JsonObject>;
  /**
   * Judges and enters a subscription, with what it missed. Calls `entered` at the moment from which on its
   * events are told. Throws ProtocolError.
   */
  subscribe(subscription: Subscription, entered: (position: string) => void): Promise<void>;
  unsubscribe(subscription: Subscription): void;
  /** What the sockets of the client's address may send together. */
  addressAllowance: MessageAllowance;
  /** What the messages of all sockets may take of one turn of the event loop. */
  turns: TurnBudget;
  /** Called for what happens to the connection; it must not throw. */
  onEvent(event: ClientEvent): void;
  now(): number;
  log: Log;
  limits: ClientLimits;
}

/** How much a message may hold: a where with a list of 20,000 strings. */
const MESSAGE_JSON: JsonLimits = { ...CLIENT_JSON, nodes: 25_000, values: 50_000 };
const CLOSE_POLICY = 1008;
const CLOSE_TRY_AGAIN = 1013;
/** How long a reader that is cut off may take to hear of it, in ms. */
const CUT_OFF_MS = 1_000;

/** One WebSocket of a client of the live query protocol, with what it subscribes to. */
export class LiveClient {
  readonly id = randomUUID();
  readonly ip: string;
  /** What limits count it by. */
  readonly address: string;
  installationId: string | undefined;
  /** Whether it showed the master key. */
  master = false;
  /** Answered the last ping. */
  alive = true;
  readonly subscriptions = new Map<number | string, Subscription>();

  readonly #socket: WebSocket;
  readonly #parts: ClientParts;
  readonly #connectTimer: NodeJS.Timeout;
  #connected = false;
  #sessionToken: string | undefined;
  #work: Promise<void> = Promise.resolve();
  readonly #allowance: MessageAllowance;

  constructor(socket: WebSocket, ip: string, parts: ClientParts) {
    this.#socket = socket;
    this.ip = ip;
    this.address = addressKey(ip);
    this.#parts = parts;
    const { messageBurst: burst, messagesPerSecond: perSecond } = parts.limits;
    this.#allowance = new MessageAllowance({ burst, perSecond }, parts.now());
    this.#connectTimer = setTimeout(
      () => this.close(CLOSE_POLICY, "connect was not sent"),
      parts.limits.connectTimeoutMs,
    );
    this.#connectTimer.unref();
    socket.on("message", (data, isBinary) => this.#receive(isBinary ? undefined : data.toString()));
    socket.on("pong", () => {
      this.alive = true;
    });
    socket.on("error", (error) => {
      parts.log.debug("live query socket failed", { clientId: this.id, error: error.message });
      this.#emit("ws_disconnect_error", { error: error.message });
    });
    socket.on("close", () => this.#leave());
    this.#emit("ws_connect");
  }

  /** Sends a message; a reader that is too slow to take it is cut off. */
  send(text: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#socket.bufferedAmount > this.#parts.limits.maxBufferedBytes) {
      this.#parts.log.warn("live query client reads too slowly and was cut off", { clientId: this.id });
      this.close(CLOSE_TRY_AGAIN, "reads too slowly");
      setTimeout(() => this.terminate(), CUT_OFF_MS).unref();
      return;
    }
    this.#socket.send(text);
  }

  sendError(error: ProtocolError, requestId?: number | string): void {
    const { code, message } = error;
    this.send(
      JSON.stringify({ op: "error", clientId: this.id, requestId, code, error: message, reconnect: false }),
    );
  }

  /** Ends one subscription and says why. */
  end(subscription: Subscription, reason: ProtocolError): void {
    if (this.subscriptions.get(subscription.requestId) !== subscription) return;
    this.#drop(subscription);
    this.sendError(reason, subscription.requestId);
  }

  /** Ends what belongs to a session that is over; the socket too, where it was opened by that session. */
  endSession(subscription: Subscription, reason: ProtocolError): void {
    this.end(subscription, reason);
    if (this.#sessionToken === undefined || subscription.sessionToken !== this.#sessionToken) return;
    for (const other of [...this.subscriptions.values()]) {
      if (other.sessionToken === this.#sessionToken) this.end(other, reason);
    }
    if (this.subscriptions.size === 0) this.close(CLOSE_POLICY, "the session ended");
  }

  /** Says that changes may have been missed: whoever follows them asks anew. */
  sendRefetch({ requestId }: Subscription, position: string): void {
    this.send(JSON.stringify({ op: "refetch", clientId: this.id, requestId, position }));
  }

  ping(): void {
    if (!this.alive) {
      this.terminate();
      return;
    }
    this.alive = false;
    this.#socket.ping();
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  #leave(): void {
    clearTimeout(this.#connectTimer);
    for (const subscription of [...this.subscriptions.values()]) this.#drop(subscription);
    this.#emit("ws_disconnect");
  }

  #emit(event: ClientEvent["event"], more: Partial<Pick<ClientEvent, "error" | "sessionToken">> = {}): void {
    this.#parts.onEvent({ client: this, event, sessionToken: this.#sessionToken, ...more });
  }

  #drop(subscription: Subscription): void {
    this.subscriptions.delete(subscription.requestId);
    this.#parts.unsubscribe(subscription);
  }

  #receive(text: string | undefined): void {
    const cost = messageCost(text?.length ?? 0);
    const now = this.#parts.now();
    if (!this.#allowance.take(cost, now) || !this.#parts.addressAllowance.take(cost, now)) {
      this.close(CLOSE_POLICY, "too many messages");
      return;
    }
    // One after another: an unsubscribe may not overtake the subscribe before it.
    this.#work = this.#work.then(async () => {
      await this.#parts.turns.take(cost);
      await this.#handle(text);
    });
  }

  async #handle(text: string | undefined): Promise<void> {
    let message: JsonObject | undefined;
    try {
      message = parseMessage(text);
      await this.#answer(message);
    } catch (error) {
      this.#tellOf(error, message && requestIdOf(message));
    }
  }

  #tellOf(error: unknown, requestId: number | string | undefined): void {
    const known = error instanceof ProtocolError;
    if (!known) this.#parts.log.error("live query message failed", { clientId: this.id, error });
    this.sendError(
      known ? error : new ProtocolError(ErrorCode.INTERNAL_SERVER_ERROR, "Internal server error"),
      requestId,
    );
  }

  async #answer(message: JsonObject): Promise<void> {
    if (message.op === "connect") return this.#connect(message);
    if (!this.#connected) throw new ProtocolError(ErrorCode.NOT_INITIALIZED, "connect comes first");
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
    const refusal = this.#refusalOf(message);
    if (refusal) {
      this.sendError(new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, refusal));
      this.close(CLOSE_POLICY, refusal);
      return;
    }
    this.master = textOf(message.masterKey) !== undefined;
    this.#sessionToken = textOf(message.sessionToken);
    // It comes back with every event: no longer than such ids are.
    this.installationId = textOf(message.installationId)?.slice(0, MAX_INSTALLATION_ID_LENGTH);
    try {
      await this.#parts.admit(this, this.#sessionToken);
    } catch (error) {
      this.#tellOf(error, undefined);
      this.close(CLOSE_POLICY, "refused");
      return;
    }
    this.#connected = true;
    clearTimeout(this.#connectTimer);
    this.send(JSON.stringify({ op: "connected", clientId: this.id, installationId: this.installationId }));
    this.#emit("connect");
  }

  #refusalOf(message: JsonObject): string | undefined {
    const masterKey = textOf(message.masterKey);
    if (message.applicationId !== this.#parts.appId) return "unauthorized: unknown application id";
    if (masterKey !== undefined && !this.#parts.isMasterKey(masterKey, this.ip))
      return "unauthorized: master key";
    return undefined;
  }

  async #subscribe(message: JsonObject): Promise<void> {
    const { requestId, query: asked } = message;
    if (typeof requestId !== "number" && typeof requestId !== "string") throw invalid("requestId is missing");
    if (String(requestId).length > MAX_REQUEST_ID_LENGTH) {
      throw invalid(`requestId takes ${MAX_REQUEST_ID_LENGTH} characters at most`);
    }
    if (!isJsonObject(asked)) throw invalid("query is missing");
    const { className } = asked;
    assertClassName(className);
    const sessionToken = textOf(message.sessionToken) ?? this.#sessionToken;
    const query = await this.#parts.amend(this, sessionToken, className, asked);
    const { where = {} } = query;
    const replaced = this.subscriptions.get(requestId);
    if (!replaced && this.subscriptions.size >= this.#parts.limits.maxSubscriptions) {
      const most = this.#parts.limits.maxSubscriptions;
      throw new ProtocolError(
        ErrorCode.REQUEST_LIMIT_EXCEEDED,
        `a socket can have ${most} subscriptions at most`,
      );
    }
    const subscription: Subscription = {
      client: this,
      requestId,
      className,
      where: parseWhere(where),
      whereText: JSON.stringify(where),
      sessionToken,
      resumeFrom: textOf(message.resumeFrom),
      told: 0,
      fields: fieldsOf(query.keys ?? query.fields, "fields"),
      watch: fieldsOf(query.watch, "watch"),
    };
    await this.#parts.subscribe(subscription, (position) => {
      // The socket may have been closed while the subscription was judged.
      if (this.#socket.readyState !== this.#socket.OPEN) return this.#parts.unsubscribe(subscription);
      if (replaced) this.#drop(replaced);
      this.subscriptions.set(requestId, subscription);
      const { installationId } = this;
      this.send(JSON.stringify({ op: "subscribed", clientId: this.id, requestId, installationId, position }));
      this.#emit("subscribe", { sessionToken });
    });
  }

  #unsubscribe(message: JsonObject): void {
    const requestId = requestIdOf(message);
    const subscription = requestId === undefined ? undefined : this.subscriptions.get(requestId);
    if (!subscription) throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "there is no such subscription");
    this.#drop(subscription);
    this.send(JSON.stringify({ op: "unsubscribed", clientId: this.id, requestId }));
    this.#emit("unsubscribe", { sessionToken: subscription.sessionToken });
  }
}

function parseMessage(text: string | undefined): JsonObject {
  try {
    const message = parseJson(text ?? "", MESSAGE_JSON);
    if (isJsonObject(message)) return message;
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    // Answered below, as for any other text that is no message.
  }
  throw new ProtocolError(ErrorCode.INVALID_JSON, "a message must be a JSON object");
}

function requestIdOf({ requestId }: JsonObject): number | string | undefined {
  return typeof requestId === "number" || typeof requestId === "string" ? requestId : undefined;
}

function fieldsOf(value: JsonValue | undefined, name: string): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  // Queries that cloud code has made say their fields with commas.
  const list: JsonValue = typeof value === "string" ? value.split(",", MAX_KEYS + 1) : value;
  if (!Array.isArray(list)) throw invalid(`${name} must be an array of field names`);
  if (list.length > MAX_KEYS) throw invalid(`${name} takes ${MAX_KEYS} names at most`);
  const fields = list.map((field: unknown) => {
    if (typeof field !== "string") throw invalid(`${name} must be an array of field names`);
    return parsePath(field)[0];
  });
  return fields.length > 0 ? [...new Set(fields)].sort() : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_QUERY, message);
}
