import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { connectLive, openSocket } from "../support/liveClient.ts";
import { hostPurse, type Purse, rest, signUp } from "../support/purse.ts";

const CODE = join(import.meta.dirname, "../fixtures/cloud/requests.mjs");
const MASTER = { useMasterKey: true };

describe.each(DATABASES)("cloud code requests on %s", (database) => {
  let purse: Purse;
  beforeAll(async () => {
    purse = await hostPurse({
      env: { ...(await databaseEnv(database)), PURSE_CLOUD: CODE, PURSE_ALLOW_CUSTOM_OBJECT_ID: "1" },
    });
  });
  afterAll(() => purse?.remove());

  const call = (name: string, params: object = {}, credentials = {}) =>
    rest(purse, "POST", `/functions/${name}`, params, credentials);

  it.each<[string, number, string]>([
    ["text", 141, "a text"],
    ["error", 141, "an error"],
    ["parse", 137, "a parse error"],
    ["object", 141, "my message"],
    ["coded", 141, "coded"],
    ["number", 141, "7"],
    ["empty", 141, "Script failed."],
    ["nothing", 141, "Script failed."],
  ])("that throw %s return %i %s", async (what, code, error) => {
    for (const name of ["throws", "rejects"]) {
      expect(await call(name, { what })).toMatchObject({ status: 400, body: { code, error } });
    }
    const saved = await rest(purse, "POST", "/classes/Throwing", { what });
    const ofTrigger = error === "Script failed." ? "Script failed. Unknown error." : error;
    expect(saved).toMatchObject({ status: 400, body: { code, error: ofTrigger } });
    const validated = { code: code === 141 ? 142 : code, error: error.replace("Script", "Validation") };
    expect((await call("validated", { what })).body).toEqual(validated);
  });

  it.each<[string, number, object]>([
    ["fields", 141, { field: "name", reasons: ["short"] }],
    ["parseFields", 9001, { field: "name" }],
    ["messageFields", 141, { field: "name" }],
  ])("that throw an object as %s return %i with the object", async (what, code, error) => {
    for (const name of ["throws", "rejects"]) {
      expect((await call(name, { what })).body).toEqual({ code, error });
    }
    expect((await rest(purse, "POST", "/classes/Throwing", { what })).body).toEqual({ code, error });
    const validated = { code: code === 141 ? 142 : code, error };
    expect((await call("validated", { what })).body).toEqual(validated);
  });

  it("with a beforeFind that returns another query keep what the client asks for and the query leaves open", async () => {
    for (const n of [1, 2, 3]) await rest(purse, "POST", "/classes/Narrowed", { n, text: "t" });
    const find = async (parameters: string) =>
      (await rest(purse, "GET", `/classes/Narrowed?${parameters}`)).body;
    expect(await find("count=1&limit=0")).toEqual({ results: [], count: 2 });
    const [first, ...others] = Object(await find("order=-n&limit=1&keys=n")).results;
    expect([first.n, first.text, others]).toEqual([3, undefined, []]);
    expect(await find("order=n&skip=1&limit=5&keys=n")).toEqual({
      results: [expect.objectContaining({ n: 3 })],
    });
  });

  it("send the fields that an afterFind sets, whatever the client selects", async () => {
    await rest(purse, "POST", "/classes/Extended", { first: "Ada", last: "Lovelace", age: 36 });
    const [found, made] = Object((await rest(purse, "GET", "/classes/Extended?keys=last")).body).results;
    expect(found).toMatchObject({ last: "Lovelace", full: "Ada Lovelace" });
    expect(found).not.toHaveProperty("age");
    expect(made).toMatchObject({ made: true });
  });

  it("validate parameters by classes such as Date and GeoPoint", async () => {
    const at = { __type: "Date", iso: "2026-01-02T03:04:05.678Z" };
    const place = { __type: "GeoPoint", latitude: 1, longitude: 2 };
    expect((await call("typed", { at, place, item: {} })).body).toEqual({ result: "ran" });
    for (const [name, type, wrong] of [
      ["at", "date", "2026-01-02"],
      ["item", "object", []],
    ]) {
      const error = `Validation failed. Invalid type for ${name}. Expected: ${type}`;
      expect((await call("typed", { [String(name)]: wrong })).body).toEqual({ code: 142, error });
    }
    expect((await call("typed", { place: at })).body).toMatchObject({ code: 142 });
  });

  it.each<[string, number, string | RegExp]>([
    ["text", 130, "a text"],
    ["error", 130, "an error"],
    ["parse", 137, "a parse error"],
    ["nothing", 130, /^Could not store file: .*nothing\.txt\.$/],
  ])("of files that throw %s return %i %s", async (what, code, error) => {
    const headers = { "X-Parse-Application-Id": purse.appId, "X-Parse-Master-Key": purse.masterKey };
    const init = { method: "POST", headers, body: "content" };
    const response = await fetch(`${purse.serverUrl}/files/${what}.txt`, init);
    expect(await response.json()).toEqual({ code, error: expect.stringMatching(error) });
  });

  it("may return data instead of objects from afterFind", async () => {
    await rest(purse, "POST", "/classes/Plain", {});
    expect((await rest(purse, "GET", "/classes/Plain")).body).toEqual({
      results: [{ plain: true, nested: { at: { __type: "Date", iso: "1970-01-01T00:00:00.000Z" } } }],
    });
  });

  it("contain a custom ID of a new object", async () => {
    const own = await rest(purse, "POST", "/classes/Chosen", { objectId: "mine" });
    expect(own.body).toMatchObject({ objectId: "mine", seen: ["mine", false] });
    const other = await rest(purse, "POST", "/classes/Chosen", {});
    expect(other.body).toMatchObject({ seen: [null, false] });
    const again = await rest(purse, "PUT", "/classes/Chosen/mine", { n: 1 });
    expect(again.body).toMatchObject({ seen: ["mine", true] });
  });

  it("receive dates as Date objects that keep their type and iso string", async () => {
    const iso = "2026-01-02T03:04:05.678Z";
    const at = { __type: "Date", iso };
    const { body } = await call("dates", { at, list: [at], nested: { at } });
    expect(body.result).toEqual({ isDate: true, iso: [iso, iso, iso], type: "Date", at });
  });

  it.each(["2024-02-30T00:00:00.000Z", "12", "02/03/2024"])(
    "are refused with 111 and the field if they contain the date %s, whichever way",
    async (iso) => {
      const due = { __type: "Date", iso };
      const { body: dated } = await rest(purse, "POST", "/classes/Dated", { n: 1 });
      const path = `/classes/Dated/${dated.objectId}`;
      const where = encodeURIComponent(JSON.stringify({ due: { $gt: due } }));
      const answers = [
        await rest(purse, "POST", "/classes/Dated", { due }),
        await rest(purse, "PUT", path, { due }),
        await rest(purse, "PUT", path, { map: { due } }),
        await rest(purse, "PUT", path, { "map.due": due }),
        await rest(purse, "PUT", path, { due: { __op: "AddUnique", objects: [due] } }),
        await rest(purse, "GET", `/classes/Dated?where=${where}`),
        await rest(purse, "PUT", "/config", { params: { due } }, MASTER),
        await rest(
          purse,
          "POST",
          `/schemas/Defaulted`,
          {
            fields: { due: { type: "Date", defaultValue: due } },
          },
          MASTER,
        ),
        await call("dates", { due, list: [], nested: {} }),
        await call("dates", { list: [{ due }], nested: {} }),
      ];
      for (const answer of answers) {
        const error = expect.stringMatching(/^This is not a valid Date: .*due/);
        expect(answer).toMatchObject({ status: 400, body: { code: 111, error } });
      }
      expect((await rest(purse, "GET", path)).body).not.toHaveProperty("map");
    },
  );

  it("receive pointers as Parse objects, or unchanged with the setting", async () => {
    const env = {
      ...(await databaseEnv(database)),
      PURSE_CLOUD: CODE,
      PURSE_ENCODE_PARSE_OBJECT_IN_CLOUD_FUNCTION: "0",
    };
    const plain = await hostPurse({ env });
    const pointer = { __type: "Pointer", className: "Item", objectId: "one" };
    const at = { __type: "Date", iso: "2026-01-02T03:04:05.678Z" };
    const params = { list: [pointer], at };
    const seenBy = async (server: Purse) =>
      (await rest(server, "POST", "/functions/pointers", params)).body.result;
    try {
      expect(await seenBy(purse)).toEqual({ isObject: true, id: "one", objectId: null, isDate: true });
      expect(await seenBy(plain)).toEqual({ isObject: false, id: null, objectId: "one", isDate: true });
    } finally {
      await plain.remove();
    }
  });

  it("are validated with the master key if configured, even if it skips the trigger", async () => {
    expect((await call("skipped", {}, MASTER)).body).toMatchObject({ code: 142 });
    expect((await call("skipped", { needed: 1 }, MASTER)).body).toEqual({ result: "ran" });
    expect((await call("notValidated", {}, MASTER)).body).toEqual({ result: "ran" });
    expect((await rest(purse, "POST", "/classes/Skipped", {}, MASTER)).body).toMatchObject({ code: 142 });
    const saved = await rest(purse, "POST", "/classes/Skipped", { needed: 1 }, MASTER);
    expect(saved.status).toBe(201);
    expect(saved.body).not.toHaveProperty("touched");
    expect((await rest(purse, "POST", "/classes/Skipped", { needed: 1 })).body).toMatchObject({
      touched: true,
    });
  });

  it("have no user before a login, whatever session is sent", async () => {
    const ada = await signUp(purse);
    const eve = { username: `eve-${database}`, password: "p" };
    await rest(purse, "POST", "/users", eve);
    for (const [credentials, master] of [
      [{}, false],
      [ada, false],
      [MASTER, true],
    ] as const) {
      const { body } = await rest(purse, "POST", "/login", eve, credentials);
      expect(JSON.parse(String(body.error))).toEqual({ user: null, of: eve.username, master });
    }
  });

  it("return the error of afterDelete, after which the object is deleted", async () => {
    for (const [plainly, code] of [
      [false, 137],
      [true, 141],
    ]) {
      const { body } = await rest(purse, "POST", "/classes/Mourned", { plainly });
      const path = `/classes/Mourned/${String(body.objectId)}`;
      const answer = await rest(purse, "DELETE", path);
      expect(answer).toMatchObject({ status: 400, body: { code, error: "gone, but not quite" } });
      expect((await rest(purse, "GET", path)).body).toMatchObject({ code: 101 });
    }
    const { body } = await rest(purse, "POST", "/classes/Mourned", {});
    const requests = [{ method: "DELETE", path: `/server/classes/Mourned/${String(body.objectId)}` }];
    const batch = await rest(purse, "POST", "/batch", { requests, transaction: true });
    expect(batch.body).toEqual([{ success: {} }]);
  });

  it("of live queries contain the client and the subscription", async () => {
    const ask = async (more: object) => {
      const socket = await openSocket(purse);
      const connect = { op: "connect", applicationId: purse.appId, sessionToken: "tell", ...more };
      const answer = await socket.request(connect);
      socket.socket.terminate();
      return JSON.parse(String(Object(answer).error));
    };
    expect(await ask({})).toEqual({ id: "string", useMasterKey: false });
    expect(await ask({ masterKey: purse.masterKey })).toEqual({ id: "string", useMasterKey: true });
    const live = await connectLive(purse, {});
    const answer = await live.subscribe("Answered");
    expect(JSON.parse(String(Object(answer).error))).toEqual({
      op: "subscribe",
      requestId: expect.any(Number),
      event: "subscribe",
    });
    live.socket.terminate();
  });

  it("of live queries may return an object of another class, or a pointer as a whole object", async () => {
    await rest(purse, "POST", "/classes/Other", { foo: "bar" });
    const live = await connectLive(purse, {});
    await live.subscribe("Replaced");
    await rest(purse, "POST", "/classes/Replaced", { how: "class" });
    expect(await live.next()).toMatchObject({ op: "create", object: { className: "Other", foo: "bar" } });
    await rest(purse, "POST", "/classes/Replaced", { how: "pointer" });
    expect(await live.next()).toMatchObject({
      op: "create",
      object: { className: "Replaced", other: { __type: "Object", className: "Other", foo: "bar" } },
    });
    live.socket.terminate();
  });
});
