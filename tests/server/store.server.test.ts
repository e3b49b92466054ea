import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type JsonObject, type Operation, parseWhere } from "@purse/protocol";
import {
  type AclSubjects,
  type ClassSchema,
  openStore,
  type Store,
  UniqueConstraintError,
} from "@purse/server";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { hasProgram, PGBOUNCER } from "../../scripts/programs.mjs";
import { ALL_DATABASES } from "../support/databases.ts";
import { type PgBouncer, startPgBouncer } from "../support/pgbouncer.ts";
import { newDatabase } from "../support/postgresServer.ts";

const AT = "2026-01-01T00:00:00.000Z";

const schema: ClassSchema = {
  className: "Post",
  table: "Post",
  fields: {
    title: { type: "String" },
    likes: { type: "Number" },
    tags: { type: "Array" },
    place: { type: "Object" },
    author: { type: "Pointer", targetClass: "_User" },
    due: { type: "Date" },
    open: { type: "Boolean" },
  },
  classLevelPermissions: {},
  indexes: { byTitle: { title: 1 } },
};

const POOLED = "PostgreSQL behind PgBouncer";

describe.each(ALL_DATABASES)("the store on %s", testStore);
describe.skipIf(!hasProgram(PGBOUNCER)).each([POOLED])("the store on %s", testStore);

function testStore(database: string): void {
  let bouncer: PgBouncer | undefined;
  let folder: string;
  let url: string;
  let store: Store;

  beforeAll(async () => {
    // PgBouncer has fewer sessions than the store has connections.
    if (database === POOLED) bouncer = await startPgBouncer(inject("postgresUrl"), 2);
  });
  afterAll(() => bouncer?.stop());

  const open = () => {
    if (database === "SQLite") return openStore({ kind: "sqlite", path: join(folder, "purse.sqlite") });
    if (!bouncer) return openStore({ kind: "postgres", url, connections: 4 });
    return openStore({ kind: "postgres", url: bouncer.urlOf(url), directUrl: url, connections: 4 });
  };

  /** Opens one store for the tests of a group, which write different objects. */
  async function openStoreOfGroup(): Promise<void> {
    folder = mkdtempSync(join(tmpdir(), "purse-store-"));
    url = database === "SQLite" ? "" : await newDatabase(inject("postgresUrl"));
    store = await open();
    await store.changeClass("Post", () => schema);
  }
  async function closeStore(): Promise<void> {
    await store.close();
    rmSync(folder, { recursive: true });
  }

  async function create(id: string, fields: JsonObject): Promise<void> {
    const object = { objectId: id, createdAt: AT, updatedAt: AT, ...fields };
    await store.write([{ kind: "create", schema, id, at: AT, object }]);
  }

  function update(id: string, operations: Record<string, Operation>, subjects: AclSubjects = null) {
    return store.write([
      { kind: "update", schema, id, at: "2026-01-02T00:00:00.000Z", operations, subjects },
    ]);
  }

  async function idsWhere(where: object, subjects: AclSubjects = null): Promise<string[]> {
    const query = { schema, where: parseWhere(where), order: [], limit: 100, skip: 0, subjects };
    return (await store.find(query)).map((text) => JSON.parse(text).objectId);
  }

  describe("where", () => {
    afterAll(closeStore);
    beforeAll(async () => {
      await openStoreOfGroup();
      await create("a", {
        title: "Apple",
        likes: 1,
        tags: ["x", "y"],
        open: true,
        due: { __type: "Date", iso: "2026-03-01T00:00:00.000Z" },
      });
      await create("b", {
        title: "Banana",
        likes: 2,
        tags: ["y", 3, { k: 1 }],
        place: { city: "Bern", codes: ["3000", "3001"] },
      });
      await create("c", {
        title: "apple pie",
        likes: null,
        author: { __type: "Pointer", className: "_User", objectId: "u1" },
        open: false,
      });
    });

    const cases: [string, object, string[]][] = [
      ["equality of strings", { title: "Apple" }, ["a"]],
      ["inequality, also of missing fields", { likes: { $ne: 1 } }, ["b", "c"]],
      ["order of numbers", { likes: { $gt: 1 } }, ["b"]],
      ["a range", { likes: { $gte: 1, $lt: 2 } }, ["a"]],
      ["$in", { title: { $in: ["Apple", "Banana", 7, null] } }, ["a", "b"]],
      ["$in with null and missing values", { likes: { $in: [null, 1] } }, ["a", "c"]],
      ["$nin", { likes: { $nin: [1, 2] } }, ["c"]],
      ["an empty $in", { likes: { $in: [] } }, []],
      ["existence", { place: { $exists: true } }, ["b"]],
      ["$exists false of null values", { likes: { $exists: false } }, []],
      ["items of arrays", { tags: "x" }, ["a"]],
      ["items of mixed arrays by number", { tags: 3 }, ["b"]],
      ["items of arrays that are objects", { tags: { k: 1 } }, ["b"]],
      [
        "a pointer among the items of an array of texts",
        { tags: { __type: "Pointer", className: "A", objectId: "x" } },
        [],
      ],
      ["all items", { tags: { $all: ["y", "x"] } }, ["a"]],
      ["booleans", { open: true }, ["a"]],
      ["false, which is not missing", { open: false }, ["c"]],
      ["dates", { due: { $gt: { __type: "Date", iso: "2026-02-01T00:00:00.000Z" } } }, ["a"]],
      ["pointers", { author: { __type: "Pointer", className: "_User", objectId: "u1" } }, ["c"]],
      [
        "pointers of another class",
        { author: { __type: "Pointer", className: "Other", objectId: "u1" } },
        [],
      ],
      [
        "pointers in a list",
        { author: { $in: [{ __type: "Pointer", className: "_User", objectId: "u1" }] } },
        ["c"],
      ],
      ["dotted paths", { "place.city": "Bern" }, ["b"]],
      ["arrays below a dotted path", { "place.codes": "3001" }, ["b"]],
      ["a regular expression", { title: { $regex: "^a", $options: "i" } }, ["a", "c"]],
      ["a quoted prefix", { title: { $regex: "^\\QApp\\E" } }, ["a"]],
      ["or", { $or: [{ title: "Apple" }, { likes: 2 }] }, ["a", "b"]],
      ["nor", { $nor: [{ title: "Apple" }, { likes: 2 }] }, ["c"]],
      ["and", { $and: [{ open: true }, { likes: 1 }] }, ["a"]],
      ["ids", { objectId: { $in: ["a", "c"] } }, ["a", "c"]],
      [
        "ids compared with a pointer",
        { objectId: { $ne: { __type: "Pointer", className: "Post", objectId: "a" } } },
        ["a", "b", "c"],
      ],
      ["creation times", { createdAt: { $lte: { __type: "Date", iso: AT } } }, ["a", "b", "c"]],
      ["a number that does not equal a string", { likes: "1" }, []],
      ["comparison with the wrong type", { title: { $gt: 5 } }, []],
    ];
    it.each(cases)("matches %s", { tags: ["7.query.where"] }, async (_name, where, expected) => {
      expect(await idsWhere(where)).toEqual(expected);
    });

    it("returns the same result inline once a query shape has been fast", async () => {
      for (let i = 0; i < 3; i++) expect(await idsWhere({ title: "Banana" })).toEqual(["b"]);
    });

    it("sorts by several keys and breaks ties by insertion order", async () => {
      const query = { schema, where: parseWhere({}), limit: 10, skip: 0, subjects: null };
      const order = [{ path: ["likes"] as [string], descending: true }];
      const texts = await store.find({ ...query, order });
      expect(texts.map((text) => JSON.parse(text).objectId)).toEqual(["b", "a", "c"]);
    });

    it("counts without a limit", async () => {
      expect(
        await store.count({ schema, where: parseWhere({}), order: [], limit: 1, skip: 0, subjects: null }),
      ).toBe(3);
    });
  });

  describe("permissions", () => {
    afterAll(closeStore);
    beforeAll(async () => {
      await openStoreOfGroup();
      await create("open", {});
      await create("mine", { ACL: { u1: { read: true, write: true } } });
      await create("team", { ACL: { "role:team a": { read: true } } });
      await create("shown", { ACL: { "*": { read: true }, u1: { write: true } } });
      await create("hidden", { ACL: {} });
    });

    it.each([
      ["an anonymous client", [], ["open", "shown"]],
      ["a user", ["u1"], ["open", "mine", "shown"]],
      ["a member of a role", ["u2", "role:team a"], ["open", "team", "shown"]],
      [
        "a member of many roles",
        ["u2", "role:a", "role:b", "role:c", "role:team a"],
        ["open", "team", "shown"],
      ],
      ["a user whose ID is a substring of another one", ["u"], ["open", "shown"]],
      ["the master key", null, ["open", "mine", "team", "shown", "hidden"]],
    ] as [string, AclSubjects, string[]][])(
      "show %s only objects that ACLs allow",
      async (_name, subjects, expected) => {
        expect(await idsWhere({}, subjects)).toEqual(expected);
      },
    );

    it("report unwritable objects as not found", async () => {
      await expect(update("shown", { title: { op: "Set", value: "x" } }, ["u2"])).rejects.toMatchObject({
        code: 101,
      });
      await expect(update("shown", { title: { op: "Set", value: "x" } }, ["u1"])).resolves.toHaveLength(1);
    });

    it("follow changes of the ACL", async () => {
      await update("open", { ACL: { op: "Set", value: { u9: { read: true } } } });
      expect(await idsWhere({}, ["u1"])).toEqual(["mine", "shown"]);
    });
  });

  describe("write", () => {
    beforeAll(openStoreOfGroup);
    afterAll(closeStore);

    it("applies concurrent increments without losing any", async () => {
      await create("n", { likes: 0 });
      await Promise.all(
        Array.from({ length: 200 }, () => update("n", { likes: { op: "Increment", amount: 1 } })),
      );
      expect(JSON.parse((await store.get(schema, "n", null)) ?? "{}").likes).toBe(200);
    });

    it("writes to items of arrays by their index only, and makes missing arrays", async () => {
      await create("list", { tags: [1], place: { codes: [1] } });
      await update("list", {
        "tags.2": { op: "Set", value: "x" },
        "tags.0": { op: "Delete" },
        "place.codes.1": { op: "Increment", amount: 2 },
      });
      const read = async (id: string) => JSON.parse((await store.get(schema, id, null)) ?? "{}");
      const expected = { tags: [null, null, "x"], place: { codes: [1, 2] } };
      expect(await read("list")).toMatchObject(expected);
      for (const path of ["tags.x", "tags.-1", "place.codes.x", "place.codes.01", "tags.99999"]) {
        await expect(update("list", { [path]: { op: "Set", value: 1 } })).rejects.toThrow(
          /^(cannot|an item)/,
        );
      }
      expect(await read("list")).toMatchObject(expected);
      await create("empty", {});
      await update("empty", { "tags.1": { op: "Set", value: 5 } });
      expect(await read("empty")).toMatchObject({ tags: [null, 5] });
    });

    it("creates many objects concurrently with separate results", async () => {
      const make = (id: string, title: string) =>
        store.write([
          {
            kind: "create",
            schema,
            id,
            at: AT,
            object: { objectId: id, createdAt: AT, updatedAt: AT, title },
          },
        ]);
      const ids = Array.from({ length: 50 }, (_, i) => `many${i}`);
      const outcomes = await Promise.allSettled([...ids, "many7"].map((id) => make(id, `title ${id}`)));
      expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(50);
      expect(outcomes.at(-1)).toMatchObject({ reason: { code: 137 } });
      // In the order of the requests.
      expect(await idsWhere({ title: { $regex: "^title" } })).toEqual(ids);
    });

    it("creates objects of several classes in one group commit with separate results", async () => {
      const other: ClassSchema = { ...schema, className: "Reply", table: "Reply" };
      await store.changeClass("Reply", () => other);
      await create("taken", { title: "first" });
      const each: [string, string, ClassSchema][] = [
        ["e1", "one", schema],
        ["taken", "second", schema],
        ["e1", "another class", other],
        ["e2", "NUL \u0000", schema],
        ["e3", "three", schema],
        ["e1", "twice", schema],
      ];
      const outcomes = await store.createEach(
        each.map(([id, title, schema]) => {
          const object = { objectId: id, createdAt: AT, updatedAt: AT, title, ACL: { u1: { read: true } } };
          return { kind: "create", schema, id, at: AT, object, secret: { of: title } };
        }),
      );
      const summary = outcomes.map((outcome) =>
        typeof outcome === "string" ? JSON.parse(outcome).title : outcome,
      );
      const refused = expect.objectContaining({ code: 137 });
      // SQLite can store every text.
      const unstorable = database === "SQLite" ? "NUL \u0000" : expect.objectContaining({ code: 107 });
      expect(summary).toEqual(["one", refused, "another class", unstorable, "three", refused]);
      expect(await idsWhere({ title: { $in: ["one", "three", "second", "twice"] } }, ["u1"])).toEqual([
        "e1",
        "e3",
      ]);
      expect(await idsWhere({ title: "one" }, ["u2"])).toEqual([]);
      expect((await store.getSecret(schema, "e3"))?.secret).toEqual({ of: "three" });
      expect(await store.get(other, "e1", null)).toContain("another class");
      expect(await store.createEach([])).toEqual([]);
    });

    it("rejects an unstorable value without affecting others", async () => {
      const texts = ["fine", "broken \u0000", "fine too"];
      const outcomes = await Promise.allSettled(texts.map((title, i) => create(`nul${i}`, { title })));
      const refused = outcomes.filter(({ status }) => status === "rejected");
      for (const outcome of refused) expect(outcome).toMatchObject({ reason: { code: 107 } });
      expect((await idsWhere({ title: { $regex: "^fine" } })).sort()).toEqual(["nul0", "nul2"]);
    });

    it("rolls back a transaction of which one step fails", async () => {
      const group = store.write([
        { kind: "create", schema, id: "half", at: AT, object: { objectId: "half" } },
        { kind: "delete", schema, id: "missing", subjects: null },
      ]);
      await expect(group).rejects.toMatchObject({ code: 101 });
      expect(await store.get(schema, "half", null)).toBeUndefined();
    });

    it("gives a unique key to one of several concurrent writes", async () => {
      const tries = Array.from({ length: 20 }, (_, i) =>
        store.write([{ kind: "reserveUnique", scope: "name", value: "bob", owner: `o${i}` }]),
      );
      const outcomes = await Promise.allSettled(tries);
      expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(1);
      expect(outcomes.find((outcome) => outcome.status === "rejected")?.reason).toBeInstanceOf(
        UniqueConstraintError,
      );
    });

    it("rejects a transaction with the error of its first failed step", async () => {
      const makeAs = (owner: string) =>
        store.write([
          { kind: "reserveUnique", scope: "first", value: "v", owner },
          { kind: "create", schema, id: "twice", at: AT, object: { objectId: "twice" } },
        ]);
      await makeAs("o1");
      await expect(makeAs("o2")).rejects.toBeInstanceOf(UniqueConstraintError);
    });

    it("gives an expired unique key to the next owner", async () => {
      await store.write([
        { kind: "reserveUnique", scope: "t", value: "v", owner: "old", expiresAt: Date.now() - 60_000 },
      ]);
      expect(await store.getUniqueOwner("t", "v")).toBeUndefined();
      await store.write([{ kind: "reserveUnique", scope: "t", value: "v", owner: "new" }]);
      expect(await store.getUniqueOwner("t", "v")).toBe("new");
    });

    it("releases a unique key for its owner only", async () => {
      await store.write([{ kind: "reserveUnique", scope: "n", value: "a", owner: "u1" }]);
      await store.write([{ kind: "releaseUnique", scope: "n", value: "a", owner: "u2" }]);
      expect(await store.getUniqueOwner("n", "a")).toBe("u1");
      await store.write([{ kind: "releaseUnique", scope: "n", value: "a", owner: "u1" }]);
      expect(await store.getUniqueOwner("n", "a")).toBeUndefined();
    });

    it("keeps secrets out of the JSON of objects", async () => {
      const object = { objectId: "s", title: "t" };
      await store.write([{ kind: "create", schema, id: "s", at: AT, object, secret: { hash: "h" } }]);
      expect(await store.get(schema, "s", null)).not.toContain("hash");
      expect((await store.getSecret(schema, "s"))?.secret).toEqual({ hash: "h" });
    });
  });

  describe("opened again", () => {
    beforeAll(openStoreOfGroup);
    afterAll(closeStore);

    it("persists objects, relations and classes", async () => {
      await create("kept", { title: "kept" });
      await store.write([
        { kind: "updateRelation", schema, id: "kept", key: "likers", add: ["u1", "u2"], remove: [] },
      ]);
      await store.close();
      store = await open();
      expect(await store.get(schema, "kept", null)).toContain("kept");
      expect(await store.ownersInRelation("Post", "likers", ["u2"])).toEqual(["kept"]);
      expect((await store.loadClasses()).map((each) => each.className)).toEqual(["Post"]);
    });
  });
}
