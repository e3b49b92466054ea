import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NIGHTLY } from "../support/allCases.ts";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";
import { purseCommand } from "../support/purseCommand.ts";

const COMMON = {
  objectId: { type: "String" },
  createdAt: { type: "Date" },
  updatedAt: { type: "Date" },
  ACL: { type: "ACL" },
};
const MASTER = { useMasterKey: true };

describe.each(DATABASES)("schemas on %s", (database) => {
  let purse: Purse;
  let names = 0;
  beforeAll(async () => {
    purse = await hostPurse({ env: await databaseEnv(database) });
  });
  afterAll(() => purse.remove());

  const newName = () => `Class${++names}`;
  const post = (className: string, body: JsonObject) =>
    rest(purse, "POST", `/schemas/${className}`, body, MASTER);
  const put = (className: string, body: JsonObject) =>
    rest(purse, "PUT", `/schemas/${className}`, body, MASTER);
  const save = async (className: string, fields: JsonObject): Promise<string> => {
    const { body } = await rest(purse, "POST", `/classes/${className}`, fields, MASTER);
    return String(body.objectId);
  };

  it("require the master key", { tags: ["6.master-key.schema"] }, async () => {
    for (const [method, path] of [
      ["GET", "/schemas"],
      ["GET", "/schemas/A"],
      ["POST", "/schemas/A"],
      ["PUT", "/schemas/A"],
      ["DELETE", "/schemas/A"],
      ["DELETE", "/purge/A"],
    ] as const) {
      const { status, body } = await rest(purse, method, path, method === "GET" ? undefined : {});
      expect([method, path, status, body.error]).toEqual([
        method,
        path,
        403,
        "unauthorized: master key is required",
      ]);
    }
  });

  it("are listed to clients for classes and fields that they may read", async () => {
    const [open, members, own, shut] = [newName(), newName(), newName(), newName()];
    const fields = { title: { type: "String" }, secret: { type: "Number" } };
    await post(open, { fields });
    const forMembers = {
      find: { requiresAuthentication: true },
      create: {},
      addField: { "*": true },
      protectedFields: { "*": ["secret"] },
    };
    await post(members, { fields, classLevelPermissions: forMembers });
    const owner = { owner: { type: "Pointer", targetClass: "_User" } };
    await post(own, { fields: owner, classLevelPermissions: { readUserFields: ["owner"] } });
    await post(shut, { fields, classLevelPermissions: { find: { "role:Staff": true } } });
    const listed = async (credentials = {}) => {
      const { body } = await rest(purse, "GET", "/classes", undefined, credentials);
      const results: JsonObject[] = Object(body).results;
      return new Map(results.map((each) => [String(each.className), each]));
    };
    const stranger = await listed();
    expect([open, members, own, shut].filter((name) => stranger.has(name))).toEqual([open]);
    expect(stranger.get(open)).toEqual({
      className: open,
      fields: { ...COMMON, ...fields },
      create: true,
      addField: true,
    });
    const person = await listed(await signUp(purse));
    expect([open, members, own, shut].filter((name) => person.has(name))).toEqual([open, members, own]);
    expect(person.get(members)).toEqual({
      className: members,
      fields: { ...COMMON, title: { type: "String" } },
      create: false,
      addField: true,
    });
    expect([...person.keys()].some((name) => name.startsWith("_"))).toBe(false);
    expect((await listed(MASTER)).has(shut)).toBe(true);
  });

  it("are created, returned and listed with fields of every type", {
    tags: [
      "7.schemas.get",
      "7.schemas.post",
      "3.schema-type.string",
      "3.schema-type.number",
      "3.schema-type.boolean",
      "3.schema-type.date",
      "3.schema-type.file",
      "3.schema-type.geo-point",
      "3.schema-type.polygon",
      "3.schema-type.array",
      "3.schema-type.object",
      "3.schema-type.pointer",
      "3.schema-type.relation",
    ],
  }, async () => {
    const name = newName();
    const fields = {
      text: { type: "String", required: true, defaultValue: "x" },
      number: { type: "Number" },
      flag: { type: "Boolean" },
      when: { type: "Date" },
      file: { type: "File" },
      place: { type: "GeoPoint" },
      area: { type: "Polygon" },
      bytes: { type: "Bytes" },
      list: { type: "Array" },
      map: { type: "Object" },
      owner: { type: "Pointer", targetClass: "_User" },
      friends: { type: "Relation", targetClass: "_User" },
    };
    const { status, body } = await post(name, { className: name, fields });
    expect(status).toBe(200);
    expect(body.className).toBe(name);
    expect(body.fields).toEqual({ ...COMMON, ...fields });
    expect(body.classLevelPermissions).toMatchObject({ find: { "*": true }, protectedFields: { "*": [] } });
    const all = await rest(purse, "GET", "/schemas", undefined, MASTER);
    expect(Object(all.body.results).map((each: JsonObject) => each.className)).toContain(name);
    expect((await rest(purse, "GET", `/schemas/${name}`, undefined, MASTER)).body).toEqual(body);
  });

  it("include the fields of system classes", async () => {
    const { body } = await rest(purse, "GET", "/schemas/_User", undefined, MASTER);
    expect(body.fields).toMatchObject({
      ...COMMON,
      username: { type: "String" },
      password: { type: "String" },
      email: { type: "String" },
      emailVerified: { type: "Boolean" },
      authData: { type: "Object" },
    });
  });

  it.each([
    ["an existing class", "_User", {}, 103, "Class _User already exists."],
    ["an invalid name", "0Bad", {}, 103, "Invalid classname: 0Bad"],
    [
      "another name in the body",
      "Some",
      { className: "Other" },
      103,
      "Class name mismatch between Other and Some.",
    ],
    [
      "an invalid field name",
      "Bad1",
      { fields: { "0x": { type: "String" } } },
      105,
      "invalid field name: 0x",
    ],
    [
      "a common field",
      "Bad2",
      { fields: { objectId: { type: "String" } } },
      136,
      "field objectId cannot be added",
    ],
    ["an unknown type", "Bad3", { fields: { a: { type: "lol" } } }, 111, "invalid field type: lol"],
    ["a type that is not a string", "Bad4", { fields: { a: { type: 7 } } }, 107, "invalid JSON"],
    [
      "a pointer without a target class",
      "Bad5",
      { fields: { a: { type: "Pointer" } } },
      135,
      "type Pointer needs a class name",
    ],
    [
      "an invalid target class",
      "Bad6",
      { fields: { a: { type: "Pointer", targetClass: "!" } } },
      103,
      "Invalid classname: !",
    ],
    [
      "a default of another type",
      "Bad7",
      { fields: { a: { type: "String", defaultValue: 1 } } },
      111,
      "schema mismatch",
    ],
    [
      "a required relation",
      "Bad8",
      { fields: { a: { type: "Relation", targetClass: "A", required: true } } },
      111,
      "'required'",
    ],
    [
      "two places",
      "Bad9",
      { fields: { a: { type: "GeoPoint" }, b: { type: "GeoPoint" } } },
      111,
      "only one GeoPoint",
    ],
    [
      "an index on nothing",
      "Bad10",
      { indexes: { i: { a: 1 } } },
      102,
      "Field a does not exist, cannot add index.",
    ],
  ] as [string, string, JsonObject, number, string][])(
    "reject %s",
    async (_what, name, body, code, message) => {
      const answer = await post(name, body);
      expect([answer.status, answer.body.code]).toEqual([400, code]);
      expect(answer.body.error).toContain(message);
      if (name.startsWith("Bad")) {
        expect((await rest(purse, "GET", `/schemas/${name}`, undefined, MASTER)).body.code).toBe(103);
      }
    },
  );

  it("require a class name", async () => {
    const { body } = await rest(purse, "POST", "/schemas", {}, MASTER);
    expect(body).toEqual({ code: 135, error: "POST /schemas needs a class name." });
  });

  it("add and delete fields with their values", { tags: ["7.schemas.put"] }, async () => {
    const name = newName();
    const id = await save(name, { a: "x", b: 2 });
    const { status, body } = await put(name, { fields: { a: { __op: "Delete" }, c: { type: "Date" } } });
    expect([status, Object.keys(Object(body.fields)).sort()]).toEqual([
      200,
      ["ACL", "b", "c", "createdAt", "objectId", "updatedAt"],
    ]);
    expect((await rest(purse, "GET", `/classes/${name}/${id}`)).body.a).toBeUndefined();
    // The name can be reused with another type.
    expect((await rest(purse, "PUT", `/classes/${name}/${id}`, { a: 5 })).status).toBe(200);
    expect((await put(name, { fields: { b: { type: "String" } } })).body.code).toBe(255);
    expect((await put(name, { fields: { zz: { __op: "Delete" } } })).body.code).toBe(255);
    expect((await put(name, { fields: { createdAt: { __op: "Delete" } } })).body.code).toBe(136);
    expect((await put("_User", { fields: { username: { __op: "Delete" } } })).body.code).toBe(136);
    expect((await put("NotThere", { fields: {} })).body).toEqual({
      code: 103,
      error: "Class NotThere does not exist.",
    });
  });

  it("apply default values and require fields", async () => {
    const name = newName();
    await post(name, {
      fields: {
        title: { type: "String", required: true },
        state: { type: "String", required: true, defaultValue: "new" },
      },
    });
    const missing = await rest(purse, "POST", `/classes/${name}`, {});
    expect(missing.body).toEqual({ code: 142, error: "title is required" });
    const { body } = await rest(purse, "POST", `/classes/${name}`, { title: "t" });
    expect(body.state).toBe("new");
    const cleared = await rest(purse, "PUT", `/classes/${name}/${body.objectId}`, { title: null });
    expect(cleared.body).toEqual({ code: 142, error: "title is required" });
  });

  it("close a polygon in a default value", async () => {
    const name = newName();
    const corners = [
      [0, 0],
      [0, 1],
      [1, 1],
    ];
    const defaultValue = { __type: "Polygon", coordinates: corners };
    const made = await post(name, { fields: { area: { type: "Polygon", defaultValue } } });
    expect(Object(made.body.fields).area.defaultValue).toEqual(defaultValue);
    const { body } = await rest(purse, "POST", `/classes/${name}`, {});
    expect(Object(body.area).coordinates).toEqual([...corners, [0, 0]]);
  });

  it("create indexes that the planner uses, and drop them", async () => {
    const name = newName();
    await post(name, { fields: { n: { type: "Number" }, s: { type: "String" } } });
    const { body } = await put(name, { indexes: { byN: { n: 1 }, both: { s: 1, n: -1 } } });
    expect(body.indexes).toEqual({ _id_: { _id: 1 }, byN: { n: 1 }, both: { s: 1, n: -1 } });
    for (let i = 0; i < 10; i++) {
      const requests = Array.from({ length: 200 }, (_, j) => ({
        method: "POST",
        path: `/server/classes/${name}`,
        body: { n: i * 200 + j, s: `s${i * 200 + j}` },
      }));
      await rest(purse, "POST", "/batch", { requests });
    }
    const explain = await rest(
      purse,
      "GET",
      `/classes/${name}${query({ where: { n: 77 }, limit: 1, explain: true })}`,
    );
    expect(JSON.stringify(explain.body)).toContain("index/byN");
    const dropped = await put(name, { indexes: { byN: { __op: "Delete" } } });
    expect(dropped.body.indexes).toEqual({ _id_: { _id: 1 }, both: { s: 1, n: -1 } });
    expect((await put(name, { indexes: { both: { s: 1 } } })).body).toEqual({
      code: 102,
      error: "Index both exists, cannot update.",
    });
    expect((await put(name, { indexes: { nope: { __op: "Delete" } } })).body).toEqual({
      code: 102,
      error: "Index nope does not exist, cannot delete.",
    });
    const none = await put(name, { indexes: { both: { __op: "Delete" } } });
    expect(none.body.indexes).toEqual({ _id_: { _id: 1 } });
    expect((await put(name, { fields: {} })).body).not.toHaveProperty("indexes");
  });

  it("are deleted if the class is empty", { tags: ["7.schemas.delete", "7.purge"] }, async () => {
    const name = newName();
    await save(name, { a: 1 });
    const refused = await rest(purse, "DELETE", `/schemas/${name}`, undefined, MASTER);
    expect(refused.body).toEqual({
      code: 255,
      error: `Class ${name} is not empty, contains 1 objects, cannot drop schema.`,
    });
    expect((await rest(purse, "DELETE", `/purge/${name}`, undefined, MASTER)).body).toEqual({});
    expect((await rest(purse, "GET", `/classes/${name}`)).body).toEqual({ results: [] });
    expect((await rest(purse, "DELETE", `/schemas/${name}`, undefined, MASTER)).body).toEqual({});
    expect((await rest(purse, "GET", `/schemas/${name}`, undefined, MASTER)).body.code).toBe(103);
    expect((await rest(purse, "DELETE", "/schemas/NeverWas", undefined, MASTER)).status).toBe(200);
    expect(await save(name, { a: "now a text" })).toBeTruthy();
  });

  it("separate classes whose long names share a prefix", async () => {
    const long = "L".repeat(100);
    const [a, b] = [await save(`${long}a`, { n: 1 }), await save(`${long}b`, { n: 2 })];
    expect((await rest(purse, "GET", `/classes/${long}a/${a}`)).body.n).toBe(1);
    expect((await rest(purse, "GET", `/classes/${long}b/${b}`)).body.n).toBe(2);
    await put(`${long}a`, { indexes: { [`i${"x".repeat(60)}`]: { n: 1 } } });
    expect((await put(`${long}a`, { indexes: { [`i${"x".repeat(61)}`]: { n: 1 } } })).status).toBe(200);
  });

  describe("class-level permissions", () => {
    it.each([
      ["an unknown operation", { fly: { "*": true } }, "fly is not a valid operation"],
      ["an invalid subject", { find: { "a b!": true } }, "'a b!' is not a valid key"],
      ["a permission that is not true", { find: { "*": false } }, "'false' is not a valid value"],
      ["an operation that is not an object", { find: true }, "must be an object"],
      ["user fields that are not an array", { readUserFields: "a" }, "must be an array"],
      ["an unknown user field", { readUserFields: ["nope"] }, "'nope' is not a valid column"],
      [
        "a pointer field of type String",
        { get: { pointerFields: ["title"] } },
        "'title' is not a valid column",
      ],
      ["an unknown protected field", { protectedFields: { "*": ["nope"] } }, "does not exist"],
      ["a protected system field", { protectedFields: { "*": ["createdAt"] } }, "can not be protected"],
    ] as [string, JsonObject, string][])(
      "reject %s with 107",
      async (_what, classLevelPermissions, message) => {
        const name = newName();
        await post(name, { fields: { title: { type: "String" } } });
        const { body } = await put(name, { classLevelPermissions });
        expect(body.code).toBe(107);
        expect(body.error).toContain(message);
      },
    );

    it("deny omitted operations except with the master key", {
      tags: ["3.clp.get", "3.clp.find", "3.clp.count", "3.clp.create", "3.clp.update", "3.clp.delete"],
    }, async () => {
      const name = newName();
      const id = await save(name, { title: "t" });
      const { body } = await put(name, { classLevelPermissions: { get: { "*": true } } });
      expect(Object(body.classLevelPermissions).find).toEqual({});
      expect((await rest(purse, "GET", `/classes/${name}/${id}`)).status).toBe(200);
      for (const [method, path, fields] of [
        ["GET", `/classes/${name}`, undefined],
        ["GET", `/classes/${name}?count=1&limit=0`, undefined],
        ["POST", `/classes/${name}`, { title: "x" }],
        ["PUT", `/classes/${name}/${id}`, { title: "x" }],
        ["DELETE", `/classes/${name}/${id}`, undefined],
      ] as const) {
        expect((await rest(purse, method, path, fields)).body.code).toBe(119);
        if (method !== "DELETE")
          expect((await rest(purse, method, path, fields, MASTER)).body.code).toBeUndefined();
      }
    });

    it("of an invalid type deny everything except with the master key", async () => {
      const name = newName();
      const id = await save(name, { title: "t" });
      const { body } = await put(name, { classLevelPermissions: 1234 });
      expect(Object(body.classLevelPermissions).get).toEqual({});
      expect((await rest(purse, "GET", `/classes/${name}/${id}`)).body.code).toBe(119);
    });

    it("control who may add fields", { tags: ["3.clp.add-field"] }, async () => {
      const name = newName();
      const id = await save(name, { title: "t" });
      await put(name, {
        classLevelPermissions: {
          get: { "*": true },
          create: { "*": true },
          update: { "*": true },
          addField: {},
        },
      });
      expect((await rest(purse, "PUT", `/classes/${name}/${id}`, { title: "u" })).status).toBe(200);
      expect((await rest(purse, "PUT", `/classes/${name}/${id}`, { other: 1 })).body.code).toBe(119);
      expect((await rest(purse, "POST", `/classes/${name}`, { other: 1 })).body.code).toBe(119);
    });

    it("can require any user, one user, or a role", { tags: ["6.clp.require-authentication"] }, async () => {
      const [ann, bob] = [await signUp(purse), await signUp(purse)];
      await rest(
        purse,
        "POST",
        "/roles",
        {
          name: `team${database}`,
          ACL: {},
          users: {
            __op: "AddRelation",
            objects: [{ __type: "Pointer", className: "_User", objectId: bob.id }],
          },
        },
        MASTER,
      );
      const name = newName();
      await save(name, { title: "t" });
      await put(name, {
        classLevelPermissions: {
          find: { requiresAuthentication: true },
          count: { [ann.id]: true },
          create: { [`role:team${database}`]: true },
        },
      });
      const find = (sessionToken?: string, params = "") =>
        rest(purse, "GET", `/classes/${name}${params}`, undefined, sessionToken ? { sessionToken } : {});
      expect((await find()).body.code).toBe(101);
      expect((await find(ann.sessionToken)).status).toBe(200);
      expect((await find(bob.sessionToken, "?count=1&limit=0")).body.code).toBe(119);
      expect((await find(ann.sessionToken, "?count=1&limit=0")).body.count).toBe(1);
      const create = (sessionToken: string) =>
        rest(purse, "POST", `/classes/${name}`, { title: "x" }, { sessionToken });
      expect((await create(ann.sessionToken)).body.code).toBe(119);
      expect((await create(bob.sessionToken)).status).toBe(201);
    });

    it("can be limited to users in pointer fields", {
      tags: ["6.clp.pointer-fields"],
    }, async () => {
      const [ann, bob] = [await signUp(purse), await signUp(purse)];
      const user = (id: string) => ({ __type: "Pointer", className: "_User", objectId: id });
      const name = newName();
      const own = await save(name, { title: "ann's", owner: user(ann.id), readers: [user(bob.id)] });
      const other = await save(name, { title: "bob's", owner: user(bob.id), readers: [] });
      await put(name, {
        classLevelPermissions: {
          find: { pointerFields: ["owner", "readers"] },
          get: { pointerFields: ["owner"] },
          count: { pointerFields: ["owner"] },
          update: { pointerFields: ["owner"] },
          delete: { pointerFields: ["owner"] },
          create: {},
        },
      });
      const as = (sessionToken: string) => ({ sessionToken });
      const titles = async (credentials: object) => {
        const { body } = await rest(purse, "GET", `/classes/${name}?order=title`, undefined, credentials);
        return Object(body.results).map((each: JsonObject) => each.title);
      };
      expect(await titles(as(ann.sessionToken))).toEqual(["ann's"]);
      expect(await titles(as(bob.sessionToken))).toEqual(["ann's", "bob's"]);
      expect(await titles({})).toEqual([]);
      const get = (id: string, token: string) =>
        rest(purse, "GET", `/classes/${name}/${id}`, undefined, as(token));
      expect((await get(own, ann.sessionToken)).status).toBe(200);
      expect((await get(own, bob.sessionToken)).body.code).toBe(101);
      const update = (id: string, token: string) =>
        rest(purse, "PUT", `/classes/${name}/${id}`, { title: "changed" }, as(token));
      expect((await update(own, bob.sessionToken)).body.code).toBe(101);
      expect((await update(other, bob.sessionToken)).status).toBe(200);
      const gone = await rest(purse, "DELETE", `/classes/${name}/${own}`, undefined, as(bob.sessionToken));
      expect(gone.body.code).toBe(101);
      expect((await rest(purse, "POST", `/classes/${name}`, {}, as(ann.sessionToken))).body.code).toBe(119);
    });

    it("protect fields from users", {
      tags: ["3.clp.protected-fields", "6.clp.protected-fields-per-user"],
    }, async () => {
      const [ann, bob] = [await signUp(purse), await signUp(purse)];
      const name = newName();
      const owner = { __type: "Pointer", className: "_User", objectId: ann.id };
      const id = await save(name, { title: "t", wage: 5, note: "n", owner });
      await put(name, {
        classLevelPermissions: {
          find: { "*": true },
          get: { "*": true },
          protectedFields: { "*": ["wage", "note"], [bob.id]: ["wage"], "userField:owner": [] },
        },
      });
      const seen = async (sessionToken?: string) => {
        const credentials = sessionToken ? { sessionToken } : {};
        const { body } = await rest(purse, "GET", `/classes/${name}/${id}`, undefined, credentials);
        return ["wage", "note"].filter((field) => field in body);
      };
      expect(await seen()).toEqual([]);
      expect(await seen(bob.sessionToken)).toEqual(["note"]);
      expect(await seen(ann.sessionToken)).toEqual(["wage", "note"]);
      for (const params of [
        { where: { wage: 5 } },
        { where: { $or: [{ wage: 5 }] } },
        { order: "wage" },
        { where: { title: { $select: { key: "wage", query: { className: name, where: {} } } } } },
        { where: { owner: { $inQuery: { className: name, where: { wage: 5 } } } } },
      ]) {
        const { body } = await rest(purse, "GET", `/classes/${name}${query(params)}`);
        expect([JSON.stringify(params), body.code]).toEqual([JSON.stringify(params), 119]);
      }
    });

    it("protect fields from roles", { tags: ["6.clp.protected-fields-per-role"] }, async () => {
      const boss = await signUp(purse);
      const worker = await signUp(purse);
      const role = `boss${database}`;
      const users = {
        __op: "AddRelation",
        objects: [{ __type: "Pointer", className: "_User", objectId: boss.id }],
      };
      await rest(purse, "POST", "/roles", { name: role, ACL: {}, users }, MASTER);
      const name = newName();
      const id = await save(name, { title: "t", wage: 5 });
      const protectedFields = { "*": ["wage"], [`role:${role}`]: [] };
      await put(name, { classLevelPermissions: { get: { "*": true }, protectedFields } });
      const seen = async (sessionToken: string) =>
        (await rest(purse, "GET", `/classes/${name}/${id}`, undefined, { sessionToken })).body.wage;
      expect([await seen(boss.sessionToken), await seen(worker.sessionToken)]).toEqual([5, undefined]);
    });

    it("can name pointer fields of readers and writers", {
      tags: ["3.clp.read-user-fields", "3.clp.write-user-fields"],
    }, async () => {
      const [ann, bob] = [await signUp(purse), await signUp(purse)];
      const user = (id: string) => ({ __type: "Pointer", className: "_User", objectId: id });
      const name = newName();
      const id = await save(name, { title: "t", reader: user(ann.id), writer: user(bob.id) });
      await put(name, { classLevelPermissions: { readUserFields: ["reader"], writeUserFields: ["writer"] } });
      const read = async ({ sessionToken }: { sessionToken: string }) =>
        (await rest(purse, "GET", `/classes/${name}/${id}`, undefined, { sessionToken })).status;
      const write = async ({ sessionToken }: { sessionToken: string }) =>
        (await rest(purse, "PUT", `/classes/${name}/${id}`, { title: "u" }, { sessionToken })).status;
      expect([await read(ann), await read(bob)]).toEqual([200, 404]);
      expect([await write(ann), await write(bob)]).toEqual([404, 200]);
    });

    it("set the default ACL of new objects", async () => {
      const ann = await signUp(purse);
      const name = newName();
      await post(name, {
        fields: { title: { type: "String" } },
        classLevelPermissions: {
          create: { "*": true },
          get: { "*": true },
          ACL: { "*": { read: true }, currentUser: { read: true, write: true } },
        },
      });
      const { body } = await rest(
        purse,
        "POST",
        `/classes/${name}`,
        { title: "t" },
        { sessionToken: ann.sessionToken },
      );
      const saved = await rest(purse, "GET", `/classes/${name}/${body.objectId}`);
      expect(saved.body.ACL).toEqual({ "*": { read: true }, [ann.id]: { read: true, write: true } });
    });
  });
});

describe("configured defaults for all classes", () => {
  it("protect fields, set an ACL on new objects, and deny class creation and query plans to clients in production", async () => {
    const folder = mkdtempSync(join(tmpdir(), "purse-defaults-"));
    const config = join(folder, "purse.config.ts");
    writeFileSync(
      config,
      `export default {
        protectedFields: { Person: { "*": ["wage"] }, _User: { "*": ["phone"] } },
        defaultAcl: { "*": { read: true }, currentUser: { read: true, write: true } },
      };`,
    );
    const purse = await hostPurse({ env: { PURSE_CONFIG: config, PURSE_ENV: "production" } });
    try {
      const ann = await signUp(purse);
      const refused = await rest(purse, "POST", "/classes/Person", { name: "n" }, ann);
      expect(refused.body).toEqual({
        code: 119,
        error: "This user is not allowed to access non-existent class: Person",
      });
      const stranger = await rest({ ...purse, appId: "other" }, "GET", "/classes/Person");
      expect(stranger.body).toEqual({ code: 119, error: "unauthorized" });
      const classLevelPermissions = {
        get: { "*": true },
        find: { "*": true },
        create: { "*": true },
        update: { "*": true },
      };
      const fields = { name: { type: "String" }, wage: { type: "Number" } };
      await rest(purse, "POST", "/schemas/Person", { fields, classLevelPermissions }, MASTER);
      const { body } = await rest(purse, "POST", "/classes/Person", { name: "m", wage: 6 }, ann);
      const extra = await rest(purse, "PUT", `/classes/Person/${body.objectId}`, { extra: 1 }, ann);
      expect(extra.body).toEqual({
        code: 119,
        error: "Permission denied for action addField on class Person.",
      });
      const seen = await rest(purse, "GET", `/classes/Person/${body.objectId}`, undefined, ann);
      expect(seen.body).not.toHaveProperty("wage");
      expect(seen.body.ACL).toEqual({ "*": { read: true }, [ann.id]: { read: true, write: true } });
      const requested = await rest(
        purse,
        "GET",
        `/classes/Person${query({ where: { wage: 6 } })}`,
        undefined,
        ann,
      );
      expect(requested.body.code).toBe(119);
      const explained = await rest(
        purse,
        "GET",
        `/classes/Person${query({ explain: true })}`,
        undefined,
        ann,
      );
      expect(explained.body).toEqual({
        code: 102,
        error: "Using the explain query parameter requires the master key",
      });
    } finally {
      await purse.remove();
    }
  });
});

if (NIGHTLY)
  describe("a read replica of PostgreSQL", () => {
    it("answers queries with a read preference for replicas", {
      tags: ["7.query.read-preference"],
    }, async () => {
      const [main, replica] = [await databaseEnv("PostgreSQL"), await databaseEnv("PostgreSQL")];
      // A different database instead of a copy, so that the source of a response is visible.
      const other = await hostPurse({ env: replica });
      await rest(other, "POST", "/classes/Thing", { from: "the replica" });
      await other.stop();
      const env = { ...main, PURSE_DATABASE_REPLICA_URL: replica.PURSE_DATABASE_URL ?? "" };
      const purse = await hostPurse({ env });
      try {
        await rest(purse, "POST", "/classes/Thing", { from: "the primary" });
        const ask = async (readPreference: string) => {
          const { body } = await rest(purse, "GET", `/classes/Thing${query({ readPreference })}`);
          return Object(body.results).map((each: JsonObject) => each.from);
        };
        expect(await ask("PRIMARY")).toEqual(["the primary"]);
        expect(await ask("SECONDARY")).toEqual(["the replica"]);
      } finally {
        await purse.remove();
      }
    });
  });

describe("custom object IDs", () => {
  it("are accepted if configured, and must be unique", {
    tags: ["8.code.104", "8.code.137"],
  }, async () => {
    const purse = await hostPurse({ env: { PURSE_ALLOW_CUSTOM_OBJECT_ID: "1" } });
    try {
      const create = (objectId: unknown) => rest(purse, "POST", "/classes/Thing", { objectId, n: 1 });
      expect((await create("my-own_id")).body.objectId).toBe("my-own_id");
      expect((await create("my-own_id")).body.code).toBe(137);
      const id = "set:ID+symbol$=@llowed";
      expect((await create(id)).body.objectId).toBe(id);
      const ACL = { [id]: { read: true, write: true } };
      const path = `/classes/Thing/${id}`;
      expect((await rest(purse, "PUT", path, { ACL }, MASTER)).status).toBe(200);
      expect((await rest(purse, "GET", path, undefined, MASTER)).body).toMatchObject({ objectId: id, ACL });
      const user = { objectId: id, username: "symbols", password: "correct horse" };
      const signedUp = await rest(purse, "POST", "/users", user);
      const session = { sessionToken: String(signedUp.body.sessionToken) };
      expect((await rest(purse, "GET", path, undefined, session)).body.n).toBe(1);
      const pointer = { __type: "Pointer", className: "Thing", objectId: id };
      await rest(purse, "POST", "/classes/Holder", { thing: pointer });
      const where = encodeURIComponent(JSON.stringify({ thing: pointer }));
      const held = await rest(
        purse,
        "GET",
        `/classes/Holder?include=thing&where=${where}`,
        undefined,
        session,
      );
      expect(held.body.results).toMatchObject([{ thing: { objectId: id, n: 1 } }]);
      for (const bad of ["", null, 5, "role:x", "a b", "x".repeat(200)]) {
        expect((await create(bad)).body.code).toBe(104);
      }
      const roleLike = { objectId: "role:x", username: "x", password: "correct horse" };
      expect((await rest(purse, "POST", "/users", roleLike)).body).toEqual({
        code: 119,
        error: "Invalid object ID.",
      });
    } finally {
      await purse.remove();
    }
  });
});

describe("the read-only master key", () => {
  it("reads everything and changes nothing", async () => {
    const purse = await hostPurse({ env: { PURSE_READ_ONLY_MASTER_KEY: "only-for-looking" } });
    try {
      const reader = { ...purse, masterKey: "only-for-looking" };
      await rest(purse, "POST", "/classes/Thing", { n: 1, ACL: {} }, MASTER);
      const { body } = await rest(reader, "GET", "/classes/Thing", undefined, MASTER);
      expect(body.results).toHaveLength(1);
      for (const [method, path] of [
        ["POST", "/classes/Thing"],
        ["PUT", "/classes/Thing/x"],
        ["DELETE", "/classes/Thing/x"],
        ["POST", "/batch"],
        ["POST", "/schemas/New"],
        ["POST", "/users"],
        ["POST", "/functions/getServerTime"],
        ["DELETE", "/purge/Thing"],
      ] as const) {
        const { status, body } = await rest(reader, method, path, {}, MASTER);
        expect([path, status, body.code]).toEqual([path, 403, 119]);
      }
    } finally {
      await purse.remove();
    }
  });
});

if (NIGHTLY)
  describe("classes defined in the config file on PostgreSQL", () => {
    const definition = (fields: string, indexes = "{}") => `export default {
    schemas: [{ className: "Made", fields: ${fields}, indexes: ${indexes},
      classLevelPermissions: { find: { "*": true }, get: { "*": true }, create: { requiresAuthentication: true } } }],
    lockSchemas: true,
  };`;

    it("are created at the start, changed with the config, and keep everything else", async () => {
      const folder = mkdtempSync(join(tmpdir(), "purse-schemas-"));
      const database = await databaseEnv("PostgreSQL");
      let files = 0;
      /** Returns the settings with a new config file, because a process imports each once. */
      const configure = (...parameters: Parameters<typeof definition>) => {
        const config = join(folder, `purse.config${++files}.ts`);
        writeFileSync(config, definition(...parameters));
        return { ...database, PURSE_CONFIG: config, PURSE_DATA_DIR: folder };
      };
      const dryRun = async () => (await purseCommand(["schema"], env)).output;
      let env = configure('{ name: { type: "String", required: true } }', "{ byName: { name: 1 } }");
      expect(await dryRun()).toBe(
        '+ Made\n+ Made.name String\n+ Made index byName {"name":1}\n~ Made class-level permissions',
      );
      const first = await hostPurse({ dataDir: folder, env });
      expect(await dryRun()).toBe("Nothing would change.");
      const made = await rest(first, "GET", "/schemas/Made", undefined, MASTER);
      expect(made.body).toMatchObject({
        fields: { name: { required: true } },
        indexes: { byName: { name: 1 } },
      });
      const refused = await rest(
        first,
        "PUT",
        "/schemas/Made",
        { fields: { x: { type: "String" } } },
        MASTER,
      );
      expect(refused.body).toEqual({
        code: 119,
        error: "Cannot perform this operation when schemas options is used.",
      });
      await rest(first, "POST", "/classes/Made", { name: "n", extra: 5 }, MASTER);
      await first.stop();

      env = configure('{ name: { type: "String" }, size: { type: "Number", defaultValue: 3 } }');
      expect(await dryRun()).toContain("- Made index byName");
      const second = await hostPurse({ dataDir: folder, env });
      const changed = await rest(second, "GET", "/schemas/Made", undefined, MASTER);
      expect(changed.body).toMatchObject({
        fields: { extra: { type: "Number" }, size: { defaultValue: 3 } },
      });
      expect(changed.body).not.toHaveProperty("indexes");
      await second.stop();

      env = configure('{ name: { type: "Number" } }');
      await expect(hostPurse({ dataDir: folder, env })).rejects.toThrow(
        "Made.name is String in the database, and the code says Number",
      );
    });
  });
