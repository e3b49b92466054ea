import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type WebSocket as ServerSocket, WebSocketServer } from "ws";
import { connect } from "../connection.ts";
import { ParseObject } from "../object/ParseObject.ts";
import { Query } from "../query/Query.ts";
import { memoryStorage } from "../storage.ts";
import { LiveQueryClient } from "./LiveQueryClient.ts";
import { LiveQuery, liveQueryUrl } from "./liveQuery.ts";

type Message = Record<string, unknown>;

/** A real live query server that grants everything and records what it is told. */
async function startLiveServer(): Promise<{
  port: number;
  received: Message[];
  paths: (string | undefined)[];
  send(message: Message): void;
  drop(): void;
  refuse(error: string): void;
  stop(): Promise<void>;
}> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await new Promise<void>((resolve) => server.once("listening", resolve));
  const received: Message[] = [];
  const paths: (string | undefined)[] = [];
  let socket: ServerSocket | undefined;
  let refusal: string | undefined;
  const send = (message: Message): void => socket?.send(JSON.stringify(message));
  server.on("connection", (opened, request) => {
    socket = opened;
    paths.push(request.url);
    opened.on("message", (data) => {
      const message: Message = JSON.parse(String(data));
      received.push(message);
      if (message.op === "connect") send({ op: "connected", clientId: "c1" });
      if (message.op !== "subscribe") return;
      if (refusal) send({ op: "error", code: 119, error: refusal, requestId: message.requestId });
      else send({ op: "subscribed", clientId: "c1", requestId: message.requestId });
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    received,
    paths,
    send,
    drop: () => socket?.terminate(),
    refuse: (error) => {
      refusal = error;
    },
    stop: () =>
      new Promise((resolve) => {
        for (const client of server.clients) client.terminate();
        server.close(() => resolve());
      }),
  };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe("the address of live queries", () => {
  it("is the server's, with ws and its path", () => {
    expect(liveQueryUrl({ serverUrl: "https://a.b/server", liveQueryUrl: undefined })).toBe(
      "wss://a.b/server",
    );
    expect(liveQueryUrl({ serverUrl: "http://a.b:1/server", liveQueryUrl: "ws://live" })).toBe("ws://live");
  });

  it("[5.live-query.url-starts-with-ws] must start with ws", () => {
    const message = "You need to set a proper Parse LiveQuery server url before using LiveQueryClient";
    expect(() => liveQueryUrl({ serverUrl: "http://a", liveQueryUrl: "http://live" })).toThrow(message);
    expect(() => new LiveQueryClient({ applicationId: "app", serverURL: "http://live" })).toThrow(message);
  });
});

describe("a live query", () => {
  let server: Awaited<ReturnType<typeof startLiveServer>>;
  const pauses: number[] = [];

  beforeEach(async () => {
    server = await startLiveServer();
    pauses.length = 0;
    connect({
      applicationId: "app",
      serverUrl: `http://127.0.0.1:${server.port}/server`,
      storage: memoryStorage(),
      clock: { now: () => 0, random: () => 1, sleep: async (ms) => void pauses.push(ms) },
    });
    ParseObject.registerSubclass(
      "Note",
      class extends ParseObject {
        constructor() {
          super("Note");
        }
      },
    );
  });
  afterEach(async () => {
    await LiveQuery.close();
    await server.stop();
  });

  it("connects to the server's path and tells what is asked", async () => {
    await new Query("Note").equalTo("done", false).select("text").subscribe("r:1");
    expect(server.paths).toEqual(["/server"]);
    expect(server.received[0]).toMatchObject({ op: "connect", applicationId: "app" });
    expect(server.received[1]).toEqual({
      op: "subscribe",
      requestId: 1,
      query: { className: "Note", where: { done: false }, fields: ["text"] },
      sessionToken: "r:1",
    });
  });

  it("gives objects to its listeners, with what they were before", async () => {
    const subscription = await new Query("Note").subscribe();
    const events: unknown[] = [];
    subscription.on("open", () => events.push("open"));
    subscription.on("create", (note) => events.push(["create", note.get("text")]));
    subscription.on("update", (note, original) =>
      events.push(["update", note.get("text"), original instanceof ParseObject && original.get("text")]),
    );
    const note = { className: "Note", objectId: "1" };
    await until(() => events.length === 1);
    server.send({ op: "create", requestId: 1, object: { ...note, text: "a" } });
    server.send({
      op: "update",
      requestId: 1,
      object: { ...note, text: "b" },
      original: { ...note, text: "a" },
    });
    await until(() => events.length === 3);
    expect(events).toEqual(["open", ["create", "a"], ["update", "b", "a"]]);
  });

  it("subscribes anew after a lost connection, pausing longer each time", async () => {
    const subscription = await new Query("Note").subscribe();
    let texts = 0;
    subscription.on("create", () => {
      texts += 1;
    });
    server.drop();
    await until(() => server.received.filter(({ op }) => op === "subscribe").length === 2);
    server.send({ op: "create", requestId: 1, object: { className: "Note", objectId: "1" } });
    await until(() => texts === 1);
    expect(pauses).toEqual([1_000]);
  });

  it("goes on where it was interrupted, and says where that cannot be", async () => {
    const subscription = await new Query("Note").subscribe();
    let refetches = 0;
    subscription.on("refetch", () => {
      refetches += 1;
    });
    server.send({
      op: "create",
      requestId: 1,
      position: "e.7",
      object: { className: "Note", objectId: "1" },
    });
    server.drop();
    await until(() => server.received.filter(({ op }) => op === "subscribe").length === 2);
    expect(server.received.at(-1)).toMatchObject({ op: "subscribe", resumeFrom: "e.7" });
    server.send({ op: "refetch", requestId: 1, position: "f.1" });
    await until(() => refetches === 1);
  });

  it("tells the server when it is over", async () => {
    const subscription = await new Query("Note").subscribe();
    let closed = false;
    subscription.on("close", () => {
      closed = true;
    });
    await subscription.unsubscribe();
    expect(closed).toBe(true);
    await until(() => server.received.some(({ op }) => op === "unsubscribe"));
    expect(server.received.at(-1)).toEqual({ op: "unsubscribe", requestId: 1 });
  });

  it("rejects when the server refuses it", async () => {
    server.refuse("Permission denied");
    await expect(new Query("Note").subscribe()).rejects.toMatchObject({
      code: 119,
      message: "Permission denied",
    });
  });

  it("shares one connection with the others", async () => {
    await Promise.all([new Query("Note").subscribe(), new Query("Other").subscribe()]);
    expect(server.paths).toHaveLength(1);
    expect(server.received.map(({ op }) => op)).toEqual(["connect", "subscribe", "subscribe"]);
  });
});
