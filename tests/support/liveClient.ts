import type { JsonObject } from "@purse/protocol";
import { expect } from "vitest";
import { WebSocket } from "ws";
import { type Purse, rest } from "./purse.ts";

/** A message of the server. */
export interface LiveMessage {
  op: string;
  requestId?: number;
  code?: number;
  error?: string;
  position?: string;
  binding?: string;
  object?: JsonObject;
  original?: JsonObject;
}

/** A client of the live query protocol: a WebSocket that queues received messages. */
export interface LiveSocket {
  socket: WebSocket;
  /** Received messages that were not consumed yet. */
  received: LiveMessage[];
  closed: Promise<{ code: number; reason: string }>;
  next(): Promise<LiveMessage>;
  request(message: object | string): Promise<LiveMessage>;
  subscribe(className: string, where?: object, more?: object): Promise<LiveMessage>;
  /**
   * The received ops of a class, once all its changes so far have been dispatched. They have been when an observer
   * with the master key receives a later change of that class: the one made by `change`, or a new object.
   */
  receivedOps(className: string, change?: () => Promise<unknown>): Promise<string[]>;
}

/** Opens a socket, without `connect`. Rejects if the server refuses it. */
export async function openSocket(purse: Purse, headers: Record<string, string> = {}): Promise<LiveSocket> {
  const socket = new WebSocket(purse.serverUrl.replace(/^http/, "ws"), { headers });
  const received: LiveMessage[] = [];
  const waiters: ((message: LiveMessage) => void)[] = [];
  socket.on("message", (data) => {
    const message: LiveMessage = JSON.parse(data.toString());
    const next = waiters.shift();
    if (next) next(message);
    else received.push(message);
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.on("close", (code, reason) => resolve({ code, reason: reason.toString() })),
  );
  await new Promise((resolve, reject) => socket.on("open", resolve).on("error", reject));
  const next = () =>
    new Promise<LiveMessage>((resolve) => {
      const message = received.shift();
      if (message) resolve(message);
      else waiters.push(resolve);
    });
  const request = (message: object | string) => {
    socket.send(typeof message === "string" ? message : JSON.stringify(message));
    return next();
  };
  return {
    socket,
    received,
    closed,
    next,
    request,
    subscribe: (className, where = {}, { requestId = 1, resumeFrom, binding, ...query }: JsonObject = {}) =>
      request({ op: "subscribe", requestId, resumeFrom, binding, query: { className, where, ...query } }),
    async receivedOps(className, change) {
      const observer = await connectLive(purse, { masterKey: purse.masterKey });
      await observer.subscribe(className);
      await (change?.() ?? rest(purse, "POST", `/classes/${className}`, { ACL: {} }, { useMasterKey: true }));
      const { object: last } = await observer.next();
      observer.socket.terminate();
      // Messages arrive before the response to a later ping.
      socket.ping();
      await Promise.race([new Promise((resolve) => socket.once("pong", resolve)), closed]);
      const own = received.findIndex(({ object }) => object?.objectId === last?.objectId);
      if (own >= 0 && change === undefined) received.splice(own, 1);
      return received.map(({ op }) => op);
    },
  };
}

/** Opens a socket and connects. */
export async function connectLive(
  purse: Purse,
  credentials: { sessionToken?: string; masterKey?: string } = {},
): Promise<LiveSocket> {
  const client = await openSocket(purse);
  const { sessionToken, masterKey } = credentials;
  const connected = await client.request({
    op: "connect",
    applicationId: purse.appId,
    sessionToken,
    masterKey,
  });
  expect(connected).toMatchObject({ op: "connected" });
  return client;
}
