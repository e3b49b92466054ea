import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ALL_DATABASES, databaseEnv } from "../support/databases.ts";
import { type Answer, hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";

const pointer = (className: string, objectId: string) => ({ __type: "Pointer", className, objectId });
const place = (latitude: number, longitude: number) => ({ __type: "GeoPoint", latitude, longitude });
const day = (iso: string) => ({ __type: "Date", iso: `${iso}T00:00:00.000Z` });

describe.each(ALL_DATABASES)("queries on %s", (database) => {
  let purse: Purse;
  beforeAll(async () => {
    purse = await hostPurse({ env: await databaseEnv(database) });
  });
  afterAll(() => purse.remove());

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

  /** Returns the values of `name` in the results of a query. */
  async function names(className: string, params: Record<string, unknown>): Promise<unknown[]> {
    const { body } = await find(className, { order: "name", ...params });
    if (!Array.isArray(body.results)) throw new Error(JSON.stringify(body));
    return body.results.map((object) => Object(object).name);
  }

  describe("values", () => {
    beforeAll(async () => {
      await save("Fruit", {
        name: "Apple",
        price: 3,
        tags: ["red", "round"],
        sold: true,
        at: day("2026-01-01"),
      });
      await save("Fruit", {
        name: "banana",
        price: 1.5,
        tags: ["yellow"],
        sold: false,
        at: day("2026-02-01"),
      });
      await save("Fruit", {
        name: "Cherry",
        price: 10,
        tags: ["red", "small", "round"],
        box: {
          weight: 2,
          colors: ["dark", "light"],
          maker: { town: "Rome" },
          labels: [{ text: "fresh" }, { text: "ripe" }],
        },
        sales: [{ state: "open", count: 2 }, { state: "paid" }],
        at: day("2026-03-01"),
      });
      await save("Fruit", { name: "Date", price: null, tags: [], sales: [{ state: "paid" }] });
    });

    it.each([
      ["$in with strings", { name: { $in: ["Apple", "Date", "x"] } }, ["Apple", "Date"]],
      ["$in with numbers", { price: { $in: [1.5, 10] } }, ["Cherry", "banana"]],
      ["$in with null", { price: { $in: [3, null] } }, ["Apple", "Date"]],
      ["$nin", { name: { $nin: ["Apple", "Date"] } }, ["Cherry", "banana"]],
      ["$ne", { price: { $ne: 3 } }, ["Cherry", "Date", "banana"]],
      ["$ne null", { price: { $ne: null } }, ["Apple", "Cherry", "banana"]],
      ["$gt and $lte", { price: { $gt: 1.5, $lte: 10 } }, ["Apple", "Cherry"]],
      ["strings in byte order", { name: { $gte: "D" } }, ["Date", "banana"]],
      ["booleans", { sold: true }, ["Apple"]],
      ["$ne of booleans", { sold: { $ne: true } }, ["Cherry", "Date", "banana"]],
      ["dates", { at: { $gt: day("2026-01-15"), $lt: day("2026-02-15") } }, ["banana"]],
      ["an equal date", { at: day("2026-02-01") }, ["banana"]],
      ["$exists", { box: { $exists: true } }, ["Cherry"]],
      ["$exists false", { sold: { $exists: false } }, ["Cherry", "Date"]],
      ["an item of an array", { tags: "red" }, ["Apple", "Cherry"]],
      ["$all", { tags: { $all: ["red", "round"] } }, ["Apple", "Cherry"]],
      ["$all of patterns", { tags: { $all: [{ $regex: "^\\Qre\\E" }, { $regex: "^sm" }] } }, ["Cherry"]],
      ["$containedBy", { tags: { $containedBy: ["red", "round", "yellow"] } }, ["Apple", "Date", "banana"]],
      ["$in on an array", { tags: { $in: ["small", "yellow"] } }, ["Cherry", "banana"]],
      ["$nin on an array", { tags: { $nin: ["red"] } }, ["Date", "banana"]],
      ["a whole array", { tags: ["red", "round"] }, ["Apple"]],
      ["a dotted number", { "box.weight": 2 }, ["Cherry"]],
      ["a dotted comparison", { "box.weight": { $gt: 1 } }, ["Cherry"]],
      ["a dotted array", { "box.colors": "light" }, ["Cherry"]],
      ["two dots", { "box.maker.town": { $regex: "^R" } }, ["Cherry"]],
      ["a key of the items of an array", { "sales.state": "paid" }, ["Cherry", "Date"]],
      ["$eq and $ne on a key of items", { "sales.state": { $eq: "paid", $ne: "open" } }, ["Date"]],
      ["$in on a key of items", { "sales.state": { $in: ["open", "x"] } }, ["Cherry"]],
      ["$nin on a key of items", { "sales.state": { $nin: ["open"] } }, ["Apple", "Date", "banana"]],
      ["$all on a key of items", { "sales.state": { $all: ["open", "paid"] } }, ["Cherry"]],
      ["$exists on a key of items", { "sales.count": { $exists: true } }, ["Cherry"]],
      ["null on a key of items", { "sales.state": null }, ["Apple", "banana"]],
      ["an item by its index", { "sales.0.state": "paid" }, ["Date"]],
      ["a key of the items of an array in an object", { "box.labels.text": "ripe" }, ["Cherry"]],
      ["an object with another order of keys", { "box.maker": { town: "Rome" } }, ["Cherry"]],
      ["a prefix", { name: { $regex: "^\\QCh\\E" } }, ["Cherry"]],
      ["a substring", { name: { $regex: "\\Qan\\E" } }, ["banana"]],
      ["a suffix", { name: { $regex: "\\Qe\\E$" } }, ["Apple", "Date"]],
      ["a pattern regardless of case", { name: { $regex: "^[ab].*", $options: "i" } }, ["Apple", "banana"]],
      ["a pattern with a word boundary", { name: { $regex: "\\bDate\\b" } }, ["Date"]],
      ["$or", { $or: [{ price: 3 }, { name: "Date" }] }, ["Apple", "Date"]],
      ["$nor", { $nor: [{ price: 3 }, { name: "Date" }] }, ["Cherry", "banana"]],
      ["$and in $or", { $or: [{ $and: [{ price: 3 }, { name: "x" }] }, { price: 10 }] }, ["Cherry"]],
      ["a text where there are numbers", { price: "3" }, []],
      ["a field that nobody has", { nothing: "x" }, []],
    ] as [string, JsonObject, string[]][])(
      "match %s",
      { tags: ["7.query.where"] },
      async (_name, where, expected) => {
        expect(await names("Fruit", { where })).toEqual(expected);
      },
    );

    it("compare times with $relativeTime", async () => {
      const made = async (time: object) => names("Fruit", { where: { createdAt: time } });
      expect(await made({ $gt: { $relativeTime: "1 hour ago" } })).toHaveLength(4);
      expect(await made({ $gt: { $relativeTime: "in 1 min" } })).toEqual([]);
    });

    it("sort by several keys, missing values first", async () => {
      expect(await names("Fruit", { order: "price" })).toEqual(["Date", "banana", "Apple", "Cherry"]);
      expect(await names("Fruit", { order: "-price" })).toEqual(["Cherry", "Apple", "banana", "Date"]);
      expect(await names("Fruit", { order: "sold,-name" })).toEqual(["Date", "Cherry", "banana", "Apple"]);
      expect(await names("Fruit", { order: "-at" })).toEqual(["Cherry", "banana", "Apple", "Date"]);
    });

    it("return parts of nested objects for dotted keys", async () => {
      const { body } = await find("Fruit", { where: { name: "Cherry" }, keys: "box.maker,name" });
      expect(body.results).toEqual([
        {
          objectId: expect.any(String),
          createdAt: expect.any(String),
          updatedAt: expect.any(String),
          name: "Cherry",
          box: { maker: { town: "Rome" } },
        },
      ]);
    });

    it("omit excludeKeys", async () => {
      const { body } = await find("Fruit", { where: { name: "Apple" }, excludeKeys: "tags,at,sold" });
      expect(Object.keys(Object(body.results)[0]).sort()).toEqual(
        ["createdAt", "name", "objectId", "price", "updatedAt"].sort(),
      );
    });

    it("return their plan with explain", { tags: ["7.query.explain"] }, async () => {
      const { status, body } = await find("Fruit", { where: { name: "Apple" }, explain: true });
      expect(status).toBe(200);
      expect(JSON.stringify(body.results)).toMatch(/Scan|SEARCH|SCAN/);
    });

    it("return the count beside their plan", { tags: ["7.query.explain"] }, async () => {
      const where = { price: { $exists: true } };
      const { body } = await find("Fruit", { where, explain: true, count: 1, limit: 0 });
      expect(body).toMatchObject({
        results: { queryPlanner: {} },
        count: (await names("Fruit", { where })).length,
      });
    });

    it("include class, condition, comment and hint in the plan", {
      tags: ["7.query.explain", "7.query.hint"],
    }, async () => {
      const where = { name: "Apple" };
      const params = { where, explain: true, comment: "why", hint: { name: 1 } };
      const { body } = await find("Fruit", params);
      expect(body.results).toMatchObject({
        command: { find: "Fruit", filter: where, comment: "why", hint: { name: 1 } },
        queryPlanner: { winningPlan: expect.any(Array) },
      });
      const path = `/aggregate/Fruit${query({ ...params, pipeline: [{ $limit: 1 }] })}`;
      const aggregated = await rest(purse, "GET", path, undefined, { useMasterKey: true });
      expect(aggregated.body.results).toMatchObject([
        {
          command: {
            aggregate: "Fruit",
            pipeline: [{ $limit: 1 }],
            comment: "why",
            hint: { name: 1 },
          },
        },
      ]);
    });

    it("accept options for other databases", {
      tags: ["7.query.hint", "7.query.read-preference"],
    }, async () => {
      const where = { name: "Apple" };
      const more = {
        hint: "_id_",
        readPreference: "SECONDARY",
        includeReadPreference: "NEAREST",
        comment: "why",
      };
      expect(await names("Fruit", { where, ...more })).toEqual(["Apple"]);
    });

    it.each([
      ["where", { where: { price: { $bad: 1 } } }, 102],
      ["$in", { where: { price: { $in: 3 } } }, 107],
      ["$relativeTime", { where: { createdAt: { $gt: { $relativeTime: "soon" } } } }, 107],
      ["$relativeTime with $eq", { where: { createdAt: { $eq: { $relativeTime: "now" } } } }, 107],
      ["$all of mixed kinds", { where: { tags: { $all: ["a", { $regex: "b" }] } } }, 107],
      ["a pattern", { where: { name: { $regex: "(" } } }, 102],
      ["a pattern's type", { where: { name: { $regex: 1 } } }, 102],
      ["pattern options", { where: { name: { $regex: "a", $options: "no such" } } }, 102],
      ["a key", { where: { "na me": 1 } }, 105],
      ["an operator as key", { where: { $foo: 1 } }, 105],
      ["an order", { order: "na'me" }, 105],
      ["a limit", { limit: "ten" }, 102],
      ["a parameter", { nonsense: 1 }, 102],
      ["$text", { where: { name: { $text: { $search: "x" } } } }, 107],
      ["$geoWithin", { where: { name: { $geoWithin: {} } } }, 107],
      ["$inQuery", { where: { name: { $inQuery: { where: {} } } } }, 102],
      ["$select", { where: { name: { $select: { query: { className: "A" } } } } }, 102],
    ] as [string, Record<string, unknown>, number][])(
      "reject an invalid %s",
      { tags: ["8.code.102", "8.code.107"] },
      async (_name, params, code) => {
        const { status, body } = await find("Fruit", params);
        expect([status, body.code]).toEqual([400, code]);
      },
    );
  });

  describe("other classes", () => {
    let rome: string;
    let paris: string;
    let ann: string;
    beforeAll(async () => {
      rome = await save("Town", { name: "Rome", country: "Italy", size: 3 });
      paris = await save("Town", { name: "Paris", country: "France", size: 2 });
      const tiny = await save("Town", { name: "Tiny", country: "Italy", size: 1 });
      ann = await save("Person", { name: "Ann", town: pointer("Town", rome), home: "Rome" });
      await save("Person", { name: "Bob", town: pointer("Town", paris), home: "Paris" });
      await save("Person", { name: "Cid", home: "Nowhere" });
      await save("Person", {
        name: "Dan",
        town: pointer("Town", tiny),
        visited: [pointer("Town", rome), pointer("Town", paris)],
      });
    });

    it("match pointers by a subquery", async () => {
      const where = { town: { $inQuery: { className: "Town", where: { country: "Italy" } } } };
      expect(await names("Person", { where })).toEqual(["Ann", "Dan"]);
      const big = {
        town: { $inQuery: { className: "Town", where: { country: "Italy", size: { $gt: 1 } } } },
      };
      expect(await names("Person", { where: big })).toEqual(["Ann"]);
    });

    it("match arrays of pointers by a subquery", async () => {
      const where = { visited: { $inQuery: { className: "Town", where: { name: "Paris" } } } };
      expect(await names("Person", { where })).toEqual(["Dan"]);
    });

    it("exclude matches of a subquery", async () => {
      const where = { town: { $notInQuery: { className: "Town", where: { country: "Italy" } } } };
      expect(await names("Person", { where })).toEqual(["Bob", "Cid"]);
    });

    it("nest subqueries", async () => {
      const inner = { className: "Person", where: { home: "Rome" } };
      const where = { name: { $select: { key: "name", query: inner } }, home: { $exists: true } };
      expect(await names("Person", { where })).toEqual(["Ann"]);
      const both = {
        town: {
          $inQuery: { className: "Town", where: { name: { $select: { key: "home", query: inner } } } },
        },
      };
      expect(await names("Person", { where: both })).toEqual(["Ann"]);
    });

    it("apply the order and limit of a subquery", async () => {
      const inner = { className: "Town", where: {}, order: "-size", limit: 1 };
      expect(await names("Person", { where: { town: { $inQuery: inner } } })).toEqual(["Ann"]);
    });

    it("compare with a key of another class", async () => {
      const query = { className: "Town", where: { size: { $gt: 1 } } };
      expect(await names("Person", { where: { home: { $select: { key: "name", query } } } })).toEqual([
        "Ann",
        "Bob",
      ]);
      expect(await names("Person", { where: { home: { $dontSelect: { key: "name", query } } } })).toEqual([
        "Cid",
        "Dan",
      ]);
    });

    it("return the class of a pointer with redirectClassNameForKey", async () => {
      const { body } = await find("Person", { redirectClassNameForKey: "town", order: "name" });
      expect(body.className).toBe("Town");
      expect(Object(body.results)[0]).toMatchObject({ name: "Paris", className: "Town" });
    });

    it("match nothing in a class that the caller may not read", async () => {
      const secret = await rest(
        purse,
        "POST",
        "/classes/Secret",
        { code: "Rome", ACL: {} },
        { useMasterKey: true },
      );
      expect(secret.status).toBe(201);
      const query = { className: "Secret", where: {} };
      expect(await names("Person", { where: { home: { $select: { key: "code", query } } } })).toEqual([]);
    });

    it("include pointers over two levels, also through arrays", async () => {
      const note = await save("Memo", { name: "n", by: pointer("Person", ann) });
      expect(note).toBeTruthy();
      const { body } = await find("Memo", { include: "by.town" });
      expect(Object(body.results)[0].by).toMatchObject({
        __type: "Object",
        className: "Person",
        town: { __type: "Object", className: "Town", name: "Rome" },
      });
      const visited = await find("Person", {
        where: { name: "Dan" },
        include: "visited",
        keys: "visited.name",
      });
      expect(Object(visited.body.results)[0].visited[0]).toEqual({
        __type: "Object",
        className: "Town",
        objectId: rome,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
        name: "Rome",
      });
    });

    it("match members of a relation", async () => {
      const club = await save("Club", {
        name: "Chess",
        members: { __op: "AddRelation", objects: [pointer("Person", ann)] },
      });
      await save("Club", { name: "Go" });
      expect(await names("Club", { where: { members: pointer("Person", ann) } })).toEqual(["Chess"]);
      expect(await names("Club", { where: { members: { $ne: pointer("Person", ann) } } })).toEqual(["Go"]);
      const inQuery = { members: { $inQuery: { className: "Person", where: { home: "Rome" } } } };
      expect(await names("Club", { where: inQuery })).toEqual(["Chess"]);
      const related = { $relatedTo: { object: pointer("Club", club), key: "members" } };
      expect(await names("Person", { where: related })).toEqual(["Ann"]);
      const unsaved = { $relatedTo: { object: { __type: "Pointer", className: "Club" }, key: "members" } };
      expect(await names("Person", { where: unsaved })).toEqual([]);
    });

    it("match nothing in a relation whose owner the caller may not read", async () => {
      const owner = await signUp(purse);
      const club = await save("Club", {
        name: "Hidden",
        members: { __op: "AddRelation", objects: [pointer("Person", ann)] },
        ACL: { [owner.id]: { read: true, write: true } },
      });
      const where = { $relatedTo: { object: pointer("Club", club), key: "members" } };
      expect(await names("Person", { where })).toEqual([]);
      const { body } = await find("Person", { where }, owner.sessionToken);
      expect(Object(body.results)).toHaveLength(1);
    });
  });

  describe("GeoPoints", () => {
    beforeAll(async () => {
      await save("Spot", { name: "Berlin", at: place(52.52, 13.405) });
      await save("Spot", { name: "Hamburg", at: place(53.551, 9.994) });
      await save("Spot", { name: "Sydney", at: place(-33.87, 151.21) });
      await save("Spot", { name: "Fiji", at: place(-17.7, 179.9) });
      await save("Spot", { name: "Nowhere" });
    });
    const near = (point: JsonObject, more: JsonObject = {}) => ({ at: { $nearSphere: point, ...more } });

    it("are matched by distance, nearest first", {
      tags: ["9.earth-radius-km", "9.distance-kilometres", "3.geo-point.latitude", "3.geo-point.longitude"],
    }, async () => {
      expect(await names("Spot", { where: near(place(52, 13)), order: "" })).toEqual([
        "Berlin",
        "Hamburg",
        "Fiji",
        "Sydney",
      ]);
      const within = (km: number) => near(place(52, 13), { $maxDistanceInKilometers: km });
      expect(await names("Spot", { where: within(100), order: "" })).toEqual(["Berlin"]);
      expect(await names("Spot", { where: within(400), order: "" })).toEqual(["Berlin", "Hamburg"]);
    });

    it("are matched by distance in miles and radians", {
      tags: ["9.earth-radius-miles", "9.distance-miles"],
    }, async () => {
      const miles = near(place(52, 13), { $maxDistanceInMiles: 45 });
      expect(await names("Spot", { where: miles, order: "" })).toEqual(["Berlin"]);
      const radians = near(place(52, 13), { $maxDistance: 0.05 });
      expect(await names("Spot", { where: radians, order: "" })).toEqual(["Berlin", "Hamburg"]);
    });

    it("are matched across the date line", async () => {
      const where = near(place(-17.7, -179.9), { $maxDistanceInKilometers: 100 });
      expect(await names("Spot", { where, order: "" })).toEqual(["Fiji"]);
    });

    it("are matched in boxes, circles and polygons", async () => {
      const box = { at: { $within: { $box: [place(50, 5), place(54, 15)] } } };
      expect(await names("Spot", { where: box })).toEqual(["Berlin", "Hamburg"]);
      const circle = { at: { $geoWithin: { $centerSphere: [place(52.5, 13.4), 0.01] } } };
      expect(await names("Spot", { where: circle })).toEqual(["Berlin"]);
      for (const corners of [
        [place(54, 15), place(50, 5)],
        [place(54, 5), place(50, 15)],
      ]) {
        const turned = { at: { $within: { $box: corners } } };
        expect(await names("Spot", { where: turned })).toEqual(["Berlin", "Hamburg"]);
      }
      const polygon = { at: { $geoWithin: { $polygon: [place(52, 12), place(52, 14), place(54, 13)] } } };
      expect(await names("Spot", { where: polygon })).toEqual(["Berlin"]);
    });

    it("are matched in boxes and polygons across the antimeridian", async () => {
      await save("Cape", { name: "west", at: place(-15, 178) });
      await save("Cape", { name: "east", at: place(-15, -171.8) });
      await save("Cape", { name: "other side", at: place(-15, -47.9) });
      const corners = [place(-20, 170), place(-20, -170), place(-10, -170), place(-10, 170)];
      for (const at of [
        { $within: { $box: [corners[0], corners[2]] } },
        { $geoWithin: { $polygon: corners } },
      ]) {
        expect(await names("Cape", { where: { at } })).toEqual(["east", "west"]);
      }
      const coordinates = corners.map(({ latitude, longitude }) => [latitude, longitude]);
      await save("Sea", { name: "Fiji", area: { __type: "Polygon", coordinates } });
      const around = (longitude: number) => ({ area: { $geoIntersects: { $point: place(-15, longitude) } } });
      expect(await names("Sea", { where: around(178) })).toEqual(["Fiji"]);
      expect(await names("Sea", { where: around(-171.8) })).toEqual(["Fiji"]);
      expect(await names("Sea", { where: around(-47.9) })).toEqual([]);
    });

    it("in a circle are sorted by distance without another order", async () => {
      const where = { at: { $geoWithin: { $centerSphere: [place(53.5, 10), 0.1] } } };
      expect(await names("Spot", { where, order: "" })).toEqual(["Hamburg", "Berlin"]);
    });

    it("are counted by distance", async () => {
      const where = near(place(52, 13), { $maxDistanceInKilometers: 400 });
      expect((await find("Spot", { where, count: 1, limit: 0 })).body).toEqual({ results: [], count: 2 });
    });

    it("match polygons that contain them, which are stored closed", async () => {
      const coordinates = [
        [0, 0],
        [0, 10],
        [10, 10],
        [10, 0],
      ];
      const id = await save("Area", { name: "square", shape: { __type: "Polygon", coordinates } });
      const where = (point: JsonObject) => ({ shape: { $geoIntersects: { $point: point } } });
      expect(await names("Area", { where: where(place(5, 5)) })).toEqual(["square"]);
      expect(await names("Area", { where: where(place(15, 5)) })).toEqual([]);
      const { body } = await rest(purse, "GET", `/classes/Area/${id}`);
      expect(Object(body.shape).coordinates).toHaveLength(5);
      expect(await names("Area", { where: { shape: { __type: "Polygon", coordinates } } })).toEqual([
        "square",
      ]);
    });

    it.each([
      ["latitude", place(91, 0)],
      ["longitude", place(0, 181)],
      ["latitude", place(-90.1, 0)],
    ])(
      "with an invalid %s are rejected",
      {
        tags: [
          "5.geo-point.latitude-range",
          "5.geo-point.longitude-range",
          "9.geo-bounds.latitude",
          "9.geo-bounds.longitude",
        ],
      },
      async (_name, point) => {
        const { body } = await rest(purse, "POST", "/classes/Spot", { at: point });
        expect(body.code).toBe(111);
      },
    );
  });

  describe("text searches", () => {
    beforeAll(async () => {
      const subjects = [
        "coffee",
        "Coffee Shopping",
        "Baking a cake",
        "Café Con Leche",
        "cream and coffee cake",
      ];
      for (const name of subjects) await save("Subject", { name });
      await save("Subject", { name: "Сырники" });
      // Client queries create no text indexes, so the master key does.
      const indexes = { name_text: { name: "text" } };
      await rest(purse, "PUT", "/schemas/Subject", { indexes }, { useMasterKey: true });
    });
    const text = ($term: string, more: JsonObject = {}) => ({
      name: { $text: { $search: { $term, ...more } } },
    });

    it("match words regardless of case and accents", async () => {
      expect(await names("Subject", { where: text("coffee") })).toEqual([
        "Coffee Shopping",
        "coffee",
        "cream and coffee cake",
      ]);
      expect(await names("Subject", { where: text("CAFE") })).toEqual(["Café Con Leche"]);
      expect(await names("Subject", { where: text("сырники") })).toEqual(["Сырники"]);
    });

    it("match phrases and omit excluded words", async () => {
      expect(await names("Subject", { where: text('"con leche"') })).toEqual(["Café Con Leche"]);
      expect(await names("Subject", { where: text("coffee -cake") })).toEqual(["Coffee Shopping", "coffee"]);
    });

    it("sort by score and return it", async () => {
      const { body } = await find("Subject", { where: text("coffee"), order: "$score", keys: "$score" });
      const [first] = Object(body.results);
      expect(first.name).toBe("coffee");
      expect(first.score).toBeGreaterThan(0);
    });

    it("respect case and accents on request", async () => {
      expect(await names("Subject", { where: text("Coffee", { $caseSensitive: true }) })).toEqual([
        "Coffee Shopping",
      ]);
      expect(await names("Subject", { where: text("cafe", { $diacriticSensitive: true }) })).toEqual([]);
      const accents = { $diacriticSensitive: true };
      expect(await names("Subject", { where: text("CAFÉ", accents) })).toEqual(["Café Con Leche"]);
      for (const $regex of ["^CAFÉ", "caf[xÉ]"]) {
        const where = { name: { $regex, $options: "i" } };
        expect(await names("Subject", { where })).toEqual(["Café Con Leche"]);
      }
      const both = { $caseSensitive: true, $diacriticSensitive: true };
      expect(await names("Subject", { where: text("café", both) })).toEqual([]);
      expect(await names("Subject", { where: text("Café", both) })).toEqual(["Café Con Leche"]);
    });

    it.each(["es", "spanish", "Spanish", "none"])("match words in the language %s", async ($language) => {
      expect(await names("Subject", { where: text("leche", { $language }) })).toEqual(["Café Con Leche"]);
      const exact = { $language, $diacriticSensitive: true };
      expect(await names("Subject", { where: text("cafe", exact) })).toEqual([]);
    });

    it("follow changes of objects", async () => {
      const id = await save("Subject", { name: "tea" });
      expect(await names("Subject", { where: text("tea") })).toEqual(["tea"]);
      await rest(purse, "PUT", `/classes/Subject/${id}`, { name: "milk" });
      expect(await names("Subject", { where: text("tea") })).toEqual([]);
      expect(await names("Subject", { where: text("milk") })).toEqual(["milk"]);
      await rest(purse, "DELETE", `/classes/Subject/${id}`);
      expect(await names("Subject", { where: text("milk") })).toEqual([]);
    });

    it.each([
      ["$search that is not an object", { name: { $text: { $search: "x" } } }],
      ["a term that is not a string", text(Object(3))],
      ["an invalid flag", text("x", { $caseSensitive: "yes" })],
    ])("reject %s", { tags: ["8.code.107"] }, async (_name, where) => {
      expect((await find("Subject", { where })).body.code).toBe(107);
    });

    it("reject an unknown language", { tags: ["8.code.102"] }, async () => {
      const where = text("x", { $language: "klingon" });
      expect((await find("Subject", { where })).body.code).toBe(102);
    });
  });
});
