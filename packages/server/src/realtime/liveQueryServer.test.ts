import { createServer, type Server } from "node:http";
import {
  type Condition,
  ErrorCode,
  isJsonObject,
  type JsonObject,
  ProtocolError,
  parseWhere,
} from "@purse/protocol";
import { afterEach, describe, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { ANONYMOUS, type AuthContext } from "../core/authContext.ts";
import { EventBus } from "../core/eventBus.ts";
import { UnsentBytes } from "../core/limits/unsentBytes.ts";
import { createLogger } from "../core/logger.ts";
import { compileRegex } from "../core/regex.ts";
import { createLocalFeed } from "./changeFeed.ts";
import type { LiveQueryLimits } from "./liveQueryLimits.ts";
import {
  createLiveQueryServer,
  type LiveQueryDependencies,
  type LiveQueryServer,
} from "./liveQueryServer.ts";

const ANN = "r:annannannannann1";
const BOB = "r:bobbobbobbobbob1";

interface TestServer {
  url: string;
  live: LiveQueryServer;
  sessions: Map<string, AuthContext>;
  change(className: string, before: JsonObject | null, after: JsonObject | null): void;
}

function fail(): never {
  throw new Error("a bug");
}

/** Allows the subscription, and fails when a change has to be authorized. */
function failingLater(): LiveQueryDependencies["canFind"] {
  let calls = 0;
  return () => {
    calls += 1;
    return calls === 1 || fail();
  };
}

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function setUp(
  dependencies: Partial<LiveQueryDependencies> = {},
  limits: Partial<LiveQueryLimits> = {},
): Promise<TestServer> {
  const events = new EventBus(console.error);
  const sessions = new Map<string, AuthContext>([
    [ANN, { kind: "user", userId: "ann", roles: ["Staff"], sessionId: "1", sessionToken: ANN }],
    [BOB, { kind: "user", userId: "bob", roles: [], sessionId: "2", sessionToken: BOB }],
  ]);
  const live = createLiveQueryServer({
    appId: "app",
    isMasterKey: (key) => key === "master",
    clientAddressOf: () => "127.0.0.1",
    async authenticateSession(token) {
      const auth = sessions.get(token);
      if (auth) return auth;
      throw new ProtocolError(ErrorCode.INVALID_SESSION_TOKEN, "Invalid session token");
    },
    feed: createLocalFeed(events),
    serializer: () => undefined,
    readCondition: () => undefined,
    readableIds: async (_request, _className, _where, ids) => new Set(ids),
    positionKey: Buffer.from("key"),
    canFind: () => true,
    regex: compileRegex,
    logger: createLogger({ level: "silent", format: "text", write: () => undefined }),
    ...dependencies,
    limits,
  });
  const server: Server = createServer();
  server.on("upgrade", (request, openSocket, head) => live.upgrade(request, openSocket, head));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(async () => {
    await live.stop();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `ws://127.0.0.1:${portOf(server)}/server`,
    live,
    sessions,
    change(className, before, after) {
      const request = { auth: ANONYMOUS, installationId: undefined, context: {}, ip: "", requestId: "" };
      const objectId = String((after ?? before)?.objectId);
      const text = (object: JsonObject | null) => object && JSON.stringify(object);
      events.emit("objects.changed", {
        className,
        objectId,
        before: text(before),
        after: text(after),
        request,
      });
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address === "object" && address) return address.port;
  throw new Error("the server does not listen");
}

/** A client that buffers messages until they are read. */
async function openSocket(testServer: TestServer) {
  const ws = new WebSocket(testServer.url);
  const received: JsonObject[] = [];
  const waiting: ((message: JsonObject) => void)[] = [];
  ws.on("message", (data) => {
    const message: JsonObject = JSON.parse(data.toString());
    const next = waiting.shift();
    if (next) next(message);
    else received.push(message);
  });
  const closed = new Promise<number>((resolve) => ws.on("close", resolve));
  await new Promise((resolve, reject) => ws.on("open", resolve).on("error", reject));
  const client = {
    ws,
    received,
    closed,
    send: (message: unknown) => ws.send(typeof message === "string" ? message : JSON.stringify(message)),
    next: () =>
      new Promise<JsonObject>((resolve) => {
        const message = received.shift();
        if (message) resolve(message);
        else waiting.push(resolve);
      }),
    async request(message: unknown) {
      client.send(message);
      return client.next();
    },
    /** Waits until all changes of "Note" so far have been dispatched; returns the unread messages. */
    async waitForQuiet() {
      await processChanges(testServer);
      // Messages arrive before the response to a later ping.
      ws.ping();
      await Promise.race([new Promise((resolve) => ws.once("pong", resolve)), closed]);
      return received;
    },
  };
  return client;
}

/** Waits until all changes of "Note" so far have been dispatched: a subscription becomes active after them. */
async function processChanges(testServer: TestServer): Promise<void> {
  const observer = await connectClient(testServer, undefined, { masterKey: "master" });
  expect(await observer.request(subscribe())).toMatchObject({ op: "subscribed" });
  observer.ws.terminate();
}

async function connectClient(testServer: TestServer, sessionToken?: string, more: JsonObject = {}) {
  const client = await openSocket(testServer);
  const message = { op: "connect", applicationId: "app", ...(sessionToken && { sessionToken }), ...more };
  expect(await client.request(message)).toMatchObject({ op: "connected" });
  return client;
}

const subscribe = (where: unknown = {}, more: JsonObject = {}) => ({
  op: "subscribe",
  requestId: 1,
  query: { className: "Note", where, ...more },
});

/** Fails as while the database cannot be reached. */
function unavailable(): never {
  throw new ProtocolError(ErrorCode.CONNECTION_FAILED, "The database cannot be reached. Try again.", 503);
}

const note = (fields: JsonObject = {}): JsonObject => ({
  objectId: "n1",
  text: "hi",
  done: false,
  ...fields,
});

describe("the connect operation", () => {
  it("returns the client's id and its installation", async () => {
    const client = await openSocket(await setUp());
    const answer = await client.request({ op: "connect", applicationId: "app", installationId: "i1" });
    expect(answer).toEqual({ op: "connected", clientId: expect.any(String), installationId: "i1" });
  });

  it("repeats its own ids in large events, whose end it shares with other clients", async () => {
    const testServer = await setUp();
    const text = "é".repeat(50_000);
    const clients = [await connectClient(testServer), await connectClient(testServer)];
    for (const client of clients)
      await client.request({ ...subscribe(), requestId: clients.indexOf(client) });
    testServer.change("Note", null, note({ text }));
    const events = await Promise.all(clients.map((client) => client.next()));
    expect(events).toMatchObject([
      { op: "create", requestId: 0, object: { objectId: "n1", text } },
      { op: "create", requestId: 1, object: { objectId: "n1", text } },
    ]);
    expect(events[0]?.clientId).not.toBe(events[1]?.clientId);
  });

  it("repeats the installation id in every event", async () => {
    const testServer = await setUp();
    const client = await connectClient(testServer, undefined, { installationId: "i1" });
    await client.request(subscribe());
    testServer.change("Note", null, note());
    expect(await client.next()).toMatchObject({ op: "create", installationId: "i1" });
  });

  it.each([
    ["another application id", { applicationId: "other" }],
    ["no application id", {}],
    ["a wrong master key", { applicationId: "app", masterKey: "guess" }],
  ])("with %s is rejected, and the socket is closed", async (_, fields) => {
    const client = await openSocket(await setUp());
    expect(await client.request({ op: "connect", ...fields })).toMatchObject({ op: "error", code: 119 });
    expect(await client.closed).toBe(1008);
  });

  it.each([
    ["gains the master key", {}, { masterKey: "master" }],
    ["loses the master key", { masterKey: "master" }, {}],
    ["has another session", { sessionToken: ANN }, { sessionToken: BOB }],
  ])("is rejected on a connected socket that %s, whose subscriptions continue", async (_, first, second) => {
    const testServer = await setUp();
    const client = await connectClient(testServer, undefined, first);
    await client.request(subscribe());
    const again = { op: "connect", applicationId: "app" };
    expect(await client.request({ ...again, ...second })).toMatchObject({ op: "error", code: 119 });
    expect(await client.request({ ...again, ...first })).toMatchObject({ op: "connected" });
    const stranger = await connectClient(testServer);
    await stranger.request(subscribe());
    testServer.change("Note", null, note({ ACL: {} }));
    testServer.change("Note", null, note({ objectId: "n2" }));
    expect((await stranger.next()).object).toMatchObject({ objectId: "n2" });
  });

  it("is required before others", async () => {
    const client = await openSocket(await setUp());
    expect(await client.request(subscribe())).toMatchObject({ op: "error", requestId: 1 });
  });

  it("times out", async () => {
    const client = await openSocket(await setUp({}, { connectTimeoutMs: 20 }));
    expect(await client.closed).toBe(1008);
  });
});

describe("live query events", () => {
  const openNote = note({ done: false });
  const doneNote = note({ done: true });
  it.each<[string, JsonObject | null, JsonObject | null]>([
    ["create", null, openNote],
    ["update", openNote, note({ text: "ho" })],
    ["enter", doneNote, openNote],
    ["leave", openNote, doneNote],
    ["delete", openNote, null],
  ])("include %s", async (op, before, after) => {
    const testServer = await setUp();
    const client = await connectClient(testServer);
    expect(await client.request(subscribe({ done: false }))).toMatchObject({
      op: "subscribed",
      requestId: 1,
    });
    testServer.change("Note", before, after);
    const event = await client.next();
    expect(event).toMatchObject({ op, requestId: 1, object: { className: "Note", ...(after ?? before) } });
    if (before && after) expect(event.original).toEqual({ className: "Note", ...before });
    else expect(event).not.toHaveProperty("original");
  });

  it("are sent only to matching queries, for every kind of index key", async () => {
    const testServer = await setUp();
    const client = await connectClient(testServer);
    const wheres = [
      { text: "hi" },
      { text: "other" },
      { text: { $in: ["a", "hi"] } },
      { tags: "x" },
      { count: 3, done: false },
      { owner: { __type: "Pointer", className: "_User", objectId: "ann" } },
      { text: { $regex: "^h" } },
      { text: { $ne: "hi" } },
      { photo: { __type: "File", name: "a.png" } },
      {
        photo: {
          $in: [
            { __type: "File", name: "a.png" },
            { __type: "File", name: "b.png" },
          ],
        },
      },
      { at: { __type: "Date", iso: "2026-01-01T00:00:00.000Z" } },
      { owner: "ann" },
      { owner: { $in: ["bob", "ann"] } },
      { owner: "bob" },
    ];
    for (const [requestId, where] of wheres.entries()) {
      await client.request({ ...subscribe(where), requestId });
    }
    const owner = { __type: "Pointer", className: "_User", objectId: "ann" };
    const photo = { __type: "File", name: "a.png" };
    const at = { __type: "Date", iso: "2026-01-01T00:00:00.000Z" };
    testServer.change("Note", null, note({ tags: ["w", "x"], count: 3, owner, photo, at }));
    // Patterns are matched in a thread, which takes a moment to start.
    await expect
      .poll(() => client.received.map(({ requestId }) => requestId).sort())
      .toEqual([0, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12].sort());
    expect(await client.waitForQuiet()).toHaveLength(11);
  });

  it("contain the requested fields", async () => {
    const testServer = await setUp();
    const client = await connectClient(testServer);
    await client.request(subscribe({}, { fields: ["text"] }));
    testServer.change("Note", null, note());
    expect((await client.next()).object).toEqual({ className: "Note", objectId: "n1", text: "hi" });
  });

  it("leave out updates of fields that are not watched", async () => {
    const testServer = await setUp();
    const client = await connectClient(testServer);
    await client.request(subscribe({}, { watch: ["done"] }));
    testServer.change("Note", note(), note({ text: "ho" }));
    testServer.change("Note", note(), note({ done: true }));
    expect(await client.next()).toMatchObject({ op: "update", object: { done: true } });
  });

  it("come in the order of the changes", async () => {
    const testServer = await setUp({ serializer: () => async (object) => object });
    const client = await connectClient(testServer, ANN);
    await client.request(subscribe());
    for (let count = 0; count < 50; count += 1) testServer.change("Note", null, note({ count }));
    await expect.poll(() => client.received.length, { timeout: 10_000 }).toBe(50);
    const counts = client.received.map(({ object }) => isJsonObject(object) && object.count);
    expect(counts).toEqual([...Array(50).keys()]);
  });

  it("are not sent for a query with unknown members, which is rejected with a request to reconnect", async () => {
    const client = await connectClient(await setUp());
    expect(await client.request(subscribe({}, { limit: 1 }))).toEqual({
      op: "error",
      clientId: expect.any(String),
      requestId: 1,
      code: 1,
      error: "Additional properties not allowed",
      reconnect: true,
    });
    expect(await client.request(subscribe({}, { keys: ["text"], watch: ["done"] }))).toMatchObject({
      op: "subscribed",
    });
  });

  it("stop after unsubscribe", async () => {
    const testServer = await setUp();
    const client = await connectClient(testServer);
    await client.request(subscribe());
    expect(await client.request({ op: "unsubscribe", requestId: 1 })).toMatchObject({
      op: "unsubscribed",
      requestId: 1,
    });
    testServer.change("Note", null, note());
    expect(await client.waitForQuiet()).toEqual([]);
  });
});

describe("live query permissions at the time of an event", () => {
  const annOnly = { ann: { read: true } };

  it("limit events to users with read access by id", { tags: ["6.acl.read-per-user"] }, async () => {
    const testServer = await setUp();
    const [ann, bob] = [await connectClient(testServer, ANN), await connectClient(testServer, BOB)];
    await Promise.all([ann.request(subscribe()), bob.request(subscribe())]);
    testServer.change("Note", null, note({ ACL: annOnly }));
    expect(await ann.next()).toMatchObject({ op: "create" });
    expect(await bob.waitForQuiet()).toEqual([]);
  });

  it("allow events to members of a role and with the master key", {
    tags: ["6.acl.read-per-role"],
  }, async () => {
    const testServer = await setUp();
    const [ann, bob] = [await connectClient(testServer, ANN), await connectClient(testServer, BOB)];
    const master = await connectClient(testServer, undefined, { masterKey: "master" });
    for (const client of [ann, bob, master]) await client.request(subscribe());
    testServer.change("Note", null, note({ ACL: { "role:Staff": { read: true } } }));
    expect(await ann.next()).toMatchObject({ op: "create" });
    expect(await master.next()).toMatchObject({ op: "create" });
    expect(await bob.waitForQuiet()).toEqual([]);
  });

  it("cause a leave event without data if access is revoked", async () => {
    const testServer = await setUp();
    const bob = await connectClient(testServer, BOB);
    await bob.request(subscribe());
    testServer.change("Note", note(), note({ text: "secret", ACL: annOnly }));
    const event = await bob.next();
    expect(event).toMatchObject({ op: "leave", object: { className: "Note", objectId: "n1" } });
    expect(JSON.stringify(event)).not.toMatch(/secret|hi|ann/);
  });

  it("cause an enter event without the previous object if access is granted", async () => {
    const testServer = await setUp();
    const bob = await connectClient(testServer, BOB);
    await bob.request(subscribe());
    testServer.change("Note", note({ text: "secret", ACL: annOnly }), note());
    const event = await bob.next();
    expect(event).toMatchObject({ op: "enter", object: { text: "hi" } });
    expect(event).not.toHaveProperty("original");
  });

  it("end the subscription of a revoked session with an error", async () => {
    const testServer = await setUp();
    const bob = await connectClient(testServer, BOB);
    await bob.request(subscribe());
    testServer.sessions.delete(BOB);
    testServer.change("Note", null, note());
    expect(await bob.next()).toMatchObject({ op: "error", code: 209, requestId: 1 });
    testServer.change("Note", null, note());
    expect(await bob.waitForQuiet()).toEqual([]);
  });

  it("end the subscription of a revoked session at the next heartbeat if no event occurs", async () => {
    const testServer = await setUp({}, { heartbeatMs: 20 });
    const bob = await connectClient(testServer, BOB);
    await bob.request(subscribe());
    testServer.sessions.delete(BOB);
    expect(await bob.next()).toMatchObject({ op: "error", code: 209 });
  });

  it("reject an invalid session token", { tags: ["8.code.209"] }, async () => {
    const client = await connectClient(await setUp());
    expect(await client.request({ ...subscribe(), sessionToken: "r:nobody" })).toMatchObject({
      op: "error",
      code: 209,
    });
  });

  it.each<[string, Partial<LiveQueryDependencies>]>([
    ["session", { authenticateSession: async () => unavailable() }],
    ["class", { canFind: unavailable }],
    [
      "change log",
      { feed: { ...createLocalFeed(new EventBus(console.error)), subscribe: async () => unavailable() } },
    ],
  ])("close the socket for a later attempt if the %s cannot be read for now", async (_, dependencies) => {
    const client = await connectClient(await setUp(dependencies), ANN);
    client.send(subscribe());
    expect(await client.closed).toBe(1013);
    expect(client.received).toEqual([]);
  });

  it("close the socket, and can be resumed, if a change cannot be authorized for now", async () => {
    let isAway = false;
    const testServer = await setUp({ canFind: () => !isAway || unavailable() });
    const client = await connectClient(testServer);
    const { position, binding } = await client.request(subscribe());
    isAway = true;
    testServer.change("Note", null, note());
    expect(await client.closed).toBe(1013);
    expect(client.received).toEqual([]);
    isAway = false;
    const next = await connectClient(testServer);
    await next.request({ ...subscribe(), resumeFrom: position, binding });
    expect(await next.next()).toMatchObject({ op: "create", object: { objectId: "n1" } });
  });

  it.each<[string, Partial<LiveQueryDependencies>]>([
    ["authorized", { canFind: failingLater() }],
    ["serialized", { serializer: () => () => fail() }],
    ["filtered", { readCondition: () => fail() }],
  ])("are replaced by a refetch if a change cannot be %s because of a bug", async (_, dependencies) => {
    const testServer = await setUp(dependencies);
    const client = await connectClient(testServer);
    await client.request(subscribe());
    testServer.change("Note", null, note());
    expect(await client.next()).toMatchObject({ op: "refetch", requestId: 1 });
  });

  it("are replaced by a refetch if a change cannot be read because of a bug", async () => {
    const events = new EventBus(console.error);
    const feed = createLocalFeed(events);
    let failures = 1;
    const positionOf = (seq: number) => (seq === 1 && failures-- > 0 ? fail() : feed.positionOf(seq));
    const client = await connectClient(await setUp({ feed: { ...feed, positionOf } }));
    await client.request(subscribe());
    const request = { auth: ANONYMOUS, installationId: undefined, context: {}, ip: "", requestId: "" };
    const after = JSON.stringify(note());
    events.emit("objects.changed", { className: "Note", objectId: "n1", before: null, after, request });
    expect(await client.next()).toMatchObject({ op: "refetch", requestId: 1 });
  });

  it("of the past tell of objects that may not be read now that they left or were deleted, but not what they were", async () => {
    const hidden = new Set(["n1", "n2"]);
    const where = { text: { $regex: "^h" } };
    const testServer = await setUp({
      readableIds: async (_request, _className, _where, ids) => new Set(ids.filter((id) => !hidden.has(id))),
    });
    for (const query of [{ done: false }, where]) {
      const first = await connectClient(testServer, ANN);
      const { position, binding } = await first.request(subscribe(query));
      first.ws.terminate();
      testServer.change("Note", null, note());
      testServer.change("Note", note(), note({ text: "ho" }));
      testServer.change("Note", note({ text: "ho" }), note({ text: "x", done: true }));
      testServer.change("Note", null, note({ objectId: "n2" }));
      testServer.change("Note", note({ objectId: "n2" }), null);
      testServer.change("Note", null, note({ objectId: "n3" }));
      const second = await connectClient(testServer, ANN);
      await second.request({ ...subscribe(query), resumeFrom: position, binding });
      const events = [await second.next(), await second.next(), await second.next()];
      expect(events.map(({ op, object, original }) => [op, object, original])).toEqual([
        ["leave", { className: "Note", objectId: "n1" }, undefined],
        ["delete", { className: "Note", objectId: "n2" }, undefined],
        ["create", expect.objectContaining({ objectId: "n3", text: "hi" }), undefined],
      ]);
    }
  });

  it.each<[string, string | undefined, string | undefined, (message: JsonObject) => object]>([
    ["without its binding", ANN, ANN, ({ position }) => ({ resumeFrom: position })],
    ["as another user", ANN, BOB, ({ position, binding }) => ({ resumeFrom: position, binding })],
    ["without a session", ANN, undefined, ({ position, binding }) => ({ resumeFrom: position, binding })],
    [
      "before its subscription began",
      ANN,
      ANN,
      ({ position, binding }) => ({ resumeFrom: String(position).replace(/\d+$/, "0"), binding }),
    ],
  ])("of the past are not sent for a position %s, but a refetch", async (_, before, after, resumeOf) => {
    const testServer = await setUp();
    const observer = await connectClient(testServer);
    await observer.request(subscribe());
    testServer.change("Note", null, note());
    const first = await connectClient(testServer, before);
    const subscribed = await first.request(subscribe());
    testServer.change("Note", null, note({ objectId: "n2" }));
    const second = await connectClient(testServer, after);
    await second.request({ ...subscribe(), ...resumeOf(subscribed) });
    expect(await second.next()).toMatchObject({ op: "refetch", binding: expect.any(String) });
    testServer.change("Note", null, note({ objectId: "n3" }));
    expect(await second.next()).toMatchObject({ op: "create", object: { objectId: "n3" } });
  });

  it("of the past are sent in another session of the same user", async () => {
    const testServer = await setUp();
    const again = "r:annannannannann2";
    testServer.sessions.set(again, {
      kind: "user",
      userId: "ann",
      roles: [],
      sessionId: "3",
      sessionToken: again,
    });
    const first = await connectClient(testServer, ANN);
    const { position: resumeFrom, binding } = await first.request(subscribe());
    testServer.change("Note", null, note());
    const second = await connectClient(testServer, again);
    await second.request({ ...subscribe(), resumeFrom, binding });
    expect(await second.next()).toMatchObject({ op: "create", object: { objectId: "n1" } });
  });

  it("reject a class that the user may not query", { tags: ["8.code.119"] }, async () => {
    const client = await connectClient(await setUp({ canFind: (auth) => auth.kind === "user" }));
    expect(await client.request(subscribe())).toMatchObject({ op: "error", code: 119, requestId: 1 });
  });

  it("include the read condition of a class", async () => {
    const scope = (): Condition => parseWhere({ text: "mine" });
    const testServer = await setUp({ readCondition: scope });
    const client = await connectClient(testServer, ANN);
    await client.request(subscribe());
    testServer.change("Note", null, note());
    testServer.change("Note", null, note({ text: "mine" }));
    expect(await client.next()).toMatchObject({ object: { text: "mine" } });
  });

  it("determine the fields of an object for each user", async () => {
    const testServer = await setUp({
      serializer:
        () =>
        (object, { auth }) => {
          if (auth.kind !== "user" || auth.userId !== "ann") delete object.text;
          return object;
        },
    });
    const [ann, bob] = [await connectClient(testServer, ANN), await connectClient(testServer, BOB)];
    await Promise.all([ann.request(subscribe()), bob.request(subscribe())]);
    testServer.change("Note", null, note());
    expect((await ann.next()).object).toHaveProperty("text");
    expect((await bob.next()).object).not.toHaveProperty("text");
  });
});

describe("invalid live query input returns an error and keeps the socket open:", () => {
  it.each<[string, unknown, number]>([
    ["malformed JSON", "{", 107],
    ["a message that is no object", "[1]", 107],
    ["an unknown op", { op: "drop" }, 108],
    ["a bad regular expression", subscribe({ text: { $regex: "(" } }), 102],
    ["an unknown operator", subscribe({ text: { $where: "1" } }), 102],
    ["a bad key", subscribe({ "a b": 1 }), 105],
    [
      "a bad class name",
      { op: "subscribe", requestId: 1, query: { className: "__proto__", where: {} } },
      103,
    ],
    [
      "a relation",
      subscribe({ $relatedTo: { object: { __type: "Pointer", className: "A", objectId: "1" }, key: "k" } }),
      102,
    ],
    ["an unsubscribe of nothing", { op: "unsubscribe", requestId: 9 }, 101],
  ])("%s", { tags: ["8.code.107", "8.code.102", "8.code.105"] }, async (_, message, code) => {
    const client = await connectClient(await setUp());
    expect(await client.request(message)).toMatchObject({ op: "error", code });
    expect(await client.request(subscribe())).toMatchObject({ op: "subscribed" });
  });

  it("a regular expression with exponential backtracking takes no time", async () => {
    const testServer = await setUp();
    const client = await connectClient(testServer);
    await client.request(subscribe({ text: { $regex: "^(a+)+$" } }));
    testServer.change("Note", null, note({ text: `${"a".repeat(50_000)}!` }));
    testServer.change("Note", null, note({ text: "aa" }));
    expect(await client.next()).toMatchObject({ op: "create", object: { text: "aa" } });
  });
});

/** Takes linear time, but long for every character. */
const SLOW_PATTERN = "(?i)(x[ab]{300}|[ab]{300}y|(a|b)*a(a|b){300}z)$";
const slowText = "ab".repeat(15_000);

describe("expensive live queries", () => {
  it("are matched in threads while others receive events, and end with error 124 if they are repeatedly slow", {
    timeout: 60_000,
  }, async () => {
    const testServer = await setUp();
    const greedy = await connectClient(testServer);
    const other = await connectClient(testServer);
    await greedy.request(subscribe({ text: { $regex: `${SLOW_PATTERN}|q` } }));
    await other.request(subscribe({ done: false }));
    const before = process.threadCpuUsage();
    const order: string[] = [];
    const ended = (async () => {
      // A match that times out makes its subscriber query again before the subscription ends.
      let op: unknown;
      do {
        ({ op } = await greedy.next());
        expect(["refetch", "error"]).toContain(op);
        order.push(String(op));
      } while (op !== "error");
    })();
    for (let count = 0; count < 8; count++) {
      testServer.change("Note", null, note({ text: slowText, count }));
      expect(await other.next()).toMatchObject({ op: "create", object: { count } });
      order.push("other");
    }
    await ended;
    const { user, system } = process.threadCpuUsage(before);
    expect(order.lastIndexOf("other")).toBeLessThan(order.indexOf("error"));
    expect((user + system) / 1_000).toBeLessThan(1_500);
    await expect.poll(() => testServer.live.subscriptions()).toBe(1);
  });

  it("end with an error that states the reason, and can be subscribed again", {
    timeout: 60_000,
  }, async () => {
    const testServer = await setUp();
    const client = await connectClient(testServer);
    await client.request(subscribe({ text: { $regex: `${SLOW_PATTERN}|q` } }));
    for (let count = 0; count < 8; count++) testServer.change("Note", null, note({ text: slowText, count }));
    let message = await client.next();
    while (message.op === "refetch") message = await client.next();
    expect(message).toMatchObject({
      op: "error",
      requestId: 1,
      code: ErrorCode.TIMEOUT,
      error: "The query takes too long to match with changes: its subscription has ended",
    });
    expect(await client.request(subscribe({ done: false }))).toMatchObject({ op: "subscribed" });
  });

  it("keep the order of their events, whether an object is matched in a thread or not", async () => {
    const testServer = await setUp();
    const client = await connectClient(testServer);
    const list = Array.from({ length: 500 }, (_, i) => `tag ${i}`);
    await client.request(subscribe({ tags: { $in: list } }));
    const large = (count: number) => note({ tags: ["tag 1"], count, text: "x".repeat(20_000) });
    const small = (count: number) => note({ tags: ["tag 1"], count });
    for (let count = 0; count < 20; count++) {
      testServer.change("Note", null, count % 3 === 0 ? large(count) : small(count));
    }
    await expect.poll(() => client.received.length).toBe(20);
    const counts = client.received.map(({ object }) => isJsonObject(object) && object.count);
    expect(counts).toEqual([...Array(20).keys()]);
  });

  it("replay missed events in order after a reconnect", async () => {
    const testServer = await setUp();
    const first = await connectClient(testServer);
    const where = { text: { $regex: "^h" } };
    const { binding } = await first.request(subscribe(where));
    testServer.change("Note", null, note({ count: 0 }));
    const { position } = await first.next();
    first.ws.close();
    for (let count = 1; count < 10; count++) testServer.change("Note", null, note({ count }));
    const second = await connectClient(testServer);
    await second.request({ ...subscribe(where), resumeFrom: position, binding });
    testServer.change("Note", null, note({ count: 10 }));
    await expect.poll(() => second.received.length).toBe(10);
    const counts = second.received.map(({ object }) => isJsonObject(object) && object.count);
    expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it("receive a refetch if an object is too large to be matched", async () => {
    const testServer = await setUp();
    const client = await connectClient(testServer);
    const elsewhere = await connectClient(testServer);
    await client.request(subscribe());
    await elsewhere.request({ ...subscribe(), query: { className: "Other", where: {} } });
    testServer.change("Note", null, note({ text: "x".repeat(5_000_000) }));
    expect(await client.next()).toMatchObject({ op: "refetch", requestId: 1 });
    expect(await elsewhere.waitForQuiet()).toEqual([]);
  });
});

describe("afterLiveQueryEvent", () => {
  const triggersFor = (
    className: string,
    event: () => Promise<undefined>,
  ): NonNullable<LiveQueryDependencies["triggers"]> => ({
    hasHandler: (trigger, name) => trigger === "afterLiveQueryEvent" && name === className,
    connect: async () => undefined,
    onConnectionEvent: () => undefined,
    subscribe: async (_request, _className, params) => params,
    event,
  });

  it("of one class does not delay the events of other classes", async () => {
    const slow = Promise.withResolvers<undefined>();
    const testServer = await setUp({ triggers: triggersFor("Note", () => slow.promise) });
    const client = await connectClient(testServer);
    await client.request(subscribe());
    await client.request({ ...subscribe(), requestId: 2, query: { className: "Other", where: {} } });
    testServer.change("Note", null, note());
    testServer.change("Other", null, note());
    expect(await client.next()).toMatchObject({ op: "create", requestId: 2 });
    slow.resolve(undefined);
    expect(await client.next()).toMatchObject({ op: "create", requestId: 1 });
  });

  it("that times out causes a refetch, and later events are delivered", async () => {
    let isSlow = true;
    const event = () => (isSlow ? new Promise<undefined>(() => undefined) : Promise.resolve(undefined));
    const testServer = await setUp({ triggers: triggersFor("Note", event), triggerTimeoutMs: 50 });
    const client = await connectClient(testServer);
    await client.request(subscribe());
    testServer.change("Note", null, note({ count: 1 }));
    expect(await client.next()).toMatchObject({ op: "refetch", requestId: 1 });
    isSlow = false;
    testServer.change("Note", null, note({ count: 2 }));
    expect(await client.next()).toMatchObject({ op: "create", object: { count: 2 } });
  });

  it("that falls behind disconnects the subscribers of its class, and no others", async () => {
    const testServer = await setUp(
      { triggers: triggersFor("Note", () => new Promise<undefined>(() => undefined)) },
      { maxBacklog: 20 },
    );
    const behind = await connectClient(testServer);
    const other = await connectClient(testServer);
    await behind.request(subscribe());
    await other.request({ ...subscribe(), query: { className: "Other", where: {} } });
    for (let count = 0; count < 30; count++) testServer.change("Note", null, note({ count }));
    expect(await behind.closed).toBe(1013);
    testServer.change("Other", null, note());
    expect(await other.next()).toMatchObject({ op: "create" });
  });
});

describe("live query limits", () => {
  it("apply to subscriptions per socket", async () => {
    const client = await connectClient(await setUp({}, { maxSubscriptions: 1 }));
    await client.request(subscribe());
    expect(await client.request({ ...subscribe(), requestId: 2 })).toMatchObject({ op: "error", code: 155 });
  });

  it("apply to active subscriptions per address", async () => {
    const testServer = await setUp({}, { maxSubscriptionsPerAddress: 2 });
    const [one, other] = [await connectClient(testServer), await connectClient(testServer)];
    await one.request(subscribe());
    await other.request(subscribe());
    expect(await other.request({ ...subscribe(), requestId: 2 })).toMatchObject({ op: "error", code: 155 });
    await one.request({ op: "unsubscribe", requestId: 1 });
    expect(await other.request({ ...subscribe(), requestId: 2 })).toMatchObject({ op: "subscribed" });
  });

  it("apply to open sockets per address", async () => {
    const testServer = await setUp({}, { maxSocketsPerAddress: 1 });
    const { ws } = await connectClient(testServer);
    await expect(openSocket(testServer)).rejects.toThrow("429");
    ws.terminate();
    await expect.poll(() => testServer.live.size()).toBe(0);
    await connectClient(testServer);
  });

  it("apply to the backlog: clients are disconnected, reconnect and receive the missed changes", async () => {
    const callers: (() => void)[] = [];
    let slow = false;
    const mayFind = () => !slow || new Promise<boolean>((resolve) => callers.push(() => resolve(true)));
    const testServer = await setUp({ canFind: mayFind }, { maxBacklog: 20 });
    const first = await connectClient(testServer);
    const { position, binding } = await first.request(subscribe());
    slow = true;
    for (let count = 0; count < 30; count += 1) testServer.change("Note", null, note({ count }));
    expect(await first.closed).toBe(1013);
    slow = false;
    for (const resolve of callers) resolve();
    const second = await connectClient(testServer);
    await second.request({ ...subscribe(), resumeFrom: position, binding });
    const counts = (await second.waitForQuiet()).map(({ object }) => isJsonObject(object) && object.count);
    expect(counts).toEqual([...Array(30).keys()]);
  });

  it("apply to the message size", async () => {
    const client = await connectClient(await setUp({}, { maxMessageBytes: 1_000 }));
    client.send(subscribe({ text: "x".repeat(2_000) }));
    expect(await client.closed).toBe(1009);
  });

  it("apply to the message rate", async () => {
    const client = await connectClient(await setUp({}, { messageBurst: 10, messagesPerSecond: 1 }));
    for (let i = 0; i < 20; i += 1) client.send({ op: "nothing" });
    expect(await client.closed).toBe(1008);
  });

  it("apply to the rate of pings, which are answered", async () => {
    const client = await connectClient(await setUp({}, { messageBurst: 10, messagesPerSecond: 1 }));
    for (let i = 0; i < 20; i += 1) client.ws.ping();
    expect(await client.closed).toBe(1008);
  });

  it("end a socket that sends too much with a status, and handle nothing of what it has sent", async () => {
    const canFind = vi.fn(() => true);
    const testServer = await setUp({ canFind }, { messageBurst: 10, messagesPerSecond: 1 });
    const client = await connectClient(testServer);
    for (let requestId = 0; requestId < 2_000; requestId += 1) client.send({ ...subscribe(), requestId });
    expect(await client.closed).toBe(1008);
    expect(canFind).not.toHaveBeenCalled();
    await expect.poll(() => testServer.live.size()).toBe(0);
  });

  it("cut off a socket that goes on sending after the server has closed it", async () => {
    const testServer = await setUp({}, { messageBurst: 10, messagesPerSecond: 1 });
    const client = await connectClient(testServer);
    client.ws.pause();
    const sendMore = () => {
      if (client.ws.readyState === client.ws.OPEN) client.send({ op: "nothing", text: "x".repeat(200_000) });
      return testServer.live.size();
    };
    await expect.poll(sendMore, { interval: 1 }).toBe(0);
  });

  it("count messages, not the frames that they consist of", async () => {
    const client = await connectClient(await setUp());
    const message = JSON.stringify(subscribe({ text: "x".repeat(2_000) }));
    for (let at = 0; at < message.length; at += 1)
      client.ws.send(message[at] ?? "", { fin: at === message.length - 1 });
    expect(await client.next()).toMatchObject({ op: "subscribed", requestId: 1 });
  });

  it("apply to the data buffered for all sockets of an address, of which the slowest are ended", async () => {
    const unsent = new UnsentBytes({ maxBytes: 1_000_000 });
    const testServer = await setUp({ unsent });
    const [slow, reading] = [await connectClient(testServer), await connectClient(testServer)];
    for (const client of [slow, reading]) await client.request(subscribe());
    slow.ws.pause();
    const text = "x".repeat(100_000);
    const connectedAfterChange = async () => {
      testServer.change("Note", null, note({ text }));
      expect(await reading.next()).toMatchObject({ op: "create", object: { text } });
      return testServer.live.size();
    };
    await expect.poll(connectedAfterChange, { interval: 0 }).toBe(1);
    expect(unsent.endedReceivers).toBe(1);
  });

  it("apply to the number of sockets", async () => {
    const testServer = await setUp({}, { maxSockets: 1 });
    await connectClient(testServer);
    await expect(openSocket(testServer)).rejects.toThrow("503");
  });

  it("apply to the data buffered for a slow reader", async () => {
    const testServer = await setUp({}, { maxBufferedBytes: 200_000 });
    const client = await connectClient(testServer);
    await client.request(subscribe());
    client.ws.pause();
    const text = "x".repeat(100_000);
    const connectedAfterChange = () => {
      testServer.change("Note", null, note({ text }));
      return testServer.live.size();
    };
    await expect.poll(connectedAfterChange, { interval: 1 }).toBe(0);
  });

  it("disconnect a slow reader with a status that it receives when it continues to read", async () => {
    const testServer = await setUp({}, { maxBufferedBytes: 200_000 });
    const client = await connectClient(testServer);
    await client.request(subscribe());
    client.ws.pause();
    const text = "x".repeat(1_000_000);
    for (let i = 0; i < 20; i += 1) testServer.change("Note", null, note({ text }));
    await processChanges(testServer);
    client.ws.resume();
    expect(await client.closed).toBe(1013);
  });

  it("disconnect a socket that does not answer pings", async () => {
    const testServer = await setUp({}, { heartbeatMs: 20 });
    const client = await connectClient(testServer);
    client.ws.pause();
    await expect.poll(() => testServer.live.size()).toBe(0);
  });
});
