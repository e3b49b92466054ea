import type { JsonObject, JsonValue } from "@purse/protocol";
import { pointer, type RequestAttack, repeat, TEXT_TYPE } from "./requestAttack.ts";
import { enveloped, type HostileRequest, type Target } from "./target.ts";

/** A query without an account. */
const find =
  (params: JsonObject, className = "Hostile") =>
  (target: Target): HostileRequest => ({
    path: `/server/classes/${className}`,
    headers: TEXT_TYPE,
    body: enveloped(target, { _method: "GET", ...params }),
  });
const where = (value: JsonValue) => find({ where: value });

const nested = (depth: number, inner: JsonObject): JsonObject =>
  depth === 0 ? inner : { $or: [nested(depth - 1, inner), { number: depth }] };

export const QUERIES: readonly RequestAttack[] = [
  { generator: "1,000,000 empty branches", make: where({ $or: repeat(1_000_000, () => ({})) }) },
  { generator: "29,000 empty branches", make: where({ $or: repeat(29_000, () => ({})) }) },
  { generator: "1,000 empty branches", make: where({ $or: repeat(999, () => ({})) }) },
  { generator: "1,000 conditions", make: where({ $and: repeat(499, (i) => ({ number: { $gt: i } })) }) },
  {
    generator: "branches of branches",
    make: where({ $or: repeat(20, () => ({ $nor: repeat(40, (i) => ({ number: i })) })) }),
  },
  { generator: "branches 11 deep", make: where(nested(11, { text: "x" })) },
  { generator: "branches 90 deep", make: where(nested(90, { text: "x" })) },
  { generator: "20,000 texts in a list", make: where({ text: { $in: repeat(20_000, (i) => `t${i}`) } }) },
  {
    generator: "20,000 texts not in a list",
    make: where({ text: { $nin: repeat(20_000, (i) => `t${i}`) } }),
  },
  {
    generator: "20,000 texts that contain an array",
    make: where({ list: { $containedBy: repeat(20_000, (i) => `t${i}`) } }),
  },
  {
    generator: "lists of 2,000 texts, 900 times",
    make: where({ $and: repeat(900, () => ({ text: { $in: repeat(2_000, String) } })) }),
  },
  {
    generator: "lists of 19 texts, 900 times",
    make: where({ $and: repeat(900, () => ({ text: { $in: repeat(19, String) } })) }),
  },
  {
    generator: "900 texts that an array must hold",
    make: where({ list: { $all: repeat(900, (i) => `known ${i}`) } }),
  },
  {
    generator: "900 objects in a list",
    make: where({ map: { $in: repeat(900, (i) => ({ m: i, n: [i] })) } }),
  },
  { generator: "pointers to 500 classes", make: where({ text: { $in: repeat(5_000, pointer) } }) },
  {
    generator: "20,000 patterns",
    make: where({ list: { $all: repeat(20_000, (i) => ({ $regex: `^(a|b|c){1,50}${i}` })) } }),
  },
  {
    generator: "100 patterns",
    make: where({ list: { $all: repeat(100, (i) => ({ $regex: `(a|b|c){1,9}${i}` })) } }),
  },
  {
    generator: "new patterns each time",
    make: (target, random) =>
      repeat(50, () => where({ text: { $regex: `(${random.text(4)}|b){1,900}x` } })(target)),
  },
  {
    generator: "a pattern of 142,000 instructions",
    make: where({ text: { $regex: "x{1000}".repeat(142) } }),
  },
  {
    generator: "a pattern of 9,000 instructions",
    make: where({ text: { $regex: "(?i)[a-z]{900}".repeat(9) } }),
  },
  {
    generator: "a pattern of 1,000 groups",
    make: where({ text: { $regex: "(".repeat(500) + ")".repeat(500) } }),
  },
  {
    generator: "a polygon of 600,000 points",
    make: where({ place: { $geoWithin: { $polygon: repeat(600_000, (i) => [i % 90, i % 180]) } } }),
  },
  {
    generator: "a polygon of 1,000 points",
    make: where({ place: { $geoWithin: { $polygon: repeat(1_000, (i) => [i % 90, i % 180]) } } }),
  },
  { generator: "100,000 order keys", make: find({ order: repeat(100_000, (i) => `k${i}`).join() }) },
  { generator: "32 order keys", make: find({ order: repeat(32, (i) => `k${i}.a.b.c`).join() }) },
  { generator: "300,000 includes", make: find({ include: repeat(300_000, (i) => `p${i}`).join() }) },
  { generator: "100 includes", make: find({ include: repeat(100, (i) => `map.p${i}.q.r`).join() }) },
  { generator: "keys of commas", make: find({ keys: ",".repeat(4_000_000) }) },
  {
    generator: "1,000 keys and 1,000 without",
    make: find({
      keys: repeat(1_000, (i) => `k${i}`).join(),
      excludeKeys: repeat(1_000, (i) => `map.x${i}`).join(),
    }),
  },
  { generator: "a path of dots", make: where({ [`a${".b".repeat(1_900_000)}`]: 1 }) },
  { generator: "skips beyond all numbers", make: find({ skip: 1e300 }) },
  { generator: "halves of surrogate pairs", make: where({ text: { $in: repeat(10_000, () => "\ud800") } }) },
  {
    generator: "a relative time of 4 MB",
    make: where({ createdAt: { $gt: { $relativeTime: `in ${"1 day ".repeat(600_000)}` } } }),
  },
  {
    generator: "a search of 1,000 words",
    make: where({ text: { $text: { $search: { $term: "ab ".repeat(333) } } } }),
  },
  {
    generator: "nested queries 9 times",
    make: where({
      $and: repeat(9, () => ({ text: { $inQuery: { className: "Hostile", where: { text: "x" } } } })),
    }),
  },
  {
    generator: "$relatedTo with a long key",
    make: where({ $relatedTo: { object: pointer(1), key: "k".repeat(3_000_000) } }),
  },
  { generator: "a parameter that is not known, of 4 MB", make: find({ ["x".repeat(3_900_000)]: 1 }) },
  { generator: "a read preference of 4 MB", make: find({ readPreference: "\u0130".repeat(1_900_000) }) },
];
