import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { type Answer, type Credentials, hostPurse, type Purse, rest, signUp } from "../support/purse.ts";

const MASTER = { useMasterKey: true };
const MAINTENANCE_KEY = "a-maintenance-key";
const DENIED = [{ key: "^secret" }, { value: "^forbidden" }, { key: "level", value: 9 }];
const CLOUD = `
Parse.Cloud.beforeSave("Triggered", ({ object }) => { object.set("box", { secretly: object.get("n") }); });
Parse.Cloud.define("isMaster", ({ master }) => master);
`;

describe.each(DATABASES)("configured rules on %s", (database) => {
  let purse: Purse;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "purse-rules-"));
    const config = { requestKeywordDenylist: DENIED };
    writeFileSync(join(folder, "purse.config.ts"), `export default ${JSON.stringify(config)};`);
    writeFileSync(join(folder, "cloud.mjs"), CLOUD);
    purse = await hostPurse({
      env: {
        ...(await databaseEnv(database)),
        PURSE_CONFIG: join(folder, "purse.config.ts"),
        PURSE_CLOUD: join(folder, "cloud.mjs"),
        PURSE_DEFAULT_LIMIT: "2",
        PURSE_MAINTENANCE_KEY: MAINTENANCE_KEY,
      },
    });
  });
  afterAll(() => purse.remove());

  const ask = (
    method: string,
    path: string,
    body?: JsonObject,
    credentials: Credentials = {},
  ): Promise<Answer> => rest(purse, method, path, body, credentials);
  const maintain = async (
    method: string,
    path: string,
    body?: JsonObject,
    key = MAINTENANCE_KEY,
  ): Promise<Answer> => {
    const response = await fetch(`${purse.serverUrl}${path}`, {
      method,
      headers: { "X-Parse-Application-Id": purse.appId, "X-Parse-Maintenance-Key": key },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json(), headers: response.headers };
  };

  it("apply a default limit to queries", async () => {
    for (let n = 0; n < 3; n += 1) await ask("POST", "/classes/Many", { n });
    const found = async (query: string) =>
      Object(await ask("GET", `/classes/Many${query}`)).body.results.length;
    expect([await found(""), await found("?limit=3"), await found("?limit=0")]).toEqual([2, 3, 0]);
  });

  describe("denied keywords", () => {
    it.each<[JsonObject, JsonObject]>([
      [{ secretPlan: 1 }, { key: "^secret" }],
      [{ list: [{ deep: { secretPlan: 1 } }] }, { key: "^secret" }],
      [{ first: {}, second: { secretPlan: null } }, { key: "^secret" }],
      [{ word: "forbidden fruit" }, { value: "^forbidden" }],
      [{ list: ["fine", "forbidden"] }, { value: "^forbidden" }],
      [{ box: { level: 9 } }, { key: "level", value: 9 }],
      [{ list: { __op: "Add", objects: ["forbidden"] } }, { value: "^forbidden" }],
    ])("are rejected with 105 in %j by create and update", async (fields, keyword) => {
      const error = `Prohibited keyword in request data: ${JSON.stringify(keyword)}.`;
      const { body } = await ask("POST", "/classes/Denied", { n: 1 });
      for (const credentials of [{}, MASTER]) {
        for (const answer of [
          await ask("POST", "/classes/Denied", fields, credentials),
          await ask("PUT", `/classes/Denied/${body.objectId}`, fields, credentials),
        ])
          expect([answer.status, answer.body]).toEqual([400, { code: 105, error }]);
      }
      const requests = [{ method: "POST", path: "/server/classes/Denied", body: fields }];
      expect((await ask("POST", "/batch", { requests })).body).toEqual([{ error: { code: 105, error } }]);
    });

    it("are rejected in config parameters and in file metadata and tags", async () => {
      const error = 'Prohibited keyword in request data: {"key":"^secret"}.';
      const refused = { code: 105, error };
      const params = { plan: { secretPlan: 1 } };
      expect((await ask("PUT", "/config", { params }, MASTER)).body).toEqual(refused);
      expect((await ask("GET", "/config")).body.params).toEqual({});
      for (const fileData of [{ metadata: { secretPlan: 1 } }, { tags: { secretPlan: "a" } }]) {
        const body = JSON.stringify({
          _ApplicationId: purse.appId,
          _MasterKey: purse.masterKey,
          _ContentType: "text/plain",
          base64: "aGk=",
          fileData,
        });
        const answer = await fetch(`${purse.serverUrl}/files/note.txt`, { method: "POST", body });
        expect(await answer.json()).toEqual(refused);
      }
    });

    it("are rejected in fields set by a trigger, and allow other values", async () => {
      const refused = await ask("POST", "/classes/Triggered", { n: 1 });
      expect([refused.status, refused.body.code]).toEqual([400, 105]);
      const fields = { notSecret: "not forbidden", level: 8, box: { ninth: 9 } };
      expect((await ask("POST", "/classes/Denied", fields)).status).toBe(201);
    });
  });

  describe("the maintenance key", () => {
    const date = (iso: string) => ({ __type: "Date", iso });
    const createdAt = "2019-01-01T00:00:00.000Z";
    const updatedAt = "2019-02-01T00:00:00.000Z";

    it("sets the times of new objects, which queries sort and filter by", async () => {
      const old = { n: 1, createdAt: date(createdAt), updatedAt: date(updatedAt) };
      const { status, body } = await maintain("POST", "/classes/Old", old);
      expect([status, body.createdAt]).toEqual([201, createdAt]);
      const where = encodeURIComponent(JSON.stringify({ updatedAt: date(updatedAt) }));
      const found = await ask("GET", `/classes/Old?where=${where}`);
      expect(found.body.results).toEqual([{ objectId: body.objectId, n: 1, createdAt, updatedAt }]);
      const alone = await maintain("POST", "/classes/Old", { createdAt: date(createdAt) });
      const read = await ask("GET", `/classes/Old/${alone.body.objectId}`);
      expect(read.body).toMatchObject({ createdAt, updatedAt: createdAt });
    });

    it("sets the times of objects that are created in a batch", async () => {
      const requests = [1, 2, 3].map((n) => ({
        method: "POST",
        path: "/server/classes/Old",
        body: { many: n, createdAt: date(createdAt), updatedAt: date(updatedAt) },
      }));
      await maintain("POST", "/batch", { requests });
      const where = encodeURIComponent(
        JSON.stringify({ many: { $exists: true }, updatedAt: date(updatedAt) }),
      );
      expect(Object(await ask("GET", `/classes/Old?where=${where}&limit=9`)).body.results).toHaveLength(3);
    });

    it("rejects an updatedAt before createdAt", async () => {
      const wrong = { createdAt: date(updatedAt), updatedAt: date(createdAt) };
      const { status, body } = await maintain("POST", "/classes/Old", wrong);
      expect([status, body]).toEqual([400, { code: 142, error: "updatedAt cannot occur before createdAt" }]);
    });

    it.each([
      ["createdAt", 12345],
      ["updatedAt", true],
      ["updatedAt", { __type: "GeoPoint", latitude: 1, longitude: 1 }],
    ])("rejects times of another type: %s as %j", async (name, value) => {
      const { body } = await maintain("POST", "/classes/Old", { [name]: value });
      expect(body).toEqual({ code: 111, error: `${name} must be a Date` });
    });

    it("alone can set times, and only for new objects", async () => {
      const fields = { createdAt: date(createdAt), updatedAt: date(updatedAt) };
      for (const credentials of [{}, MASTER]) {
        const { body } = await ask("POST", "/classes/Old", fields, credentials);
        expect(Date.parse(String(body.createdAt))).toBeGreaterThan(Date.now() - 600_000);
        await maintain("PUT", `/classes/Old/${body.objectId}`, fields);
        const read = await ask("GET", `/classes/Old/${body.objectId}`);
        expect(read.body.createdAt).toBe(body.createdAt);
      }
    });

    it("bypasses object permissions, but grants no administrative routes", async () => {
      const { body } = await ask("POST", "/classes/Old", { ACL: {} }, MASTER);
      expect((await maintain("GET", `/classes/Old/${body.objectId}`)).status).toBe(200);
      for (const path of ["/schemas", "/serverInfo", "/hooks/functions", "/security", "/scriptlog"])
        expect((await maintain("GET", path)).status).toBe(403);
    });

    it("is rejected with 403 if wrong, and does not replace the master key", async () => {
      expect((await maintain("GET", "/classes/Old", undefined, "wrong")).status).toBe(403);
      expect((await maintain("GET", "/classes/Old", undefined, purse.masterKey)).status).toBe(403);
      const response = await fetch(`${purse.serverUrl}/classes/Old`, {
        headers: { "X-Parse-Application-Id": purse.appId, "X-Parse-Master-Key": MAINTENANCE_KEY },
      });
      expect(response.status).toBe(403);
    });

    it("reads and writes hidden objects, fields and users", async () => {
      const hidden = await ask("POST", "/classes/Hidden", { closed: 1, ACL: {} }, MASTER);
      const permissions = { get: {}, find: {}, update: {}, protectedFields: { "*": ["closed"] } };
      await ask("PUT", "/schemas/Hidden", { classLevelPermissions: permissions }, MASTER);
      const path = `/classes/Hidden/${hidden.body.objectId}`;
      expect((await maintain("PUT", path, { closed: 2 })).status).toBe(200);
      expect((await maintain("GET", path)).body).toMatchObject({ closed: 2 });
      expect((await ask("GET", path)).status).toBeGreaterThan(399);
      const { id, username } = await signUp(purse, { ACL: {} });
      const written = await maintain("PUT", `/users/${id}`, { emailVerified: true });
      expect([written.status, (await maintain("GET", `/users/${id}`)).body]).toMatchObject([
        200,
        { username, emailVerified: true },
      ]);
    });

    it("is not the master key in cloud code", async () => {
      const called = async (answer: Promise<Answer>) => (await answer).body.result;
      expect(await called(maintain("POST", "/functions/isMaster"))).toBe(false);
      expect(await called(ask("POST", "/functions/isMaster", {}, MASTER))).toBe(true);
    });
  });

  describe("queries and values", () => {
    it("include objects with excluded keys", async () => {
      const child = await ask("POST", "/classes/Child", { a: 1, b: 2 });
      const pointer = { __type: "Pointer", className: "Child", objectId: String(child.body.objectId) };
      const parent = await ask("POST", "/classes/Parent", { foo: 1, n: 2, child: pointer, other: pointer });
      const path = `/classes/Parent/${parent.body.objectId}`;
      const { body } = await ask("GET", `${path}?excludeKeys=foo,child.a`);
      expect(body).toMatchObject({ n: 2, child: { __type: "Object", b: 2 }, other: pointer });
      expect([body.foo, Object(body.child).a]).toEqual([undefined, undefined]);
      const selected = await ask("GET", `${path}?includeAll=true&keys=n,child.a`);
      expect(selected.body).toMatchObject({
        n: 2,
        child: { a: 1 },
        other: { __type: "Object", a: 1, b: 2 },
      });
      expect([selected.body.foo, Object(selected.body.child).b]).toEqual([undefined, undefined]);
    });

    it("include objects of nested keys, together with all direct pointers", async () => {
      const pointerTo = (className: string, { body }: { body: JsonObject }) => ({
        __type: "Pointer",
        className,
        objectId: String(body.objectId),
      });
      const town = await ask("POST", "/classes/Town", { name: "Rome", size: 3 });
      const home = await ask("POST", "/classes/Home", { town: pointerTo("Town", town), floors: 2 });
      const pet = await ask("POST", "/classes/Pet", { name: "Rex" });
      const fields = { name: "Ada", home: pointerTo("Home", home), pet: pointerTo("Pet", pet) };
      const { body } = await ask("POST", "/classes/Tenant", fields);
      const keys = "name,home.floors,home.town.name";
      const found = await ask("GET", `/classes/Tenant/${body.objectId}?includeAll=true&keys=${keys}`);
      expect(found.body).toMatchObject({ home: { floors: 2, town: { name: "Rome" } }, pet: { name: "Rex" } });
      expect(Object(found.body).home.town).not.toHaveProperty("size");
    });

    it.each([
      ["a field", { n: { $gt: { $relativeTime: "1 day ago" } } }],
      ["a part of $or", { $or: [{ n: { $lt: { $relativeTime: "in 1 day" } } }, { n: 1 }] }],
    ])("reject $relativeTime of %s that is not a date with 107", async (_what, where) => {
      await ask("POST", "/classes/Timed", { n: 1, at: { __type: "Date", iso: new Date().toISOString() } });
      const query = (condition: JsonObject) =>
        ask("GET", `/classes/Timed?where=${encodeURIComponent(JSON.stringify(condition))}`);
      const { status, body } = await query(where);
      expect([status, body]).toEqual([
        400,
        { code: 107, error: "$relativeTime can only be used with Date field" },
      ]);
      for (const field of ["at", "createdAt", "updatedAt"]) {
        const found = await query({ [field]: { $gt: { $relativeTime: "1 day ago" } } });
        expect(Object(found.body.results)).not.toEqual([]);
      }
    });

    it("reject a polygon with two distinct points", async () => {
      const polygon = (coordinates: number[][]): JsonObject => ({ area: { __type: "Polygon", coordinates } });
      for (const points of [
        [
          [0, 0],
          [0, 1],
          [0, 0],
        ],
        [
          [1, 1],
          [1, 1],
          [2, 2],
          [1, 1],
        ],
      ]) {
        const { status, body } = await ask("POST", "/classes/Area", polygon(points));
        expect([status, body.code]).toEqual([400, 111]);
      }
      const triangle = polygon([
        [0, 0],
        [0, 1],
        [1, 0],
      ]);
      expect((await ask("POST", "/classes/Area", triangle)).status).toBe(201);
    });

    it("keep the system classes", async () => {
      for (const className of ["_GlobalConfig", "_Hooks", "_ApiKey"]) {
        const { status, body } = await ask("DELETE", `/schemas/${className}`, undefined, MASTER);
        expect([status, body.code]).toEqual([400, 103]);
      }
      expect((await ask("DELETE", "/schemas/Missing", undefined, MASTER)).status).toBe(200);
    });

    it("allow adding fields to users that the object points to", async () => {
      const { id, sessionToken } = await signUp(purse);
      const stranger = await signUp(purse);
      const owner = { __type: "Pointer", className: "_User", objectId: id };
      const { body } = await ask("POST", "/classes/Owned", { owner }, MASTER);
      const open = { "*": true };
      const classLevelPermissions = {
        get: open,
        find: open,
        update: open,
        addField: { pointerFields: ["owner"] },
      };
      await ask("PUT", "/schemas/Owned", { classLevelPermissions }, MASTER);
      const add = (credentials: Credentials, field: string) =>
        ask("PUT", `/classes/Owned/${body.objectId}`, { [field]: 1 }, credentials);
      expect((await add({ sessionToken: stranger.sessionToken }, "theirs")).body.code).toBe(101);
      expect((await add({}, "nobodys")).body.code).toBe(101);
      expect((await add({ sessionToken }, "mine")).status).toBe(200);
    });

    it("check the permission to add fields before types of other fields", async () => {
      await ask("POST", "/classes/Fixed", { n: 1 }, MASTER);
      const open = { "*": true };
      await ask("PUT", "/schemas/Fixed", { classLevelPermissions: { create: open, addField: {} } }, MASTER);
      const create = (fields: JsonObject) => ask("POST", "/classes/Fixed", fields);
      expect((await create({ n: "one", extra: 1 })).body.code).toBe(119);
      expect((await create({ n: "one" })).body.code).toBe(111);
      expect((await create({ n: 2 })).status).toBe(201);
    });
  });
});
