import type { JsonValue } from "@purse/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type RecordingServer, type slowStorage, startRecordingServer } from "../../test/recordingServer.ts";
import { configure, connection } from "../connection.ts";
import { ACL } from "../object/ACL.ts";
import { GeoPoint } from "../object/GeoPoint.ts";
import { ParseObject } from "../object/ParseObject.ts";
import { Query } from "../query/Query.ts";
import { memoryStorage, syncStorage } from "../storage.ts";
import { User } from "../user/User.ts";
import {
  dumpLocalDatastore,
  enableLocalDatastore,
  isLocalDatastoreEnabled,
  setLocalDatastoreController,
  updateLocalDatastore,
} from "./LocalDatastore.ts";

let server: RecordingServer;

beforeEach(async () => {
  server = await startRecordingServer();
  server.connect();
  enableLocalDatastore();
});
afterEach(async () => {
  configure({ local: undefined, localController: undefined });
  await server.stop();
});

/** An object as it came from the server. */
function stored(className: string, objectId: string, fields: object = {}): ParseObject {
  const object = new ParseObject(className, { ...fields });
  object.id = objectId;
  object._state.beginSave();
  object._finishSave({ updatedAt: "2026-01-02T00:00:00.000Z", createdAt: "2026-01-01T00:00:00.000Z" }, 200);
  return object;
}

async function keys(): Promise<string[]> {
  return Object.keys(await dumpLocalDatastore()).sort();
}

/** The object in a field, or in the list that the field is. */
function within(object: ParseObject | undefined, key: string): ParseObject {
  const value = object?.get(key);
  const [first] = Array.isArray(value) ? value : [value];
  if (first instanceof ParseObject) return first;
  throw new Error(`${key} holds no object`);
}

const ids = (found: readonly ParseObject[]): (string | undefined)[] => found.map(({ id }) => id);

describe("pinned objects", () => {
  it("are stored under the old client's keys, in the default pin or a named one", async () => {
    const note = stored("Note", "1", { text: "a" });
    await note.pin();
    await note.pinWithName("mine");
    const dump = await dumpLocalDatastore();
    expect(dump).toMatchObject({
      _default: ["Parse_LDS_Note_1"],
      parsePin_mine: ["Parse_LDS_Note_1"],
      Parse_LDS_Note_1: [{ className: "Note", __type: "Object", objectId: "1", text: "a" }],
    });
    expect(connection().storage.area.getItem("_default")).toBe('["Parse_LDS_Note_1"]');
  });

  it("include nested objects, also cyclic ones, in their latest stored state", async () => {
    const author = stored("Person", "p", { name: "Ada" });
    const note = stored("Note", "1", { authors: [author], first: author });
    author._finishFetch({ favorite: { __type: "Pointer", className: "Note", objectId: "1" } });
    author._commit({ favorite: note });
    await note.pin();
    expect(await keys()).toEqual(["Parse_LDS_Note_1", "Parse_LDS_Person_p", "_default"]);
    author._finishFetch({ name: "Ada L." });
    await author.pin();
    const [found] = await new Query("Note").fromPin().find();
    expect(within(found, "authors").get("name")).toBe("Ada L.");
    expect(within(within(found, "authors"), "favorite").id).toBe("1");
    expect(found?.dirty()).toBe(false);
  });

  it("are removed with their nested objects when no pin contains them", async () => {
    const author = stored("Person", "p", { name: "Ada" });
    const [one, two] = [stored("Note", "1", { author }), stored("Note", "2", { author })];
    await ParseObject.pinAll([one, two]);
    await two.pinWithName("mine");
    await one.unPin();
    expect(await keys()).toEqual(["Parse_LDS_Note_2", "Parse_LDS_Person_p", "_default", "parsePin_mine"]);
    await ParseObject.unPinAllObjects();
    expect(await two.isPinned()).toBe(true);
    await ParseObject.unPinAllWithName("mine", [two]);
    expect(await keys()).toEqual([]);
    expect(await two.isPinned()).toBe(false);
    await ParseObject.pinAllWithName("mine", [one]);
    await ParseObject.unPinAllObjectsWithName("mine");
    expect(await keys()).toEqual([]);
  });

  it("are all stored when many are pinned at once, also in asynchronous storage", async () => {
    server.connect({ storage: slowStorageWithKeys() });
    enableLocalDatastore();
    await Promise.all(["1", "2", "3"].map((id) => stored("Note", id, { n: 1 }).pin()));
    expect(ids(await new Query("Note").fromPin().ascending("objectId").find())).toEqual(["1", "2", "3"]);
  });

  it("provide the data of objects known only by id, with ACL, dates and GeoPoints", async () => {
    const acl = new ACL();
    acl.setPublicReadAccess(true);
    await stored("Note", "1", { at: new Date(5), place: new GeoPoint(1, 2), ACL: acl }).pin();
    const note = new ParseObject("Note");
    note.id = "1";
    await note.fetchFromLocalDatastore();
    expect(note.get("at")).toEqual(new Date(5));
    expect(note.get("place")).toEqual(new GeoPoint(1, 2));
    expect(note.getACL()?.getPublicReadAccess()).toBe(true);
    expect(note.createdAt).toEqual(new Date("2026-01-01T00:00:00.000Z"));
    expect(note.dirty()).toBe(false);
    note.id = "2";
    await expect(note.fetchFromLocalDatastore()).rejects.toThrow("Cannot fetch an unsaved ParseObject");
  });

  it("keep unsaved changes, which a later save sends", async () => {
    const note = stored("Note", "1", { text: "a", n: 1, tags: ["x"], deep: { a: 1, b: 2 } });
    note.set("text", "b");
    note.increment("n", 2);
    note.add("tags", "y");
    note._set({ "deep.a": 5 });
    await note.pin();
    const [found] = await new Query("Note").fromPin().equalTo("text", "b").find();
    expect(found?.attributes).toMatchObject({ text: "b", n: 3, tags: ["x", "y"], deep: { a: 5, b: 2 } });
    await found?.save();
    expect(server.requests[0]).toMatchObject({
      call: "PUT classes/Note/1",
      body: {
        text: "b",
        n: { __op: "Increment", amount: 2 },
        tags: { __op: "Add", objects: ["y"] },
        "deep.a": 5,
      },
    });
  });

  it("can be new, and stay pinned under their id after they are saved, also after a restart", async () => {
    const author = new ParseObject("Person", { name: "Ada" });
    await new ParseObject("Note", { text: "new", author }).pin();
    const [found] = await new Query("Note").fromLocalDatastore().find();
    expect(found?.isNew()).toBe(true);
    expect(within(found, "author").get("name")).toBe("Ada");
    server.respondWith(({ call, body }) =>
      call === "POST batch"
        ? { body: [{ success: { objectId: "p1", createdAt: "2026-01-01T00:00:00.000Z" } }] }
        : {
            status: 201,
            body: { objectId: body.text === "new" ? "n1" : "?", createdAt: "2026-01-01T00:00:00.000Z" },
          },
    );
    await found?.save();
    expect(server.requests.map(({ call }) => call)).toEqual(["POST batch", "POST classes/Note"]);
    expect(await keys()).toEqual(["Parse_LDS_Note_n1", "Parse_LDS_Person_p1", "_default"]);
    const [saved] = await new Query("Note").fromPin().find();
    expect([saved?.id, saved?.dirty(), within(saved, "author").get("name")]).toEqual(["n1", false, "Ada"]);
  });

  it("are updated by saves, fetches and deletions", async () => {
    const note = stored("Note", "1", { text: "a" });
    await note.pin();
    await note.save("text", "b");
    const local = (): Promise<ParseObject[]> => new Query("Note").fromPin().find();
    expect((await local())[0]?.get("text")).toBe("b");
    expect((await local())[0]?.dirty()).toBe(false);
    server.respondWith(() => ({ body: { objectId: "1", text: "c" } }));
    await note.fetch();
    expect((await local())[0]?.get("text")).toBe("c");
    server.respondWith(() => ({ body: { results: [{ objectId: "1", text: "d" }] } }));
    await stored("Note", "9", { text: "not on the server any more" }).pinWithName("other");
    await updateLocalDatastore();
    expect((await local())[0]?.get("text")).toBe("d");
    await ParseObject.unPinAllObjectsWithName("other");
    server.respondWith(() => ({ body: {} }));
    await note.destroy();
    expect(await keys()).toEqual([]);
    const [two, three] = [stored("Note", "2", { n: 1 }), stored("Note", "3", { n: 1 })];
    await ParseObject.pinAll([two, three]);
    server.respondWith(() => ({ body: [{ success: {} }, { error: { code: 119, error: "no" } }] }));
    await expect(ParseObject.destroyAll([two, three])).rejects.toMatchObject({ code: 600 });
    expect(await keys()).toEqual(["Parse_LDS_Note_3", "_default"]);
  });

  it("are stored all or not at all if the storage is full, which does not affect saves", async () => {
    const items = new Map<string, string>();
    let capacity = 3;
    const area = {
      getItem: (key: string) => items.get(key) ?? null,
      setItem(key: string, value: string) {
        if (!items.has(key) && items.size >= capacity) throw new Error("quota");
        items.set(key, value);
      },
      removeItem: (key: string) => void items.delete(key),
      getAllKeys: () => [...items.keys()],
    };
    server.connect({ storage: syncStorage(area) });
    enableLocalDatastore();
    const list = ["1", "2", "3"].map((id) => stored("Note", id, { n: 1 }));
    await expect(ParseObject.pinAll(list)).rejects.toThrow("quota");
    expect(await keys()).toEqual([]);
    capacity = 9;
    await ParseObject.pinAll(list);
    area.setItem = () => {
      throw new Error("quota");
    };
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    await list[0]?.save("n", 2);
    expect(warn).toHaveBeenCalled();
    warn.mockRestore();
  });

  it("are read in the old client's format, and invalid records are skipped", async () => {
    const { area } = connection().storage;
    const person = { className: "Person", __type: "Object", objectId: "p", name: "Ada" };
    const note = { className: "Note", __type: "Object", objectId: "1", text: "old", author: person };
    await area.setItem("Parse_LDS_Note_1", JSON.stringify([note]));
    await area.setItem("Parse_LDS_Note_2", "{");
    await area.setItem("_default", '["Parse_LDS_Note_1","Parse_LDS_Note_2"]');
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const found = await new Query("Note").fromPin().find();
    expect(found.map((object) => within(object, "author").get("name"))).toEqual(["Ada"]);
    expect(log).toHaveBeenCalledOnce();
    log.mockRestore();
  });

  it("contain neither session tokens nor passwords of users", async () => {
    const user = new User();
    user._finishFetch({ objectId: "u1", username: "ada", sessionToken: "r:secret" });
    await user.pin();
    await new User({ username: "eve", password: "hush" }).pin();
    const text = JSON.stringify(await dumpLocalDatastore());
    expect(text).toContain("eve");
    expect(text).not.toMatch(/secret|hush/);
  });

  it("require enableLocalDatastore(); without it, queries go to the server", async () => {
    configure({ local: undefined });
    expect(isLocalDatastoreEnabled()).toBe(false);
    const message = "Moralis.enableLocalDatastore() must be called first";
    for (const call of ["pin", "unPin", "isPinned", "fetchFromLocalDatastore"] as const) {
      await expect(stored("Note", "1")[call]()).rejects.toThrow(message);
    }
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    server.respondWith(() => ({ body: { results: [{ objectId: "s" }] } }));
    expect(ids(await new Query("Note").fromPin().find())).toEqual(["s"]);
    expect(log).toHaveBeenCalledWith(message);
    log.mockRestore();
  });

  it("are stored by a custom controller", async () => {
    const kept: Record<string, JsonValue> = {};
    setLocalDatastoreController({
      fromPinWithName: (key) => (Array.isArray(kept[key]) ? kept[key] : []),
      pinWithName: (key, value) => {
        kept[key] = value;
      },
      unPinWithName: (key) => {
        delete kept[key];
      },
      getAllContents: () => kept,
    });
    await stored("Note", "1", { n: 1 }).pin();
    expect(Object.keys(kept)).toEqual(["Parse_LDS_Note_1", "_default"]);
    expect(ids(await new Query("Note").fromPin().find())).toEqual(["1"]);
  });
});

describe("a query of pinned objects", () => {
  beforeEach(async () => {
    const ada = stored("Person", "ada", { name: "Ada", age: 36 });
    const bob = stored("Person", "bob", { name: "Bob", age: 20 });
    const bern = new GeoPoint(46.95, 7.45);
    const oslo = new GeoPoint(59.91, 10.75);
    await ParseObject.pinAll([
      stored("Note", "1", {
        text: "Hello World",
        n: 1,
        tags: ["a", "b"],
        author: ada,
        place: bern,
        named: "Ada",
      }),
      stored("Note", "2", {
        text: "hello there",
        n: 2,
        tags: ["b"],
        author: bob,
        place: oslo,
        deep: { x: 1 },
      }),
      stored("Note", "3", { text: "Good.bye", n: 3, tags: [], named: "Eve", at: new Date(9) }),
    ]);
    await stored("Note", "4", { text: "elsewhere", n: 4 }).pinWithName("mine");
  });

  const note = (): Query => new Query("Note").fromPin();
  const person = (): Query => new Query("Person");
  it.each<[string, () => Query, string[]]>([
    ["equalTo", () => note().equalTo("n", 1), ["1"]],
    ["notEqualTo", () => note().notEqualTo("n", 1), ["2", "3"]],
    ["lessThan", () => note().lessThan("n", 2), ["1"]],
    ["lessThanOrEqualTo", () => note().lessThanOrEqualTo("n", 2), ["1", "2"]],
    ["greaterThan", () => note().greaterThan("n", 2), ["3"]],
    ["greaterThanOrEqualTo with a date", () => note().greaterThanOrEqualTo("at", new Date(9)), ["3"]],
    ["containedIn", () => note().containedIn("n", [1, 3]), ["1", "3"]],
    ["notContainedIn", () => note().notContainedIn("n", [1, 3]), ["2"]],
    ["containsAll", () => note().containsAll("tags", ["a", "b"]), ["1"]],
    ["containsAllStartingWith", () => note().containsAllStartingWith("tags", ["b"]), ["1", "2"]],
    ["containedBy", () => note().containedBy("tags", ["b"]), ["2", "3"]],
    ["exists", () => note().exists("deep"), ["2"]],
    ["doesNotExist", () => note().doesNotExist("deep"), ["1", "3"]],
    ["matches", () => note().matches("text", /^hello/i), ["1", "2"]],
    ["matches with a Unicode category", () => note().matches("text", "^\\p{Lu}"), ["1", "3"]],
    ["matches with a script", () => note().matches("text", "^h\\p{Latin}\\p{^Greek}"), ["2"]],
    ["matches with x", () => note().matches("text", "^hello # begins \n", "x"), ["2"]],
    ["contains", () => note().contains("text", "d.b"), ["3"]],
    ["startsWith", () => note().startsWith("text", "Good."), ["3"]],
    ["endsWith", () => note().endsWith("text", "World"), ["1"]],
    ["fullText", () => note().fullText("text", "hello -there"), ["1"]],
    ["a pointer", () => note().equalTo("author", stored("Person", "ada")), ["1"]],
    ["matchesQuery", () => note().matchesQuery("author", person().greaterThan("age", 30)), ["1"]],
    [
      "doesNotMatchQuery",
      () => note().doesNotMatchQuery("author", person().equalTo("name", "Ada")),
      ["2", "3"],
    ],
    ["matchesKeyInQuery", () => note().matchesKeyInQuery("named", "name", person()), ["1"]],
    ["doesNotMatchKeyInQuery", () => note().doesNotMatchKeyInQuery("named", "name", person()), ["2", "3"]],
    ["near", () => note().near("place", new GeoPoint(60, 10)).limit(2), ["2", "1"]],
    ["withinKilometers", () => note().withinKilometers("place", new GeoPoint(47, 7), 100), ["1"]],
    ["withinGeoBox", () => note().withinGeoBox("place", new GeoPoint(46, 7), new GeoPoint(47, 8)), ["1"]],
    [
      "withinPolygon",
      () => note().withinPolygon("place", [new GeoPoint(59, 10), new GeoPoint(61, 10), new GeoPoint(60, 12)]),
      ["2"],
    ],
    ["or", () => Query.or(note().equalTo("n", 1), note().equalTo("n", 3)).fromPin(), ["1", "3"]],
    ["nor", () => Query.nor(note().equalTo("n", 1), note().equalTo("n", 3)).fromPin(), ["2"]],
    ["a nested field", () => note().equalTo("deep.x" as "deep.x", 1), ["2"]],
    ["descending, skip and limit", () => note().descending("n").skip(1).limit(1), ["2"]],
    ["ascending by a field that some objects lack", () => note().ascending("named", "n"), ["2", "1", "3"]],
    ["all pins", () => new Query("Note").fromLocalDatastore().greaterThan("n", 2), ["3", "4"]],
    ["a pin by name", () => new Query("Note").fromPinWithName("mine"), ["4"]],
    ["a missing pin", () => new Query("Note").fromPinWithName("nobody's"), []],
  ])("supports %s", async (_, query, expected) => {
    expect(ids(await query().find())).toEqual(expected);
    expect(server.requests).toEqual([]);
  });

  it("selects and excludes fields, counts, finds the first object and iterates", async () => {
    const [chosen] = await note().equalTo("n", 1).select("text").find();
    expect(Object.keys(chosen?.attributes ?? {}).sort()).toEqual(["createdAt", "text", "updatedAt"]);
    const [rest] = await note().equalTo("n", 1).exclude("text").find();
    expect(rest?.get("text")).toBeUndefined();
    expect(await note().count()).toBe(3);
    expect(await note().limit(1).findWithCount()).toMatchObject({ count: 3, results: [{ id: "1" }] });
    expect((await note().get("2")).id).toBe("2");
    await expect(note().get("9")).rejects.toMatchObject({ code: 101 });
    expect(ids(await note().findAll({ batchSize: 2 }))).toEqual(["1", "2", "3"]);
    expect(within(await note().include("author").first(), "author").get("name")).toBe("Ada");
  });

  it("rejects invalid and unsupported constraints with 102, as the server does", async () => {
    await expect(note().matches("text", "(").find()).rejects.toMatchObject({ code: 102 });
    const relation = stored("Person", "ada").relation("notes").query().fromLocalDatastore();
    await expect(relation.find()).rejects.toMatchObject({ code: 102 });
  });

  it("goes to the server after fromNetwork()", async () => {
    server.respondWith(() => ({ body: { results: [] } }));
    expect(await note().fromNetwork().find()).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });
});

/** A storage that answers later and can list its keys. */
function slowStorageWithKeys(): ReturnType<typeof slowStorage> {
  const memory = memoryStorage();
  const { area } = memory;
  return {
    kind: "async",
    area: {
      getItem: async (key) => area.getItem(key),
      setItem: async (key, value) => area.setItem(key, value),
      removeItem: async (key) => area.removeItem(key),
      getAllKeys: async () => (await area.getAllKeys?.()) ?? [],
    },
  };
}
