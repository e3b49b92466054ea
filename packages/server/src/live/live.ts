import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type Condition, compileMatcher, ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import { WebSocketServer } from "ws";
import { ANONYMOUS, type Caller, MASTER, principalsOf, type RequestContext } from "../caller.ts";
import type { Change, ChangeListener } from "../objects/change.ts";
import type { Log } from "../observe/log.ts";
import { type ClientLimits, LiveClient } from "./client.ts";
import { ChangeView, canRead, changed, eventKind } from "./event.ts";
import { type Subscription, SubscriptionIndex } from "./subscriptions.ts";

/** Takes from, or adds to, an object on its way out (a copy that may be changed). */
export type Present = (object: JsonObject, request: RequestContext) => JsonObject | Promise<JsonObject>;

export interface LiveLimits extends ClientLimits {
  maxSockets: number;
  maxMessageBytes: number;
  /** How often sockets are pinged and sessions looked at again, in ms. */
  heartbeatMs: number;
  /** Changes that may wait to be told before clients are sent away to ask again. */
  maxBacklog: number;
}

export const DEFAULT_LIVE_LIMITS: LiveLimits = {
  maxSubscriptions: 500,
  maxBufferedBytes: 4 * 1024 * 1024,
  messageBurst: 1_500,
  messagesPerSecond: 100,
  connectTimeoutMs: 10_000,
  maxSockets: 20_000,
  maxMessageBytes: 256 * 1024,
  heartbeatMs: 30_000,
  maxBacklog: 20_000,
};

export interface LiveParts {
  appId: string;
  /** Whether a key is the master key and may be used from this address. */
  isMasterKey(key: string, ip: string): boolean;
  /** The caller that a session token stands for now. Rejects with 209 for one that is not valid (any more). */
  callerOf(sessionToken: string): Promise<Caller>;
  onChange(listener: ChangeListener): () => void;
  /** How objects of a class are shown to a caller; undefined where they are shown as they are. */
  presenter(className: string, texts?: readonly (string | null)[]): Present | undefined;
  /** What a caller gets to see of a class, beside ACLs; undefined for no such bound. */
  scope(className: string, request: RequestContext): Condition | undefined;
  /** Whether the class's permissions let a caller ask this: the same answer as for a query. */
  mayFind(caller: Caller, className: string, where: Condition): boolean | Promise<boolean>;
  /** Throws 102 on a regular expression that cannot be read. */
  regex(source: string, flags: string): (text: string) => boolean;
  log: Log;
  /** Milliseconds since the epoch. */
  clock?: { now(): number };
  limits?: Partial<LiveLimits>;
}

/** Live queries over WebSocket. */
export interface Live {
  /** Takes over an HTTP request that asks to become a WebSocket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** How many sockets are open. */
  size(): number;
  /** How many queries are subscribed to. */
  subscriptions(): number;
  stop(): Promise<void>;
}

/** Somebody among the subscribers: all subscriptions with the same credentials are one. */
interface Audience {
  view: ChangeView;
  reads: { before: boolean; after: boolean };
}

const CLOSE_GOING_AWAY = 1001;
const CLOSE_TRY_AGAIN = 1013;

export function createLive(parts: LiveParts): Live {
  const limits: LiveLimits = { ...DEFAULT_LIVE_LIMITS, ...parts.limits };
  const { log } = parts;
  const now = (): number => parts.clock?.now() ?? Date.now();
  const index = new SubscriptionIndex({ regex: parts.regex });
  const clients = new Set<LiveClient>();
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: limits.maxMessageBytes,
  });
  let backlog: Change[] = [];
  let telling = false;

  const stopListening = parts.onChange((change) => {
    if (!index.has(change.className)) return;
    backlog.push(change);
    if (backlog.length > limits.maxBacklog) return sendAway();
    if (!telling) void tellAll();
  });

  const heartbeat = setInterval(() => {
    for (const client of clients) client.ping();
    void endStaleSessions();
  }, limits.heartbeatMs);
  heartbeat.unref();

  return {
    upgrade(request, socket, head) {
      if (clients.size >= limits.maxSockets) {
        socket.end("HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        return;
      }
      sockets.handleUpgrade(request, socket, head, (webSocket) => {
        const client = new LiveClient(webSocket, request.socket.remoteAddress ?? "", {
          appId: parts.appId,
          isMasterKey: parts.isMasterKey,
          subscribe,
          unsubscribe: (subscription) => index.remove(subscription),
          now,
          log,
          limits,
        });
        clients.add(client);
        webSocket.on("close", () => clients.delete(client));
      });
    },
    size: () => clients.size,
    subscriptions() {
      let count = 0;
      for (const client of clients) count += client.subscriptions.size;
      return count;
    },
    async stop() {
      clearInterval(heartbeat);
      stopListening();
      backlog = [];
      for (const client of clients) client.close(CLOSE_GOING_AWAY, "the server stops");
      await Promise.race([allClosed(), new Promise((resolve) => setTimeout(resolve, 500).unref())]);
      for (const client of clients) client.terminate();
      sockets.close();
    },
  };

  async function allClosed(): Promise<void> {
    while (clients.size > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  async function subscribe(subscription: Subscription): Promise<void> {
    const { className, where } = subscription;
    if (mentionsRelation(where)) {
      throw new ProtocolError(ErrorCode.INVALID_QUERY, "$relatedTo is not supported in live queries");
    }
    const caller = await callerOf(subscription);
    if (!(await parts.mayFind(caller, className, where))) {
      throw new ProtocolError(
        ErrorCode.OPERATION_FORBIDDEN,
        `Permission denied for action find on class ${className}.`,
      );
    }
    index.add(subscription);
  }

  async function callerOf({ client, sessionToken }: Subscription): Promise<Caller> {
    if (client.master) return MASTER;
    return sessionToken === undefined ? ANONYMOUS : parts.callerOf(sessionToken);
  }

  async function tellAll(): Promise<void> {
    telling = true;
    for (let change = backlog.shift(); change; change = backlog.shift()) {
      try {
        await tell(change);
      } catch (error) {
        log.error("live query event failed", {
          className: change.className,
          objectId: change.objectId,
          error,
        });
      }
    }
    telling = false;
  }

  async function tell(change: Change): Promise<void> {
    const view = ChangeView.of(change);
    const present = parts.presenter(change.className, [change.before, change.after]);
    const audiences = new Map<string, Promise<Audience | undefined>>();
    for (const group of index.candidates(change.className, view.before, view.after)) {
      const was = view.before !== null && group.matches(view.before);
      const is = view.after !== null && group.matches(view.after);
      if (!was && !is) continue;
      for (const subscription of [...group.subscriptions]) {
        const key = subscription.client.master ? "master" : (subscription.sessionToken ?? "");
        // What may be asked depends on the where too, so that callers are judged per group.
        const judged = `${key} ${subscription.whereText}`;
        let audience = audiences.get(judged);
        if (!audience) {
          audience = audienceOf(change, view, present, subscription);
          audiences.set(judged, audience);
        }
        const found = await audience.catch((error: unknown) => endIfInvalid(subscription, error));
        if (found) tellOne(change, subscription, found, was, is);
      }
    }
  }

  async function audienceOf(
    change: Change,
    view: ChangeView,
    present: Present | undefined,
    subscription: Subscription,
  ): Promise<Audience | undefined> {
    const { className, objectId } = change;
    const { client, where } = subscription;
    const caller = await callerOf(subscription);
    if (!(await parts.mayFind(caller, className, where))) return undefined;
    const request: RequestContext = {
      caller,
      installationId: client.installationId,
      context: {},
      ip: client.ip,
      requestId: client.id,
    };
    const principals = principalsOf(caller);
    const scope = principals && parts.scope(className, request);
    const inScope = scope ? compileMatcher(scope, { regex: parts.regex }) : () => true;
    const readable = (object: JsonObject | null): boolean =>
      object !== null && canRead(object, principals) && inScope(object);
    const reads = { before: readable(view.before), after: readable(view.after) };
    if (!present) return { view, reads };
    const shown = async (object: JsonObject | null, readable: boolean): Promise<JsonObject | null> =>
      object && readable ? await present(structuredClone(object), request) : null;
    const own = new ChangeView(
      className,
      objectId,
      await shown(view.before, reads.before),
      await shown(view.after, reads.after),
    );
    return { view: own, reads };
  }

  function tellOne(
    change: Change,
    subscription: Subscription,
    audience: Audience,
    was: boolean,
    is: boolean,
  ): void {
    const { view, reads } = audience;
    // It may have been ended while its caller was judged.
    if (subscription.client.subscriptions.get(subscription.requestId) !== subscription) return;
    const kind = eventKind(change, was && reads.before, is && reads.after);
    if (!kind) return;
    if (kind === "update" && subscription.watch && !changed(view, subscription.watch)) return;
    subscription.client.send(view.message(kind, subscription, reads));
  }

  /** A session that is not valid any more ends the subscription; whatever else failed is told to the log. */
  function endIfInvalid(subscription: Subscription, error: unknown): undefined {
    if (error instanceof ProtocolError && error.code === ErrorCode.INVALID_SESSION_TOKEN) {
      subscription.client.end(subscription, error);
      return;
    }
    log.error("live query caller could not be judged", { clientId: subscription.client.id, error });
  }

  /** Ends what belongs to sessions that were revoked while nothing happened in their classes. */
  async function endStaleSessions(): Promise<void> {
    const byToken = new Map<string, Subscription[]>();
    for (const client of clients) {
      for (const subscription of client.subscriptions.values()) {
        if (subscription.sessionToken === undefined || client.master) continue;
        const list = byToken.get(subscription.sessionToken) ?? [];
        list.push(subscription);
        byToken.set(subscription.sessionToken, list);
      }
    }
    for (const [token, subscriptions] of byToken) {
      try {
        await parts.callerOf(token);
      } catch (error) {
        for (const subscription of subscriptions) endIfInvalid(subscription, error);
      }
    }
  }

  /** More changes than can be told: clients come back, subscribe again and ask anew. */
  function sendAway(): void {
    log.warn("live queries fell behind and their clients were sent away", { changes: backlog.length });
    backlog = [];
    for (const client of clients) client.close(CLOSE_TRY_AGAIN, "fell behind, connect again");
  }
}

function mentionsRelation(where: Condition): boolean {
  if (where.kind === "relatedTo") return true;
  return "conditions" in where && where.conditions.some(mentionsRelation);
}
