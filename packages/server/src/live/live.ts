import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type Condition, ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import type { WorkerHealth } from "@purse/workers";
import { WebSocketServer } from "ws";
import { ANONYMOUS, type AuthContext, type RequestContext } from "../authContext.ts";
import { addressKey } from "../http/address.ts";
import type { ClientAddressOf } from "../http/clientAddress.ts";
import { type ClientEvent, type ClientLimits, LiveClient } from "./client.ts";
import { CostlyMatcher } from "./costlyMatcher.ts";
import { Dispatcher } from "./dispatcher.ts";
import { type ChangeFeed, seqOf } from "./feed.ts";
import { MessageAllowance } from "./messageAllowance.ts";
import { type Subscription, SubscriptionIndex } from "./subscriptions.ts";
import { type LiveCounts, Teller, type TellerParts } from "./teller.ts";
import { TurnBudget } from "./turnBudget.ts";

export interface LiveLimits extends ClientLimits {
  maxSockets: number;
  maxSocketsPerAddress: number;
  maxSubscriptionsPerAddress: number;
  /** Characters of the wheres that the sockets of one address follow. */
  maxQueryLengthPerAddress: number;
  /** As `messageBurst` and `messagesPerSecond`, for all sockets of one address together. */
  addressMessageBurst: number;
  addressMessagesPerSecond: number;
  maxMessageBytes: number;
  /** How often sockets are pinged and sessions looked at again, in ms. */
  heartbeatMs: number;
  /** Changes of one class that may wait to be told before its clients are sent away to ask again. */
  maxBacklog: number;
}

export const DEFAULT_LIVE_LIMITS: LiveLimits = {
  maxSubscriptions: 500,
  maxBufferedBytes: 4 * 1024 * 1024,
  messageBurst: 1_500,
  messagesPerSecond: 100,
  connectTimeoutMs: 10_000,
  maxSockets: 20_000,
  maxSocketsPerAddress: 2_000,
  maxSubscriptionsPerAddress: 20_000,
  maxQueryLengthPerAddress: 16 * 1024 * 1024,
  addressMessageBurst: 30_000,
  addressMessagesPerSecond: 2_000,
  maxMessageBytes: 256 * 1024,
  heartbeatMs: 30_000,
  maxBacklog: 20_000,
};

export interface LiveParts extends TellerParts {
  appId: string;
  /** Whether a key is the master key and may be used from this address. */
  isMasterKey(key: string, ip: string): boolean;
  clientAddressOf: ClientAddressOf;
  feed: ChangeFeed;
  /** A clock that cannot be set, in ms. */
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
  /** The threads that match changes with expensive queries. */
  workers(): WorkerHealth[];
  /** Looks again at the sessions of a user, or at one session, that may have ended. */
  sessionsChanged(of: { userId?: string; sessionId?: string }): void;
  stop(): Promise<void>;
}

const CLOSE_GOING_AWAY = 1001;
const CLOSE_TRY_AGAIN = 1013;

export function createLive(parts: LiveParts): Live {
  const limits: LiveLimits = { ...DEFAULT_LIVE_LIMITS, ...parts.limits };
  const { log, feed } = parts;
  const now = (): number => parts.clock?.now() ?? performance.now();
  const index = new SubscriptionIndex({ regex: parts.regex });
  const teller = new Teller(parts, counts);
  const matcher = new CostlyMatcher({ log, now: () => performance.now() });
  const dispatcher = new Dispatcher({
    index,
    teller,
    matcher,
    positionOf: (seq) => feed.positionOf(seq),
    onOverflow: sendAway,
    log,
    limits,
  });
  const clients = new Set<LiveClient>();
  const turns = new TurnBudget();
  /** The open sockets of an address, and what they may send. */
  const addresses = new Map<string, { sockets: number; allowance: MessageAllowance }>();
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: limits.maxMessageBytes,
  });
  const stopListening = feed.onChange((change) => {
    if (typeof change === "string") dispatcher.between(change, () => dispatcher.refetch(change));
    else if ("kind" in change) dispatcher.beginAnew(change.seq);
    else dispatcher.dispatch(change);
  });

  const heartbeat = setInterval(() => {
    for (const client of clients) client.ping();
    dispatcher.prune();
    matcher.prune();
    for (const [address, { sockets, allowance }] of addresses) {
      if (sockets === 0 && allowance.isFull(now())) addresses.delete(address);
    }
    feed.keep(index.classNames()).catch((error: unknown) => {
      log.error("followed classes could not be renewed", { error: String(error) });
    });
    void endStale(() => true);
  }, limits.heartbeatMs);
  heartbeat.unref();

  return {
    upgrade(request, socket, head) {
      const ip = parts.clientAddressOf(request);
      const address = addressKey(ip);
      if (clients.size >= limits.maxSockets) return refuse(socket, "503 Service Unavailable");
      if ((addresses.get(address)?.sockets ?? 0) >= limits.maxSocketsPerAddress)
        return refuse(socket, "429 Too Many Requests");
      sockets.handleUpgrade(request, socket, head, (webSocket) => {
        const rate = { burst: limits.addressMessageBurst, perSecond: limits.addressMessagesPerSecond };
        const known = addresses.get(address) ?? { sockets: 0, allowance: new MessageAllowance(rate, now()) };
        addresses.set(address, known);
        known.sockets += 1;
        const client = new LiveClient(webSocket, ip, {
          appId: parts.appId,
          isMasterKey: parts.isMasterKey,
          admit,
          amend,
          subscribe,
          unsubscribe: (subscription) => index.remove(subscription),
          addressAllowance: known.allowance,
          turns,
          onEvent,
          now,
          log,
          limits,
        });
        clients.add(client);
        webSocket.on("close", () => {
          clients.delete(client);
          // What it has sent counts on for a while: a new socket brings no new allowance.
          known.sockets -= 1;
        });
      });
    },
    size: () => clients.size,
    subscriptions: () => counts().subscriptions,
    workers: () => matcher.workers(),
    sessionsChanged({ userId, sessionId }) {
      // Where all may have changed, as with a role, who has none any more is found at the next heartbeat.
      if (userId === undefined && sessionId === undefined) return;
      void endStale(
        ({ session }) =>
          (userId === undefined || session?.userId === userId) &&
          (sessionId === undefined || session?.sessionId === sessionId),
      );
    },
    async stop() {
      clearInterval(heartbeat);
      stopListening();
      feed.stop();
      dispatcher.stop();
      for (const client of clients) client.close(CLOSE_GOING_AWAY, "the server stops");
      await Promise.race([allClosed(), new Promise((resolve) => setTimeout(resolve, 500).unref())]);
      for (const client of clients) client.terminate();
      sockets.close();
      await matcher.stop();
    },
  };

  async function allClosed(): Promise<void> {
    while (clients.size > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  function counts(): LiveCounts {
    let subscriptions = 0;
    for (const client of clients) subscriptions += client.subscriptions.size;
    return { clients: clients.size, subscriptions };
  }

  async function admit(client: LiveClient, sessionToken: string | undefined): Promise<void> {
    if (!parts.triggers?.has("beforeConnect")) return;
    const { clients: open, subscriptions } = counts();
    const auth = teller.callerOf({ client, sessionToken });
    // Cloud code may have a word of its own for whoever comes with a session that is none.
    const request = requestOf(client, await auth.catch(() => ANONYMOUS));
    // Those that are there beside the one that asks.
    const facts = { clients: open - 1, subscriptions, ...(sessionToken !== undefined && { sessionToken }) };
    await parts.triggers.connect(request, facts);
    await auth;
  }

  /** Cloud code may observe who comes and goes; without such code nothing is done here. */
  function onEvent({ client, event, sessionToken, error }: ClientEvent): void {
    const { id: clientId, master: useMasterKey, installationId, ip } = client;
    parts.triggers?.onConnectionEvent?.(
      () => ({
        event,
        clientId,
        useMasterKey,
        installationId,
        sessionToken,
        ...counts(),
        ...(error !== undefined && { error }),
      }),
      { ip, requestId: clientId },
    );
  }

  async function amend(
    client: LiveClient,
    sessionToken: string | undefined,
    className: string,
    query: JsonObject,
  ): Promise<JsonObject> {
    if (!parts.triggers?.has("beforeSubscribe", className)) return query;
    const auth = await teller.callerOf({ client, sessionToken });
    return parts.triggers.subscribe(requestOf(client, auth), className, query);
  }

  function requestOf(client: LiveClient, auth: AuthContext): RequestContext {
    const { installationId, ip, id: requestId } = client;
    return { auth, installationId, context: {}, ip, requestId };
  }

  async function subscribe(subscription: Subscription, entered: (position: string) => void): Promise<void> {
    const { className, where, client } = subscription;
    if (mentionsRelation(where)) {
      throw new ProtocolError(ErrorCode.INVALID_QUERY, "$relatedTo is not supported in live queries");
    }
    if (index.countAt(client.address) >= limits.maxSubscriptionsPerAddress) {
      throw new ProtocolError(ErrorCode.REQUEST_LIMIT_EXCEEDED, "too many subscriptions from one address");
    }
    if (
      index.queryLengthAt(client.address) + subscription.whereText.length >
      limits.maxQueryLengthPerAddress
    ) {
      throw new ProtocolError(
        ErrorCode.REQUEST_LIMIT_EXCEEDED,
        "the subscriptions from one address ask for too much",
      );
    }
    index.compile(where);
    const auth = await teller.callerOf(subscription);
    if (!(await parts.mayFind(auth, className, where))) {
      throw new ProtocolError(
        ErrorCode.OPERATION_FORBIDDEN,
        `Permission denied for action find on class ${className}.`,
      );
    }
    if (auth.kind === "user") subscription.session = auth;
    const head = await feed.follow(className);
    await new Promise<void>((resolve, reject) => {
      dispatcher.between(className, async () => {
        const from = Math.max(head, dispatcher.told(className));
        await enter(subscription, from, entered).then(resolve, reject);
      });
    });
  }

  /** Enters a subscription between two changes: what came up to `from` it has missed, what comes after it is told. */
  async function enter(
    subscription: Subscription,
    from: number,
    entered: (position: string) => void,
  ): Promise<void> {
    const { resumeFrom, className, client } = subscription;
    const seen = resumeFrom === undefined ? undefined : seqOf(resumeFrom, feed);
    const missed =
      resumeFrom === undefined
        ? undefined
        : seen === undefined
          ? "forgotten"
          : await feed.since(className, seen, from);
    const isReplayed = seen !== undefined && typeof missed === "object";
    subscription.told = isReplayed ? seen : from;
    const group = index.add(subscription);
    if (!group.matches) matcher.warmUp();
    // Whoever is cut off amid what it missed comes back to where it was.
    entered(feed.positionOf(subscription.told));
    if (missed === "forgotten") client.sendRefetch(subscription, feed.positionOf(from));
    if (typeof missed !== "object") return;
    await dispatcher.replay(missed.changes, subscription, group);
  }

  /** Ends what belongs to sessions that are over. */
  async function endStale(isConcerned: (subscription: Subscription) => boolean): Promise<void> {
    const byToken = new Map<string, Subscription[]>();
    for (const client of clients) {
      for (const subscription of client.subscriptions.values()) {
        if (subscription.session === undefined || client.master || !isConcerned(subscription)) continue;
        const { sessionToken } = subscription.session;
        const list = byToken.get(sessionToken) ?? [];
        list.push(subscription);
        byToken.set(sessionToken, list);
      }
    }
    for (const [token, subscriptions] of byToken) {
      await parts.callerOf(token).catch((error: unknown) => teller.endIfInvalid(subscriptions, error));
    }
  }

  /** More changes than can be told: clients come back and are told what they missed, or to ask anew. */
  function sendAway(subscriptions: Subscription[]): void {
    for (const client of new Set(subscriptions.map((each) => each.client)))
      client.close(CLOSE_TRY_AGAIN, "fell behind, connect again");
  }
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function mentionsRelation(where: Condition): boolean {
  if (where.kind === "relatedTo") return true;
  return "conditions" in where && where.conditions.some(mentionsRelation);
}
