import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { connectLive, type LiveSocket } from "../support/liveClient.ts";
import { residentBytes } from "../support/processCpu.ts";
import { type PurseProcess, rest, startPurse } from "../support/purse.ts";

const MB = 1024 * 1024;
const SOCKETS = 30;
const TEXT = "x".repeat(200_000);

describe("clients that do not read", () => {
  let purse: PurseProcess;
  let reader: LiveSocket;
  let silent: LiveSocket[];

  beforeAll(async () => {
    // One address may have half of it.
    purse = await startPurse({
      env: {
        PURSE_MAX_UNSENT_BYTES: String(16 * MB),
        PURSE_MAX_ANSWER_BYTES: String(4 * MB),
        PURSE_TRUSTED_PROXIES: "loopback",
      },
    });
    await rest(purse, "POST", "/classes/Sheet", { n: -1 });
    reader = await connectLive(purse);
    await reader.subscribe("Sheet");
    silent = [];
    for (let n = 0; n < SOCKETS; n++) {
      const client = await connectLive(purse);
      await client.subscribe("Sheet");
      client.socket.pause();
      silent.push(client);
    }
  });
  afterAll(async () => {
    for (const { socket } of [reader, ...(silent ?? [])]) socket?.terminate();
    await purse?.remove();
  });

  const metric = async (name: string): Promise<number> => {
    const response = await fetch(`${purse.url}/metrics`);
    return Number(new RegExp(`^${name} (.*)$`, "m").exec(await response.text())?.[1]);
  };

  it("are ended once too many live events wait for all of them, while others receive every event", async () => {
    const before = residentBytes(purse.pid);
    let created = 0;
    const endedAfterCreate = async () => {
      await rest(purse, "POST", "/classes/Sheet", { n: created, text: TEXT });
      created += 1;
      return metric("purse_ended_receivers_total");
    };
    await expect.poll(endedAfterCreate, { interval: 0, timeout: 60_000 }).toBeGreaterThan(SOCKETS / 2);
    for (let n = 0; n < created; n++) {
      const { op, object } = await reader.next();
      expect([op, object?.n]).toEqual(["create", n]);
    }
    expect(await metric("purse_unsent_bytes")).toBeLessThan(8 * MB);
    expect(residentBytes(purse.pid) - before).toBeLessThan(200 * MB);
  });

  /** A GraphQL connection that reads until the first event of its subscription. */
  async function connectGraphql(): Promise<WebSocket> {
    const socket = new WebSocket(`${purse.url.replace("http", "ws")}/graphql`, "graphql-transport-ws");
    let isSubscribed = false;
    socket.on("error", () => undefined);
    socket.on("open", () => {
      const payload = { "X-Parse-Application-Id": purse.appId };
      socket.send(JSON.stringify({ type: "connection_init", payload }));
    });
    socket.on("message", (data) => {
      const { type } = JSON.parse(String(data));
      const payload = { query: "subscription { leafChanged { node { n text } } }" };
      if (type === "connection_ack") socket.send(JSON.stringify({ type: "subscribe", id: "1", payload }));
      if (type === "next") isSubscribed = true;
    });
    const hasEventAfterCreate = async () => {
      await rest(purse, "POST", "/classes/Leaf", { n: 0 });
      return isSubscribed;
    };
    await expect.poll(hasEventAfterCreate, { timeout: 20_000 }).toBe(true);
    socket.pause();
    return socket;
  }

  it("are ended as well if they do not read events of GraphQL", async () => {
    await rest(purse, "POST", "/classes/Leaf", { n: 0, text: "first" });
    const before = await metric("purse_ended_receivers_total");
    // Each of them may leave 4 MiB unread, and all of them together 8.
    const sockets = [];
    for (let n = 0; n < 4; n++) sockets.push(await connectGraphql());
    const endedAfterCreate = async () => {
      await rest(purse, "POST", "/classes/Leaf", { n: 1, text: TEXT });
      return metric("purse_ended_receivers_total");
    };
    await expect.poll(endedAfterCreate, { interval: 0, timeout: 60_000 }).toBeGreaterThan(before);
    for (const socket of sockets) socket.terminate();
  });

  it("are ended as well if they do not read responses, while other addresses get theirs", async () => {
    const text = "y".repeat(3.5 * MB);
    const { body } = await rest(purse, "POST", "/classes/Page", { text });
    const path = `/server/classes/Page/${body.objectId}`;
    const before = await metric("purse_ended_receivers_total");
    const connections = Array.from({ length: 20 }, () => {
      const connection = connect(purse.port, "127.0.0.1");
      connection.on("error", () => undefined);
      connection.pause();
      const request = `GET ${path} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 203.0.113.9\r\nX-Parse-Application-Id: ${purse.appId}\r\n\r\n`;
      connection.write(request.repeat(3));
      return connection;
    });
    await expect
      .poll(() => metric("purse_ended_receivers_total"), { timeout: 60_000 })
      .toBeGreaterThan(before);
    expect((await rest(purse, "GET", `/classes/Page/${body.objectId}`)).body.text).toHaveLength(text.length);
    for (const connection of connections) connection.destroy();
  });

  it("resume where they were ended", async () => {
    const { position, binding } = await reader.subscribe("Sheet", {}, { requestId: 2 });
    await rest(purse, "POST", "/classes/Sheet", { n: 1_000 });
    const resumed = await connectLive(purse);
    await resumed.subscribe("Sheet", {}, { resumeFrom: position, binding });
    expect(await resumed.next()).toMatchObject({ op: "create", object: { n: 1_000 } });
    resumed.socket.terminate();
  });
});
