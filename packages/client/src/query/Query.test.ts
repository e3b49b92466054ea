import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RecordingServer, startRecordingServer } from "../../test/recordingServer.ts";
import { GeoPoint } from "../object/GeoPoint.ts";
import { ParseObject } from "../object/ParseObject.ts";
import { Query } from "./Query.ts";

let server: RecordingServer;
beforeEach(async () => {
  server = await startRecordingServer();
  server.connect();
});
afterEach(() => server.stop());

const notes = (): Query => new Query("Note");
const where = (query: Query): unknown => query.toJSON().where;

describe("a query's JSON", () => {
  it.each<[string, (query: Query) => Query, object]>([
    ["equalTo", (q) => q.equalTo("a", 1), { a: 1 }],
    ["equalTo undefined", (q) => q.equalTo("a", undefined), { a: { $exists: false } }],
    ["equalTo a map", (q) => q.equalTo({ a: 1, b: "x" }), { a: 1, b: "x" }],
    [
      "equalTo an object",
      (q) => q.equalTo("a", ParseObject.fromJSON({ className: "B", objectId: "1" })),
      { a: { __type: "Pointer", className: "B", objectId: "1" } },
    ],
    [
      "comparisons on one field",
      (q) => q.greaterThan("a", 1).lessThanOrEqualTo("a", 9),
      { a: { $gt: 1, $lte: 9 } },
    ],
    [
      "dates",
      (q) => q.lessThan("a", new Date(0)),
      { a: { $lt: { __type: "Date", iso: "1970-01-01T00:00:00.000Z" } } },
    ],
    ["containedIn", (q) => q.containedIn("a", [1, 2]), { a: { $in: [1, 2] } }],
    ["containsAll", (q) => q.containsAll("a", [1]), { a: { $all: [1] } }],
    [
      "containsAllStartingWith",
      (q) => q.containsAllStartingWith("a", ["x"]),
      { a: { $all: [{ $regex: "^\\Qx\\E" }] } },
    ],
    ["matches", (q) => q.matches("a", /^x/i, "m"), { a: { $regex: "^x", $options: "im" } }],
    ["contains", (q) => q.contains("a", "x.y"), { a: { $regex: "\\Qx.y\\E" } }],
    ["startsWith", (q) => q.startsWith("a", "x"), { a: { $regex: "^\\Qx\\E" } }],
    ["endsWith", (q) => q.endsWith("a", "x"), { a: { $regex: "\\Qx\\E$" } }],
    ["text that ends a quotation", (q) => q.contains("a", "x\\Ey"), { a: { $regex: "\\Qx\\E\\\\E\\Qy\\E" } }],
    [
      "matchesQuery",
      (q) => q.matchesQuery("a", notes().equalTo("b", 1)),
      { a: { $inQuery: { className: "Note", where: { b: 1 } } } },
    ],
    [
      "doesNotMatchKeyInQuery",
      (q) => q.doesNotMatchKeyInQuery("a", "b", notes()),
      { a: { $dontSelect: { key: "b", query: { className: "Note", where: {} } } } },
    ],
    [
      "fullText",
      (q) => q.fullText("a", "x", { language: "en" }),
      { a: { $text: { $search: { $term: "x", $language: "en" } } } },
    ],
    [
      "withinGeoBox",
      (q) => q.withinGeoBox("a", new GeoPoint(0, 0), new GeoPoint(1, 1)),
      { a: { $within: { $box: [new GeoPoint(0, 0).toJSON(), new GeoPoint(1, 1).toJSON()] } } },
    ],
    [
      "withinMiles",
      (q) => q.withinMiles("a", new GeoPoint(0, 0), 3958.8),
      { a: { $nearSphere: new GeoPoint(0, 0).toJSON(), $maxDistance: 1 } },
    ],
    [
      "withinKilometers",
      (q) => q.withinKilometers("a", new GeoPoint(1, 2), 6371, false),
      { a: { $geoWithin: { $centerSphere: [[2, 1], 1] } } },
    ],
    ["or", () => Query.or(notes().equalTo("a", 1), notes().equalTo("b", 2)), { $or: [{ a: 1 }, { b: 2 }] }],
  ])("contains %s", { tags: ["9.distance-miles", "9.distance-kilometres"] }, (_, build, expected) => {
    expect(where(build(notes()))).toEqual(expected);
  });

  it("combines only queries of the same class", () => {
    expect(() => Query.or(notes(), new Query("Other"))).toThrow("All queries must be for the same class.");
  });

  it("accepts only a non-negative number for skip()", {
    tags: ["5.query.skip-number", "5.query.skip-non-negative"],
  }, () => {
    expect(() => notes().skip(Number("x"))).toThrow("You can only skip by a positive number");
    expect(() => notes().skip(JSON.parse('"1"'))).toThrow("You can only skip by a positive number");
    expect(() => notes().skip(-1)).toThrow("You can only skip by a positive number");
  });

  it("accepts only a number for limit()", { tags: ["5.query.limit-numeric"] }, () => {
    expect(() => notes().limit(JSON.parse('"1"'))).toThrow("You can only set the limit to a numeric value");
  });

  it("survives a round trip", () => {
    const query = notes()
      .greaterThan("a", 1)
      .descending("b")
      .addAscending("c")
      .include("d")
      .select("a")
      .limit(5)
      .skip(2)
      .withCount()
      .hint("i");
    expect(Query.fromJSON("Note", query.toJSON()).toJSON()).toEqual(query.toJSON());
    expect(query.toJSON()).toMatchObject({
      order: "-b,c",
      include: "d",
      keys: "a",
      limit: 5,
      skip: 2,
      count: 1,
    });
  });
});

describe("executing a query:", () => {
  const results = [
    { objectId: "1", text: "a" },
    { objectId: "2", text: "b" },
  ];

  it("find() returns objects of the class", async () => {
    server.respondWith(() => ({ body: { results } }));
    const found = await notes().equalTo("a", 1).find();
    expect(server.requests[0]).toMatchObject({ call: "GET classes/Note", body: { where: { a: 1 } } });
    expect(found.map((note) => [note.className, note.id, note.get("text")])).toEqual([
      ["Note", "1", "a"],
      ["Note", "2", "b"],
    ]);
    expect(found[0]?.dirty()).toBe(false);
  });

  it("find() after withCount() also returns the count", async () => {
    server.respondWith(() => ({ body: { results, count: 9 } }));
    expect(await notes().withCount().find()).toMatchObject({ count: 9, results: [{ id: "1" }, { id: "2" }] });
    expect((await notes().findWithCount()).count).toBe(9);
  });

  it("get() queries by id, not by path", async () => {
    server.respondWith(() => ({ body: { results } }));
    expect((await notes().get("1")).id).toBe("1");
    expect(server.requests[0]).toMatchObject({
      call: "GET classes/Note",
      body: { where: { objectId: "1" }, limit: 1 },
    });
  });

  it("get() rejects a missing object with 101", { tags: ["8.backend.object-not-found"] }, async () => {
    server.respondWith(() => ({ body: { results: [] } }));
    await expect(notes().get("1")).rejects.toMatchObject({ code: 101, message: "Object not found." });
  });

  it("first() returns undefined if there is no object", async () => {
    server.respondWith(() => ({ body: { results: [] } }));
    expect(await notes().first()).toBeUndefined();
  });

  it("count() requests no rows", async () => {
    server.respondWith(() => ({ body: { results: [], count: 7 } }));
    expect(await notes().count()).toBe(7);
    expect(server.requests[0]?.body).toMatchObject({ limit: 0, count: 1 });
  });

  it("aggregate() and distinct() use the master key and send the constraints", async () => {
    server.connect({ masterKey: "m" });
    server.respondWith(() => ({ body: { results: ["x"] } }));
    expect(
      await notes()
        .equalTo("a", 1)
        .aggregate({ group: { objectId: "$b" } }),
    ).toEqual(["x"]);
    await notes().equalTo("a", 1).distinct("b");
    expect(server.requests[0]).toMatchObject({
      call: "GET aggregate/Note",
      body: { _MasterKey: "m", pipeline: [{ $match: { a: 1 } }, { group: { objectId: "$b" } }] },
    });
    expect(server.requests[1]?.body).toMatchObject({ distinct: "b", where: { a: 1 } });
  });

  it("cancel() aborts the request and resolves with an empty list", async () => {
    const query = notes();
    server.respondWith(() => new Promise(() => undefined));
    const finding = query.find();
    await expect.poll(() => server.requests.length).toBe(1);
    query.cancel();
    expect(await finding).toEqual([]);
  });

  it("an aborted signal rejects with its reason", async () => {
    await expect(notes().find({ signal: AbortSignal.abort(new Error("gone")) })).rejects.toThrow("gone");
  });
});

describe("iterating over a query", () => {
  const rows = Array.from({ length: 250 }, (_, i) => ({ objectId: String(i).padStart(3, "0") }));

  beforeEach(() => {
    server.respondWith(({ body }) => {
      const condition = (body.where as { objectId?: { $gt: string } }).objectId;
      const rest = rows.filter(({ objectId }) => !condition || objectId > condition.$gt);
      return { body: { results: rest.slice(0, Number(body.limit)) } };
    });
  });

  it("requests batches of 100 ordered by objectId", {
    tags: ["9.iteration-batch.default", "9.iteration-batch.order"],
  }, async () => {
    const sizes: number[] = [];
    await notes().eachBatch((batch) => void sizes.push(batch.length));
    expect(sizes).toEqual([100, 100, 50]);
    expect(server.requests[1]?.body).toMatchObject({
      order: "objectId",
      limit: 100,
      where: { objectId: { $gt: "099" } },
    });
  });

  it("passes every object to findAll(), map(), filter() and reduce()", async () => {
    expect(await notes().findAll()).toHaveLength(250);
    expect((await notes().map((note) => note.id)).at(-1)).toBe("249");
    expect(await notes().filter((note) => note.id === "007")).toHaveLength(1);
    expect(await notes().reduce((count) => count + 1, 0)).toBe(250);
  });

  it("rejects a query with an order, skip or limit", async () => {
    await expect(
      notes()
        .limit(1)
        .each(() => undefined),
    ).rejects.toThrow("Cannot iterate on a query with sort, skip, or limit.");
  });
});
