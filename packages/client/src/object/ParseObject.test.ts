import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type RecordedRequest,
  type RecordingServer,
  type Reply,
  startRecordingServer,
} from "../../test/recordingServer.ts";
import { User } from "../user/User.ts";
import { ACL } from "./ACL.ts";
import { ParseFile } from "./File.ts";
import { GeoPoint } from "./GeoPoint.ts";
import { ParseObject } from "./ParseObject.ts";
import { Polygon } from "./Polygon.ts";

interface NoteFields {
  text: string;
  count: number;
  tags: string[];
  place: { city: string; zip?: string };
}

class Note extends ParseObject<NoteFields> {
  constructor(fields?: Partial<NoteFields>) {
    super("Note", fields);
  }
}

function saved(fields: Record<string, unknown> = {}, id = "n1"): ParseObject {
  return ParseObject.fromJSON({ className: "Note", objectId: id, ...fields } as Parameters<
    typeof ParseObject.fromJSON
  >[0]);
}

/** Answers saves like a server: ids in order, batches entry by entry. */
function savingServer(): (request: RecordedRequest) => Reply {
  let count = 0;
  const answer = (method: unknown): object => {
    count += 1;
    return method === "PUT"
      ? { updatedAt: "2026-01-02T00:00:00.000Z" }
      : { objectId: `id${count}`, createdAt: "2026-01-01T00:00:00.000Z" };
  };
  return ({ call, body }) => {
    if (call === "POST batch" && Array.isArray(body.requests)) {
      return {
        body: body.requests.map((entry) => ({ success: answer((entry as { method: string }).method) })),
      };
    }
    return { status: call.startsWith("POST") ? 201 : 200, body: answer(call.split(" ")[0]) };
  };
}

let server: RecordingServer;
beforeEach(async () => {
  server = await startRecordingServer();
  server.connect();
  server.respondWith(savingServer());
});
afterEach(() => server.stop());

const sent = (index = 0): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(server.requests[index]?.body ?? {}).filter(([key]) => !key.startsWith("_")),
  );

describe("changes whose save fails", () => {
  const refused: Reply = { status: 400, body: { code: 142, error: "no" } };

  it("stay pending and are sent by the next save", async () => {
    const note = saved({ text: "a", count: 1, tags: ["x"] });
    server.respondWith(() => refused);
    note.set("text", "typed");
    note.increment("count");
    note.add("tags", "y");
    await expect(note.save()).rejects.toMatchObject({ code: 142 });
    expect(note.attributes).toMatchObject({ text: "typed", count: 2, tags: ["x", "y"] });
    server.respondWith(savingServer());
    await note.save();
    expect(sent(1)).toEqual({
      text: "typed",
      count: { __op: "Increment", amount: 1 },
      tags: { __op: "Add", objects: ["y"] },
    });
    expect(note.dirty()).toBe(false);
  });

  it("are merged with changes made during the save", async () => {
    const note = saved({ count: 1, tags: [] });
    const response = Promise.withResolvers<typeof refused>();
    server.respondWith(() => response.promise);
    note.increment("count");
    note.add("tags", "x");
    const failing = note.save();
    await expect.poll(() => server.requests.length).toBe(1);
    note.increment("count", 10);
    note.addUnique("tags", "y");
    response.resolve(refused);
    await expect(failing).rejects.toMatchObject({ code: 142 });
    server.respondWith(savingServer());
    await note.save();
    const ops = [
      { __op: "Add", objects: ["x"] },
      { __op: "AddUnique", objects: ["y"] },
    ];
    expect(sent(1)).toEqual({ count: { __op: "Increment", amount: 11 }, tags: { __op: "Batch", ops } });
  });

  it("stay pending if the server cannot be reached, also in nested objects and lists", async () => {
    server.respondWith(() => ({ dropConnection: true }));
    const child = new Note({ text: "child" });
    const parent = new ParseObject("Parent", { child, name: "parent" });
    await expect(parent.save()).rejects.toMatchObject({ code: 100 });
    await expect(ParseObject.saveAll([parent])).rejects.toMatchObject({ code: 100 });
    expect([child.dirty("text"), parent.dirty("name")]).toEqual([true, true]);
    const before = server.requests.length;
    server.respondWith(savingServer());
    await parent.save();
    expect(server.requests.slice(before).map(({ call }) => call)).toEqual([
      "POST batch",
      "POST classes/Parent",
    ]);
  });

  it("stay pending only in the objects of a list that were rejected", async () => {
    const [good, bad] = [saved({}, "good"), saved({}, "bad")];
    server.respondWith(() => ({ body: [{ success: {} }, { error: { code: 142, error: "no" } }] }));
    good.set("text", "a");
    bad.set("text", "b");
    await expect(ParseObject.saveAll([good, bad])).rejects.toMatchObject({ code: 142, object: bad });
    expect([good.dirty(), bad.dirty("text"), bad.get("text")]).toEqual([false, true, "b"]);
  });

  it("stay pending for a value that was modified in place", async () => {
    const note = saved({ place: { city: "Bergen" } });
    server.respondWith(() => refused);
    (note.get("place") as { city: string }).city = "Oslo";
    await expect(note.save()).rejects.toMatchObject({ code: 142 });
    server.respondWith(savingServer());
    await note.save();
    expect(sent(1)).toEqual({ place: { city: "Oslo" } });
  });
});

describe("instances of one object", () => {
  afterEach(() => ParseObject.disableSingleInstance());

  it("share their state after enableSingleInstance()", async () => {
    ParseObject.enableSingleInstance();
    const one = saved({ text: "a" }, "shared");
    const two = saved({ count: 2 }, "shared");
    expect([one.get("count"), two.get("text")]).toEqual([2, "a"]);
    one.set("text", "b");
    expect(two.get("text")).toBe("b");
    expect(two.dirty("text")).toBe(true);
    await two.save();
    expect(one.dirty()).toBe(false);
    expect(one.newInstance().get("text")).toBe("b");
  });

  it("keep changes made before they had an id", () => {
    ParseObject.enableSingleInstance();
    saved({ text: "a", count: 1 }, "later");
    const note = new Note({ text: "b" });
    note.id = "later";
    expect([note.get("text"), note.get("count")]).toEqual(["b", 1]);
  });

  it("are independent by default", () => {
    const one = saved({ text: "a" }, "alone");
    saved({ text: "b" }, "alone");
    expect(one.get("text")).toBe("a");
  });
});

describe("classes created by extend()", () => {
  it("have the given methods, statics and initialize hook", () => {
    const seen: unknown[] = [];
    const Made = ParseObject.extend(
      "Made",
      {
        initialize(attributes: unknown) {
          seen.push(attributes);
        },
        shout() {
          return "made";
        },
      },
      { count: () => 7 },
    );
    const made = new Made({ text: "a" });
    expect(seen).toEqual([{ text: "a" }]);
    expect(made.get("text")).toBe("a");
    expect([Reflect.get(made, "shout").call(made), Reflect.get(Made, "count")()]).toEqual(["made", 7]);
    expect(ParseObject.fromJSON({ className: "Made", objectId: "m" })).toBeInstanceOf(Made);
    ParseObject.unregisterSubclass("Made");
  });

  it("require a name", () => {
    expect(() => ParseObject.extend({})).toThrow("The first argument must be a valid class name.");
  });

  it("of User replace the User class", () => {
    const Member = User.extend({ greet: () => "hello" });
    expect(new Member({ username: "ann" })).toBeInstanceOf(User);
    const decoded = ParseObject.fromJSON({ className: "_User", objectId: "u" });
    expect(Reflect.get(decoded, "greet")()).toBe("hello");
  });

  it("may be declared classes whose initialize() is called, too", () => {
    const calls: unknown[] = [];
    class Hooked extends ParseObject {
      constructor() {
        super("Hooked", { text: "a" });
      }
      override initialize(...given: unknown[]) {
        calls.push(given);
      }
    }
    new Hooked();
    expect(calls).toEqual([["Hooked", { text: "a" }]]);
  });
});

describe("a record", () => {
  it("is new until it has an id", { tags: ["4.record.new-until-id"] }, async () => {
    const note = new Note({ text: "a" });
    expect(note.isNew()).toBe(true);
    await note.save();
    expect(note.isNew()).toBe(false);
    expect(note.id).toBe("id1");
    expect(note.createdAt).toEqual(note.updatedAt);
  });

  it("is dirty while changes are pending", { tags: ["4.record.dirty-while-pending"] }, async () => {
    const note = new Note({ text: "a" });
    await note.save();
    expect(note.dirty()).toBe(false);
    note.set("text", "b");
    expect(note.dirty()).toBe(true);
    expect(note.dirtyKeys()).toEqual(["text"]);
    await note.save();
    expect(note.dirty("text")).toBe(false);
  });

  it("is created by POST and updated by PUT, with only what changed", async () => {
    const note = new Note({ text: "a", count: 1 });
    await note.save();
    await note.save("count", 2);
    expect(server.requests.map(({ call }) => call)).toEqual(["POST classes/Note", "PUT classes/Note/id1"]);
    expect(sent(0)).toEqual({ text: "a", count: 1 });
    expect(sent(1)).toEqual({ count: 2 });
  });

  it("reports existed() only if the last save did not create it", async () => {
    const note = new Note();
    await note.save();
    expect(note.existed()).toBe(false);
    await note.save({ text: "b" });
    expect(note.existed()).toBe(true);
  });

  it("keeps its changes when a save fails, before those made meanwhile", async () => {
    const note = saved({ count: 1, text: "a" });
    server.respondWith(() => ({ status: 400, body: { code: 119, error: "no" } }));
    note.increment("count", 2);
    const saving = note.save();
    note.increment("count", 3);
    await expect(saving).rejects.toMatchObject({ code: 119 });
    expect(note.get("count")).toBe(6);
    server.respondWith(() => ({ body: { count: 6 } }));
    await note.save();
    expect(sent(1)).toEqual({ count: { __op: "Increment", amount: 5 } });
  });

  it("sends concurrent saves one after the other", async () => {
    const note = new Note({ text: "a" });
    await Promise.all([note.save(), note.save({ text: "b" })]);
    expect(server.requests.map(({ call }) => call.split(" ")[0])).toEqual(["POST", "PUT"]);
  });

  it("is deleted by its id", async () => {
    await saved().destroy();
    expect(server.requests[0]?.call).toBe("DELETE classes/Note/n1");
  });

  it("is fetched with included pointers and keeps its pending changes", async () => {
    const note = saved({ text: "old" });
    note.set("count", 5);
    server.respondWith(() => ({
      body: { objectId: "n1", text: "new", createdAt: "2026-01-01T00:00:00.000Z" },
    }));
    await note.fetch({ include: ["author", "author.company"] });
    expect(server.requests[0]?.call).toBe("GET classes/Note/n1");
    expect(sent()).toEqual({ include: "author,author.company" });
    expect(note.get("text")).toBe("new");
    expect(note.get("count")).toBe(5);
  });

  it("cannot be fetched without an id", { tags: ["8.backend.object-no-id"] }, async () => {
    const error = { code: 104, message: "Object does not have an ID" };
    await expect(new Note().fetch()).rejects.toMatchObject(error);
  });
});

describe("operations on fields", () => {
  it("are sent as operations and applied locally at once", async () => {
    const note = saved({ count: 1, tags: ["a", "b"], text: "x" });
    note.increment("count");
    note.addUnique("tags", "c");
    note.unset("text");
    expect(note.attributes).toMatchObject({ count: 2, tags: ["a", "b", "c"] });
    expect(note.has("text")).toBe(false);
    await note.save();
    expect(sent()).toEqual({
      count: { __op: "Increment", amount: 1 },
      tags: { __op: "AddUnique", objects: ["c"] },
      text: { __op: "Delete" },
    });
    expect(note.get("tags")).toEqual(["a", "b", "c"]);
  });

  it("are merged until they are sent", async () => {
    const note = saved({ tags: ["a"] });
    note.add("tags", "b");
    note.add("tags", "c");
    note.set("count", 1);
    note.increment("count", 4);
    await note.save();
    expect(sent()).toEqual({ tags: { __op: "Add", objects: ["b", "c"] }, count: 5 });
  });

  it("of different kinds on a list are applied one after the other, also in a nested list", async () => {
    const note = saved({ tags: ["a"], place: { tags: ["a"] } });
    for (const key of ["tags", "place.tags"]) {
      note.add(key, "b");
      note.add(key, "c");
      note.remove(key, "a");
      note.addUnique(key, "b");
      note.addUnique(key, "d");
    }
    const ops = [
      { __op: "Add", objects: ["b", "c"] },
      { __op: "Remove", objects: ["a"] },
      { __op: "AddUnique", objects: ["b", "d"] },
    ];
    expect(note.get("tags")).toEqual(["b", "c", "d"]);
    expect(note.get("place")).toEqual({ tags: ["b", "c", "d"] });
    await note.save();
    expect(sent()).toEqual({ tags: { __op: "Batch", ops }, "place.tags": { __op: "Batch", ops } });
    expect(note.get("tags")).toEqual(["b", "c", "d"]);
  });

  it("on a whole field replace earlier ones on parts of it, and later ones apply to its new value", async () => {
    const note = saved({ place: { city: "Bern", zip: "3000" } });
    note.set({ "place.zip": "3001", "place.street": "x" });
    note.set("place", { city: "Basel" });
    note.set("place.zip", "4000");
    expect(note.get("place")).toEqual({ city: "Basel", zip: "4000" });
    await note.save();
    expect(Object.entries(sent() ?? {})).toEqual([
      ["place", { city: "Basel" }],
      ["place.zip", "4000"],
    ]);
    note.set("place", { city: "Bern" });
    note.set("place.zip", "3000");
    note.unset("place");
    expect(note._saveParams().body).toEqual({ place: { __op: "Delete" } });
  });

  it("take the server's result if the response contains it", async () => {
    const note = saved({ tags: ["a"] });
    server.respondWith(() => ({ body: { tags: ["a", "z", "b"] } }));
    note.add("tags", "b");
    await note.save();
    expect(note.get("tags")).toEqual(["a", "z", "b"]);
  });

  it("merge plain objects of the response into the known values", async () => {
    const note = saved({ place: { city: "Bern", zip: "3000" } });
    server.respondWith(() => ({ body: { place: { zip: "3001" } } }));
    await note.save({ "place.zip": "3001" });
    expect(sent()).toEqual({ "place.zip": "3001" });
    expect(note.get("place")).toEqual({ city: "Bern", zip: "3001" });
  });

  it("send the whole value of an object that was modified in place", async () => {
    const note = saved({ place: { city: "Bern" } });
    const place = note.get("place") as { city: string };
    place.city = "Basel";
    expect(note.dirtyKeys()).toEqual(["place"]);
    await note.save();
    expect(sent()).toEqual({ place: { city: "Basel" } });
    expect(note.dirty()).toBe(false);
  });

  it("are discarded by revert()", () => {
    const note = saved({ text: "a", count: 1 });
    note.set({ text: "b", count: 2 });
    note.revert("text");
    expect(note.attributes).toEqual({ text: "a", count: 2 });
    note.set({ text: "b" });
    note.revert(["text"]);
    expect(note.attributes).toEqual({ text: "a", count: 2 });
    note.set({ "place.zip": "3000", "place.a.b": 1, placebo: 1 });
    note.revert("place");
    expect(note.attributes).toEqual({ text: "a", count: 2, placebo: 1 });
    note.revert("placebo");
    note.revert();
    expect(note.dirty()).toBe(false);
  });

  it("on relations send pointers, additions and removals as one batch", async () => {
    const note = saved();
    note.relation("readers").add([saved({}, "a"), saved({}, "b")]);
    note.relation("readers").remove(saved({}, "c"));
    await note.save();
    const pointer = (objectId: string): object => ({ __type: "Pointer", className: "Note", objectId });
    expect(sent().readers).toEqual({
      __op: "Batch",
      ops: [
        { __op: "AddRelation", objects: [pointer("a"), pointer("b")] },
        { __op: "RemoveRelation", objects: [pointer("c")] },
      ],
    });
    expect(note.relation("readers").query().toJSON().where).toEqual({
      $relatedTo: { object: pointer("n1"), key: "readers" },
    });
  });
});

describe.each(["toString", "valueOf", "hasOwnProperty"])("a field by the inherited name %s", (name) => {
  it("does not exist before it is set", () => {
    const record = saved();
    expect([record.get(name), record.has(name), record.dirty(name)]).toEqual([undefined, false, false]);
  });

  it("begins with nothing for operations", () => {
    const [counted, listed, nested] = [saved(), saved(), saved({ place: {} })];
    counted.increment(name);
    listed.add(name, "a");
    nested.increment(`place.${name}`);
    expect([counted.get(name), listed.get(name), nested.get("place")]).toEqual([1, ["a"], { [name]: 1 }]);
  });

  it("has the value that was set, and loses it again", () => {
    const record = saved();
    record.set(name, "x");
    expect([record.get(name), record.dirtyKeys(), record.toJSON()[name]]).toEqual(["x", [name], "x"]);
    record.unset(name);
    expect(record.get(name)).toBeUndefined();
  });
});

describe("an invalid change of a record is rejected:", () => {
  it.each([
    ["a key that starts with a digit", "1a"],
    ["a key that starts with an underscore", "_a"],
    ["a key with a hyphen", "a-b"],
    ["a key with a space", "a b"],
  ])("%s", { tags: ["5.field-key.starts-with-letter", "5.field-key.characters"] }, async (_, key) => {
    expect(saved().set({ [key]: 1 })).toBe(false);
    await expect(saved().save({ [key]: 1 })).rejects.toMatchObject({ code: 105 });
    expect(server.requests).toHaveLength(0);
  });

  it("with the message Invalid Key name", { tags: ["8.backend.invalid-key-name"] }, async () => {
    await expect(saved().save({ "a b": 1 })).rejects.toThrow("Invalid Key name");
  });

  it("but a key with dots is accepted", { tags: ["5.field-key.dots-in-save"] }, async () => {
    await saved({ place: { city: "Bern" } }).save({ "place.city": "Basel" });
    expect(sent()).toEqual({ "place.city": "Basel" });
  });

  it("an ACL that is not an ACL object", { tags: ["5.acl.is-access-control-object"] }, async () => {
    await expect(saved().save({ ACL: "everyone" })).rejects.toThrow("ACL must be a Parse ACL.");
  });

  it("a change of a read-only attribute", { tags: ["5.record.read-only-attributes"] }, () => {
    class Sealed extends ParseObject {
      constructor() {
        super("Sealed");
      }
      static readOnlyAttributes(): string[] {
        return ["seal"];
      }
    }
    expect(() => new Sealed().set("seal", 1)).toThrow("Cannot modify readonly attribute: seal");
  });

  it("createdAt and updatedAt are ignored without an error", () => {
    const note = saved();
    note.set({ createdAt: new Date(), updatedAt: new Date() });
    expect(note.dirty()).toBe(false);
  });
});

describe("nested and multiple records", () => {
  it("are saved before the record that contains them", async () => {
    const author = new ParseObject("Author", { name: "Ann" });
    const note = new ParseObject("Note", { text: "a", authors: [author] });
    await note.save();
    expect(server.requests.map(({ call }) => call)).toEqual(["POST batch", "POST classes/Note"]);
    expect(sent(1).authors).toEqual([{ __type: "Pointer", className: "Author", objectId: "id1" }]);
  });

  it("are sent in batches of 20, with the server's path in each request", async () => {
    const list = Array.from({ length: 45 }, (_, i) => new Note({ count: i }));
    await ParseObject.saveAll(list);
    const batches = server.requests.map(({ body }) => body.requests as { path: string; method: string }[]);
    expect(batches.map((batch) => batch.length)).toEqual([20, 20, 5]);
    expect(batches[0]?.[0]).toMatchObject({ method: "POST", path: "/server/classes/Note" });
    expect(list.every((note) => note.id)).toBe(true);
  });

  it("are sent in batches of the configured size", { tags: ["9.batch-size.configured"] }, async () => {
    server.connect({ batchSize: 2 });
    await ParseObject.saveAll([new Note(), new Note(), new Note()]);
    expect(server.requests).toHaveLength(2);
  });

  it("cannot be saved if unsaved records reference each other", {
    tags: ["8.backend.batch-cycle"],
  }, async () => {
    const a = new ParseObject("Note");
    const b = new ParseObject("Note", { a });
    a.set({ b });
    await expect(ParseObject.saveAll([a, b])).rejects.toThrow("Tried to save a batch with a cycle");
    await expect(a.save()).rejects.toThrow("Tried to save a batch with a cycle");
  });

  it("reject with the first error and save the others", async () => {
    const [good, bad] = [new Note({ text: "a" }), new Note({ text: "b" })];
    server.respondWith(() => ({
      body: [{ success: { objectId: "1" } }, { error: { code: 142, error: "too short" } }],
    }));
    await expect(ParseObject.saveAll([good, bad])).rejects.toMatchObject({ code: 142, message: "too short" });
    expect(good.id).toBe("1");
    expect(bad.dirty("text")).toBe(true);
  });

  it("are deleted with one error for each failure", {
    tags: ["8.backend.aggregate-error", "8.code.600"],
  }, async () => {
    const list = [saved({}, "1"), saved({}, "2"), saved({}, "3")];
    const refused = { error: { code: 101, error: "Object not found." } };
    server.respondWith(() => ({ body: [{ success: {} }, refused, refused] }));
    const error: unknown = await ParseObject.destroyAll(list).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 600,
      errors: [
        { code: 101, object: list[1] },
        { code: 101, object: list[2] },
      ],
    });
  });
});

describe("fetchAll()", () => {
  it("sends one query for all objects", async () => {
    const list = [saved({}, "1"), saved({}, "2")];
    server.respondWith(() => ({
      body: {
        results: [
          { objectId: "2", text: "b" },
          { objectId: "1", text: "a" },
        ],
      },
    }));
    await ParseObject.fetchAll(list);
    expect(sent()).toEqual({ where: { objectId: { $in: ["1", "2"] } }, limit: 2 });
    expect(list.map((note) => note.get("text"))).toEqual(["a", "b"]);
  });

  it.each([
    ["without an id", [new Note(), saved()], 104, "All objects must have an ID"],
    [
      "of different classes",
      [saved(), new ParseObject("Other")],
      103,
      "All objects should be of the same class",
    ],
    ["not on the server", [saved()], 101, "All objects must exist on the server."],
  ])(
    "rejects an object %s",
    { tags: ["8.backend.all-objects-have-id", "8.backend.same-class", "8.backend.all-objects-on-server"] },
    async (_, list, code, message) => {
      server.respondWith(() => ({ body: { results: [] } }));
      await expect(ParseObject.fetchAll(list)).rejects.toMatchObject({ code, message });
    },
  );
});

describe("values of Parse types", () => {
  const wire = {
    at: { __type: "Date" as const, iso: "2026-01-02T03:04:05.006Z" },
    where: { __type: "GeoPoint" as const, latitude: 47, longitude: 8 },
    area: {
      __type: "Polygon" as const,
      coordinates: [
        [0, 0],
        [0, 1],
        [1, 1],
      ],
    },
    file: { __type: "File" as const, name: "a.txt", url: "http://x/a.txt" },
    friend: { __type: "Pointer" as const, className: "Friend", objectId: "f1" },
    readers: { __type: "Relation" as const, className: "_User" },
    raw: { __type: "Bytes" as const, base64: "AA==" },
    nested: { deep: [{ at: { __type: "Date" as const, iso: "2026-01-02T03:04:05.006Z" } }] },
  };

  it("are decoded to the client's classes", () => {
    const note = saved(wire);
    expect(note.get("at")).toEqual(new Date("2026-01-02T03:04:05.006Z"));
    expect(note.get("where")).toEqual(new GeoPoint(47, 8));
    expect(note.get("area")).toBeInstanceOf(Polygon);
    expect(note.get("file")).toBeInstanceOf(ParseFile);
    expect(note.get("friend")).toMatchObject({ className: "Friend", id: "f1" });
    expect(note.relation("readers").targetClassName).toBe("_User");
    expect(note.get("raw")).toEqual(wire.raw);
  });

  it("are the same in toJSON()", () => {
    const { friend, ...rest } = wire;
    expect(saved(wire).toJSON()).toMatchObject({ ...rest, objectId: "n1" });
    expect(saved(wire).toJSON().friend).toMatchObject({ className: "Friend", objectId: friend.objectId });
  });

  it("are instances of the registered subclass", () => {
    class Friend extends ParseObject {
      constructor() {
        super("Friend");
      }
    }
    ParseObject.registerSubclass("Friend", Friend);
    expect(saved(wire).get("friend")).toBeInstanceOf(Friend);
    expect(Friend.createWithoutData("f2").id).toBe("f2");
  });

  it("are instances of classes created by extend(), with their methods", () => {
    const Dog = ParseObject.extend("Dog", {
      bark(this: ParseObject) {
        return `${String(this.get("name"))}!`;
      },
    });
    const dog: ParseObject & { bark?: () => string } = new Dog({ name: "Rex" });
    expect(dog.className).toBe("Dog");
    expect(dog.bark?.()).toBe("Rex!");
  });
});

describe("an ACL", () => {
  it("uses * for everyone", { tags: ["9.acl-wildcard"] }, () => {
    const acl = new ACL();
    acl.setPublicReadAccess(true);
    acl.setRoleWriteAccess("admins", true);
    expect(acl.toJSON()).toEqual({ "*": { read: true }, "role:admins": { write: true } });
  });

  it("rejects values that are not boolean", { tags: ["5.acl.values-boolean"] }, () => {
    expect(() => new ACL(JSON.parse('{"u1":{"read":"yes"}}'))).toThrow(
      "Tried to create an ACL with an invalid permission value.",
    );
  });

  it("rejects permissions other than read and write", { tags: ["5.acl.permission-types"] }, () => {
    expect(() => new ACL(JSON.parse('{"u1":{"delete":true}}'))).toThrow(
      "Tried to create an ACL with an invalid permission type.",
    );
  });

  it("of a user grants that user read and write access", { tags: ["6.acl.from-user"] }, () => {
    const user = ParseObject.fromJSON({ className: "_User", objectId: "u1" });
    expect(new ACL(user).toJSON()).toEqual({ u1: { read: true, write: true } });
  });
});

describe("a GeoPoint", () => {
  it.each([
    ["a latitude above 90", [90.1, 0]],
    ["a latitude below -90", [-90.1, 0]],
    ["a longitude above 180", [0, 180.1]],
    ["a longitude below -180", [0, -180.1]],
    ["a latitude that is no number", ["47", 8]],
    ["a longitude that is no number", [47, null]],
  ])(
    "rejects %s",
    {
      tags: [
        "5.geo-point.latitude-range",
        "5.geo-point.longitude-range",
        "5.geo-point.latitude-numeric",
        "5.geo-point.longitude-numeric",
      ],
    },
    (_, point) => {
      expect(() => new GeoPoint(point as [number, number])).toThrow(TypeError);
    },
  );

  it("accepts the bounds of latitude and longitude", {
    tags: ["9.geo-bounds.latitude", "9.geo-bounds.longitude"],
  }, () => {
    expect(new GeoPoint(-90, -180).toJSON()).toMatchObject({ latitude: -90, longitude: -180 });
    expect(new GeoPoint(90, 180).toJSON()).toMatchObject({ latitude: 90, longitude: 180 });
  });

  it("computes distances with an earth radius of 6371 km or 3958.8 miles", {
    tags: ["9.earth-radius-km", "9.earth-radius-miles"],
  }, () => {
    const quarter = Math.PI / 2;
    expect(new GeoPoint(0, 0).kilometersTo(new GeoPoint(0, 90))).toBeCloseTo(6371 * quarter, 6);
    expect(new GeoPoint(0, 0).milesTo(new GeoPoint(0, 90))).toBeCloseTo(3958.8 * quarter, 6);
  });

  it("is one of at least three points of a Polygon", { tags: ["5.polygon.at-least-3-points"] }, () => {
    expect(
      () =>
        new Polygon([
          [0, 0],
          [1, 1],
        ]),
    ).toThrow("Polygon must have at least 3 GeoPoints or Points");
    expect(
      new Polygon([
        [0, 0],
        [0, 2],
        [2, 2],
        [2, 0],
      ]).containsPoint(new GeoPoint(1, 1)),
    ).toBe(true);
    expect(
      new Polygon([
        [0, 0],
        [0, 2],
        [2, 2],
        [2, 0],
      ]).containsPoint(new GeoPoint(3, 1)),
    ).toBe(false);
  });
});

describe("files", () => {
  beforeEach(() =>
    server.respondWith(() => ({
      status: 201,
      body: { name: "x_a.txt", url: "http://x/x_a.txt", hash: "Qm", ipfs: "http://x/ipfs/Qm" },
    })),
  );

  it.each([
    ["bytes", [104, 105]],
    ["a blob", new Blob(["hi"])],
    ["a base64 object", { base64: "aGk=" }],
    ["a base64 data URI", { base64: "data:text/plain;base64,aGk=" }],
    ["a uri object", { uri: "data:text/plain,hi" }],
  ])(
    "accept %s as data",
    {
      tags: [
        "5.file.data-bytes",
        "5.file.data-blob",
        "5.file.data-base64-object",
        "9.file-data-url-base64",
        "5.file.data-uri-object",
      ],
    },
    async (_, data) => {
      await new ParseFile("a.txt", data).save();
      expect(server.requests[0]?.call).toBe("POST files/a.txt");
      expect(sent().base64).toBe("aGk=");
    },
  );

  it("reject other data", { tags: ["5.file.data-otherwise-refused"] }, () => {
    const data: unknown = "hi";
    expect(() => new ParseFile("a.txt", data as Blob)).toThrow("Cannot create a Parse.File with that data.");
  });

  it("are saved once, to IPFS if requested, with metadata and tags", async () => {
    const file = new ParseFile("a.txt", [1], "text/plain", { size: 1 }, { kind: "t" });
    await Promise.all([file.saveIPFS(), file.save()]);
    expect(server.requests).toHaveLength(1);
    expect(sent()).toEqual({
      base64: "AQ==",
      fileData: { ipfs: true, metadata: { size: 1 }, tags: { kind: "t" } },
    });
    expect(server.requests[0]?.body._ContentType).toBe("text/plain");
    expect([file.name(), file.hash(), file.ipfs()]).toEqual(["x_a.txt", "Qm", "http://x/ipfs/Qm"]);
  });

  it("are saved before the record that contains them", async () => {
    await new ParseObject("Note", { file: new ParseFile("a.txt", [1]) }).save();
    expect(server.requests.map(({ call }) => call)).toEqual(["POST files/a.txt", "POST classes/Note"]);
    expect(sent(1).file).toMatchObject({ __type: "File", name: "x_a.txt" });
  });

  it("cannot be deleted without a name", { tags: ["5.file.unnamed-delete", "8.code.161"] }, async () => {
    await expect(new ParseFile("").destroy()).rejects.toMatchObject({ code: 161 });
  });

  it("are deleted by a DELETE request with the keys in headers", async () => {
    server.connect({ masterKey: "m" });
    server.respondWith(() => ({ text: "" }));
    await ParseFile.fromJSON({ __type: "File", name: "a.txt", url: "http://x/a.txt" }).destroy();
    expect(server.requests[0]).toMatchObject({
      httpMethod: "DELETE",
      headers: { "x-parse-master-key": "m", "x-parse-application-id": "app" },
    });
  });
});
