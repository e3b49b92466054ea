import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type WebSocket as ServerSocket, WebSocketServer } from "ws";
import { connect, reconfigure } from "../connection.ts";
import { CoreManager } from "../coreManager.ts";
import { ParseObject } from "../object/ParseObject.ts";
import { Query } from "../query/Query.ts";
import { memoryStorage } from "../storage.ts";
import { LiveQueryClient } from "./LiveQueryClient.ts";
import { LiveQuery, liveQueryUrl } from "./liveQuery.ts";
import { Subscription } from "./Subscription.ts";

type Message = Record<string, unknown>;

/** A real live query server that grants everything and records the received messages. */
async function startLiveServer(): Promise<{
  port: number;
  received: Message[];
  paths: (string | undefined)[];
  send(message: Message): void;
  drop(): void;
  /** Closes the socket as a server does that restarts. */
  restart(): void;
  /** Answers the next subscribe as a server does that cannot reach its database. */
  postpone(): void;
  refuse(error: string): void;
  /** Answers every connect with this error, and hangs up. */
  refuseConnection(error: Message | undefined): void;
  /** Answers no subscribe. */
  hold(): void;
  stop(): Promise<void>;
}> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await new Promise<void>((resolve) => server.once("listening", resolve));
  const received: Message[] = [];
  const paths: (string | undefined)[] = [];
  let socket: ServerSocket | undefined;
  let rejection: string | undefined;
  let connectionRejection: Message | undefined;
  let isHeld = false;
  let isPostponed = false;
  const send = (message: Message): void => socket?.send(JSON.stringify(message));
  server.on("connection", (opened, request) => {
    socket = opened;
    paths.push(request.url);
    opened.on("message", (data) => {
      const message: Message = JSON.parse(String(data));
      received.push(message);
      if (message.op === "connect" && connectionRejection) {
        send({ op: "error", ...connectionRejection });
        return opened.close();
      }
      if (message.op === "connect") send({ op: "connected", clientId: "c1" });
      if (message.op !== "subscribe" || isHeld) return;
      if (isPostponed) {
        isPostponed = false;
        return opened.close(1013, "try again later");
      }
      if (rejection) send({ op: "error", code: 119, error: rejection, requestId: message.requestId });
      else send({ op: "subscribed", clientId: "c1", requestId: message.requestId });
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    received,
    paths,
    send,
    drop: () => socket?.terminate(),
    postpone: () => {
      isPostponed = true;
    },
    restart: () => socket?.close(1012, "restarting"),
    refuse: (error) => {
      rejection = error;
    },
    refuseConnection: (error) => {
      connectionRejection = error;
    },
    hold: () => {
      isHeld = true;
    },
    stop: () =>
      new Promise((resolve) => {
        for (const client of server.clients) client.terminate();
        server.close(() => resolve());
      }),
  };
}

async function waitUntil(condition: () => boolean): Promise<void> {
  await expect.poll(condition, { interval: 5 }).toBe(true);
}

describe("liveQueryUrl()", () => {
  it("returns the server's URL with the ws scheme, or the configured URL", () => {
    expect(liveQueryUrl({ serverUrl: "https://a.b/server", liveQueryUrl: undefined })).toBe(
      "wss://a.b/server",
    );
    expect(liveQueryUrl({ serverUrl: "http://a.b:1/server", liveQueryUrl: "ws://live" })).toBe("ws://live");
  });

  it("rejects a URL that does not start with ws", { tags: ["5.live-query.url-starts-with-ws"] }, () => {
    const message = "You need to set a proper Parse LiveQuery server url before using LiveQueryClient";
    expect(() => liveQueryUrl({ serverUrl: "http://a", liveQueryUrl: "http://live" })).toThrow(message);
    expect(() => new LiveQueryClient({ applicationId: "app", serverURL: "http://live" })).toThrow(message);
  });
});

describe("a subscription", () => {
  it("calls listeners of once() a single time, others for each event, and removed ones never", () => {
    const events: string[] = [];
    const subscription = new Subscription(1, new Query("Note"), undefined, async () => {});
    const gone = () => events.push("gone");
    subscription.once("open", () => events.push("once"));
    subscription.on("open", gone).removeListener("open", gone);
    subscription.on("open", () => events.push("always"));
    subscription.on("close", gone).removeAllListeners("close");
    for (let i = 0; i < 2; i++) subscription._emit("open", {});
    subscription._emit("close");
    expect(events).toEqual(["once", "always", "always"]);
  });
});

describe("a separate LiveQueryClient", () => {
  it("calls listeners of once() a single time, others for each event, and removed ones never", async () => {
    const server = await startLiveServer();
    const serverURL = `ws://127.0.0.1:${server.port}`;
    const client = new LiveQueryClient({ applicationId: "app", serverURL });
    const events: string[] = [];
    client.once("state", (state) => events.push(state));
    client.on("open", () => events.push("open"));
    client.on("close", () => events.push("close"));
    client.removeAllListeners("close");
    client.open();
    await waitUntil(() => events.length === 2);
    client.close();
    expect(events).toEqual(["connecting", "open"]);
    await server.stop();
  });
});

describe("LiveQuery", () => {
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

  it("connects to the server's path and sends the query of a subscription", async () => {
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

  it("sends the fields that a subscription watches", async () => {
    await new Query("Note").watch("text", "title").subscribe();
    expect(server.received[1]).toMatchObject({ query: { className: "Note", watch: ["text", "title"] } });
  });

  it("passes objects to the listeners, with the original for an update", async () => {
    const subscription = await new Query("Note").subscribe();
    const events: unknown[] = [];
    subscription.on("open", () => events.push("open"));
    subscription.on("create", (note) => events.push(["create", note.get("text")]));
    subscription.on("update", (note, original) =>
      events.push(["update", note.get("text"), original instanceof ParseObject && original.get("text")]),
    );
    const note = { className: "Note", objectId: "1" };
    await waitUntil(() => events.length === 1);
    server.send({ op: "create", requestId: 1, object: { ...note, text: "a" } });
    server.send({
      op: "update",
      requestId: 1,
      object: { ...note, text: "b" },
      original: { ...note, text: "a" },
    });
    await waitUntil(() => events.length === 3);
    expect(events).toEqual(["open", ["create", "a"], ["update", "b", "a"]]);
  });

  it("subscribes again after a lost connection, with a longer delay for each attempt", async () => {
    const subscription = await new Query("Note").subscribe();
    let texts = 0;
    subscription.on("create", () => {
      texts += 1;
    });
    server.drop();
    await waitUntil(() => server.received.filter(({ op }) => op === "subscribe").length === 2);
    server.send({ op: "create", requestId: 1, object: { className: "Note", objectId: "1" } });
    await waitUntil(() => texts === 1);
    expect(pauses).toEqual([1_000]);
  });

  it("subscribes again later if the server cannot answer for now, and resumes from the last position", async () => {
    const subscription = await new Query("Note").subscribe();
    let errors = 0;
    subscription.on("error", () => {
      errors += 1;
    });
    const object = { className: "Note", objectId: "1" };
    server.send({ op: "create", requestId: 1, position: "e.7", object });
    server.postpone();
    server.drop();
    await waitUntil(() => server.received.filter(({ op }) => op === "subscribe").length === 3);
    expect(server.received.at(-1)).toMatchObject({ op: "subscribe", resumeFrom: "e.7" });
    await waitUntil(() => subscription.subscribed);
    expect(pauses).toEqual([1_000, 3_000]);
    expect(errors).toBe(0);
  });

  it("reconnects at once when the server restarts, and resumes from the last position", async () => {
    await new Query("Note").subscribe();
    const object = { className: "Note", objectId: "1" };
    server.send({ op: "create", requestId: 1, position: "e.7", object });
    server.restart();
    await waitUntil(() => server.received.filter(({ op }) => op === "subscribe").length === 2);
    expect(server.received.at(-1)).toMatchObject({ op: "subscribe", resumeFrom: "e.7" });
    expect(pauses).toEqual([0]);
  });

  it("resumes from the last position, and emits refetch if the server cannot resume", async () => {
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
    await waitUntil(() => server.received.filter(({ op }) => op === "subscribe").length === 2);
    expect(server.received.at(-1)).toMatchObject({ op: "subscribe", resumeFrom: "e.7" });
    server.send({ op: "refetch", requestId: 1, position: "f.1" });
    await waitUntil(() => refetches === 1);
  });

  it("sends unsubscribe when a subscription is closed", async () => {
    const subscription = await new Query("Note").subscribe();
    let closed = false;
    subscription.on("close", () => {
      closed = true;
    });
    await subscription.unsubscribe();
    expect(closed).toBe(true);
    await waitUntil(() => server.received.some(({ op }) => op === "unsubscribe"));
    expect(server.received.at(-1)).toEqual({ op: "unsubscribe", requestId: 1 });
  });

  it("rejects a subscription that the server refuses", async () => {
    server.refuse("Permission denied");
    await expect(new Query("Note").subscribe()).rejects.toMatchObject({
      code: 119,
      message: "Permission denied",
    });
  });

  it("reports the state of the connection", async () => {
    expect(LiveQuery.state).toBe("closed");
    const states: unknown[] = [];
    const stop = LiveQuery.on("state", (state) => states.push(state));
    await new Query("Note").subscribe();
    expect(LiveQuery.state).toBe("open");
    server.drop();
    await waitUntil(() => states.length === 4);
    await LiveQuery.close();
    stop();
    expect(states).toEqual(["connecting", "open", "reconnecting", "open", "closed"]);
    expect(LiveQuery.state).toBe("closed");
  });

  it("calls listeners of once() a single time, and removed listeners never", async () => {
    const events: string[] = [];
    LiveQuery.once("state", () => events.push("once"));
    const stopped = () => void events.push("stopped");
    LiveQuery.on("open", stopped);
    LiveQuery.off("open", stopped);
    LiveQuery.on("close", () => events.push("close"));
    await new Query("Note").subscribe();
    LiveQuery.removeAllListeners("close");
    await LiveQuery.close();
    expect(events).toEqual(["once"]);
  });

  it("emits close when the connection is lost and open when it is restored", async () => {
    const subscription = await new Query("Note").subscribe();
    const events: string[] = [];
    subscription.on("open", () => events.push("open"));
    subscription.on("close", () => events.push("close"));
    await waitUntil(() => events.length === 1);
    server.drop();
    await waitUntil(() => events.length === 3);
    await subscription.unsubscribe();
    expect(events).toEqual(["open", "close", "open", "close"]);
  });

  it("does not renew a subscription that was closed while the connection was lost", async () => {
    const subscription = await new Query("Note").subscribe();
    const other = await new Query("Other").subscribe();
    LiveQuery.on("close", () => void subscription.unsubscribe());
    server.drop();
    await waitUntil(() => server.received.length === 5);
    expect(server.received.slice(3)).toMatchObject([{ op: "connect" }, { op: "subscribe", requestId: 2 }]);
    await waitUntil(() => other.subscribed);
    expect(subscription.subscribed).toBe(false);
  });

  it("rejects a pending subscription when the client is closed", async () => {
    server.hold();
    const subscribing = new Query("Note").subscribe();
    await waitUntil(() => server.received.some(({ op }) => op === "subscribe"));
    await LiveQuery.close();
    await expect(subscribing).rejects.toThrow("The live query was closed before the server confirmed it");
  });

  it("closes a subscription whose session is invalid, but not after a failed event", async () => {
    const subscription = await new Query("Note").subscribe("r:1");
    const events: unknown[] = [];
    subscription.on("error", (error) => events.push(error));
    subscription.on("close", () => events.push("close"));
    server.send({ op: "error", requestId: 1, code: 141, error: "afterEvent failed" });
    await waitUntil(() => events.length === 1);
    expect(subscription.subscribed).toBe(true);
    server.send({ op: "error", requestId: 1, code: 209, error: "Invalid session token", reconnect: false });
    await waitUntil(() => events.length === 3);
    expect(events).toMatchObject([{ code: 141 }, { code: 209 }, "close"]);
    server.drop();
    await waitUntil(() => server.received.length === 3);
    // A subscription that was renewed would arrive before one that is made now.
    await new Query("Other").subscribe();
    expect(server.received.slice(2)).toMatchObject([
      { op: "connect" },
      { op: "subscribe", query: { className: "Other" } },
    ]);
  });

  it("does not retry after the server refuses the connection permanently", async () => {
    server.refuseConnection({ code: 119, error: "unauthorized: unknown application id", reconnect: false });
    await expect(new Query("Note").subscribe()).rejects.toMatchObject({ code: 119 });
    expect(LiveQuery.state).toBe("closed");
    expect(server.paths).toHaveLength(1);
  });

  it("retries after a server error, with delays that grow up to 30 seconds", async () => {
    server.refuseConnection({ code: 1, error: "Internal server error", reconnect: false });
    const subscribing = new Query("Note").subscribe();
    await waitUntil(() => server.paths.length >= 7);
    server.refuseConnection(undefined);
    await subscribing;
    expect(pauses.slice(0, 6)).toEqual([1_000, 3_000, 7_000, 15_000, 30_000, 30_000]);
  });

  it("omits the installation id for servers that reject it", async () => {
    server.refuseConnection({ code: 2, error: "Additional properties not allowed" });
    const subscribing = new Query("Note").subscribe();
    await waitUntil(() => server.received.length > 0);
    server.refuseConnection(undefined);
    await subscribing;
    expect(server.received[0]).toHaveProperty("installationId");
    expect(server.received.at(-2)).not.toHaveProperty("installationId");
  });

  it("keeps its connection when unrelated settings change", async () => {
    const subscription = await new Query("Note").subscribe();
    reconfigure({ revocableSession: true });
    expect(subscription.subscribed).toBe(true);
    reconfigure({ applicationId: "another" });
    expect(subscription.subscribed).toBe(false);
  });

  it("shares its connection with the default client of the controller", async () => {
    const client = await CoreManager.getLiveQueryController().getDefaultLiveQueryClient();
    await client.subscribe(new Query("Note")).subscribePromise;
    await new Query("Other").subscribe();
    expect(server.paths).toHaveLength(1);
  });

  it("shares one connection among subscriptions", async () => {
    await Promise.all([new Query("Note").subscribe(), new Query("Other").subscribe()]);
    expect(server.paths).toHaveLength(1);
    expect(server.received.map(({ op }) => op)).toEqual(["connect", "subscribe", "subscribe"]);
  });
});
