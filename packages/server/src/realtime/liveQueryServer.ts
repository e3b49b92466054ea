import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { JsonObject } from "@purse/protocol";
import type { WorkerHealth } from "@purse/workers";
import { WebSocketServer } from "ws";
import { ANONYMOUS } from "../core/authContext.ts";
import { addressKey } from "../core/http/address.ts";
import type { ClientAddressOf } from "../core/http/clientAddress.ts";
import { EventLoopBudget } from "../core/limits/eventLoopBudget.ts";
import { TokenBucket } from "../core/limits/tokenBucket.ts";
import { type Receiver, UnsentBytes, type UnsentEntry } from "../core/limits/unsentBytes.ts";
import type { ChangeFeed } from "./changeFeed.ts";
import { ChangeProcessor } from "./changeProcessor.ts";
import { ExpensiveMatcher } from "./expensiveMatcher.ts";
import { type ClientEvent, LiveClient } from "./liveClient.ts";
import {
  type ConnectionCounts,
  type DispatcherDependencies,
  LiveQueryDispatcher,
  requestOf,
} from "./liveQueryDispatcher.ts";
import { DEFAULT_LIVE_QUERY_LIMITS, type LiveQueryLimits } from "./liveQueryLimits.ts";
import type { InProcessSocket, LiveSocket } from "./liveSocket.ts";
import { PositionBinding } from "./positionBinding.ts";
import { SocketGuard, type SocketGuardOptions } from "./socketGuard.ts";
import { limitInput } from "./socketInput.ts";
import { createSubscribe } from "./subscribe.ts";
import { type Subscription, SubscriptionIndex } from "./subscriptions.ts";
import { CLOSE_TRY_AGAIN } from "./temporaryErrors.ts";

export interface LiveQueryDependencies extends DispatcherDependencies {
  appId: string;
  /** Whether a key is the master key and may be used from this address. */
  isMasterKey(key: string, ip: string): boolean;
  clientAddressOf: ClientAddressOf;
  feed: ChangeFeed;
  /** Key of the bindings of positions; the same for all servers of a database. */
  positionKey: Uint8Array;
  /** Compiles a regular expression. Throws 102 if it is invalid. */
  regex(source: string, flags: string): (text: string) => boolean;
  /** A monotonic clock, in ms. */
  clock?: { now(): number };
  /** Limits what waits to be sent to all sockets, beside other connections. */
  unsent?: UnsentBytes;
  limits?: Partial<LiveQueryLimits>;
}

/** The live query server (WebSocket). */
export interface LiveQueryServer {
  /** Handles an HTTP upgrade request. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** The HTTP status with which another socket of an address is rejected; undefined if it may connect. */
  rejectionOf(ip: string): string | undefined;
  /** Maximum size of a message, in bytes. */
  maxMessageBytes: number;
  /** The limits of a socket that has another protocol on a connection of the network. */
  guard(socket: SocketGuardOptions["socket"], ip: string, connection: Duplex): SocketGuard;
  /** Serves such a socket, with the same limits; its guard has counted its messages, and what waits on its connection. */
  open(socket: InProcessSocket, ip: string): void;
  /** Number of open sockets. */
  size(): number;
  /** Number of subscriptions. */
  subscriptions(): number;
  /** Health of the threads that match expensive queries. */
  workers(): WorkerHealth[];
  /** Revalidates the sessions of a user, or one session, that may have ended. */
  sessionsChanged(session: { userId?: string; sessionId?: string }): void;
  /**
   * Refuses new sockets and closes the open ones in small portions within `durationMs`, at most; clients connect to
   * another process. Resolves when all have been closed.
   */
  drain(durationMs: number): Promise<void>;
  stop(): Promise<void>;
}

interface AddressState {
  /** Number of open sockets. */
  sockets: number;
  rateLimiter: TokenBucket;
}

const CLOSE_GOING_AWAY = 1001;
/** Service restart: clients should connect again. */
const CLOSE_RESTART = 1012;
/** Sockets are closed in portions of at least this many, with these pauses in ms. */
const MIN_DRAIN_PORTION = 20;
const DRAIN_PAUSE_MS = 100;
/** Maximum time in which clients have to close their sockets after the server's request, in ms. */
const DRAIN_CLOSE_MS = 2_000;
const STOP_CLOSE_MS = 500;

export function createLiveQueryServer(dependencies: LiveQueryDependencies): LiveQueryServer {
  const limits: LiveQueryLimits = { ...DEFAULT_LIVE_QUERY_LIMITS, ...dependencies.limits };
  const { logger, feed } = dependencies;
  const now = (): number => dependencies.clock?.now() ?? performance.now();
  const index = new SubscriptionIndex({ regex: dependencies.regex });
  const dispatcher = new LiveQueryDispatcher(dependencies, counts);
  const matcher = new ExpensiveMatcher({ logger, now: () => performance.now() });
  const positionBinding = new PositionBinding(dependencies.positionKey, (seq) => feed.positionOf(seq));
  const changeProcessor = new ChangeProcessor({
    index,
    dispatcher,
    matcher,
    positionOf: (seq) => feed.positionOf(seq),
    positionBinding,
    onOverflow: disconnectAll,
    logger,
    limits,
  });
  const { canFind } = dependencies;
  const subscribe = createSubscribe({
    index,
    dispatcher,
    matcher,
    changeProcessor,
    feed,
    positionBinding,
    canFind,
    limits,
  });
  const clients = new Set<LiveClient>();
  const unsent = dependencies.unsent ?? new UnsentBytes({ maxBytes: Number.POSITIVE_INFINITY });
  let isDraining = false;
  const loopBudget = new EventLoopBudget();
  /** The open sockets of an address, and its message rate. */
  const addresses = new Map<string, AddressState>();
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: limits.maxMessageBytes,
  });
  const stopListening = feed.onChange((change) => {
    if (typeof change === "string")
      changeProcessor.runBetweenChanges(change, () => changeProcessor.refetch(change));
    else if ("kind" in change) changeProcessor.resetPositions(change.seq);
    else changeProcessor.enqueue(change);
  });

  const heartbeat = setInterval(() => {
    for (const client of clients) client.ping();
    changeProcessor.prune();
    matcher.prune();
    for (const [address, { sockets, rateLimiter }] of addresses) {
      if (sockets === 0 && rateLimiter.isFull(now())) addresses.delete(address);
    }
    feed.renewLease(index.classNames()).catch((error: unknown) => {
      logger.error("subscribed classes could not be renewed", { error: String(error) });
    });
    void expireSubscriptions(() => true);
  }, limits.heartbeatMs);
  heartbeat.unref();

  return {
    upgrade(request, socket, head) {
      const ip = dependencies.clientAddressOf(request);
      const status = rejectionOf(ip);
      if (status !== undefined) return rejectUpgrade(socket, status);
      sockets.handleUpgrade(request, socket, head, (webSocket) => {
        limitInput(webSocket, socket, addressKey(ip));
        open(webSocket, ip, entryOf(webSocket, ip, socket), false);
      });
    },
    rejectionOf,
    maxMessageBytes: limits.maxMessageBytes,
    guard(socket, ip, connection) {
      limitInput(socket, connection, addressKey(ip));
      return guardOf(socket, addressStateOf(ip), entryOf(socket, ip, connection));
    },
    open(socket, ip) {
      const receiver: Receiver = { unsentBytes: () => socket.heldBytes, end: () => socket.terminate() };
      open(socket, ip, unsent.open(receiver, addressKey(ip)), true);
    },
    size: () => clients.size,
    subscriptions: () => counts().subscriptions,
    workers: () => matcher.workers(),
    sessionsChanged({ userId, sessionId }) {
      // If all sessions may be affected, as with a role, invalid ones are found at the next heartbeat.
      if (userId === undefined && sessionId === undefined) return;
      void expireSubscriptions(
        ({ session }) =>
          (userId === undefined || session?.userId === userId) &&
          (sessionId === undefined || session?.sessionId === sessionId),
      );
    },
    async drain(durationMs) {
      isDraining = true;
      const open = [...clients];
      const portion = Math.max(
        MIN_DRAIN_PORTION,
        Math.ceil(open.length / Math.max(1, durationMs / DRAIN_PAUSE_MS)),
      );
      for (let first = 0; first < open.length; first += portion) {
        if (first > 0) await new Promise((resolve) => setTimeout(resolve, DRAIN_PAUSE_MS));
        for (const client of open.slice(first, first + portion))
          client.close(CLOSE_RESTART, "restarting, connect again");
      }
      await allClosedWithin(DRAIN_CLOSE_MS);
      for (const client of clients) client.terminate();
    },
    async stop() {
      clearInterval(heartbeat);
      stopListening();
      feed.stop();
      changeProcessor.stop();
      for (const client of clients) client.close(CLOSE_GOING_AWAY, "the server is stopping");
      await allClosedWithin(STOP_CLOSE_MS);
      for (const client of clients) client.terminate();
      sockets.close();
      await matcher.stop();
    },
  };

  function rejectionOf(ip: string): string | undefined {
    if (isDraining || clients.size >= limits.maxSockets) return "503 Service Unavailable";
    const { sockets: openSockets = 0 } = addresses.get(addressKey(ip)) ?? {};
    return openSockets >= limits.maxSocketsPerAddress ? "429 Too Many Requests" : undefined;
  }

  function addressStateOf(ip: string): AddressState {
    const address = addressKey(ip);
    const rate = { burst: limits.addressMessageBurst, perSecond: limits.addressMessagesPerSecond };
    const state = addresses.get(address) ?? { sockets: 0, rateLimiter: new TokenBucket(rate, now()) };
    addresses.set(address, state);
    return state;
  }

  /** What waits on a connection, which has been counted since it was opened. */
  function entryOf(socket: SocketGuardOptions["socket"], ip: string, connection: Duplex): UnsentEntry {
    const receiver: Receiver = { unsentBytes: () => socket.bufferedAmount, end: () => socket.terminate() };
    return unsent.entryOf(connection) ?? unsent.open(receiver, addressKey(ip));
  }

  function guardOf(
    socket: SocketGuardOptions["socket"],
    { rateLimiter }: AddressState,
    entry: UnsentEntry,
  ): SocketGuard {
    return new SocketGuard({
      socket,
      limits,
      addressRateLimiter: rateLimiter,
      unsent: entry,
      loopBudget,
      now,
      logger,
    });
  }

  function open(socket: LiveSocket, ip: string, entry: UnsentEntry, isCounted: boolean): void {
    const addressState = addressStateOf(ip);
    addressState.sockets += 1;
    const client = new LiveClient(socket, ip, {
      appId: dependencies.appId,
      isMasterKey: dependencies.isMasterKey,
      authenticate,
      rewriteQuery,
      subscribe,
      unsubscribe: (subscription) => index.remove(subscription),
      guard: guardOf(socket, addressState, entry),
      isCounted,
      onEvent,
      logger,
      limits,
    });
    clients.add(client);
    socket.on("close", () => {
      clients.delete(client);
      // Its sent messages still count: a new socket does not reset the rate limit.
      addressState.sockets -= 1;
    });
  }

  async function allClosedWithin(ms: number): Promise<void> {
    const deadline = performance.now() + ms;
    while (clients.size > 0 && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 10));
  }

  function counts(): ConnectionCounts {
    let subscriptions = 0;
    for (const client of clients) subscriptions += client.subscriptions.size;
    return { clients: clients.size, subscriptions };
  }

  async function authenticate(client: LiveClient, sessionToken: string | undefined): Promise<void> {
    if (!dependencies.triggers?.hasHandler("beforeConnect")) return;
    const { clients: openClients, subscriptions } = counts();
    const auth = dispatcher.authenticate({ client, sessionToken });
    // Cloud code may reject invalid sessions with an error of its own.
    const request = requestOf(client, await auth.catch(() => ANONYMOUS));
    // Not counting the connecting client itself.
    const connection = {
      clientId: client.id,
      useMasterKey: client.hasMasterKey,
      clients: openClients - 1,
      subscriptions,
      ...(sessionToken !== undefined && { sessionToken }),
    };
    await dependencies.triggers.connect(request, connection);
    await auth;
  }

  /** Reports a connection event to the cloud code, if it observes them. */
  function onEvent({ client, event, sessionToken, error }: ClientEvent): void {
    const { id: clientId, hasMasterKey: useMasterKey, installationId, ip } = client;
    dependencies.triggers?.onConnectionEvent?.(
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

  async function rewriteQuery(
    client: LiveClient,
    sessionToken: string | undefined,
    className: string,
    query: JsonObject,
    requestId: number | string,
  ): Promise<JsonObject> {
    if (!dependencies.triggers?.hasHandler("beforeSubscribe", className)) return query;
    const auth = await dispatcher.authenticate({ client, sessionToken });
    return dependencies.triggers.subscribe(requestOf(client, auth), className, query, requestId);
  }

  /** Ends the subscriptions of sessions that have ended. */
  async function expireSubscriptions(isAffected: (subscription: Subscription) => boolean): Promise<void> {
    const byToken = new Map<string, Subscription[]>();
    for (const client of clients) {
      for (const subscription of client.subscriptions.values()) {
        if (subscription.session === undefined || client.hasMasterKey || !isAffected(subscription)) continue;
        const { sessionToken } = subscription.session;
        const list = byToken.get(sessionToken) ?? [];
        list.push(subscription);
        byToken.set(sessionToken, list);
      }
    }
    for (const [token, subscriptions] of byToken) {
      await dependencies
        .authenticateSession(token)
        .catch((error: unknown) => dispatcher.endIfSessionInvalid(subscriptions, error));
    }
  }

  /** The backlog overflowed: clients reconnect and resume, or have to query again. */
  function disconnectAll(subscriptions: Subscription[]): void {
    for (const client of new Set(subscriptions.map((each) => each.client)))
      client.close(CLOSE_TRY_AGAIN, "fell behind, connect again");
  }
}

function rejectUpgrade(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
