import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ALL_DATABASES, databaseEnv } from "../support/databases.ts";
import { type Answer, hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";

const pointer = (className: string, objectId: string) => ({ __type: "Pointer", className, objectId });

describe.each(ALL_DATABASES)("queries with the behavior of Parse Server, on %s", (database) => {
  let purse: Purse;
  beforeAll(async () => {
    purse = await hostPurse({ env: await databaseEnv(database) });
  });
  afterAll(() => purse?.remove());

  async function save(className: string, fields: JsonObject): Promise<string> {
    const { status, body } = await rest(purse, "POST", `/classes/${className}`, fields);
    if (status !== 201) throw new Error(`${className}: ${JSON.stringify(body)}`);
    return String(body.objectId);
  }

  const find = (className: string, params: Record<string, unknown>, sessionToken?: string): Promise<Answer> =>
    rest(
      purse,
      "GET",
      `/classes/${className}${query(params)}`,
      undefined,
      sessionToken ? { sessionToken } : {},
    );

  async function names(className: string, where: JsonObject): Promise<unknown[]> {
    const { body } = await find(className, { where, order: "name" });
    if (!Array.isArray(body.results)) throw new Error(JSON.stringify(body));
    return body.results.map((object) => Object(object).name);
  }

  describe("a query by objectId alone", () => {
    const open = { create: { "*": true }, addField: { "*": true } };

    async function permit(className: string, classLevelPermissions: JsonObject): Promise<void> {
      const fields = { owner: { type: "Pointer", targetClass: "_User" } };
      const schema = { classLevelPermissions, fields };
      const { status } = await rest(purse, "POST", `/schemas/${className}`, schema, { useMasterKey: true });
      expect(status).toBe(200);
    }

    it("requires the get permission instead of the find permission", async () => {
      await permit("GetOnly", { ...open, get: { "*": true }, find: {} });
      const id = await save("GetOnly", { name: "a" });
      const one = await find("GetOnly", { where: { objectId: id }, limit: 1 });
      expect(one.body.results).toMatchObject([{ objectId: id, name: "a" }]);
      for (const where of [{}, { name: "a" }, { objectId: id, name: "a" }, { objectId: { $in: [id] } }]) {
        expect((await find("GetOnly", { where })).body).toMatchObject({ code: 119 });
      }
    });

    it("is rejected with the find permission only", async () => {
      await permit("FindOnly", { ...open, get: {}, find: { "*": true } });
      const id = await save("FindOnly", { name: "a" });
      expect((await find("FindOnly", { where: { objectId: id } })).body).toMatchObject({
        code: 119,
        error: "Permission denied for action get on class FindOnly.",
      });
      expect((await find("FindOnly", { where: { name: "a" } })).body.results).toHaveLength(1);
    });

    it("finds objects that point to the user, with pointer fields in the get permission", async () => {
      const owner = await signUp(purse);
      const other = await signUp(purse);
      await permit("Owned", { ...open, get: { pointerFields: ["owner"] }, find: {} });
      const id = await save("Owned", { owner: pointer("_User", owner.id) });
      const where = { objectId: id };
      expect((await find("Owned", { where }, owner.sessionToken)).body.results).toHaveLength(1);
      expect((await find("Owned", { where }, other.sessionToken)).body.results).toEqual([]);
    });

    it("counts as a get in a subquery too", async () => {
      await permit("Hidden", { ...open, get: { "*": true }, find: {} });
      const id = await save("Hidden", { name: "a" });
      await save("Shown", { name: "b", to: pointer("Hidden", id) });
      const byId = { to: { $inQuery: { className: "Hidden", where: { objectId: id } } } };
      const byName = { to: { $inQuery: { className: "Hidden", where: { name: "a" } } } };
      expect(await names("Shown", byId)).toEqual(["b"]);
      expect(await names("Shown", byName)).toEqual([]);
    });
  });

  describe("arrays within objects", () => {
    beforeAll(async () => {
      await save("Mail", { name: "both", sender: { group: ["A", "B"], sizes: [1, 5] } });
      await save("Mail", { name: "one", sender: { group: ["C"], sizes: [9] } });
      await save("Mail", { name: "plain", sender: { group: "A", sizes: 3 } });
      await save("Mail", { name: "none", sender: {} });
    });

    it.each<[where: JsonObject, found: string[]]>([
      [{ "sender.group": { $in: ["A"] } }, ["both", "plain"]],
      [{ "sender.group": { $nin: ["A"] } }, ["none", "one"]],
      [{ "sender.group": "B" }, ["both"]],
      [{ "sender.group": { $ne: "A" } }, ["none", "one"]],
      [{ "sender.group": { $regex: "^A" } }, ["both", "plain"]],
      [{ "sender.sizes": { $gt: 4 } }, ["both", "one"]],
      [{ "sender.sizes": { $in: [3, 9] } }, ["one", "plain"]],
    ])("match by any item: %j", async (where, found) => {
      expect(await names("Mail", where)).toEqual(found);
    });
  });

  describe("pointers", () => {
    let ann: string;
    let bob: string;
    beforeAll(async () => {
      ann = await save("Writer", { name: "Ann" });
      bob = await save("Writer", { name: "Bob" });
      await save("Post", { name: "first", author: pointer("Writer", ann) });
      await save("Post", { name: "second", author: pointer("Writer", bob) });
      await save("Team", { name: "team", members: [pointer("Writer", bob)] });
    });

    it("match by plain IDs", async () => {
      expect(await names("Post", { author: ann })).toEqual(["first"]);
      expect(await names("Post", { author: { $in: [ann, "gone"] } })).toEqual(["first"]);
      expect(await names("Post", { author: { $nin: [ann] } })).toEqual(["second"]);
      expect(await names("Post", { author: { $ne: bob } })).toEqual(["first"]);
    });

    it("match $select with arrays of pointers", async () => {
      const members = { key: "members", query: { className: "Team", where: {} } };
      expect(await names("Post", { author: { $select: members } })).toEqual(["second"]);
      expect(await names("Post", { author: { $dontSelect: members } })).toEqual(["first"]);
    });

    it("combine equality with other constraints", async () => {
      const members = { key: "members", query: { className: "Team", where: {} } };
      const where = (id: string) => ({ author: { ...pointer("Writer", id), $dontSelect: members } });
      expect(await names("Post", where(ann))).toEqual(["first"]);
      expect(await names("Post", where(bob))).toEqual([]);
    });

    it("reject operators among the keys of a plain object", async () => {
      const { body } = await find("Post", { where: { author: { name: "Ann", $exists: true } } });
      expect(body).toMatchObject({ code: 102, error: "a condition mixes operators and plain keys" });
    });
  });

  describe("arrays as JSON text", () => {
    beforeAll(async () => {
      const id = await save("Town", { name: "Rome" });
      await save("Trip", { name: "trip", secret: 1, town: pointer("Town", id) });
    });

    it.each<[params: Record<string, unknown>, expected: JsonObject, missing: string[]]>([
      [{ keys: '["name"]' }, { name: "trip" }, ["secret", "town"]],
      [{ excludeKeys: '["secret"]' }, { name: "trip" }, ["secret"]],
      [{ include: '["town"]' }, { town: { name: "Rome" } }, []],
      [{ include: '["*"]' }, { town: { name: "Rome" } }, []],
      [{ order: '["-name"]' }, { name: "trip" }, []],
      [{ keys: '"name"' }, { name: "trip" }, ["secret"]],
    ])("are accepted: %j", async (params, expected, missing) => {
      const parameters = new URLSearchParams(
        Object.entries(params).map(([key, value]) => [key, String(value)]),
      );
      const { body } = await rest(purse, "GET", `/classes/Trip?${parameters}`);
      expect(body.results).toMatchObject([expected]);
      const [object] = Array.isArray(body.results) ? body.results : [];
      for (const field of missing) expect(object).not.toHaveProperty(field);
    });

    it("are accepted for the field of distinct values", async () => {
      const path = `/aggregate/Trip?distinct=${encodeURIComponent('"name"')}`;
      const { body } = await rest(purse, "GET", path, undefined, { useMasterKey: true });
      expect(body.results).toEqual(["trip"]);
    });
  });
});
