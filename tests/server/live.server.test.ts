import type { JsonObject } from "@purse/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { connectLive, type LiveSocket, openSocket } from "../support/liveClient.ts";
import { hostPurse, type Purse, rest, signUp } from "../support/purse.ts";

const MASTER = { useMasterKey: true };
const pointer = (objectId: string) => ({ __type: "Pointer", className: "_User", objectId });
const place = (latitude: number, longitude: number) => ({ __type: "GeoPoint", latitude, longitude });

describe.each(DATABASES)("live queries on %s", (database) => {
  let purse: Purse;
  let ada: Awaited<ReturnType<typeof signUp>>;
  let bob: Awaited<ReturnType<typeof signUp>>;
  const open: LiveSocket[] = [];

  beforeAll(async () => {
    purse = await hostPurse({ env: await databaseEnv(database) });
    ada = await signUp(purse);
    bob = await signUp(purse);
  });
  afterAll(() => purse?.remove());
  afterEach(() => {
    for (const { socket } of open.splice(0)) socket.terminate();
  });

  async function client(sessionToken?: string, masterKey?: string): Promise<LiveSocket> {
    const made = await connectLive(purse, {
      ...(sessionToken !== undefined && { sessionToken }),
      ...(masterKey !== undefined && { masterKey }),
    });
    open.push(made);
    return made;
  }

  const save = async (className: string, fields: object, credentials = {}) => {
    const { status, body } = await rest(purse, "POST", `/classes/${className}`, fields, credentials);
    expect(body).toMatchObject({ objectId: expect.any(String) });
    expect(status).toBe(201);
    return String(body.objectId);
  };
  const update = (className: string, id: string, fields: object, credentials = {}) =>
    rest(purse, "PUT", `/classes/${className}/${id}`, fields, credentials);
  const permit = async (className: string, classLevelPermissions: object, fields: object = {}) => {
    const { body } = await rest(
      purse,
      "POST",
      `/schemas/${className}`,
      { fields, classLevelPermissions },
      MASTER,
    );
    expect(body).toMatchObject({ className });
  };
  const open4all = { "*": true };

  describe("events", () => {
    it("report creates, updates, enters, leaves and deletes", async () => {
      const { subscribe, next } = await client();
      expect(await subscribe("Lamp", { on: true })).toMatchObject({ op: "subscribed", requestId: 1 });
      const id = await save("Lamp", { on: true, watts: 5 });
      expect(await next()).toMatchObject({
        op: "create",
        object: { className: "Lamp", objectId: id, on: true },
      });
      await update("Lamp", id, { watts: 7 });
      expect(await next()).toMatchObject({ op: "update", object: { watts: 7 }, original: { watts: 5 } });
      await update("Lamp", id, { on: false });
      expect(await next()).toMatchObject({ op: "leave", object: { on: false }, original: { on: true } });
      await update("Lamp", id, { on: true });
      expect(await next()).toMatchObject({ op: "enter", object: { on: true }, original: { on: false } });
      await rest(purse, "DELETE", `/classes/Lamp/${id}`);
      expect(await next()).toMatchObject({ op: "delete", object: { objectId: id } });
    });

    it("contain the selected fields, also by their old parameter name", async () => {
      const byFields = await client();
      await byFields.subscribe("Chosen", {}, { fields: ["a"] });
      const byKeys = await client();
      await byKeys.subscribe("Chosen", {}, { keys: ["a"] });
      await save("Chosen", { a: 1, b: 2 });
      for (const { next } of [byFields, byKeys]) {
        const { object } = await next();
        expect(object).toMatchObject({ a: 1 });
        expect(object).not.toHaveProperty("b");
      }
    });

    it("omit updates of fields that are not watched", async () => {
      const { subscribe, next } = await client();
      await subscribe("Watched", {}, { watch: ["a"] });
      const id = await save("Watched", { a: 1, b: 1 });
      await next();
      await update("Watched", id, { b: 2 });
      await update("Watched", id, { a: 2 });
      expect(await next()).toMatchObject({ op: "update", object: { a: 2, b: 2 } });
    });

    it("omit new objects without a watched field", async () => {
      const { subscribe, next } = await client();
      await subscribe("Watched", {}, { watch: ["c"] });
      await save("Watched", { a: 1 });
      await save("Watched", { a: 2, c: 1 });
      expect(await next()).toMatchObject({ op: "create", object: { a: 2, c: 1 } });
    });

    it("do not include pointers, and reject include", async () => {
      const { subscribe, next } = await client();
      expect(await subscribe("Letter", {}, { include: "from" })).toMatchObject({ op: "error", code: 1 });
      await subscribe("Letter");
      await save("Letter", { from: pointer(ada.id) });
      expect((await next()).object?.from).toEqual(pointer(ada.id));
    });

    it("are sent for batches and transactions, once and in order", async () => {
      const { subscribe, next, receivedOps: quiet } = await client();
      await subscribe("Batched");
      const requests = [1, 2, 3].map((n) => ({
        method: "POST",
        path: "/server/classes/Batched",
        body: { n },
      }));
      await rest(purse, "POST", "/batch", { requests, transaction: true });
      expect([await next(), await next(), await next()].map(({ object }) => object?.n)).toEqual([1, 2, 3]);
      expect(await quiet("Batched")).toEqual([]);
    });

    it("follow a changed query after an update of the subscription", async () => {
      const { request: ask, subscribe, next } = await client();
      await subscribe("Tuned", { n: 1 });
      const query = { className: "Tuned", where: { n: 2 } };
      expect(await ask({ op: "update", requestId: 1, query })).toMatchObject({ op: "subscribed" });
      await save("Tuned", { n: 1 });
      await save("Tuned", { n: 2 });
      expect(await next()).toMatchObject({ op: "create", object: { n: 2 } });
    });

    it("end with unsubscribe", async () => {
      const { request: ask, subscribe, receivedOps: quiet } = await client();
      await subscribe("Silent");
      expect(await ask({ op: "unsubscribe", requestId: 1 })).toMatchObject({ op: "unsubscribed" });
      await save("Silent", {});
      expect(await quiet("Silent")).toEqual([]);
    });
  });

  describe("operators match as in a query", () => {
    const square = {
      __type: "Polygon",
      coordinates: [
        [0, 0],
        [0, 10],
        [10, 10],
        [10, 0],
        [0, 0],
      ],
    };
    it.each<[string, object, JsonObject, JsonObject]>([
      ["equality", { a: 1 }, { a: 1 }, { a: 2 }],
      ["$ne", { a: { $ne: 1 } }, { a: 2 }, { a: 1 }],
      ["$lt and $gte", { a: { $lt: 5, $gte: 1 } }, { a: 1 }, { a: 5 }],
      ["$in", { a: { $in: [1, 2] } }, { a: 2 }, { a: 3 }],
      ["$nin", { a: { $nin: [1, 2] } }, { a: 3 }, { a: 1 }],
      ["$exists", { b: { $exists: true } }, { b: "x" }, { a: 1 }],
      ["$all", { list: { $all: ["x", "y"] } }, { list: ["y", "x", "z"] }, { list: ["x"] }],
      ["$containedBy", { list: { $containedBy: ["x", "y"] } }, { list: ["x"] }, { list: ["x", "z"] }],
      ["$regex", { s: { $regex: "^h", $options: "i" } }, { s: "Hello" }, { s: "oh" }],
      ["$or", { $or: [{ a: 1 }, { s: "x" }] }, { s: "x" }, { s: "y" }],
      ["$and", { $and: [{ a: 1 }, { s: "x" }] }, { a: 1, s: "x" }, { a: 1 }],
      ["$nor", { $nor: [{ a: 1 }, { s: "x" }] }, { a: 2 }, { a: 1 }],
      ["a dotted path", { "o.a": 1 }, { o: { a: 1 } }, { o: { a: 2 } }],
      ["null in an array", { list: null, s: "x" }, { list: ["y", null], s: "x" }, { list: ["y"], s: "x" }],
      [
        "$nearSphere",
        { at: { $nearSphere: place(0, 0), $maxDistanceInKilometers: 200 } },
        { at: place(1, 1) },
        { at: place(5, 5) },
      ],
      [
        "$within $box",
        { at: { $within: { $box: [place(0, 0), place(2, 2)] } } },
        { at: place(1, 1) },
        { at: place(3, 1) },
      ],
      [
        "$geoWithin $centerSphere",
        { at: { $geoWithin: { $centerSphere: [[0, 0], 0.05] } } },
        { at: place(1, 1) },
        { at: place(20, 20) },
      ],
      ["$geoIntersects", { area: { $geoIntersects: { $point: place(5, 5) } } }, { area: square }, { a: 1 }],
    ])("%s", async (_, where, matching, other) => {
      const { subscribe, next } = await client();
      expect(await subscribe("Operator", where)).toMatchObject({ op: "subscribed" });
      await save("Operator", other);
      const id = await save("Operator", matching);
      expect((await next()).object?.objectId).toBe(id);
    });

    it.each<[string, object]>([
      ["a sub-query", { a: { $inQuery: { className: "Other", where: {} } } }],
      ["$select", { a: { $select: { key: "a", query: { className: "Other", where: {} } } } }],
      ["a text search", { s: { $text: { $search: { $term: "hello" } } } }],
      ["$relatedTo", { $relatedTo: { object: pointer("a"), key: "k" } }],
    ])("conditions on other objects are rejected: %s", async (_, where) => {
      const { subscribe } = await client();
      expect(await subscribe("Operator", where)).toMatchObject({ op: "error", code: 102, requestId: 1 });
    });
  });

  describe("permissions at the time of the event", () => {
    it("limit events to users who may read the object", { tags: ["6.acl.read-per-user"] }, async () => {
      const [forAda, forBob, forNobody, forMaster] = [
        await client(ada.sessionToken),
        await client(bob.sessionToken),
        await client(),
        await client(undefined, purse.masterKey),
      ];
      for (const { subscribe } of [forAda, forBob, forNobody, forMaster]) await subscribe("Diary");
      await save("Diary", { text: "secret", ACL: { [ada.id]: { read: true, write: true } } }, ada);
      expect(await forAda.next()).toMatchObject({ op: "create", object: { text: "secret" } });
      expect(await forMaster.next()).toMatchObject({ op: "create" });
      expect(await forBob.receivedOps("Diary")).toEqual([]);
      expect(await forNobody.receivedOps("Diary")).toEqual([]);
    });

    it("send only a leave event to users who lose read access", async () => {
      const id = await save(
        "Diary",
        { text: "open", ACL: { "*": { read: true }, [ada.id]: { read: true, write: true } } },
        ada,
      );
      const forBob = await client(bob.sessionToken);
      await forBob.subscribe("Diary");
      await update("Diary", id, { text: "secret", ACL: { [ada.id]: { read: true, write: true } } }, ada);
      const left = await forBob.next();
      expect(left).toMatchObject({ op: "leave", object: { className: "Diary", objectId: id } });
      expect(JSON.stringify(left)).not.toMatch(/secret|open/);
      await update("Diary", id, { text: "more" }, ada);
      expect(await forBob.receivedOps("Diary")).toEqual([]);
    });

    it("end events immediately for users who lose a role, also an inherited one", async () => {
      const crew = await rest(
        purse,
        "POST",
        "/roles",
        { name: "crew", ACL: {}, users: { __op: "AddRelation", objects: [pointer(bob.id)] } },
        MASTER,
      );
      const role = { __type: "Pointer", className: "_Role", objectId: crew.body.objectId };
      await rest(
        purse,
        "POST",
        "/roles",
        { name: "staff", ACL: {}, roles: { __op: "AddRelation", objects: [role] } },
        MASTER,
      );
      const forBob = await client(bob.sessionToken);
      await forBob.subscribe("Memo");
      const memo = { ACL: { "role:staff": { read: true } } };
      await save("Memo", memo, MASTER);
      expect(await forBob.next()).toMatchObject({ op: "create" });
      const gone = { users: { __op: "RemoveRelation", objects: [pointer(bob.id)] } };
      await rest(purse, "PUT", `/roles/${crew.body.objectId}`, gone, MASTER);
      await save("Memo", memo, MASTER);
      expect(await forBob.receivedOps("Memo")).toEqual([]);
    });

    it("apply class-level permissions, also when they change", { tags: ["8.code.119"] }, async () => {
      await permit("Closed", { find: { [ada.id]: true }, create: open4all });
      const forBob = await client(bob.sessionToken);
      expect(await forBob.subscribe("Closed")).toMatchObject({ op: "error", code: 119 });
      const forAda = await client(ada.sessionToken);
      await forAda.subscribe("Closed");
      await save("Closed", {});
      expect(await forAda.next()).toMatchObject({ op: "create" });
      await rest(
        purse,
        "PUT",
        "/schemas/Closed",
        { classLevelPermissions: { find: {}, create: open4all } },
        MASTER,
      );
      await save("Closed", {});
      expect(await forAda.receivedOps("Closed")).toEqual([]);
    });

    it("apply pointer permissions", async () => {
      await permit(
        "Parcel",
        { create: open4all, addField: open4all, readUserFields: ["owner"] },
        { owner: { type: "Pointer", targetClass: "_User" } },
      );
      const forAda = await client(ada.sessionToken);
      await forAda.subscribe("Parcel");
      await save("Parcel", { owner: pointer(bob.id), n: 1 });
      const id = await save("Parcel", { owner: pointer(ada.id), n: 2 });
      expect(await forAda.next()).toMatchObject({ op: "create", object: { n: 2 } });
      await update("Parcel", id, { owner: pointer(bob.id) }, MASTER);
      const left = await forAda.next();
      expect(left).toMatchObject({ op: "leave", object: { objectId: id } });
      expect(left.object).not.toHaveProperty("owner");
    });

    it("hide protected fields, and reject conditions on them", async () => {
      await permit(
        "Account",
        {
          find: open4all,
          create: open4all,
          addField: open4all,
          protectedFields: { "*": ["iban"], [ada.id]: [] },
        },
        { iban: { type: "String" } },
      );
      const [forAda, forBob] = [await client(ada.sessionToken), await client(bob.sessionToken)];
      await forAda.subscribe("Account");
      await forBob.subscribe("Account");
      await save("Account", { iban: "DE1", n: 1 });
      expect((await forAda.next()).object).toMatchObject({ iban: "DE1" });
      expect((await forBob.next()).object).not.toHaveProperty("iban");
      expect(await forBob.subscribe("Account", { iban: "DE1" }, { requestId: 2 })).toMatchObject({
        op: "error",
        code: 119,
      });
    });

    it("end with the session immediately, and close its socket", async () => {
      const eve = await signUp(purse);
      const forEve = await client(eve.sessionToken);
      await forEve.subscribe("Bell");
      await rest(purse, "POST", "/logout", {}, eve);
      expect(await forEve.next()).toMatchObject({ op: "error", code: 209, requestId: 1 });
      expect(await forEve.closed).toEqual({ code: 1008, reason: "the session ended" });
    });

    it.each(["_Installation", "_PushStatus", "_Session", "_Hooks"])(
      "reject classes that queries may not read: %s",
      async (className) => {
        const { subscribe } = await client();
        expect(await subscribe(className)).toMatchObject({ op: "error" });
      },
    );

    it("reject sessions with 209 for clients without a session", async () => {
      const { subscribe } = await client();
      expect(await subscribe("_Session")).toMatchObject({
        op: "error",
        code: 209,
        error: "Invalid session token",
      });
    });

    it("ignore cookies, whatever page opened the socket", async () => {
      const headers = { Cookie: `sessionToken=${ada.sessionToken}`, Origin: "https://evil.example" };
      const socket = new WebSocket(purse.serverUrl.replace(/^http/, "ws"), { headers });
      const answers: JsonObject[] = [];
      socket.on("message", (data) => answers.push(JSON.parse(data.toString())));
      await new Promise((resolve) => socket.on("open", resolve));
      socket.send(JSON.stringify({ op: "connect", applicationId: purse.appId }));
      socket.send(
        JSON.stringify({ op: "subscribe", requestId: 1, query: { className: "Cookie", where: {} } }),
      );
      await expect.poll(() => answers.length).toBe(2);
      await save("Cookie", { ACL: { [ada.id]: { read: true } } }, MASTER);
      await save("Cookie", { n: 1 });
      await expect.poll(() => answers.length).toBe(3);
      expect(answers[2]).toMatchObject({ op: "create", object: { n: 1 } });
      socket.terminate();
    });

    it("hide sessions of other users", async () => {
      const forBob = await client(bob.sessionToken);
      await forBob.subscribe("_Session");
      const { username } = await signUp(purse);
      await rest(purse, "POST", "/login", { username, password: "correct horse" });
      expect((await forBob.receivedOps("Afterwards")).filter((op) => op !== "error")).toEqual([]);
    });

    it("never include passwords, tokens and authData", async () => {
      const forMe = await client(ada.sessionToken);
      await forMe.subscribe("_User");
      await rest(purse, "PUT", `/classes/_User/${ada.id}`, { color: "red" }, ada);
      const event = await forMe.next();
      expect(event).toMatchObject({ op: "update", object: { color: "red" } });
      expect(Object.keys({ ...event.object, ...event.original }).join()).not.toMatch(
        /password|token|authData/i,
      );
    });
  });

  describe("a client that reconnects", () => {
    it("receives the missed events, and then new ones", async () => {
      const first = await client();
      const { binding } = await first.subscribe("Log", { kept: true });
      const id = await save("Log", { n: 1, kept: true });
      const { position } = await first.next();
      first.socket.terminate();
      await save("Log", { n: 2, kept: true });
      await save("Log", { n: 3, kept: false });
      await update("Log", id, { n: 4 });
      const second = await client();
      expect(await second.subscribe("Log", { kept: true }, { resumeFrom: position, binding })).toMatchObject({
        op: "subscribed",
        position,
      });
      await rest(purse, "DELETE", `/classes/Log/${id}`);
      const events = [await second.next(), await second.next(), await second.next()];
      expect(events.map(({ op, object }) => [op, object?.n])).toEqual([
        ["create", 2],
        ["update", 4],
        ["delete", 4],
      ]);
      expect(await second.receivedOps("Log")).toEqual([]);
    });

    it("misses no event that is written while it reconnects", async () => {
      const first = await client();
      const { position, binding } = await first.subscribe("Busy");
      const writing = Promise.all(Array.from({ length: 60 }, (_, n) => save("Busy", { n })));
      const second = await client();
      const subscribing = second.subscribe("Busy", {}, { resumeFrom: position, binding });
      await Promise.all([writing, subscribing]);
      await second.receivedOps("Busy");
      const ids = second.received.filter(({ op }) => op === "create").map(({ object }) => object?.n);
      expect([...ids].sort((a, b) => Number(a) - Number(b))).toEqual([...Array(60).keys()]);
    });

    it("receives events with the current permissions", async () => {
      const first = await client(bob.sessionToken);
      const { position, binding } = await first.subscribe("Resumed");
      first.socket.terminate();
      await save("Resumed", { ACL: { [ada.id]: { read: true } } }, MASTER);
      await save("Resumed", { n: 2 });
      const second = await client(bob.sessionToken);
      await second.subscribe("Resumed", {}, { resumeFrom: position, binding });
      expect(await second.next()).toMatchObject({ op: "create", object: { n: 2 } });
    });

    it.each(["0123456789ab.7", "other.1"])(
      "receives a refetch for the unknown position %s",
      async (resumeFrom) => {
        const back = await client();
        const { position } = await back.subscribe("Log", {}, { resumeFrom });
        expect(await back.next()).toEqual({
          op: "refetch",
          clientId: expect.any(String),
          requestId: 1,
          position,
          binding: expect.any(String),
        });
        await save("Log", { n: 9 });
        expect(await back.next()).toMatchObject({ op: "create", object: { n: 9 } });
      },
    );

    it.each(["yesterday", "a.b", "1.-1"])("is rejected for the invalid position %s", async (resumeFrom) => {
      const back = await client();
      expect(await back.subscribe("Log", {}, { resumeFrom })).toMatchObject({ op: "error", code: 102 });
      expect(await back.subscribe("Log")).toMatchObject({ op: "subscribed" });
    });
  });

  describe("invalid input", () => {
    it.each<[string, object]>([
      ["an invalid regular expression", { text: { $regex: "(" } }],
      ["an unknown operator", { text: { $where: "1" } }],
      [
        "deeply nested conditions",
        Array.from({ length: 60 }).reduce<object>((inner) => ({ $or: [inner] }), {}),
      ],
    ])("returns an error: %s", { tags: ["8.code.102"] }, async (_, where) => {
      const { subscribe } = await client();
      expect(await subscribe("Lamp", where)).toMatchObject({ op: "error", code: 102 });
      expect(await subscribe("Lamp")).toMatchObject({ op: "subscribed" });
      expect((await fetch(`${purse.url}/health`)).status).toBe(200);
    });

    it.each(["{", "[]", "null", '"connect"', '{"op":5}', '{"op":"subscribe"}'])(
      "returns an error: %s",
      async (frame) => {
        const { request: ask, subscribe } = await client();
        expect(await ask(frame)).toMatchObject({ op: "error", code: expect.any(Number) });
        expect(await subscribe("Lamp")).toMatchObject({ op: "subscribed" });
      },
    );

    it("with another WebSocket path is rejected with 404", async () => {
      const socket = new WebSocket(`${purse.url.replace(/^http/, "ws")}/elsewhere`);
      await expect(new Promise((_, reject) => socket.on("error", reject))).rejects.toThrow("404");
    });

    it("with too many messages closes the socket, while other clients continue", async () => {
      const flood = await openSocket(purse);
      for (let i = 0; i < 3_000; i++) flood.socket.send('{"op":"nothing"}');
      expect(await flood.closed).toMatchObject({ code: 1008, reason: "too many messages" });
      const other = await client();
      expect(await other.subscribe("Lamp")).toMatchObject({ op: "subscribed" });
    });
  });
});
