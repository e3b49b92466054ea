import { randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { objectRoutes } from "../api/objectRoutes.ts";
import { createParseApi } from "../api/parseApi.ts";
import type { AuthContext, RequestContext } from "../core/authContext.ts";
import { EventBus } from "../core/eventBus.ts";
import type { InternalRequest } from "../core/http/apiRoute.ts";
import { createLogger } from "../core/logger.ts";
import { FileUrls } from "../data/fileUrls.ts";
import { AggregationWorker } from "../data/objects/aggregationWorker.ts";
import { createObjects } from "../data/objects/index.ts";
import { openSchemas } from "../data/schema/openSchemas.ts";
import { openStore } from "../database/openStore.ts";
import type { Store } from "../database/store.ts";
import { type Cloud, createCloud } from "./index.ts";

const ANN = "r:annannannannann1";
const ann: AuthContext = { kind: "user", userId: "ann", roles: [], sessionId: "s1", sessionToken: ANN };

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Stores without classes, which a test leaves to the next one: opening one takes as long as loading the code. */
const stores: Store[] = [];
const storesFolder = mkdtempSync(join(tmpdir(), "purse-cloud-stores-"));
const newStore = () => openStore({ kind: "sqlite", path: join(storesFolder, `${randomUUID()}.sqlite`) });
afterAll(async () => {
  for (const store of stores) await store.close();
  await rm(storesFolder, { recursive: true });
});

interface TestCloud {
  cloud: Cloud;
  /** Sends a request and returns the response that a client would receive. */
  send(request: Partial<InternalRequest> & { path: string }): Promise<{ status: number; body: JsonObject }>;
  call(name: string, params?: JsonObject, more?: Partial<InternalRequest>): Promise<JsonObject>;
  logged: string[];
  errors: unknown[];
}

/** A server without accounts and HTTP: the store, the objects, the Parse API and this cloud code are real. */
async function setUp(
  code = "",
  functionTimeoutMs = 2_000,
  plugins: string[] = [],
  options: { watchesFiles?: boolean; loadTimeoutMs?: number } = {},
): Promise<TestCloud> {
  const folder = await mkdtemp(join(tmpdir(), "purse-cloud-"));
  const file = join(folder, "main.mjs");
  await writeFile(file, code);
  const pluginFiles = plugins.map((_, index) => join(folder, `plugin${index}.mjs`));
  for (const [index, plugin] of plugins.entries()) await writeFile(pluginFiles[index] ?? "", plugin);
  const logged: string[] = [];
  const errors: unknown[] = [];
  const logger = createLogger({ level: "debug", format: "text", write: (line) => logged.push(line) });
  const store = stores.pop() ?? (await newStore());
  const events = new EventBus((error) => errors.push(error));
  const cloud = createCloud({
    events,
    config: { appId: "app", functionTimeoutMs },
    logger,
    file,
    plugins: pluginFiles,
    now: () => new Date(0),
    ...options,
  });
  const schemas = await openSchemas(store, new Map());
  const objects = createObjects({
    store,
    aggregationWorker: new AggregationWorker({ logger, maxResultBytes: 1_000_000 }),
    schemas,
    events,
    fileUrls: new FileUrls({ appId: "app", mountPath: "/server", publicUrl: "", filesUrl: undefined }),
    rules: new Map(),
    triggers: cloud.triggers,
    allowClientClassCreation: true,
    allowClientAddField: true,
    allowCustomObjectId: false,
    defaultAcl: undefined,
    clock: Date.now,
    onError: (error) => errors.push(error),
  });
  const { dispatch } = createParseApi({
    appId: "app",
    verifyMasterKey: () => undefined,
    verifyMaintenanceKey: () => undefined,
    hasClientKey: () => true,
    clientAddressOf: () => "127.0.0.1",
    store,
    idempotency: { paths: [], seconds: 1, rememberedFields: async () => ({}) },
    requestLimits: { assertWithin: () => undefined, isLimited: () => false, areDefined: () => false },
    createEach: objects.createEach,
    mountPath: "/server",
    serverUrl: "http://127.0.0.1/server",
    withParsedBody: () => Promise.reject(new Error("No requests arrive over HTTP here")),
    routes: [
      ...objectRoutes({ objects, saveInstallation: () => Promise.reject(new Error("not called")) }),
      ...cloud.routes,
    ],
    knownSession: () => undefined,
    authenticateSession: async (token) => {
      if (token === ANN) return ann;
      throw new ProtocolError(ErrorCode.INVALID_SESSION_TOKEN, "Invalid session token");
    },
    report: (error) => errors.push(error),
  });
  closers.push(async () => {
    await cloud.stop();
    for (const schema of schemas.all()) await store.dropClass(schema);
    stores.push(store);
    await rm(folder, { recursive: true, force: true });
  });
  await cloud.start({ dispatch, userText: async () => '{"objectId":"ann","username":"Ann"}' });
  const send: TestCloud["send"] = async (request) => {
    const reply = await dispatch({ method: "POST", params: {}, ...request });
    return { status: reply.status, body: JSON.parse(reply.body) };
  };
  return {
    cloud,
    send,
    logged,
    errors,
    call: async (name, params = {}, more = {}) =>
      (await send({ path: `/functions/${name}`, params, ...more })).body,
  };
}

describe("loading the cloud code", () => {
  it("rejects if the code waits for something forever", async () => {
    const loading = setUp("await new Promise(() => undefined);", 2_000, [], { loadTimeoutMs: 500 });
    await expect(loading).rejects.toThrow("it was not loaded within 500 ms");
  });

  it("rejects if the code blocks its thread forever", async () => {
    const loading = setUp("for (;;);", 2_000, [], { loadTimeoutMs: 500 });
    await expect(loading).rejects.toThrow("it was not loaded within 500 ms");
  });

  it("finds TypeScript by the names of the files that it would be compiled to", async () => {
    const folder = await mkdtemp(join(tmpdir(), "purse-sources-"));
    await writeFile(join(folder, "functions.ts"), "export const answer: number = 42;");
    const importing = (file: string) => `
      const { answer } = await import(${JSON.stringify(join(folder, file))});
      Parse.Cloud.define("answer", () => answer);`;
    const { call } = await setUp(importing("functions.js"));
    expect(await call("answer")).toEqual({ result: 42 });
    await expect(setUp(importing("missing.js"))).rejects.toThrow("missing.js");
    await rm(folder, { recursive: true });
  });

  it("succeeds with a warning if a folder of the code cannot be watched", async () => {
    const code = `
      import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
      import { tmpdir } from "node:os";
      import { join } from "node:path";
      const folder = mkdtempSync(join(tmpdir(), "purse-removed-"));
      writeFileSync(join(folder, "part.mjs"), "");
      await import(join(folder, "part.mjs"));
      rmSync(folder, { recursive: true });
      Parse.Cloud.define("answer", () => 42);`;
    const { call, logged } = await setUp(code, 2_000, [], { watchesFiles: true, loadTimeoutMs: 10_000 });
    expect(await call("answer")).toEqual({ result: 42 });
    expect(logged.join("\n")).toContain("cloud code cannot be watched");
  });
});

describe("built-in functions", () => {
  it("include getServerTime, which returns the time as dateTime", {
    tags: ["7.server-time.function", "3.server-time.date-time"],
  }, async () => {
    const { call } = await setUp();
    expect(await call("getServerTime")).toEqual({ result: { dateTime: "1970-01-01T00:00:00.000Z" } });
  });

  it("include getPluginSpecs, which returns no plugins by default", async () => {
    const { call } = await setUp();
    expect(await call("getPluginSpecs")).toEqual({ result: [] });
  });

  it("can be added, and are overridden by functions of the cloud code", async () => {
    const { cloud, call } = await setUp(`Parse.Cloud.define("taken", () => "mine");`);
    cloud.define("taken", () => "built in");
    cloud.define("double", ({ params }) => Number(params.n) * 2);
    expect(await call("taken")).toEqual({ result: "mine" });
    expect(await call("double", { n: 4 })).toEqual({ result: 8 });
  });
});

describe("cloud functions", () => {
  it("receive decoded parameters", { tags: ["7.function", "7.function.params"] }, async () => {
    const { call } = await setUp(`
      Parse.Cloud.define("kinds", ({ params, functionName }) => ({
        functionName,
        date: params.date instanceof Date && params.date.getTime(),
        pointer: params.owner instanceof Parse.Object && params.owner.id,
        nested: params.deep.list[1],
      }));
    `);
    const params: JsonObject = {
      date: { __type: "Date", iso: "1970-01-01T00:00:01.000Z" },
      owner: { __type: "Pointer", className: "Owner", objectId: "o1" },
      deep: { list: [1, 2] },
    };
    expect(await call("kinds", params)).toEqual({
      result: { functionName: "kinds", date: 1000, pointer: "o1", nested: 2 },
    });
  });

  it("encode dates and objects in their results, and undefined as no result", async () => {
    const { call } = await setUp(`
      Parse.Cloud.define("date", () => new Date(0));
      Parse.Cloud.define("object", async () => {
        const thing = new Parse.Object("Thing");
        await thing.save({ size: 3 });
        return [thing];
      });
      Parse.Cloud.define("nothing", () => undefined);
      Parse.Cloud.define("falsy", () => 0);
    `);
    expect(await call("date")).toEqual({ result: { __type: "Date", iso: "1970-01-01T00:00:00.000Z" } });
    expect((await call("object")).result).toMatchObject([{ __type: "Object", className: "Thing", size: 3 }]);
    expect(await call("nothing")).toEqual({});
    expect(await call("falsy")).toEqual({ result: 0 });
  });

  it("receive the user, installation, context and address of the request", async () => {
    const { call } = await setUp(`
      Parse.Cloud.define("who", ({ user, master, installationId, context, ip }) => ({
        name: user?.getUsername(), id: user?.id, token: user?.getSessionToken(), master, installationId, context, ip,
      }));
    `);
    const more = { sessionToken: ANN, installationId: "i1", context: { a: 1 } };
    expect((await call("who", {}, more)).result).toEqual({
      name: "Ann",
      id: "ann",
      token: ANN,
      master: false,
      installationId: "i1",
      context: { a: 1 },
      ip: "127.0.0.1",
    });
    expect((await call("who", {}, { useMasterKey: true })).result).toMatchObject({ master: true });
  });

  it("that are not defined are not found", { tags: ["8.code.141"] }, async () => {
    const { send } = await setUp();
    for (const name of ["nope", "toString", "__proto__", "constructor", "a.b", "hasOwnProperty"]) {
      const answer = await send({ path: `/functions/${name}` });
      expect(answer).toEqual({ status: 400, body: { code: 141, error: `Invalid function: "${name}"` } });
    }
  });

  it("that fail return an error", { tags: ["8.code.141"] }, async () => {
    const failing: [body: string, answer: JsonObject][] = [
      ["throw 'told';", { code: 141, error: "told" }],
      ["throw new Error('told');", { code: 141, error: "told" }],
      ["throw new Parse.Error(101, 'gone');", { code: 101, error: "gone" }],
      ["throw undefined;", { code: 141, error: "Script failed." }],
      ["throw { code: 'odd' };", { code: 141, error: { code: "odd" } }],
      ["const loop = {}; loop.loop = loop; return loop;", { code: 141 }],
      ["return Promise.reject(new Error('late'));", { code: 141, error: "late" }],
    ];
    const { call } = await setUp(
      failing.map(([body], i) => `Parse.Cloud.define("f${i}", () => { ${body} });`).join("\n"),
    );
    for (const [i, [body, answer]] of failing.entries())
      expect({ body, ...(await call(`f${i}`)) }).toMatchObject({ body, ...answer });
  });

  it("that never end return 124 after the timeout", { tags: ["8.code.124"] }, async () => {
    const { call } = await setUp(`Parse.Cloud.define("f", () => new Promise(() => undefined));`, 30);
    expect(await call("f")).toMatchObject({ code: 124 });
  });

  it("run only if their validator accepts the request", { tags: ["8.code.142"] }, async () => {
    const { call } = await setUp(`
      Parse.Cloud.define("user", () => 1, { requireUser: true });
      Parse.Cloud.define("master", () => 1, { requireMaster: true });
      Parse.Cloud.define("fields", () => 1, { fields: ["a"] });
    `);
    expect(await call("user")).toMatchObject({
      code: 142,
      error: "Validation failed. Please login to continue.",
    });
    expect(await call("user", {}, { sessionToken: ANN })).toEqual({ result: 1 });
    expect(await call("master", {}, { sessionToken: ANN })).toMatchObject({ code: 142 });
    expect(await call("master", {}, { useMasterKey: true })).toEqual({ result: 1 });
    expect(await call("fields")).toMatchObject({
      code: 142,
      error: "Validation failed. Please specify data for a.",
    });
    expect(await call("fields", { a: 1 })).toEqual({ result: 1 });
  });

  it("that recurse endlessly are stopped", async () => {
    const { call } = await setUp(`Parse.Cloud.define("f", () => Parse.Cloud.run("f"));`);
    expect(await call("f")).toMatchObject({ code: 141, error: expect.stringContaining("deep") });
  });
});

describe("requests of cloud code", () => {
  const code = `
    const find = (options) => new Parse.Query("Secret").find(options).then((list) => list.length);
    Parse.Cloud.define("asNobody", () => find());
    Parse.Cloud.define("asCaller", ({ user }) => find({ sessionToken: user.getSessionToken() }));
    Parse.Cloud.define("asMaster", () => find({ useMasterKey: true }));
    Parse.Cloud.define("wrongToken", () => find({ sessionToken: "r:wrong" }));
  `;

  it("have the permissions of their options, not those of the user", async () => {
    const { send, call } = await setUp(code);
    const annOnly = { ACL: { ann: { read: true } } };
    const nobody = { ACL: {} };
    for (const params of [annOnly, nobody]) await send({ path: "/classes/Secret", params });
    const asAnn = { sessionToken: ANN };
    expect(await call("asNobody", {}, asAnn)).toEqual({ result: 0 });
    expect(await call("asCaller", {}, asAnn)).toEqual({ result: 1 });
    expect(await call("asMaster", {}, asAnn)).toEqual({ result: 2 });
    expect(await call("wrongToken", {}, asAnn)).toMatchObject({ code: 209 });
  });

  it("go to the right server if two run in one process", async () => {
    const first = await setUp(
      `Parse.Cloud.define("make", () => new Parse.Object("Thing").save().then(() => 1));`,
    );
    const second = await setUp();
    await first.call("make");
    const count = async ({ send }: TestCloud) =>
      (await send({ method: "GET", path: "/classes/Thing", params: { count: 1, limit: 0 } })).body.count;
    expect(await count(first)).toBe(1);
    expect(await count(second)).toBe(0);
  });
});

describe("triggers", () => {
  const saved = async ({ send }: TestCloud, params: JsonObject, objectId?: string) =>
    send({
      method: objectId ? "PUT" : "POST",
      path: objectId ? `/classes/Thing/${objectId}` : "/classes/Thing",
      params,
      sessionToken: ANN,
    });
  const read = async ({ send }: TestCloud, objectId: unknown) =>
    (await send({ method: "GET", path: `/classes/Thing/${objectId}`, useMasterKey: true })).body;

  it("beforeSave changes what is stored, and the client receives the changes", async () => {
    const cloudServer = await setUp(`
      Parse.Cloud.beforeSave("Thing", ({ object, user, triggerName }) => {
        object.set("name", object.get("name").trim());
        object.set("by", user.id + " " + triggerName + " " + object.isNew());
        object.increment("saves");
        object.unset("junk");
        object.addUnique("tags", "seen");
        object.setACL(new Parse.ACL(user));
      });
    `);
    const { status, body } = await saved(cloudServer, { name: " a ", junk: 1, tags: ["x"] });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: "a", by: "ann beforeSave true", saves: 1, tags: ["x", "seen"] });
    const stored = await read(cloudServer, body.objectId);
    expect(stored).toMatchObject({
      name: "a",
      saves: 1,
      tags: ["x", "seen"],
      ACL: { ann: { read: true, write: true } },
    });
    expect(stored).not.toHaveProperty("junk");
  });

  it("beforeSave of an update receives the original and the changes", async () => {
    const cloudServer = await setUp(`
      Parse.Cloud.beforeSave("Thing", ({ object, original }) => {
        if (!original) return;
        object.set("seen", [original.get("count"), object.get("count"), object.dirty("count"), object.dirty("name"), object.isNew()]);
      });
    `);
    const { body } = await saved(cloudServer, { name: "a", count: 1 });
    const update = await saved(
      cloudServer,
      { count: { __op: "Increment", amount: 2 } },
      String(body.objectId),
    );
    expect(update).toMatchObject({ status: 200, body: { count: 3, seen: [1, 3, true, false, false] } });
    expect(await read(cloudServer, body.objectId)).toMatchObject({ name: "a", count: 3 });
  });

  it("beforeSave can revert a change", async () => {
    const cloudServer = await setUp(`
      Parse.Cloud.beforeSave("Thing", ({ object, original }) => { if (original) object.revert("owner"); });
    `);
    const { body } = await saved(cloudServer, { owner: "ann" });
    await saved(cloudServer, { owner: "eve", name: "b" }, String(body.objectId));
    expect(await read(cloudServer, body.objectId)).toMatchObject({ owner: "ann", name: "b" });
  });

  it("beforeSave that throws prevents the save", { tags: ["8.code.141"] }, async () => {
    const cloudServer = await setUp(`Parse.Cloud.beforeSave("Thing", () => { throw "no"; });`);
    expect(await saved(cloudServer, { name: "a" })).toMatchObject({
      status: 400,
      body: { code: 141, error: "no" },
    });
    const all = await cloudServer.send({ method: "GET", path: "/classes/Thing", useMasterKey: true });
    expect(all.body.results).toEqual([]);
  });

  it("keep the error 111 for operations on values of another type", async () => {
    const cloudServer = await setUp(`Parse.Cloud.beforeSave("Thing", () => undefined);`);
    const { body } = await saved(cloudServer, { name: "a" });
    const update = await saved(
      cloudServer,
      { name: { __op: "Increment", amount: 1 } },
      String(body.objectId),
    );
    expect(update).toMatchObject({ status: 400, body: { code: 111 } });
    expect(cloudServer.errors).toEqual([]);
  });

  it("keep dates, pointers and dotted keys unchanged", async () => {
    const cloudServer = await setUp(
      `Parse.Cloud.beforeSave("Thing", ({ object }) => { object.set("touched", true); });`,
    );
    const fields: JsonObject = {
      date: { __type: "Date", iso: "2026-01-01T00:00:00.000Z" },
      place: { __type: "GeoPoint", latitude: 1, longitude: 2 },
      other: { __type: "Pointer", className: "Other", objectId: "o1" },
      deep: { a: 1 },
    };
    const { body } = await saved(cloudServer, fields);
    await saved(cloudServer, { "deep.b": 2 }, String(body.objectId));
    expect(await read(cloudServer, body.objectId)).toMatchObject({
      ...fields,
      deep: { a: 1, b: 2 },
      touched: true,
    });
  });

  it("afterSave receives the object before and after the save", async () => {
    const cloudServer = await setUp(`
      Parse.Cloud.afterSave("Thing", async ({ object, original }) => {
        const fields = { was: original?.get("n") ?? 0, is: object.get("n"), existed: object.existed() };
        await new Parse.Object("Trace").save(fields);
      });
    `);
    const { body } = await saved(cloudServer, { n: 1 });
    await saved(cloudServer, { n: 2 }, String(body.objectId));
    const traces = async () => {
      const answer = await cloudServer.send({
        method: "GET",
        path: "/classes/Trace",
        params: { order: "is" },
      });
      return answer.body.results;
    };
    await expect.poll(traces).toMatchObject([
      { was: 0, is: 1, existed: false },
      { was: 1, is: 2, existed: true },
    ]);
  });

  it("beforeDelete can prevent a deletion, and afterDelete receives the deleted object", async () => {
    const cloudServer = await setUp(`
      Parse.Cloud.beforeDelete("Thing", ({ object }) => { if (object.get("kept")) throw new Parse.Error(119, "kept"); });
      Parse.Cloud.afterDelete("Thing", ({ object, log }) => log.info("deleted " + object.get("name")));
    `);
    const remove = (objectId: unknown) =>
      cloudServer.send({ method: "DELETE", path: `/classes/Thing/${objectId}` });
    const kept = await saved(cloudServer, { kept: true });
    const free = await saved(cloudServer, { name: "free" });
    expect(await remove(kept.body.objectId)).toMatchObject({ body: { code: 119, error: "kept" } });
    expect(await remove(free.body.objectId)).toMatchObject({ status: 200 });
    await expect.poll(() => cloudServer.logged.join()).toContain("deleted free");
  });

  it("beforeFind can restrict a query, and afterFind can change its result", async () => {
    const cloudServer = await setUp(`
      Parse.Cloud.beforeFind("Thing", ({ query }) => { query.greaterThan("n", 1); });
      Parse.Cloud.afterFind("Thing", ({ objects }) => objects.filter((o) => o.get("n") < 4).map((o) => o.set("extra", 1)));
    `);
    for (const n of [1, 2, 3, 4]) await saved(cloudServer, { n });
    const params = { where: '{"n":{"$lt":10}}', order: "-n", limit: "10" };
    const { body } = await cloudServer.send({ method: "GET", path: "/classes/Thing", params });
    expect(body.results).toMatchObject([
      { n: 3, extra: 1 },
      { n: 2, extra: 1 },
    ]);
  });
});

describe("the query of a beforeFind", () => {
  it("contains the default limit and the options for the database", async () => {
    const cloudServer = await setUp(`
      Parse.Cloud.beforeFind("Thing", ({ query }) => { throw JSON.stringify(query.toJSON()); });
    `);
    const options = {
      readPreference: "SECONDARY",
      includeReadPreference: "NEAREST",
      subqueryReadPreference: "PRIMARY",
      hint: "byN",
      comment: "why",
    };
    const params = { ...options, where: '{"n":1}' };
    const { body } = await cloudServer.send({ method: "GET", path: "/classes/Thing", params });
    expect(JSON.parse(String(body.error))).toEqual({ ...options, where: { n: 1 }, limit: 100 });
  });
});

describe("included objects", () => {
  const pointer = (objectId: unknown) => ({
    __type: "Pointer",
    className: "Thing",
    objectId: String(objectId),
  });

  const saved = (cloudServer: TestCloud, fields: JsonObject) =>
    cloudServer.send({ method: "POST", path: "/classes/Thing", params: fields });

  it("are processed by the beforeFind and afterFind of their class", async () => {
    const cloudServer = await setUp(`
      Parse.Cloud.beforeFind("Thing", ({ query }) => { query.greaterThan("n", 1); });
      Parse.Cloud.afterFind("Thing", ({ objects }) => objects.filter((o) => o.get("n") < 4).map((o) => o.set("extra", 1)));
    `);
    const ids: unknown[] = [];
    for (const n of [1, 2, 3, 4]) ids.push((await saved(cloudServer, { n })).body.objectId);
    const held = { one: pointer(ids[0]), two: pointer(ids[1]), all: ids.map(pointer) };
    const { body: made } = await cloudServer.send({ method: "POST", path: "/classes/Holder", params: held });
    for (const path of ["/classes/Holder", `/classes/Holder/${made.objectId}`]) {
      const { body } = await cloudServer.send({ method: "GET", path, params: { include: "one,two,all" } });
      const { one, two, all } = Array.isArray(body.results) ? Object(body.results[0]) : body;
      expect([one, two.extra]).toEqual([undefined, 1]);
      expect(all).toMatchObject([
        { n: 2, extra: 1 },
        { n: 3, extra: 1 },
      ]);
    }
  });

  it("are replaced by those that a beforeFind returns, if they are included and readable", async () => {
    const cloudServer = await setUp(`
      Parse.Cloud.beforeFind("Thing", ({ master }) => master ? undefined : new Parse.Query("Thing").find({ useMasterKey: true }));
    `);
    const open = await saved(cloudServer, { n: 1 });
    const closed = await saved(cloudServer, { n: 2, ACL: {} });
    const held = { open: pointer(open.body.objectId), closed: pointer(closed.body.objectId) };
    await cloudServer.send({ method: "POST", path: "/classes/Holder", params: held });
    const { body } = await cloudServer.send({
      method: "GET",
      path: "/classes/Holder",
      params: { include: "open,closed" },
    });
    const [{ open: shown, closed: hidden }] = Object(body.results);
    expect([shown.n, hidden]).toEqual([1, undefined]);
  });
});

describe("sub-queries", () => {
  const things = (where: JsonObject) => ({ className: "Thing", where });
  const held = (objectId: unknown) => ({ __type: "Pointer", className: "Thing", objectId: String(objectId) });

  it.each<[string, string]>([
    ["narrows", `({ query }) => { query.greaterThan("n", 1); }`],
    [
      "returns objects in place of",
      `({ master }) => master ? undefined : new Parse.Query("Thing").greaterThan("n", 1).find({ useMasterKey: true })`,
    ],
  ])("run the beforeFind of their class, which %s their results", async (_does, trigger) => {
    const cloudServer = await setUp(`Parse.Cloud.beforeFind("Thing", ${trigger});`);
    for (const n of [1, 2]) {
      const { body } = await cloudServer.send({ method: "POST", path: "/classes/Thing", params: { n } });
      const holder = { n, to: held(body.objectId), toId: body.objectId ?? "" };
      const made = await cloudServer.send({ method: "POST", path: "/classes/Holder", params: holder });
      const above = {
        n,
        self: { __type: "Pointer", className: "Holder", objectId: String(made.body.objectId) },
      };
      await cloudServer.send({ method: "POST", path: "/classes/Above", params: above });
    }
    const found = async (className: string, where: JsonObject, more: JsonObject = {}) => {
      const params = { where: JSON.stringify(where), ...more };
      const { body } = await cloudServer.send({ method: "GET", path: `/classes/${className}`, params });
      return (Array.isArray(body.results) ? body.results : [body]).map((each) => Object(each).n ?? each);
    };
    const selected = { key: "objectId", query: things({}) };
    expect(await found("Holder", { to: { $inQuery: things({}) } })).toEqual([2]);
    expect(await found("Holder", { to: { $notInQuery: things({}) } })).toEqual([1]);
    expect(await found("Holder", { toId: { $select: selected } })).toEqual([2]);
    expect(await found("Holder", { toId: { $dontSelect: selected } })).toEqual([1]);
    expect(await found("Holder", { $or: [{ to: { $inQuery: things({}) } }, { n: 5 }] })).toEqual([2]);
    const inner = { className: "Holder", where: { to: { $inQuery: things({}) } } };
    expect(await found("Above", { self: { $inQuery: inner } })).toEqual([2]);
    const redirected = { className: "Holder", where: {}, redirectClassNameForKey: "to" };
    expect(await found("Holder", { to: { $inQuery: redirected } })).toEqual([2]);
    expect(await found("Holder", {}, { redirectClassNameForKey: "to" })).toEqual([2]);
  });
});

describe("a beforeFind that returns objects", () => {
  const code = `
    const all = (className) => new Parse.Query(className).ascending("n").find({ useMasterKey: true });
    Parse.Cloud.beforeFind("Thing", ({ master }) => (master ? undefined : all("Thing")));
    Parse.Cloud.beforeFind("Made", () => [new Parse.Object("Made", { n: 1 }), new Parse.Object("Made", { n: 2 })]);
    Parse.Cloud.beforeFind("One", () => new Parse.Object("One", { n: 7 }));
    Parse.Cloud.beforeFind("None", () => []);
    Parse.Cloud.afterFind("Made", ({ objects }) => objects.map((object) => object.set("seen", true)));
  `;
  const find = (cloudServer: TestCloud, className: string, more: Partial<InternalRequest> = {}) =>
    cloudServer.send({ method: "GET", path: `/classes/${className}`, params: { where: '{"n":9}' }, ...more });

  it("replaces the query, and the objects are passed to afterFind", async () => {
    const cloudServer = await setUp(code);
    expect((await find(cloudServer, "Made")).body.results).toEqual([
      { n: 1, seen: true },
      { n: 2, seen: true },
    ]);
    expect((await find(cloudServer, "One")).body.results).toEqual([{ n: 7 }]);
    expect((await find(cloudServer, "None")).body.results).toEqual([]);
  });

  it("returns only stored objects that the user may read", async () => {
    const cloudServer = await setUp(`${code}
      Parse.Cloud.define("fill", async () => {
        for (const [n, ACL] of [[1, { "*": { read: true } }], [2, {}]])
          await new Parse.Object("Thing", { n, ACL: new Parse.ACL(ACL) }).save(null, { useMasterKey: true });
      });`);
    await cloudServer.call("fill");
    expect((await find(cloudServer, "Thing")).body.results).toMatchObject([{ n: 1 }]);
    const [first] = (await find(cloudServer, "Thing")).body.results as { objectId: string }[];
    const path = `/classes/Thing/${first?.objectId}`;
    expect((await cloudServer.send({ method: "GET", path })).body).toMatchObject({ n: 1 });
  });
});

describe("names", () => {
  it("of cloud functions can contain dots, but neither empty parts nor other characters", async () => {
    const invalid = ["a..b", ".a", "a.", "1a", "a b", "__proto__.", ""];
    const cloudServer = await setUp(`
      Parse.Cloud.define("shop.cart.add", ({ functionName }) => functionName);
      const errors = ${JSON.stringify(invalid)}.map((name) => {
        try {
          Parse.Cloud.define(name, () => 1);
        } catch (error) {
          return error.message;
        }
      });
      Parse.Cloud.define("errors", () => errors);
    `);
    expect(await cloudServer.call("shop.cart.add")).toEqual({ result: "shop.cart.add" });
    expect(await cloudServer.call("shop.cart")).toMatchObject({ code: 141 });
    expect((await cloudServer.call("errors")).result).toEqual(
      invalid.map(() => expect.stringContaining("cannot name a cloud function")),
    );
  });
});

describe("triggers of files and live queries", () => {
  const request: RequestContext = {
    auth: ann,
    installationId: undefined,
    context: {},
    ip: "127.0.0.1",
    requestId: "r",
  };
  const hello = { name: "a.txt", base64: "aGVsbG8=", contentType: "text/plain", fileSize: 5 };

  it("of files can reject a file, replace it, or add tags", async () => {
    const { cloud } = await setUp(`
      Parse.Cloud.beforeSaveFile(({ file, fileSize, user }) => {
        if (fileSize > 10) throw new Parse.Error(130, "too large");
        if (file.name() === "swap.txt") return new Parse.File("other.txt", { base64: "b3RoZXI=" });
        file.addTag("by", user.id);
      });
      Parse.Cloud.beforeDeleteFile(() => { throw "kept"; });
    `);
    expect(await cloud.fileTrigger("beforeSaveFile")?.(hello, request)).toMatchObject({
      name: "a.txt",
      tags: { by: "ann" },
    });
    const swapped = await cloud.fileTrigger("beforeSaveFile")?.({ ...hello, name: "swap.txt" }, request);
    expect(swapped).toMatchObject({ name: "other.txt", base64: "b3RoZXI=" });
    const large = cloud.fileTrigger("beforeSaveFile")?.({ ...hello, fileSize: 11 }, request);
    await expect(large).rejects.toMatchObject({ code: 130, message: "too large" });
    const removed = cloud.fileTrigger("beforeDeleteFile")?.({ name: "a.txt" }, request);
    await expect(removed).rejects.toMatchObject({ code: 153, message: "kept" });
    expect(await cloud.fileTrigger("afterSaveFile")?.(hello, request)).toBeUndefined();
  });

  it("of live queries can reject a connection, restrict a query and omit events", async () => {
    const { cloud } = await setUp(`
      Parse.Cloud.beforeConnect(({ clients }) => { if (clients > 1) throw "full"; });
      Parse.Cloud.beforeSubscribe("Thing", ({ query, user }) => { query.equalTo("owner", user.id); });
      Parse.Cloud.afterLiveQueryEvent("Thing", (request) => {
        if (request.object.get("quiet")) request.sendEvent = false;
        request.object.set("seen", request.event);
      });
    `);
    const { live } = cloud;
    expect([live.hasHandler("beforeConnect"), live.hasHandler("beforeSubscribe", "Other")]).toEqual([
      true,
      false,
    ]);
    const connection = { clientId: "c", useMasterKey: false, clients: 1, subscriptions: 0 };
    await live.connect(request, connection);
    await expect(live.connect(request, { ...connection, clients: 2 })).rejects.toMatchObject({
      message: "full",
    });
    expect(await live.subscribe(request, "Thing", { where: { n: 1 }, fields: ["n"] }, 1)).toMatchObject({
      where: { n: 1, owner: "ann" },
      fields: ["n"],
    });
    const facts = { event: "create", className: "Thing", original: undefined, clients: 1, subscriptions: 1 };
    const delivered = await live.event(request, { ...facts, object: { objectId: "t", n: 1 } });
    expect(delivered).toMatchObject({ object: { objectId: "t", n: 1, seen: "create" } });
    expect(await live.event(request, { ...facts, object: { objectId: "t", quiet: true } })).toBeNull();
  });
});

describe("plugins", () => {
  const plugin = `export default {
    name: "shop",
    functions: {
      price: ({ params }) => ({ data: { of: params.item, price: 5 } }),
      pay: ({ params }) => ({
        triggers: [
          { name: "web3Transaction", shouldAwait: true, data: { to: params.to, value: "5" } },
          { name: "openUrl", data: { url: "https://example.org/thanks", newTab: true } },
        ],
      }),
      broken: () => { throw new Error("sold out"); },
    },
  };`;

  it("are cloud functions with the plugin's prefix, and are listed by getPluginSpecs", async () => {
    const { call } = await setUp("", 2_000, [plugin]);
    expect(await call("getPluginSpecs")).toEqual({
      result: [{ name: "shop", functions: ["price", "pay", "broken"] }],
    });
    expect(await call("shop_price", { item: "hat" })).toEqual({
      result: { data: { success: true, result: { of: "hat", price: 5 } } },
    });
    expect(await call("shop_broken")).toEqual({ code: 141, error: "sold out" });
  });

  it("return triggers for the client", async () => {
    const { call } = await setUp("", 2_000, [plugin]);
    expect((await call("shop_pay", { to: "0x1" })).result).toEqual({
      data: {
        success: true,
        result: {
          triggers: [
            { name: "web3Transaction", shouldAwait: true, data: { to: "0x1", value: "5" } },
            { name: "openUrl", url: "https://example.org/thanks", newTab: true },
          ],
        },
      },
    });
  });

  it.each(["export default 5;", 'export default { name: "a b", functions: {} };'])(
    "that are invalid are rejected: %s",
    async (code) => {
      await expect(setUp("", 2_000, [code])).rejects.toThrow("Cloud code");
    },
  );
});

describe("the cloud code file", () => {
  it("is named in the error if it cannot be loaded", async () => {
    await expect(setUp("throw 'no'")).rejects.toThrow(/Cloud code .*main\.mjs: no$/);
    await expect(setUp(`Parse.Cloud.define("a b", () => 1);`)).rejects.toThrow(
      '"a b" cannot name a cloud function',
    );
  });

  it("is named with line and column in the error about what is wrong in it", async () => {
    await expect(setUp("\nconst = 1;")).rejects.toThrow(/Cloud code .*main\.mjs:2:7: Unexpected token '='$/);
    await expect(setUp("\n  undefined.size;")).rejects.toThrow(/Cloud code .*main\.mjs:2:13: Cannot read/);
    await expect(setUp(`\nParse.Cloud.define("a b", () => 1);`)).rejects.toThrow(
      /Cloud code .*main\.mjs:2:13: "a b" cannot name a cloud function/,
    );
    await expect(setUp("", 2_000, ["\nexport default {"])).rejects.toThrow(
      /Cloud code .*plugin0\.mjs:\d: Unexpected end of input/,
    );
  });

  it("has Moralis as an alias of Parse", async () => {
    const { call } = await setUp(`Moralis.Cloud.define("same", () => Moralis.Query === Parse.Query);`);
    expect(await call("same")).toEqual({ result: true });
  });
});
