/*
 * Requests in the format of the SDKs for .NET, Swift, Android and Flutter. What they have
 * in common with the SDK for JavaScript is tested with that one.
 */
import { randomUUID } from "node:crypto";
import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSocket } from "../support/liveClient.ts";
import { hostPurse, type Purse } from "../support/purse.ts";

let purse: Purse;
beforeAll(async () => {
  purse = await hostPurse();
});
afterAll(() => purse?.remove());

interface Reply {
  status: number;
  body: JsonObject;
}

async function send(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<Reply> {
  const response = await fetch(`${purse.serverUrl}/${path}`, {
    method,
    headers: { "X-Parse-Application-Id": purse.appId, ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

const JSON_TYPE = { "Content-Type": "application/json" };
const wireDate = (iso: string) => ({ __type: "Date", iso });

/** Signs up a user with this name. */
async function signUp(username: string, headers: Record<string, string>): Promise<JsonObject> {
  const { status, body } = await send("POST", "classes/_User", headers, { username, password: "secret" });
  expect(status).toBe(201);
  return body;
}

/** The methods of the routes of Parse Server 9.10, without pages. A dash stands for an id that does not exist. */
const PARSE_SERVER_ROUTES: readonly [path: string, methods: string][] = [
  ["aggregate/Route", "GET"],
  ["batch", "POST"],
  ["challenge", "POST"],
  ["classes/Route", "GET POST"],
  ["classes/Route/-", "GET PUT DELETE"],
  ["cloud_code/jobs", "GET POST"],
  ["cloud_code/jobs/data", "GET"],
  ["cloud_code/jobs/-", "PUT DELETE"],
  ["config", "GET PUT"],
  ["events/AppOpened", "POST"],
  ["events/Any", "POST"],
  ["files", "POST"],
  ["files/-", "POST DELETE"],
  ["files/test-app/-", "GET"],
  ["files/test-app/metadata/-", "GET"],
  ["functions/-", "POST"],
  ["graphql-config", "GET PUT"],
  ["health", "GET POST PUT DELETE"],
  ["hooks/functions", "GET POST"],
  ["hooks/functions/-", "GET PUT"],
  ["hooks/triggers", "GET POST"],
  ["hooks/triggers/Route/beforeSave", "GET PUT"],
  ["installations", "GET POST"],
  ["installations/-", "GET PUT DELETE"],
  ["jobs", "POST"],
  ["jobs/-", "POST"],
  ["login", "GET POST"],
  ["loginAs", "POST"],
  ["logout", "POST"],
  ["purge/Route", "DELETE"],
  ["push", "POST"],
  ["push_audiences", "GET POST"],
  ["push_audiences/-", "GET PUT DELETE"],
  ["requestPasswordReset", "POST"],
  ["roles", "GET POST"],
  ["roles/-", "GET PUT DELETE"],
  ["schemas", "GET POST"],
  ["schemas/Route", "GET POST PUT DELETE"],
  ["scriptlog", "GET"],
  ["security", "GET"],
  ["serverInfo", "GET"],
  ["sessions", "GET POST"],
  ["sessions/me", "GET"],
  ["sessions/-", "GET PUT DELETE"],
  ["upgradeToRevocableSession", "POST"],
  ["users", "GET POST"],
  ["users/me", "GET"],
  ["users/-", "GET PUT DELETE"],
  ["validate_purchase", "POST"],
  ["verificationEmailRequest", "POST"],
  ["verifyPassword", "GET POST"],
];

it("every route of Parse Server is answered by all its methods", async () => {
  const headers = { ...JSON_TYPE, "X-Parse-Master-Key": purse.masterKey };
  const unanswered: string[] = [];
  for (const [path, methods] of PARSE_SERVER_ROUTES) {
    for (const method of methods.split(" ")) {
      const response = await fetch(`${purse.serverUrl}/${path}`, {
        method,
        headers: { "X-Parse-Application-Id": purse.appId, ...headers },
        ...(method !== "GET" && { body: "{}" }),
      });
      const text = await response.text();
      if (response.status === 405 || text.includes("Not found: /")) unanswered.push(`${method} ${path}`);
    }
  }
  expect(unanswered).toEqual([]);
});

describe("the SDK for .NET", () => {
  const HEADERS = {
    ...JSON_TYPE,
    "X-Parse-Client-Version": "4.0.0.0",
    "X-Parse-Installation-Id": "0c0f6d3e-1a5c-4b5e-9d0e-000000000001",
    "X-Parse-App-Build-Version": "1",
    "X-Parse-App-Display-Version": "1.0",
    "X-Parse-OS-Version": "Microsoft Windows 10.0.19045",
    "X-Parse-Windows-Key": "",
    "X-Parse-Revocable-Session": "1",
    "Cache-Control": "no-cache",
    "If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT",
  };

  it("queries with each parameter as JSON in the query string, without cached responses", async () => {
    const made = await send("POST", "classes/Car", HEADERS, {
      name: "a\\E.b",
      at: { iso: "2024-01-02T03:04:05.000Z", __type: "Date" },
      bytes: { __type: "Bytes", base64: "AQI=" },
    });
    expect(made.status).toBe(201);
    const where = encodeURIComponent(
      JSON.stringify({ name: { $regex: "^\\Qa\\E\\\\E\\Q.b\\E", $options: "" } }),
    );
    for (const more of ["", "&order=-createdAt&skip=0&limit=10&keys=name%2Cat&include=owner"]) {
      const found = await send("GET", `classes/Car?where=${where}${more}`, HEADERS);
      expect(found.status).toBe(200);
      expect(found.body.results).toHaveLength(1);
    }
    const counted = await send("GET", `classes/Car?where=${where}&limit=0&count=1`, HEADERS);
    expect(counted.body).toEqual({ results: [], count: 1 });
    const fetched = await send("GET", `classes/Car/${made.body.objectId}`, HEADERS);
    expect(fetched).toMatchObject({ status: 200, body: { at: wireDate("2024-01-02T03:04:05.000Z") } });
  });

  it("saves lists in batches with full paths", async () => {
    const requests = [1, 2].map((n) => ({ method: "POST", path: "/server/classes/Wheel", body: { n } }));
    const { status, body } = await send("POST", "batch", HEADERS, { requests });
    expect(status).toBe(200);
    expect(body).toMatchObject([{ success: { objectId: expect.any(String) } }, { success: {} }]);
  });

  it("queries relations by their owner and key", async () => {
    const wheel = (await send("POST", "classes/Wheel", HEADERS, { n: 3 })).body.objectId;
    const pointer = { __type: "Pointer", className: "Wheel", objectId: wheel };
    const wheels = {
      __op: "Batch",
      ops: [
        { __op: "AddRelation", objects: [pointer] },
        { __op: "RemoveRelation", objects: [{ ...pointer, objectId: "none" }] },
      ],
    };
    const car = (await send("POST", "classes/Car", HEADERS, { wheels })).body.objectId;
    const object = { __type: "Pointer", className: "Car", objectId: car };
    const where = encodeURIComponent(JSON.stringify({ $relatedTo: { object, key: "wheels" } }));
    const found = await send("GET", `classes/Car?where=${where}&redirectClassNameForKey=wheels`, HEADERS);
    expect(found.body).toMatchObject({ className: "Wheel", results: [{ n: 3 }] });
  });

  it("signs up, in and out, and reads its session and the config", async () => {
    const { sessionToken } = await signUp("dotnet", HEADERS);
    const signedIn = { ...HEADERS, "X-Parse-Session-Token": String(sessionToken) };
    expect((await send("GET", "users/me", signedIn)).body.username).toBe("dotnet");
    expect((await send("GET", "sessions/me", signedIn)).body.user).toBeDefined();
    expect((await send("GET", "config", signedIn)).body).toEqual({ params: {} });
    const event = { at: wireDate("2024-01-02T03:04:05.000Z"), name: "opened", dimensions: { a: "b" } };
    expect((await send("POST", "events/opened", signedIn, event)).status).toBe(200);
    const upgraded = await send("POST", "upgradeToRevocableSession", signedIn, {});
    expect(upgraded.status).toBe(200);
    const upgradedToken = String(upgraded.body.sessionToken);
    const out = { ...HEADERS, "X-Parse-Session-Token": upgradedToken };
    expect((await send("POST", "logout", out, {})).body).toEqual({});
    const login = await send("POST", "login", HEADERS, { username: "dotnet", password: "secret" });
    expect(login.body.sessionToken).toMatch(/^r:/);
    const anonymous = { authData: { anonymous: { id: randomUUID() } } };
    expect((await send("POST", "users", HEADERS, anonymous)).status).toBe(201);
  });

  it("uploads the raw bytes of a file", async () => {
    const { sessionToken } = await signUp("dotnet-files", HEADERS);
    const type = { "Content-Type": "text/plain", "X-Parse-Session-Token": String(sessionToken) };
    const { status, body } = await send("POST", "files/a.txt", { ...HEADERS, ...type }, "text");
    expect(status).toBe(201);
    expect(await (await fetch(String(body.url))).text()).toBe("text");
  });
});

describe("the SDK for Swift", () => {
  const headers = () => ({
    ...JSON_TYPE,
    "X-Parse-Client-Version": "swift5.11.0",
    "X-Parse-Installation-Id": "0c0f6d3e-1a5c-4b5e-9d0e-000000000002",
    "X-Parse-Request-Id": randomUUID(),
    "X-Parse-Cloud-Context": '{"from":"swift"}',
  });

  it("queries by POST with typed parameters and arrays", async () => {
    for (const points of [1, 2]) await send("POST", "classes/Score", headers(), { points, level: "a" });
    const query = {
      where: { points: { $gt: 0 } },
      _method: "GET",
      limit: 100,
      skip: 0,
      include: [],
      keys: ["points"],
      order: ["-points"],
      excludeKeys: ["level"],
      readPreference: "PRIMARY",
      hint: "_id_",
    };
    const { status, body } = await send("POST", "classes/Score", headers(), query);
    expect(status).toBe(200);
    expect(body.results).toMatchObject([{ points: 2 }, { points: 1 }]);
    const counted = await send("POST", "classes/Score", headers(), { ...query, limit: 1, count: true });
    expect(counted.body.count).toBe(2);
    const explained = await send("POST", "classes/Score", headers(), { ...query, explain: true });
    expect(explained.status).toBe(200);
  });

  it("queries by GET with arrays as JSON", async () => {
    await send("POST", "classes/Level", headers(), { name: "one" });
    const search = new URLSearchParams({
      where: "{}",
      limit: "100",
      skip: "0",
      keys: '["name"]',
      include: '["*"]',
      order: '["-createdAt","name"]',
      count: "true",
    });
    const { status, body } = await send("GET", `classes/Level?${search}`, headers());
    expect(status).toBe(200);
    expect(body).toMatchObject({ results: [{ name: "one" }], count: 1 });
  });

  it("executes a repeated request once by its ID", async () => {
    const once = headers();
    const [first, again] = await Promise.all([
      send("POST", "classes/Once", once, { n: 1 }),
      send("POST", "classes/Once", once, { n: 1 }),
    ]);
    expect([first.status, again.status]).toContain(201);
    expect((await send("GET", "classes/Once?count=1&limit=0", headers())).body.count).toBe(1);
  });

  it("saves in batches with an explicit transaction flag", async () => {
    for (const transaction of [false, true]) {
      const requests = [{ method: "POST", path: "/server/classes/Score", body: { points: 9 } }];
      const { body } = await send("POST", "batch", headers(), { requests, transaction });
      expect(body).toMatchObject([{ success: { objectId: expect.any(String) } }]);
    }
  });

  it("signs up and logs in by POST, verifies its password, and logs out without a body", async () => {
    const { sessionToken } = await signUp("swift", headers());
    const credentials = { username: "swift", password: "secret" };
    expect((await send("POST", "login", headers(), credentials)).status).toBe(200);
    const checked = { ...credentials, ignoreEmailVerification: true };
    expect((await send("POST", "verifyPassword", headers(), checked)).status).toBe(200);
    const signedIn = { ...headers(), "X-Parse-Session-Token": String(sessionToken) };
    expect((await send("POST", "logout", signedIn)).body).toEqual({});
  });
});

describe("the SDK for Android", () => {
  const HEADERS = {
    ...JSON_TYPE,
    "User-Agent": "Parse Android SDK API Level 34",
    "X-Parse-Client-Version": "a4.3.0",
    "X-Parse-App-Build-Version": "7",
    "X-Parse-App-Display-Version": "1.7",
    "X-Parse-OS-Version": "14",
    "X-Parse-Installation-Id": "0c0f6d3e-1a5c-4b5e-9d0e-000000000003",
  };

  it("subscribes to the broadcast channel, whose name is empty", async () => {
    const installationId = randomUUID();
    const fields = { installationId, deviceType: "android", channels: [""] };
    const { status, body } = await send("POST", "installations", JSON_TYPE, fields);
    expect(status).toBe(201);
    const add = { channels: { __op: "AddUnique", objects: ["", "news"] } };
    const path = `installations/${body.objectId}`;
    const own = { ...JSON_TYPE, "X-Parse-Installation-Id": installationId };
    expect((await send("PUT", path, own, add)).status).toBe(200);
    const where = encodeURIComponent(JSON.stringify({ channels: { $in: [""] }, installationId }));
    const found = await send("GET", `installations?where=${where}`, {
      "X-Parse-Master-Key": purse.masterKey,
    });
    expect(found.body).toMatchObject({ results: [{ channels: ["", "news"] }] });
  });

  it("queries by POST with all parameters as strings", async () => {
    for (const n of [1, 2, 3]) await send("POST", "classes/Memo", HEADERS, { n, text: "hi" });
    const query = {
      where: JSON.stringify({ n: { $gte: 2 }, text: { $regex: "^\\Qhi\\E" } }),
      order: "-n",
      keys: "n",
      include: "owner,owner.company",
      limit: "1",
      skip: "1",
      _method: "GET",
    };
    const { status, body } = await send("POST", "classes/Memo", HEADERS, query);
    expect(status).toBe(200);
    expect(body.results).toMatchObject([{ n: 2 }]);
    const { skip: _, ...counted } = { ...query, limit: "0", count: "1" };
    expect((await send("POST", "classes/Memo", HEADERS, counted)).body).toMatchObject({ count: 2 });
  });

  it("logs in by a POST that overrides GET, and deletes the same way", async () => {
    await signUp("android", HEADERS);
    const credentials = { username: "android", password: "secret", _method: "GET" };
    const { status, body } = await send("POST", "login", HEADERS, credentials);
    expect([status, body.username]).toEqual([200, "android"]);
    const note = (await send("POST", "classes/Memo", HEADERS, { n: 4 })).body.objectId;
    expect((await send("POST", `classes/Memo/${note}`, HEADERS, { _method: "DELETE" })).body).toEqual({});
  });

  it("saves an installation with device details, and dates as objects", async () => {
    const installation = {
      installationId: HEADERS["X-Parse-Installation-Id"],
      deviceType: "android",
      deviceToken: "token-of-android",
      pushType: "gcm",
      GCMSenderId: "123456",
      appName: "Notes",
      appVersion: "1.7",
      appIdentifier: "org.example.notes",
      parseVersion: "4.3.0",
      timeZone: "Europe/Berlin",
      localeIdentifier: "de-DE",
      badge: 0,
      channels: { __op: "AddUnique", objects: ["news"] },
    };
    const made = await send("POST", "classes/_Installation", HEADERS, installation);
    expect(made.status).toBe(201);
    const path = `classes/_Installation/${made.body.objectId}`;
    const updated = await send("PUT", path, HEADERS, { channels: { __op: "Remove", objects: ["news"] } });
    expect(updated.status).toBe(200);
  });

  it("saves relations to existing objects, and an empty ACL", async () => {
    const { sessionToken, objectId } = await signUp("android-owner", HEADERS);
    const signedIn = { ...HEADERS, "X-Parse-Session-Token": String(sessionToken) };
    const note = (await send("POST", "classes/Memo", signedIn, { n: 5 })).body.objectId;
    const related = { __type: "Pointer", className: "Memo", objectId: note };
    const notes = { __op: "AddRelation", objects: [related] };
    const ACL = { [String(objectId)]: { read: true, write: true } };
    const made = await send("POST", "classes/Book", signedIn, { notes, ACL });
    expect(made.status).toBe(201);
    const relation = { __type: "Relation", className: "Memo", objects: [related] };
    const book = { __type: "Pointer", className: "Book", objectId: made.body.objectId };
    const where = JSON.stringify({ $relatedTo: { key: "notes", object: book } });
    const found = await send("POST", "classes/Memo", signedIn, { where, _method: "GET" });
    expect(found.body.results).toMatchObject([{ n: 5 }]);
    const saved = await send("PUT", `classes/Book/${made.body.objectId}`, signedIn, { notes: relation });
    expect(saved.status).toBe(200);
  });
});

describe("the SDK for Flutter", () => {
  const HEADERS = {
    "User-Agent": "parse_server_sdk 9.0.0",
    "Content-Type": "application/json; charset=utf-8",
  };

  it("queries with handwritten JSON conditions, including an empty one", async () => {
    await send("POST", "classes/Task", HEADERS, { title: "one two", done: false });
    for (const search of [
      "where={}",
      'where={"title":{"$regex": "^one", "$options": "i"}}&limit=5&order=-createdAt,title',
      'where={"$or":[{"title":"one two"},{"done": true}]}&keys=title&include=owner',
      'where={"title": "one two","done":false,"$and":[{"title":{"$in":["one two"]}}]}&excludeKeys=done',
    ]) {
      const { status, body } = await send("GET", `classes/Task?${encodeURI(search)}`, HEADERS);
      expect([status, body.results]).toMatchObject([200, [{ title: "one two" }]]);
    }
    const counted = await send("GET", `classes/Task?${encodeURI("where={}&count=1")}`, HEADERS);
    expect(counted.body.count).toBe(1);
  });

  it("logs in by GET with the password in the query string, and saves its user", async () => {
    const { objectId, sessionToken } = await signUp("flutter", {
      ...HEADERS,
      "X-Parse-Revocable-Session": "1",
      "X-Parse-Installation-Id": "0c0f6d3e-1a5c-4b5e-9d0e-000000000004",
    });
    const login = await send("GET", "login?username=flutter&password=secret", HEADERS);
    expect(login.body.objectId).toBe(objectId);
    const signedIn = { ...HEADERS, "X-Parse-Session-Token": String(sessionToken) };
    const changes = { objectId, username: "flutter", city: "Rome", visits: { __op: "Increment", amount: 1 } };
    expect((await send("PUT", `users/${objectId}`, signedIn, changes)).status).toBe(200);
    expect((await send("GET", "users/me", signedIn)).body).toMatchObject({ city: "Rome", visits: 1 });
  });

  it("sends the object's ID with changed fields, alone and in batches", async () => {
    const { objectId } = (await send("POST", "classes/Task", HEADERS, { title: "x" })).body;
    const body = { objectId, title: "y" };
    expect((await send("PUT", `classes/Task/${objectId}`, HEADERS, body)).status).toBe(200);
    const requests = [{ method: "PUT", path: `/server/classes/Task/${objectId}`, body }];
    const batch = await send("POST", "batch", HEADERS, { requests });
    expect(batch.body).toMatchObject([{ success: { updatedAt: expect.any(String) } }]);
  });

  it("subscribes with the session token in each message, and selected fields", async () => {
    const socket = await openSocket(purse);
    const connected = await socket.request({
      op: "connect",
      applicationId: purse.appId,
      clientKey: "",
      installationId: randomUUID(),
    });
    expect(connected.op).toBe("connected");
    const query = { className: "Task", where: { title: "live" }, fields: ["title"] };
    expect((await socket.request({ op: "subscribe", requestId: 1, query })).op).toBe("subscribed");
    await send("POST", "classes/Task", HEADERS, { title: "live", done: true });
    const { op, object } = await socket.next();
    expect([op, object?.title, object?.done]).toEqual(["create", "live", undefined]);
    socket.socket.terminate();
  });
});
