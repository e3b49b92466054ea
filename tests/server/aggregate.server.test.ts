import type { JsonObject, JsonValue } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ALL_DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, query, rest } from "../support/purse.ts";

const MASTER = { useMasterKey: true };

describe.each(ALL_DATABASES)("aggregation on %s", (database) => {
  let purse: Purse;
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    purse = await hostPurse({ env: await databaseEnv(database) });
    ids.shop = await save("Shop", { name: "corner", city: "Rome" });
    const shop = { __type: "Pointer", className: "Shop", objectId: ids.shop };
    const at = (iso: string) => ({ __type: "Date", iso });
    const sales: JsonObject[] = [
      {
        item: "pen",
        price: 2,
        count: 5,
        sold: true,
        shop,
        tags: ["a", "b"],
        at: at("2026-01-05T10:00:00.000Z"),
      },
      { item: "pen", price: 3, count: 1, sold: false, shop, tags: ["b"], at: at("2026-01-20T10:00:00.000Z") },
      { item: "ink", price: 10, count: 2, sold: true, tags: ["c"], at: at("2026-02-05T10:00:00.000Z") },
      { item: "nib", price: 1, sold: true, extra: { size: 4 }, ACL: {} },
    ];
    for (const sale of sales) await save("Sale", sale);
  });
  afterAll(() => purse.remove());

  async function save(className: string, fields: JsonObject): Promise<string> {
    const { body } = await rest(purse, "POST", `/classes/${className}`, fields, MASTER);
    return String(body.objectId);
  }
  const ask = (className: string, params: Record<string, unknown>, credentials: object = MASTER) =>
    rest(purse, "GET", `/aggregate/${className}${query(params)}`, undefined, credentials);
  async function run(pipeline: unknown): Promise<JsonObject[]> {
    const { body } = await ask("Sale", { pipeline });
    if (!Array.isArray(body.results)) throw new Error(JSON.stringify(body));
    return body.results.map((each) => Object(each));
  }
  const lookupOf = (stage: JsonObject) => ({
    $lookup: { localField: "item", foreignField: "name", as: "found", ...stage },
  });
  const byId = (results: JsonObject[]) =>
    results.sort((a, b) => (JSON.stringify(a.objectId) < JSON.stringify(b.objectId) ? -1 : 1));

  it("requires the master key", { tags: ["6.master-key.aggregate"] }, async () => {
    const { status, body } = await ask("Sale", { pipeline: [] }, {});
    expect([status, body.error]).toEqual([403, "unauthorized: master key is required"]);
  });

  it.each([
    ["an object", {}],
    ["a string", ""],
    ["an array", []],
  ])("returns null as the ID of a group by %s that is empty", async (_what, _id) => {
    expect(await run([{ $group: { _id } }])).toEqual([{ objectId: null }]);
    expect(await run([{ $group: { _id, n: { $sum: 1 } } }])).toEqual([{ objectId: null, n: 4 }]);
  });

  it("returns null for date parts of objects without the date", async () => {
    const stages = [
      {
        $group: { _id: { month: { $month: "$at" }, year: { $year: { date: "$at" } } }, n: { $sum: 1 } },
      },
    ];
    expect(byId(await run(stages))).toEqual([
      { objectId: { month: 1, year: 2026 }, n: 2 },
      { objectId: { month: 2, year: 2026 }, n: 1 },
      { objectId: { month: null, year: null }, n: 1 },
    ]);
  });

  it("accepts the condition of distinct as $where, as an object or JSON text", async () => {
    const text = JSON.stringify({ item: "pen" });
    for (const $where of [{ item: "pen" }, text, JSON.stringify(text)]) {
      const { body } = await ask("Sale", { distinct: "price", $where });
      expect(Object(body.results).sort()).toEqual([2, 3]);
    }
  });

  it("groups by a field with accumulators", { tags: ["7.aggregate.pipeline"] }, async () => {
    const results = await run([
      {
        $group: {
          _id: "$item",
          total: { $sum: "$price" },
          mean: { $avg: "$price" },
          least: { $min: "$price" },
          most: { $max: "$price" },
          n: { $sum: 1 },
        },
      },
    ]);
    expect(byId(results)).toEqual([
      { objectId: "ink", total: 10, mean: 10, least: 10, most: 10, n: 1 },
      { objectId: "nib", total: 1, mean: 1, least: 1, most: 1, n: 1 },
      { objectId: "pen", total: 5, mean: 2.5, least: 2, most: 3, n: 2 },
    ]);
  });

  it("groups all objects, and by several fields, pointers and booleans", async () => {
    expect(await run([{ $group: { _id: null, total: { $sum: "$price" } } }])).toEqual([
      { objectId: null, total: 16 },
    ]);
    const several = await run([{ $group: { _id: { item: "$item", sold: "$sold" }, n: { $sum: 1 } } }]);
    expect(byId(several)).toEqual([
      { objectId: { item: "ink", sold: true }, n: 1 },
      { objectId: { item: "nib", sold: true }, n: 1 },
      { objectId: { item: "pen", sold: false }, n: 1 },
      { objectId: { item: "pen", sold: true }, n: 1 },
    ]);
    const shops = await run([{ $group: { _id: "$shop", n: { $sum: 1 } } }]);
    expect(byId(shops)).toEqual([
      { objectId: ids.shop, n: 2 },
      { objectId: null, n: 2 },
    ]);
  });

  it("groups by parts of dates, alone and with other fields, without the date as null", async () => {
    const by = (format: string) => ({ $dateToString: { format, date: "$at" } });
    const months = await run([{ $group: { _id: by("%Y-%m"), n: { $sum: 1 }, sum: { $sum: "$price" } } }]);
    expect(byId(months)).toEqual([
      { objectId: "2026-01", n: 2, sum: 5 },
      { objectId: "2026-02", n: 1, sum: 10 },
      { objectId: null, n: 1, sum: 1 },
    ]);
    const hours = await run([
      { $match: { item: "pen" } },
      { $group: { _id: { hour: by("%Y-%m-%dT%H"), sold: "$sold" }, n: { $sum: 1 } } },
    ]);
    expect(byId(hours)).toEqual([
      { objectId: { hour: "2026-01-05T10", sold: true }, n: 1 },
      { objectId: { hour: "2026-01-20T10", sold: false }, n: 1 },
    ]);
    // A format that only the aggregation worker knows has the same results.
    const days = await run([{ $group: { _id: by("%d"), n: { $sum: 1 } } }]);
    expect(byId(days).map(({ objectId }) => objectId)).toEqual(["05", "20", null]);
    const created = { $dateToString: { format: "%Y", date: "$createdAt" } };
    expect(await run([{ $group: { _id: created, n: { $sum: 1 } } }])).toMatchObject([{ n: 4 }]);
  });

  it("accepts the legacy form: stages without $, objectId as key, an object of stages", async () => {
    const results = await run({ group: { objectId: "$item", n: { $sum: 1 } }, sort: { n: -1 }, limit: 1 });
    expect(results).toEqual([{ objectId: "pen", n: 2 }]);
  });

  it.each([
    ["a comparison", { price: { $gt: 2 } }, ["ink", "pen"]],
    ["$or", { $or: [{ price: 10 }, { item: "nib" }] }, ["ink", "nib"]],
    ["a pattern", { item: { $regex: "^i" } }, ["ink"]],
    ["a date as text", { at: { $gte: "2026-02-01T00:00:00.000Z" } }, ["ink"]],
    ["a creation time", { createdAt: { $lt: "2020-01-01T00:00:00.000Z" } }, []],
    ["existing fields", { extra: { $exists: true } }, ["nib"]],
    ["$size", { tags: { $size: 2 } }, ["pen"]],
    ["$not", { price: { $not: { $gt: 2 } } }, ["nib", "pen"]],
  ] as [string, JsonObject, string[]][])("matches %s", async (_name, match, expected) => {
    const results = await run([{ $match: match }, { $sort: { item: 1 } }]);
    expect(results.map((each) => each.item)).toEqual(expected);
  });

  it("matches pointers by ID, and combines where with the pipeline", {
    tags: ["7.aggregate.where"],
  }, async () => {
    expect(await run([{ $match: { shop: ids.shop } }, { $count: "n" }])).toEqual([{ n: 2 }]);
    const { body } = await ask("Sale", { pipeline: [{ $count: "n" }], where: { item: "pen", price: 3 } });
    expect(body.results).toEqual([{ n: 1 }]);
  });

  it("projects, sorts, skips and limits", async () => {
    const results = await run([
      { $project: { item: 1, double: { $multiply: ["$price", 2] } } },
      { $sort: { double: -1 } },
      { $skip: 1 },
      { $limit: 2 },
    ]);
    expect(results).toEqual([
      { objectId: expect.any(String), item: "pen", double: 6 },
      { objectId: expect.any(String), item: "pen", double: 4 },
    ]);
  });

  it("unwinds arrays and counts their items", async () => {
    const results = await run([
      { $unwind: "$tags" },
      { $group: { _id: "$tags", n: { $sum: 1 } } },
      { $sort: { _id: 1 } },
    ]);
    expect(results).toEqual([
      { objectId: "a", n: 1 },
      { objectId: "b", n: 2 },
      { objectId: "c", n: 1 },
    ]);
  });

  it("reads date parts and returns dates in wire format", async () => {
    const months = await run([
      { $match: { at: { $exists: true } } },
      { $group: { _id: { month: { $month: "$at" } }, last: { $max: "$at" } } },
      { $sort: { last: 1 } },
    ]);
    expect(months).toEqual([
      { objectId: { month: 1 }, last: { __type: "Date", iso: "2026-01-20T10:00:00.000Z" } },
      { objectId: { month: 2 }, last: { __type: "Date", iso: "2026-02-05T10:00:00.000Z" } },
    ]);
  });

  it("treats pointers as their MongoDB string for lookups by ID", async () => {
    const results = await run([
      { match: { price: { $lte: 2 } } },
      { project: { id: { $substr: ["$_p_shop", "Shop$".length, -1] } } },
      { lookup: { from: "Shop", localField: "id", foreignField: "_id", as: "shop" } },
      { unwind: { path: "$shop" } },
      { project: { city: "$shop.city" } },
    ]);
    expect(results).toEqual([{ objectId: expect.any(String), city: "Rome" }]);
  });

  it("returns substrings of strings, numbers and null, also beyond their ends", async () => {
    const parts = await run([
      { $match: { item: "ink" } },
      {
        $project: {
          rest: { $substr: ["$item", 1, -1] },
          long: { $substrBytes: ["$item", 1, 100] },
          beyond: { $substr: ["$item", 9, 2] },
          number: { $substr: ["$price", 0, 1] },
          nothing: { $substr: ["$nope", 0, 1] },
        },
      },
    ]);
    expect(parts).toMatchObject([{ rest: "nk", long: "nk", beyond: "", number: "1", nothing: "" }]);
  });

  it("joins objects of another class with $lookup", async () => {
    const results = await run([
      { $match: { price: 2 } },
      { $lookup: { from: "Shop", localField: "shop.objectId", foreignField: "objectId", as: "shops" } },
      { $project: { "shops.city": 1 } },
    ]);
    expect(results).toEqual([{ objectId: expect.any(String), shops: [{ city: "Rome" }] }]);
  });

  it("supports $addFields, $sample and $push", async () => {
    expect(await run([{ $sample: { size: 2 } }])).toHaveLength(2);
    const pens = await run([
      { $match: { item: "pen" } },
      { $addFields: { sum: { $multiply: ["$price", "$count"] } } },
      { $sort: { price: 1 } },
      { $group: { _id: "$item", sums: { $push: "$sum" } } },
    ]);
    expect(pens).toEqual([{ objectId: "pen", sums: [10, 3] }]);
  });

  it.each([
    ["strings", "item", ["pen", "ink", "nib"]],
    ["items of arrays", "tags", ["a", "b", "c"]],
    ["a nested key", "extra.size", [4]],
    ["booleans", "sold", [true, false]],
    ["an unused field", "nothing", []],
  ] as [string, string, JsonValue[]][])(
    "returns distinct %s",
    { tags: ["6.master-key.distinct", "7.aggregate.distinct"] },
    async (_name, distinct, expected) => {
      const { body } = await ask("Sale", { distinct });
      expect(Object(body.results).sort()).toEqual([...expected].sort());
    },
  );

  it("refuses stages beside distinct, which would have no effect", async () => {
    for (const stages of [{ count: "n" }, { $limit: 1 }, { pipeline: [{ $count: "n" }] }])
      expect(await ask("Sale", { distinct: "item", ...stages })).toMatchObject({
        status: 400,
        body: { code: 102 },
      });
  });

  it("returns the plan of distinct with explain, and none for false as text", async () => {
    const { body } = await ask("Sale", { distinct: "item", explain: "true" });
    expect(body.results).toMatchObject([{ command: { distinct: "Sale", key: "item" }, queryPlanner: {} }]);
    for (const params of [{ distinct: "item" }, { $count: "n" }])
      expect((await ask("Sale", { ...params, explain: "false" })).body).toEqual(
        (await ask("Sale", params)).body,
      );
  });

  it("returns distinct values for a where condition, and distinct pointers", async () => {
    const { body } = await ask("Sale", { distinct: "item", where: { price: { $gt: 2 } } });
    expect(Object(body.results).sort()).toEqual(["ink", "pen"]);
    const pointers = await ask("Sale", { distinct: "shop" });
    expect(pointers.body.results).toEqual([{ __type: "Pointer", className: "Shop", objectId: ids.shop }]);
  });

  it("returns no results for a class that does not exist", async () => {
    expect((await ask("Nowhere", { pipeline: [{ $group: { _id: null } }] })).body).toEqual({ results: [] });
  });

  it.each([
    ["an unknown stage", [{ $out: "Stolen" }], "Invalid aggregate stage '$out'."],
    ["$merge", [{ $merge: { into: "Sale" } }], "Invalid aggregate stage '$merge'."],
    ["two stages in one", [{ $match: {}, $limit: 1 }], "Pipeline stages should only have one key"],
    ["$where", [{ $match: { $where: "1" } }], "Invalid aggregate operator: $where"],
    ["$function", [{ $addFields: { x: { $function: {} } } }], "Invalid aggregate operator: $function"],
    ["$accumulator", [{ $group: { _id: null, x: { $accumulator: {} } } }], "Invalid aggregate operator"],
    [
      "$where in a later match",
      [{ $limit: 1 }, { $match: { $where: "1" } }],
      "Invalid aggregate operator: $where",
    ],
    ["a group without a key", [{ $group: { n: { $sum: 1 } } }], "Missing key _id"],
    ["a lookup into sessions", [lookupOf({ from: "_Session" })], "pipelines cannot read the class _Session"],
    ["a union with sessions", [{ $unionWith: "_Session" }], "pipelines cannot read the class _Session"],
    [
      "a union with sessions in the pipeline of a lookup",
      [{ $lookup: { from: "Shop", as: "x", pipeline: [{ $unionWith: { coll: "_Session" } }] } }],
      "pipelines cannot read the class _Session",
    ],
    [
      "a search through sessions in a facet",
      [
        {
          $facet: {
            x: [
              {
                $graphLookup: {
                  from: "_Session",
                  startWith: "$item",
                  connectFromField: "a",
                  connectToField: "b",
                  as: "c",
                },
              },
            ],
          },
        },
      ],
      "pipelines cannot read the class _Session",
    ],
    [
      "a geo search in the middle",
      [{ $limit: 1 }, { $geoNear: { near: [0, 0], distanceField: "d" } }],
      "Invalid aggregate stage '$geoNear'.",
    ],
    [
      "a condition of the database in the middle",
      [{ $limit: 1 }, { $match: { shop: { $inQuery: { className: "Shop", where: {} } } } }],
      "$inQuery can only stand in the first $match",
    ],
  ] as [string, unknown, string][])(
    "rejects %s",
    { tags: ["8.code.102"] },
    async (_name, pipeline, message) => {
      const { status, body } = await ask("Sale", { pipeline });
      expect([status, body.code]).toEqual([400, 102]);
      expect(body.error).toContain(message);
    },
  );

  it("rejects keys that reach object prototypes", async () => {
    const { body } = await ask("Sale", { pipeline: '[{"$project":{"__proto__":{"x":1}}}]' });
    expect(body.code).toBe(105);
  });
});
