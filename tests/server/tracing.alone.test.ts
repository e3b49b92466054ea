import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { APP_ID, MASTER_KEY, type Nodes, send, startNodes } from "../support/nodes.ts";
import { startTraceCollector, type TraceCollector } from "../support/traceCollector.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../support/webhookReceiver.ts";

const MASTER = { "X-Parse-Master-Key": MASTER_KEY };
const CLOUD = `
Parse.Cloud.define("listNotes", async ({ log }) => {
  log.info("listing notes");
  const notes = await new Parse.Query("Note").limit(5).find({ useMasterKey: true });
  return notes.length;
});`;

let collector: TraceCollector;
let receiver: WebhookReceiver;
let folder: string;
const unset: string[] = [];

beforeAll(async () => {
  collector = await startTraceCollector();
  receiver = await startWebhookReceiver();
  folder = mkdtempSync(join(tmpdir(), "purse-tracing-"));
  writeFileSync(join(folder, "main.mjs"), CLOUD);
  // The packages of OpenTelemetry read the variables of the process.
  for (const [name, value] of Object.entries(collector.env)) {
    process.env[name] = value;
    unset.push(name);
  }
});
afterAll(async () => {
  for (const name of unset) delete process.env[name];
  await receiver.close();
  await collector.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The header of a client's trace, and how to find what belongs to it. */
function newTrace() {
  const traceId = randomBytes(16).toString("hex");
  const spanId = randomBytes(8).toString("hex");
  return {
    traceId,
    headers: { traceparent: `00-${traceId}-${spanId}-01` },
    trees: () => collector.treesBelow(traceId, spanId),
  };
}

/** Subscribes to a class. Returns a promise of the first event. */
async function subscribe(
  url: string,
  className: string,
): Promise<{ event: Promise<unknown>; close(): void }> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/server`);
  const messages: Record<string, (message: unknown) => void> = {};
  const received = (op: string) => new Promise((resolve) => Object.assign(messages, { [op]: resolve }));
  socket.on("message", (data) => {
    const message: { op: string } = JSON.parse(data.toString());
    messages[message.op]?.(message);
  });
  await new Promise((resolve, reject) => socket.on("open", resolve).on("error", reject));
  const connected = received("connected");
  socket.send(JSON.stringify({ op: "connect", applicationId: APP_ID, masterKey: MASTER_KEY }));
  await connected;
  const subscribed = received("subscribed");
  const event = received("create");
  socket.send(JSON.stringify({ op: "subscribe", requestId: 1, query: { className, where: {} } }));
  await subscribed;
  return { event, close: () => socket.close() };
}

describe.each(DATABASES)("traces of a server on %s", (database) => {
  let nodes: Nodes;
  let url: string;
  beforeAll(async () => {
    nodes = await startNodes(1, {
      ...(await databaseEnv(database)),
      PURSE_TRUSTED_PROXIES: "127.0.0.1",
      PURSE_ALLOW_PRIVATE_HOOKS: "1",
      PURSE_ACCESS_LOG: "1",
      PURSE_CLOUD: join(folder, "main.mjs"),
    });
    [url = ""] = nodes.urls;
    // Creates the class.
    await send(url, "POST", "/classes/Note", { text: "first" }, MASTER);
  });
  afterAll(() => nodes?.remove());

  it("lead from a request by authentication, permissions and the database to a live query", async () => {
    const live = await subscribe(url, "Note");
    const { traceId, headers, trees } = newTrace();
    const { status } = await send(
      url,
      "POST",
      "/classes/Note",
      { text: "second" },
      { ...MASTER, ...headers },
    );
    expect(status).toBe(201);
    await live.event;
    live.close();
    await expect
      .poll(trees, { timeout: 10_000 })
      .toEqual([
        [
          "POST /server/classes/:className",
          ["authenticate"],
          ["authorize"],
          ["write Note", ["live dispatch", ["authorize"]]],
        ],
      ]);
    const spans = collector.spans.filter((span) => span.traceId === traceId);
    expect(spans.find(({ name }) => name.startsWith("POST"))?.attributes).toMatchObject({
      "http.request.method": "POST",
      "http.route": "/server/classes/:className",
      "url.path": "/server/classes/Note",
      "purse.request_id": expect.any(String),
    });
    expect(spans.find(({ name }) => name === "write Note")?.attributes).toEqual({
      "db.system.name": database === "SQLite" ? "sqlite" : "postgresql",
      "db.operation.name": "write",
      "db.collection.name": "Note",
    });
    // The access log names the trace.
    expect(nodes.log.some((line) => line.includes(`trace_id=${traceId}`))).toBe(true);
  });

  it("continue in cloud code, its requests and its log", async () => {
    const { traceId, headers, trees } = newTrace();
    const { body } = await send(url, "POST", "/functions/listNotes", {}, headers);
    expect(body.result).toEqual(expect.any(Number));
    await expect
      .poll(trees, { timeout: 10_000 })
      .toEqual([
        [
          "POST /server/functions/:name",
          ["authenticate"],
          ["cloud code", ["cloud dispatch", ["authorize"], ["find Note"]]],
        ],
      ]);
    const line = nodes.log.find((each) => each.includes("listing notes") && each.includes(traceId));
    expect(line).toContain("span_id=");
  });

  it("are passed on to webhooks", async () => {
    const hook = { functionName: `hook${database}`, url: receiver.url };
    expect((await send(url, "POST", "/hooks/functions", hook, MASTER)).status).toBe(200);
    const { traceId, headers, trees } = newTrace();
    await send(url, "POST", `/functions/${hook.functionName}`, {}, headers);
    const received = receiver.received.at(-1)?.headers.traceparent;
    expect(received).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
    await expect
      .poll(trees, { timeout: 10_000 })
      .toEqual([["POST /server/functions/:name", ["authenticate"], ["webhook"]]]);
    const webhook = collector.spans.find((span) => span.traceId === traceId && span.name === "webhook");
    expect(received).toContain(String(webhook?.spanId));
  });
});
