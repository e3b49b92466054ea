/*
 * What pipelines return, by MongoDB's definition (its manual). The expected values are written by hand. Results have
 * neither the times of objects nor their ACL.
 */
import type { JsonObject, JsonValue } from "@purse/protocol";
import { Digits, date, pointer } from "./caseValues.ts";

export interface StageCase {
  /** The stage, accumulator or function that the case is about. */
  about: string;
  from: string;
  pipeline: JsonObject[];
  /** The results, or the text of an error. With `Digits`, only the number of the field `value` is compared. */
  results: JsonValue[] | RegExp | Digits;
  /** Whether the order of the results is defined. */
  isOrdered?: boolean;
}

/** A branch of a `$switch`. Written down, it would look like a promise. */
const branch = (condition: JsonValue, outcome: JsonValue): JsonObject =>
  Object.fromEntries(["case", "then"].map((key, i) => [key, i === 0 ? condition : outcome]));
const ids = (...names: string[]): JsonObject[] => names.map((objectId) => ({ objectId }));
const ID = { $project: { _id: 1 } };
const BY_ID = { $sort: { _id: 1 } };

const cases =
  (about: string, from: string) =>
  (pipeline: JsonObject[], results: StageCase["results"]): StageCase => ({
    about,
    from,
    pipeline,
    results,
  });
const ordered = (stageCase: StageCase): StageCase => ({ ...stageCase, isOrdered: true });

const addFields = cases("$addFields", "Shop");
const bucket = cases("$bucket", "Sale");
const bucketAuto = cases("$bucketAuto", "Sale");
const count = cases("$count", "Sale");
const facet = cases("$facet", "Sale");
const graphLookup = cases("$graphLookup", "Employee");
const group = cases("$group", "Sale");
const limit = cases("$limit", "Sale");
const lookup = cases("$lookup", "Sale");
const project = cases("$project", "Sale");
const redact = cases("$redact", "Report");
const sort = cases("$sort", "Sale");
const union = cases("$unionWith", "Owner");
const unwind = cases("$unwind", "Sale");
const windows = cases("$setWindowFields", "Price");

const A = pointer("Shop", "a");
const B = pointer("Shop", "b");

const REPORTING = {
  from: "Employee",
  startWith: "$boss",
  connectFromField: "boss",
  connectToField: "name",
  as: "chain",
};

/** One case for each accumulator, of the prices by item: pen 2 and 3, ink 10, null 1, missing 4. */
const accumulator = (name: string, argument: JsonValue, pen: JsonValue, nothing: JsonValue): StageCase => ({
  about: name,
  from: "Sale",
  pipeline: [
    { $match: { item: { $ne: "ink" } } },
    { $sort: { price: 1 } },
    { $group: { _id: "$item", value: { [name]: argument } } },
    { $sort: { _id: -1 } },
  ],
  results: [
    { objectId: "pen", value: pen },
    { objectId: null, value: nothing },
  ],
  isOrdered: true,
});

const ACCUMULATORS: StageCase[] = [
  accumulator("$addToSet", "$sold", [true, false], []),
  accumulator("$addToSet", { $literal: { a: 1, b: 2 } }, [{ a: 1, b: 2 }], [{ a: 1, b: 2 }]),
  accumulator("$avg", "$price", 2.5, 2.5),
  accumulator("$avg", "$item", null, null),
  accumulator("$bottom", { sortBy: { price: 1 }, output: "$price" }, 3, 4),
  accumulator("$bottom", { sortBy: { price: 1 }, output: "$count" }, 1, null),
  accumulator(
    "$bottomN",
    { n: 2, sortBy: { price: -1 }, output: ["$price", "$count"] },
    [
      [3, 1],
      [2, 5],
    ],
    [
      [4, null],
      [1, null],
    ],
  ),
  accumulator("$count", {}, 2, 2),
  accumulator("$first", "$count", 5, null),
  accumulator("$firstN", { n: 3, input: "$count" }, [5, 1], [null, null]),
  accumulator("$last", "$price", 3, 4),
  accumulator("$lastN", { n: 1, input: "$price" }, [3], [4]),
  accumulator("$max", "$count", 5, null),
  accumulator("$max", "$item", "pen", null),
  accumulator("$maxN", { n: 2, input: "$count" }, [5, 1], []),
  accumulator("$median", { input: "$price", method: "approximate" }, 2, 1),
  accumulator(
    "$mergeObjects",
    { $cond: ["$sold", { a: "$price" }, { b: "$price" }] },
    { a: 2, b: 3 },
    { b: 4 },
  ),
  accumulator("$min", "$price", 2, 1),
  accumulator("$minN", { n: 9, input: "$price" }, [2, 3], [1, 4]),
  accumulator("$percentile", { input: "$price", p: [0, 1], method: "approximate" }, [2, 3], [1, 4]),
  accumulator("$push", "$count", [5, 1], []),
  accumulator(
    "$push",
    { p: "$price", c: "$count" },
    [
      { p: 2, c: 5 },
      { p: 3, c: 1 },
    ],
    [{ p: 1 }, { p: 4 }],
  ),
  accumulator("$stdDevPop", "$price", 0.5, 1.5),
  accumulator("$stdDevSamp", "$count", Math.sqrt(8), null),
  accumulator("$sum", "$price", 5, 5),
  accumulator("$sum", { $multiply: ["$price", "$count"] }, 13, 0),
  accumulator("$sum", "$item", 0, 0),
  accumulator("$top", { sortBy: { price: 1 }, output: "$price" }, 2, 1),
  accumulator("$top", { sortBy: { count: 1, price: 1 }, output: "$price" }, 3, 1),
  accumulator("$topN", { n: 1, sortBy: { price: 1 }, output: "$price" }, [2], [1]),
];

const MDB = { $match: { stock: "MDB" } };
/** A function of the prices of one stock, in the order of their days. */
const windowOf = (
  about: string,
  value: JsonObject,
  values: JsonValue[],
  sortBy: JsonObject = { at: 1 },
): StageCase => ({
  about,
  from: "Price",
  pipeline: [MDB, { $setWindowFields: { sortBy, output: { value } } }, { $project: { _id: 0, value: 1 } }],
  results: values.map((each) => ({ value: each })),
  isOrdered: true,
});

const WINDOWS: StageCase[] = [
  windows(
    [
      {
        $setWindowFields: {
          partitionBy: "$stock",
          sortBy: { at: 1 },
          output: { "run.total": { $sum: "$hour", window: { documents: ["unbounded", "current"] } } },
        },
      },
      { $project: { run: 1 } },
    ],
    [
      { objectId: "p1", run: { total: 1 } },
      { objectId: "p2", run: { total: 3 } },
      { objectId: "p3", run: { total: 5 } },
      { objectId: "p4", run: { total: 10 } },
      { objectId: "p5", run: { total: 1 } },
      { objectId: "p6", run: { total: 3 } },
    ],
  ),
  windows(
    [{ $setWindowFields: { output: { all: { $sum: "$hour" } } } }, { $group: { _id: "$all" } }],
    [{ objectId: 13 }],
  ),
  windows([{ $setWindowFields: { output: { x: { $rank: {} } } } }], /\$rank needs sortBy with one field/),
  windows([{ $setWindowFields: { output: { x: { $nope: 1 } } } }], /Invalid aggregate operator: \$nope/),
  windows(
    [{ $setWindowFields: { sortBy: { at: 1 }, output: { x: { $sum: 1, window: { documents: [1, 0] } } } } }],
    /lower bound/,
  ),
  windowOf("$setWindowFields", { $push: "$hour", window: { documents: [-1, 1] } }, [
    [1, 2],
    [1, 2, 2],
    [2, 2, 5],
    [2, 5],
  ]),
  windowOf(
    "$setWindowFields",
    { $push: "$hour", window: { range: [-1, 0] } },
    [[1], [1, 2, 2], [1, 2, 2], [5]],
    { hour: 1 },
  ),
  windowOf("$setWindowFields", { $push: "$hour", window: { range: [-1, 0], unit: "day" } }, [
    [1],
    [1, 2],
    [2, 2],
    [2, 5],
  ]),
  windowOf(
    "$setWindowFields",
    { $max: "$price", window: { documents: ["current", "unbounded"] } },
    [15.4, 15.4, 12, 11.7],
  ),
  windowOf("$rank", { $rank: {} }, [1, 2, 2, 4], { hour: 1 }),
  windowOf("$denseRank", { $denseRank: {} }, [1, 2, 2, 3], { hour: 1 }),
  windowOf("$documentNumber", { $documentNumber: {} }, [1, 2, 3, 4], { hour: 1 }),
  windowOf("$shift", { $shift: { output: "$hour", by: 1 } }, [2, 2, 5, null]),
  windowOf("$shift", { $shift: { output: "$hour", by: -1, default: "none" } }, ["none", 1, 2, 2]),
  windowOf(
    "$expMovingAvg",
    { $expMovingAvg: { input: "$price", N: 2 } },
    [13, 14.6, 12.866666666666667, 12.088888888888889],
  ),
  windowOf("$expMovingAvg", { $expMovingAvg: { input: "$price", alpha: 0.75 } }, [13, 14.8, 12.7, 11.95]),
  windowOf("$derivative", { $derivative: { input: "$hour", unit: "day" }, window: { documents: [-1, 0] } }, [
    null,
    1,
    0,
    3,
  ]),
  windowOf(
    "$integral",
    { $integral: { input: "$hour", unit: "day" }, window: { documents: ["unbounded", "current"] } },
    [0, 1.5, 3.5, 7],
  ),
  windowOf(
    "$covariancePop",
    { $covariancePop: ["$hour", "$hour"], window: { documents: [-1, "current"] } },
    [0, 0.25, 0, 2.25],
  ),
  windowOf("$covarianceSamp", { $covarianceSamp: ["$hour", "$hour"], window: { documents: [-1, 0] } }, [
    null,
    0.5,
    0,
    4.5,
  ]),
  ordered(
    cases("$linearFill", "Reading")(
      [
        { $setWindowFields: { sortBy: { at: 1 }, output: { value: { $linearFill: "$value" } } } },
        { $project: { _id: 0, value: 1 } },
      ],
      [{ value: 0 }, { value: 2.5 }, { value: 5 }, { value: 10 }, { value: null }],
    ),
  ),
  ordered(
    cases("$locf", "Reading")(
      [
        { $setWindowFields: { sortBy: { at: 1 }, output: { value: { $locf: "$value" } } } },
        { $project: { _id: 0, value: 1 } },
      ],
      [{ value: 0 }, { value: 0 }, { value: 0 }, { value: 10 }, { value: 10 }],
    ),
  ),
];

const JOINS: StageCase[] = [
  lookup(
    [
      { $match: { objectId: { $in: ["s1", "s5"] } } },
      { $lookup: { from: "Shop", localField: "shop.objectId", foreignField: "objectId", as: "shops" } },
      { $project: { "shops.city": 1, "shops.objectId": 1 } },
    ],
    [
      { objectId: "s1", shops: [{ objectId: "a", city: "Rome" }] },
      { objectId: "s5", shops: [] },
    ],
  ),
  // The text that MongoDB stores for a pointer, of the first class and of looked-up objects.
  lookup(
    [
      { $match: { item: "pen", sold: true } },
      { $project: { id: { $substr: ["$_p_shop", 5, -1] } } },
      { $lookup: { from: "Shop", localField: "id", foreignField: "_id", as: "shop" } },
      { $unwind: "$shop" },
      { $addFields: { ownerId: { $substr: ["$shop._p_owner", 6, -1] }, text: "$shop._p_owner" } },
      { $lookup: { from: "Owner", localField: "ownerId", foreignField: "_id", as: "owners" } },
      { $project: { text: 1, "owners.name": 1, city: "$shop.city" } },
    ],
    [{ objectId: "s1", text: "Owner$o1", owners: [{ name: "Ann" }], city: "Rome" }],
  ),
  lookup(
    [
      { $limit: 1 },
      { $lookup: { from: "Shop", localField: "_p_shop", foreignField: "x", as: "none" } },
      { $project: { none: 1 } },
    ],
    [{ objectId: "s1", none: [] }],
  ),
  // A missing value is null, and equals missing ones.
  cases("$lookup", "Shop")(
    [
      { $lookup: { from: "Shop", localField: "city", foreignField: "city", as: "same" } },
      { $project: { "same.name": 1 } },
    ],
    [
      { objectId: "a", same: [{ name: "corner" }] },
      { objectId: "b", same: [{ name: "dock" }, { name: "empty" }] },
      { objectId: "c", same: [{ name: "dock" }, { name: "empty" }] },
    ],
  ),
  // Items of arrays on both sides.
  lookup(
    [
      { $match: { objectId: { $in: ["s1", "s3"] } } },
      { $lookup: { from: "Sale", localField: "tags", foreignField: "tags", as: "same" } },
      { $project: { "same._id": 1 } },
    ],
    [
      { objectId: "s1", same: ids("s1", "s2") },
      { objectId: "s3", same: [] },
    ],
  ),
  cases("$lookup", "Transfer")(
    [
      {
        $lookup: {
          from: "Balance",
          let: { t: "$token" },
          pipeline: [
            { $match: { $expr: { $eq: ["$token", "$$t"] } } },
            { $sort: { amount: 1 } },
            { $project: { _id: 0, amount: 1 } },
          ],
          as: "b",
        },
      },
      { $project: { b: 1 } },
    ],
    [
      { objectId: "t1", b: [{ amount: 5 }, { amount: 7 }] },
      { objectId: "t2", b: [{ amount: 9 }] },
      { objectId: "t3", b: [{ amount: 5 }, { amount: 7 }] },
    ],
  ),
  cases("$lookup", "Transfer")(
    [
      { $match: { token: "0x1", value: "9007199254740993" } },
      {
        $lookup: {
          from: "Balance",
          let: { t: "$token", min: 6 },
          pipeline: [
            { $match: { owner: { $exists: true } } },
            { $match: { $expr: { $and: [{ $gte: ["$amount", "$$min"] }, { $eq: ["$$t", "$token"] }] } } },
            { $group: { _id: "$$t", total: { $sum: "$amount" } } },
          ],
          as: "b",
        },
      },
      { $project: { b: 1 } },
    ],
    [{ objectId: "t3", b: [{ objectId: "0x1", total: 7 }] }],
  ),
  cases("$lookup", "Transfer")(
    [
      { $match: { objectId: "t1" } },
      {
        $lookup: {
          from: "Balance",
          localField: "token",
          foreignField: "token",
          pipeline: [{ $match: { owner: "ben" } }, { $project: { amount: 1 } }],
          as: "b",
        },
      },
      { $project: { b: 1 } },
    ],
    [{ objectId: "t1", b: [{ objectId: "b2", amount: 7 }] }],
  ),
  // A missing value is not null in a comparison of expressions.
  cases("$lookup", "Owner")(
    [
      {
        $lookup: {
          from: "Balance",
          let: { t: "$missing" },
          pipeline: [{ $match: { $expr: { $eq: ["$token", "$$t"] } } }, ID],
          as: "b",
        },
      },
      { $project: { b: 1 } },
    ],
    [{ objectId: "o1", b: ids("b4") }],
  ),
  cases("$lookup", "Owner")(
    [
      {
        $lookup: {
          from: "Shop",
          pipeline: [
            {
              $lookup: {
                from: "Sale",
                let: { s: "$_id" },
                pipeline: [{ $match: { $expr: { $eq: ["$shop.objectId", "$$s"] } } }, { $count: "n" }],
                as: "sales",
              },
            },
            { $project: { "sales.n": 1 } },
          ],
          as: "shops",
        },
      },
      { $project: { shops: 1 } },
    ],
    [
      {
        objectId: "o1",
        shops: [
          { objectId: "a", sales: [{ n: 2 }] },
          { objectId: "b", sales: [{ n: 1 }] },
          { objectId: "c", sales: [] },
        ],
      },
    ],
  ),
  lookup([{ $lookup: { from: "Shop", as: "x" } }], /localField and foreignField, a pipeline, or all/),
  lookup([{ $lookup: { from: "Shop", localField: "a", as: "x" } }], /a string as foreignField/),
  lookup([{ $lookup: { from: "Shop", let: { X: 1 }, pipeline: [], as: "x" } }], /invalid name of a variable/),
  lookup(
    [{ $lookup: { from: "Shop", pipeline: [{ $match: { $expr: "$$no" } }], as: "x" } }],
    /undefined variable/,
  ),
  lookup(
    [{ $lookup: { from: "Shop", pipeline: [{ $out: "x" }], as: "x" } }],
    /Invalid aggregate stage '\$out'/,
  ),
  lookup(
    [{ $lookup: { from: "_Session", localField: "a", foreignField: "b", as: "x" } }],
    /cannot read the class _Session/,
  ),
  union([{ $unionWith: "Shop" }, ID], ids("o1", "a", "b", "c")),
  union(
    [{ $unionWith: { coll: "Shop", pipeline: [{ $match: { city: "Rome" } }] } }, { $project: { name: 1 } }],
    [
      { objectId: "o1", name: "Ann" },
      { objectId: "a", name: "corner" },
    ],
  ),
  union([{ $unionWith: "Nowhere" }, ID], ids("o1")),
  union([{ $unionWith: "_Session" }], /cannot read the class _Session/),
  graphLookup(
    [
      { $match: { objectId: { $in: ["e1", "e5"] } } },
      { $graphLookup: REPORTING },
      { $project: { "chain.name": 1 } },
    ],
    [
      { objectId: "e1", chain: [] },
      { objectId: "e5", chain: [{ name: "Ron" }, { name: "Eliot" }, { name: "Dev" }] },
    ],
  ),
  graphLookup(
    [
      { $match: { objectId: "e5" } },
      { $graphLookup: { ...REPORTING, maxDepth: 1, depthField: "depth" } },
      { $project: { "chain.name": 1, "chain.depth": 1 } },
    ],
    [
      {
        objectId: "e5",
        chain: [
          { name: "Ron", depth: 0 },
          { name: "Eliot", depth: 1 },
        ],
      },
    ],
  ),
  graphLookup(
    [
      { $match: { objectId: "e5" } },
      { $graphLookup: { ...REPORTING, restrictSearchWithMatch: { name: { $ne: "Eliot" } } } },
      { $project: { "chain.name": 1 } },
    ],
    [{ objectId: "e5", chain: [{ name: "Ron" }] }],
  ),
  graphLookup([{ $graphLookup: { ...REPORTING, maxDepth: -1 } }], /maxDepth/),
  graphLookup([{ $graphLookup: { ...REPORTING, from: "_Session" } }], /cannot read the class _Session/),
];

export const STAGE_CASES: readonly StageCase[] = [
  addFields(
    [
      {
        $addFields: {
          "where.city": "$city",
          name: { $toUpper: "$name" },
          city: "$$REMOVE",
          owner: "$missing",
        },
      },
    ],
    [
      { objectId: "a", name: "CORNER", where: { city: "Rome" } },
      { objectId: "b", name: "DOCK", where: { city: null } },
      { objectId: "c", name: "EMPTY", where: {} },
    ],
  ),
  addFields(
    [{ $match: { name: "dock" } }, { $addFields: { city: { x: 1, y: "text" }, owner: B } }],
    [{ objectId: "b", name: "dock", city: { x: 1, y: "text" }, owner: B }],
  ),
  cases("$addFields", "Report")(
    [{ $match: { level: 1 } }, { $addFields: { "parts.new": 1 } }, { $project: { parts: 1 } }],
    [
      {
        objectId: "f1",
        parts: [
          { level: 5, text: "secret", new: 1 },
          { level: 2, text: "open", more: [{ level: 5 }, 7], new: 1 },
          { new: 1 },
        ],
      },
    ],
  ),
  addFields([{ $addFields: { a: {} } }], /an empty object is no value/),
  cases("$set", "Owner")(
    [{ $set: { name: "Ben", n: { $add: [1, 2] } } }],
    [{ objectId: "o1", name: "Ben", n: 3 }],
  ),
  bucket(
    [{ $bucket: { groupBy: "$price", boundaries: [0, 3, 10], default: "other" } }],
    [
      { objectId: 0, count: 2 },
      { objectId: 3, count: 2 },
      { objectId: "other", count: 1 },
    ],
  ),
  bucket(
    [
      {
        $bucket: {
          groupBy: "$count",
          boundaries: [1, 2, 9],
          default: -1,
          output: { prices: { $sum: "$price" } },
        },
      },
    ],
    [
      { objectId: -1, prices: 15 },
      { objectId: 1, prices: 3 },
      { objectId: 2, prices: 2 },
    ],
  ),
  bucket([{ $bucket: { groupBy: "$price", boundaries: [0, 3] } }], /in no bucket/),
  bucket([{ $bucket: { groupBy: "$price", boundaries: [3, 0] } }], /ascend/),
  ordered(
    bucketAuto(
      [{ $bucketAuto: { groupBy: "$price", buckets: 2 } }],
      [
        { objectId: { min: 1, max: 4 }, count: 3 },
        { objectId: { min: 4, max: 10 }, count: 2 },
      ],
    ),
  ),
  ordered(
    bucketAuto(
      [{ $bucketAuto: { groupBy: "$item", buckets: 3, output: { n: { $sum: 1 } } } }],
      [
        { objectId: { min: null, max: "ink" }, n: 2 },
        { objectId: { min: "ink", max: "pen" }, n: 3 },
      ],
    ),
  ),
  bucketAuto(
    [{ $bucketAuto: { groupBy: "$price", buckets: 2, granularity: "R5" } }],
    /has no argument granularity/,
  ),
  count([{ $count: "n" }], [{ n: 5 }]),
  count([{ $match: { price: { $gt: 99 } } }, { $count: "n" }], []),
  count([{ $skip: 2 }, { $count: "n" }], [{ n: 3 }]),
  count([{ $count: "a.b" }], /\$count takes the name of a field/),
  facet(
    [
      {
        $facet: {
          few: [{ $match: { price: { $lt: 3 } } }, BY_ID, ID],
          total: [{ $group: { _id: null, sum: { $sum: "$price" } } }],
          none: [{ $match: { price: 99 } }],
        },
      },
    ],
    [{ few: ids("s1", "s4"), total: [{ objectId: null, sum: 20 }], none: [] }],
  ),
  facet([{ $facet: { a: [{ $nope: 1 }] } }], /Invalid aggregate stage '\$nope'/),
  group(
    [{ $group: { _id: "$item", n: { $sum: 1 }, total: { $sum: "$price" } } }],
    [
      { objectId: "pen", n: 2, total: 5 },
      { objectId: "ink", n: 1, total: 10 },
      { objectId: null, n: 2, total: 5 },
    ],
  ),
  // In an object, missing members are left out, and null is another value.
  group(
    [{ $group: { _id: { item: "$item", sold: "$sold" }, n: { $sum: 1 } } }],
    [
      { objectId: { item: "pen", sold: true }, n: 1 },
      { objectId: { item: "pen", sold: false }, n: 1 },
      { objectId: { item: "ink", sold: true }, n: 1 },
      { objectId: { item: null }, n: 1 },
      { objectId: null, n: 1 },
    ],
  ),
  group(
    [{ $group: { _id: { item: "$item", sold: "$sold" }, all: { $push: "$price" } } }],
    [
      { objectId: { item: "pen", sold: true }, all: [2] },
      { objectId: { item: "pen", sold: false }, all: [3] },
      { objectId: { item: "ink", sold: true }, all: [10] },
      { objectId: { item: null }, all: [1] },
      { objectId: null, all: [4] },
    ],
  ),
  ...["$shop", "$_p_shop"].flatMap((key) =>
    [{ n: { $sum: 1 } }, { n: { $sum: { $add: [1, 0] } } }].map((fields) =>
      group(
        [{ $group: { _id: key, ...fields } }],
        [
          { objectId: "a", n: 2 },
          { objectId: "b", n: 1 },
          { objectId: null, n: 2 },
        ],
      ),
    ),
  ),
  // Within a pipeline, the pointer is the text that MongoDB stores.
  group(
    [
      { $match: { shop: { $exists: true } } },
      { $group: { _id: "$_p_shop", total: { $sum: "$price" } } },
      { $project: { _id: 0, total: 1, id: { $substr: ["$_id", 5, -1] } } },
      { $lookup: { from: "Shop", localField: "id", foreignField: "_id", as: "shop" } },
      { $project: { total: 1, "shop.name": 1 } },
    ],
    [
      { total: 5, shop: [{ name: "corner" }] },
      { total: 10, shop: [{ name: "dock" }] },
    ],
  ),
  group(
    [{ $match: { item: "ink" } }, { $group: { _id: { id: "$shop", text: "$_p_shop" }, n: { $sum: 1 } } }],
    [{ objectId: { id: "b", text: "Shop$b" }, n: 1 }],
  ),
  group(
    [
      { $match: { item: "ink" } },
      { $group: { _id: { id: "$shop", text: "$_p_shop" }, all: { $push: "$shop" } } },
    ],
    [{ objectId: { id: "b", text: "Shop$b" }, all: [B] }],
  ),
  group(
    [{ $group: { _id: { $dateToString: { format: "%Y-%m", date: "$at" } }, n: { $sum: 1 } } }],
    [
      { objectId: "2026-01", n: 2 },
      { objectId: "2026-02", n: 1 },
      { objectId: null, n: 2 },
    ],
  ),
  group(
    [
      {
        $group: {
          _id: { month: { $dateToString: { format: "%Y-%m", date: "$at" } }, sold: "$sold" },
          n: { $sum: 1 },
        },
      },
    ],
    [
      { objectId: { month: "2026-01", sold: true }, n: 1 },
      { objectId: { month: "2026-01", sold: false }, n: 1 },
      { objectId: { month: "2026-02", sold: true }, n: 1 },
      { objectId: { month: null }, n: 2 },
    ],
  ),
  group(
    [{ $group: { _id: { week: { $week: "$at" }, year: { $isoWeekYear: "$at" } }, n: { $sum: 1 } } }],
    [
      { objectId: { week: 1, year: 2026 }, n: 1 },
      { objectId: { week: 3, year: 2026 }, n: 1 },
      { objectId: { week: 5, year: 2026 }, n: 1 },
      { objectId: { week: null, year: null }, n: 2 },
    ],
  ),
  group(
    [{ $group: { _id: null, all: { $sum: "$price" }, least: { $min: "$price" }, mean: { $avg: "$count" } } }],
    [{ objectId: null, all: 20, least: 1, mean: 3 }],
  ),
  cases("$group", "Coin")(
    [
      {
        $group: { _id: null, all: { $sum: "$amount" }, mean: { $avg: "$amount" }, share: { $sum: "$share" } },
      },
    ],
    [{ objectId: null, all: 27e18, mean: 9e18, share: 0.75 }],
  ),
  group([{ $match: { price: 99 } }, { $group: { _id: null, n: { $sum: 1 } } }], []),
  group([{ $group: { _id: "", n: { $sum: 1 } } }], [{ objectId: null, n: 5 }]),
  group([{ $group: { _id: {}, n: { $sum: 2 } } }], [{ objectId: null, n: 10 }]),
  group([{ $group: { _id: "$missing", n: { $count: {} } } }], [{ objectId: null, n: 5 }]),
  group(
    [{ group: { objectId: "$sold", n: { $sum: 1 } } }],
    [
      { objectId: true, n: 2 },
      { objectId: false, n: 1 },
      { objectId: null, n: 2 },
    ],
  ),
  group(
    [
      {
        $group: {
          _id: { g: "$item" },
          n: { $firstN: { n: { $cond: [{ $eq: ["$g", "pen"] }, 1, 2] }, input: "$price" } },
        },
      },
      { $match: { "_id.g": "pen" } },
    ],
    [{ objectId: { g: "pen" }, n: [2] }],
  ),
  cases("$group", "Transfer")(
    [{ $group: { _id: "$token", sum: { $sum: { $toLong: "$value" } } } }, { $match: { _id: "0x2" } }],
    [{ objectId: "0x2", sum: 1 }],
  ),
  cases("$group", "Transfer")(
    [{ $group: { _id: null, value: { $sum: { $toLong: "$value" } } } }],
    new Digits("1009007199254740994"),
  ),
  cases("$group", "Transfer")(
    [{ $group: { _id: null, value: { $sum: { $toDecimal: "$value" } } } }],
    new Digits("1009007199254740994"),
  ),
  group([{ $group: { _id: null, x: { $accumulator: {} } } }], /Invalid aggregate operator: \$accumulator/),
  group([{ $group: { _id: null, x: 1 } }], /one accumulator for x/),
  group([{ $group: { _id: null, "a.b": { $sum: 1 } } }], /invalid name of a field/),
  group([{ $group: { _id: null, x: { $sum: ["$a", "$b"] } } }], /takes one argument/),
  limit([{ $limit: 2 }, { $count: "n" }], [{ n: 2 }]),
  limit([{ $limit: 0 }], /whole number from 1/),
  cases("$skip", "Sale")([BY_ID, { $skip: 3 }, ID], ids("s4", "s5")),
  cases("$skip", "Sale")([{ $skip: -1 }], /whole number from 0/),
  cases("$match", "Sale")([{ $match: 5 }], /\$match takes an object/),
  ...JOINS,
  project(
    [{ $match: { objectId: "s1" } }, { $project: { item: 1, price: true } }],
    [{ objectId: "s1", item: "pen", price: 2 }],
  ),
  project([{ $match: { objectId: "s1" } }, { $project: { _id: 0, item: 1 } }], [{ item: "pen" }]),
  project(
    [{ $match: { objectId: "s5" } }, { $project: { price: 0, createdAt: 0, updatedAt: 0 } }],
    [{ objectId: "s5" }],
  ),
  project([{ $match: { objectId: "s5" } }, { $project: { _id: 0 } }], [{ price: 4 }]),
  project(
    [{ $match: { objectId: "s1" } }, { $project: { _p_shop: 1, text: "$_p_shop", id: "$shop.objectId" } }],
    [{ objectId: "s1", shop: A, text: "Shop$a", id: "a" }],
  ),
  project(
    [
      { $match: { objectId: "s3" } },
      { $project: { _id: "$item", total: { $multiply: ["$price", 2] }, x: "text", y: ["$price", "$no"] } },
    ],
    [{ objectId: "ink", total: 20, x: "text", y: [10, null] }],
  ),
  project(
    [{ $match: { objectId: "s4" } }, { $project: { objectId: 1, item: 1, count: 1 } }],
    [{ objectId: "s4", item: null }],
  ),
  cases("$project", "Report")(
    [{ $match: { level: 1 } }, { $project: { "parts.text": 1, card: { number: 1, n: { $add: [1, 1] } } } }],
    [{ objectId: "f1", parts: [{ text: "secret" }, { text: "open" }], card: { number: "x", n: 2 } }],
  ),
  cases("$project", "Report")(
    [{ $match: { level: 1 } }, { $project: { "parts.text": 0, "card.address": 0, status: 0, level: 0 } }],
    [
      {
        objectId: "f1",
        card: { level: 5, number: "x" },
        parts: [{ level: 5 }, { level: 2, more: [{ level: 5 }, 7] }, "plain"],
      },
    ],
  ),
  project([{ $project: { item: 1, price: 0 } }], /cannot keep some fields and remove others/),
  project([{ $project: {} }], /at least one field/),
  project([{ $project: { a: 1, "a.b": 1 } }], /two rules are about the field/),
  cases("$unset", "Shop")(
    [{ $unset: ["city", "_p_owner"] }],
    [
      { objectId: "a", name: "corner" },
      { objectId: "b", name: "dock" },
      { objectId: "c", name: "empty" },
    ],
  ),
  cases("$unset", "Owner")([{ $unset: "name" }], ids("o1")),
  cases("$replaceRoot", "Sale")(
    [
      { $match: { shop: { $exists: true } } },
      { $replaceRoot: { newRoot: { $mergeObjects: [{ x: 1 }, { item: "$item" }] } } },
    ],
    [
      { x: 1, item: "pen" },
      { x: 1, item: "pen" },
      { x: 1, item: "ink" },
    ],
  ),
  cases("$replaceRoot", "Sale")(
    [{ $replaceRoot: { newRoot: "$item" } }],
    /can only be replaced with an object/,
  ),
  cases("$replaceWith", "Report")(
    [{ $match: { level: 1 } }, { $replaceWith: "$card" }],
    [{ level: 5, number: "x", address: { level: 3 } }],
  ),
  redact(
    [{ $redact: { $cond: [{ $eq: ["$level", 5] }, "$$PRUNE", "$$DESCEND"] } }],
    [{ objectId: "f1", level: 1, parts: [{ level: 2, text: "open", more: [7] }, "plain"], status: "A" }],
  ),
  redact([{ $match: { level: 5 } }, { $redact: "$$KEEP" }], [{ objectId: "f2", level: 5 }]),
  redact([{ $redact: { $cond: [{ $eq: ["$$ROOT.level", 5] }, "$$PRUNE", "$$KEEP"] } }, ID], ids("f1")),
  redact([{ $redact: "$level" }], /returns \$\$DESCEND, \$\$PRUNE or \$\$KEEP/),
  cases("$sample", "Sale")([{ $sample: { size: 3 } }, { $count: "n" }], [{ n: 3 }]),
  cases("$sample", "Sale")(
    [{ $sample: { size: 99 } }, { $group: { _id: "$_id" } }, { $count: "n" }],
    [{ n: 5 }],
  ),
  cases("$sample", "Sale")([{ $sample: { size: 0 } }], /whole number from 1/),
  ordered(sort([{ $sort: { price: -1 } }, ID], ids("s3", "s5", "s2", "s1", "s4"))),
  ordered(sort([{ $sort: { item: 1, price: -1 } }, ID], ids("s5", "s4", "s3", "s2", "s1"))),
  ordered(sort([{ $sort: { shop: -1, _id: 1 } }, ID], ids("s3", "s1", "s2", "s4", "s5"))),
  // Of arrays, the least item counts, or the greatest; an empty array comes before null.
  ordered(sort([{ $sort: { tags: 1, _id: 1 } }, ID], ids("s3", "s4", "s5", "s1", "s2"))),
  ordered(sort([{ $sort: { tags: -1, _id: 1 } }, ID], ids("s4", "s1", "s2", "s5", "s3"))),
  // All types: null, numbers, texts, objects, arrays by their items, booleans, dates.
  ordered(
    cases("$sort", "Thing")(
      [
        {
          $project: {
            v: {
              $switch: {
                branches: [
                  branch({ $eq: ["$_id", "m1"] }, date("1970-01-01")),
                  branch({ $eq: ["$_id", "m2"] }, false),
                  branch({ $eq: ["$_id", "m3"] }, { a: 1 }),
                  branch({ $eq: ["$_id", "m4"] }, "text"),
                ],
                default: { $toDecimal: "9" },
              },
            },
          },
        },
        { $sort: { v: 1 } },
        ID,
      ],
      ids("m5", "m4", "m3", "m2", "m1"),
    ),
  ),
  sort([{ $sort: { price: 2 } }], /sorts a field by 1 or -1/),
  sort([{ $sort: {} }], /the fields to sort by/),
  ordered(
    cases("$sortByCount", "Sale")(
      [{ $unwind: "$tags" }, { $sortByCount: "$tags" }, { $limit: 1 }],
      [{ objectId: "y", count: 2 }],
    ),
  ),
  unwind(
    [{ $unwind: "$tags" }, { $project: { tags: 1 } }],
    [
      { objectId: "s1", tags: "x" },
      { objectId: "s1", tags: "y" },
      { objectId: "s2", tags: "y" },
      { objectId: "s4", tags: "z" },
      { objectId: "s4", tags: null },
    ],
  ),
  unwind(
    [
      { $match: { objectId: { $in: ["s2", "s3", "s5"] } } },
      { $unwind: { path: "$tags", includeArrayIndex: "i", preserveNullAndEmptyArrays: true } },
      { $project: { tags: 1, i: 1 } },
    ],
    [
      { objectId: "s2", tags: "y", i: 0 },
      { objectId: "s3", i: null },
      { objectId: "s5", i: null },
    ],
  ),
  unwind(
    [{ $match: { item: "ink" } }, { $unwind: "$item" }, { $project: { item: 1 } }],
    [{ objectId: "s3", item: "ink" }],
  ),
  cases("$unwind", "Thing")(
    [{ $match: { n: 5 } }, { $unwind: "$o.v" }, { $project: { "o.v": 1 } }],
    [
      { objectId: "m5", o: { v: 1 } },
      { objectId: "m5", o: { v: 2 } },
      { objectId: "m5", o: { v: { w: 1 } } },
    ],
  ),
  unwind([{ $unwind: "tags" }], /path with \$/),
  ...ACCUMULATORS,
  ...WINDOWS,
  cases("$out", "Sale")([{ $out: "x" }], /Invalid aggregate stage '\$out'/),
  cases("$limit", "Sale")([{ $limit: 1, $skip: 1 }], /only have one key but found \$limit, \$skip/),
];
