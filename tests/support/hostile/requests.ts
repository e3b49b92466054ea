import type { JsonObject, JsonValue } from "@purse/protocol";
import type { Attack } from "./attack.ts";
import type { Random } from "./random.ts";
import { applicationHeaders, enveloped, type HostileRequest, type Target } from "./target.ts";

const repeat = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const TEXT_TYPE = { "Content-Type": "text/plain" };
const FORM_TYPE = { "Content-Type": "application/x-www-form-urlencoded" };

interface RequestAttack {
  generator: string;
  isShort?: boolean;
  /** Whether the requests are sent concurrently; otherwise sequentially. */
  isConcurrent?: boolean;
  make(target: Target, random: Random): HostileRequest | HostileRequest[];
}

function attacksBy(route: string, sent: readonly RequestAttack[]): Attack[] {
  return sent.map(({ generator, isShort = true, isConcurrent = false, make }) => ({
    generator,
    route,
    isShort,
    run: async (target, random) => {
      const built = make(target, random);
      const requests = Array.isArray(built) ? built : [built];
      if (isConcurrent) return Promise.all(requests.map((each) => target.send(each)));
      const statuses: number[] = [];
      for (const each of requests) statuses.push(await target.send(each));
      return statuses;
    },
  }));
}

/** A query without an account. */
const find =
  (params: JsonObject, className = "Hostile") =>
  (target: Target): HostileRequest => ({
    path: `/server/classes/${className}`,
    headers: TEXT_TYPE,
    body: enveloped(target, { _method: "GET", ...params }),
  });
const where = (value: JsonValue) => find({ where: value });

/** A save without an account. */
const save =
  (fields: JsonObject) =>
  (target: Target): HostileRequest => ({
    path: "/server/classes/Hostile",
    headers: TEXT_TYPE,
    body: enveloped(target, fields),
  });
const change =
  (fields: JsonObject) =>
  (target: Target): HostileRequest => ({
    ...save({ _method: "PUT", ...fields })(target),
    path: `/server/classes/Hostile/${target.objectId}`,
  });

const nested = (depth: number, inner: JsonObject): JsonObject =>
  depth === 0 ? inner : { $or: [nested(depth - 1, inner), { number: depth }] };
const pointer = (i: number) => ({ __type: "Pointer", className: `C${i % 500}`, objectId: `o${i}` });

const QUERIES: readonly RequestAttack[] = [
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

const texts = (count: number) => repeat(count, (i) => `new ${i}`);

const OPERATIONS: readonly RequestAttack[] = [
  {
    generator: "29,000 added uniquely to a new list",
    make: save({ list: { __op: "AddUnique", objects: texts(29_000) } }),
  },
  {
    generator: "29,000 added uniquely to 20,000",
    make: change({ list: { __op: "AddUnique", objects: texts(29_000) } }),
  },
  {
    generator: "29,000 removed from 20,000",
    make: change({ list: { __op: "Remove", objects: texts(29_000) } }),
  },
  {
    generator: "140,000 numbers added uniquely",
    make: change({ list: { __op: "AddUnique", objects: repeat(140_000, (i) => i) } }),
  },
  {
    generator: "7,000 objects added uniquely",
    make: change({ list: { __op: "AddUnique", objects: repeat(7_000, (i) => ({ a: i })) } }),
  },
  {
    generator: "250,000 objects of a relation in a Batch",
    make: save({ rel: { __op: "Batch", ops: [{ __op: "AddRelation", objects: repeat(60_000, pointer) }] } }),
  },
  {
    generator: "4,000 objects of a relation",
    make: save({
      rel: { __op: "AddRelation", objects: repeat(4_000, (i) => ({ ...pointer(i), className: "C" })) },
    }),
  },
  {
    generator: "5,000 operations in a Batch",
    make: save({ rel: { __op: "Batch", ops: repeat(5_000, () => ({ __op: "AddRelation", objects: [] })) } }),
  },
  {
    generator: "an increment beyond all numbers",
    make: (target) => repeat(3, () => change({ number: { __op: "Increment", amount: 1e308 } })(target)),
  },
  {
    generator: "1,000 dotted paths into 10,000 keys",
    make: (target) => [
      change({ map: Object.fromEntries(repeat(10_000, (i) => [`k${i}`, i])) })(target),
      change(Object.fromEntries(repeat(1_000, (i) => [`map.k${i}`, -i])))(target),
    ],
  },
  {
    generator: "1,000 positions of a list of 20,000",
    make: change(Object.fromEntries(repeat(1_000, (i) => [`list.${i}`, "x"]))),
  },
  {
    generator: "1,000 dotted paths",
    make: change(Object.fromEntries(repeat(1_000, (i) => [`map.a${i}.b.c`, i]))),
  },
  {
    generator: "9,000 ACL entries",
    make: save({ ACL: Object.fromEntries(repeat(9_000, (i) => [`user${i}`, { read: true }])) }),
  },
  {
    generator: "a pointer to a class with a long name",
    make: save({ link: { __type: "Pointer", className: "C".repeat(3_000_000), objectId: "x" } }),
  },
  { generator: "a date of 4 MB", make: save({ when: { __type: "Date", iso: "(".repeat(3_900_000) } }) },
  {
    generator: "a polygon of 60,000 points",
    make: save({ area: { __type: "Polygon", coordinates: repeat(25_000, (i) => [i % 90, i % 180]) } }),
  },
  {
    generator: "channels added to an installation",
    make: (target) => ({
      path: "/server/installations",
      headers: TEXT_TYPE,
      body: enveloped(target, {
        installationId: "i",
        deviceType: "ios",
        channels: { __op: "AddUnique", objects: texts(29_000) },
      }),
    }),
  },
];

const ACCOUNTS: readonly RequestAttack[] = [
  {
    generator: "a name that folding makes 18 times as long",
    make: (target) =>
      repeat(5, () => ({
        path: "/server/login",
        headers: TEXT_TYPE,
        body: enveloped(target, { username: "\ufdfa".repeat(1_300_000), password: "p" }),
      })),
  },
  {
    generator: "a password of 4 MB",
    make: (target) => ({
      path: "/server/login",
      headers: TEXT_TYPE,
      body: enveloped(target, { username: "u", password: "p".repeat(4_000_000) }),
    }),
  },
  {
    generator: "a sign-up with a name of 4 MB",
    make: (target) => ({
      path: "/server/users",
      headers: TEXT_TYPE,
      body: enveloped(target, { username: "\ufdfa".repeat(1_300_000), password: "p" }),
    }),
  },
  {
    generator: "a reset for an address of 4 MB",
    make: (target) => ({
      path: "/server/requestPasswordReset",
      headers: TEXT_TYPE,
      body: enveloped(target, { email: `${"a".repeat(3_900_000)}@b` }),
    }),
  },
  {
    generator: "a signature of 4 MB",
    make: (target) => ({
      path: "/server/users",
      headers: TEXT_TYPE,
      body: enveloped(target, {
        authData: {
          moralisEth: { id: `0x${"a".repeat(40)}`, data: "d", signature: `0x${"ab".repeat(1_900_000)}` },
        },
      }),
    }),
  },
  {
    generator: "a session token of 4 MB",
    make: (target) => ({
      path: "/server/classes/Hostile",
      headers: TEXT_TYPE,
      body: enveloped(target, { _method: "GET", _SessionToken: "r".repeat(4_000_000) }),
    }),
  },
  {
    generator: "a master key of 4 MB",
    make: (target) => ({
      path: "/server/classes/Hostile",
      headers: TEXT_TYPE,
      body: enveloped(target, { _method: "GET", _MasterKey: "m".repeat(4_000_000) }),
    }),
  },
  {
    generator: "an installation id of 4 MB",
    make: (target) => ({
      path: "/server/classes/Hostile",
      headers: TEXT_TYPE,
      body: enveloped(target, { _method: "GET", _InstallationId: "i".repeat(4_000_000) }),
    }),
  },
  {
    generator: "a context of 4 MB as text",
    make: (target) => ({
      path: "/server/classes/Hostile",
      headers: TEXT_TYPE,
      body: enveloped(target, { _method: "GET", _context: `{"a":[${"[],".repeat(1_000_000)}[]]}` }),
    }),
  },
];

const batch =
  (requests: JsonValue[]) =>
  (target: Target): HostileRequest => ({
    path: "/server/batch",
    headers: TEXT_TYPE,
    body: enveloped(target, { requests }),
  });

const BATCHES: readonly RequestAttack[] = [
  {
    generator: "500 log-ins",
    make: batch(
      repeat(500, (i) => ({
        method: "POST",
        path: "/server/login",
        body: { username: `u${i}`, password: "p" },
      })),
    ),
  },
  {
    generator: "500 sign-ups",
    make: batch(
      repeat(500, (i) => ({
        method: "POST",
        path: "/server//classes/%5FUser/",
        body: { username: `u${i}`, password: "p" },
      })),
    ),
  },
  {
    generator: "500 functions",
    make: batch(repeat(500, () => ({ method: "POST", path: "/server/functions/getServerTime", body: {} }))),
  },
  {
    generator: "500 resets of passwords",
    make: batch(
      repeat(500, (i) => ({
        method: "POST",
        path: "/server/requestPasswordReset",
        body: { email: `u${i}@example.org` },
      })),
    ),
  },
  {
    generator: "500 saves",
    make: batch(
      repeat(500, (i) => ({ method: "POST", path: "/server/classes/Hostile", body: { number: i } })),
    ),
  },
  {
    generator: "500 questions with patterns",
    make: batch(
      repeat(500, (i) => ({
        method: "GET",
        path: "/server/classes/Probe",
        body: { where: { text: { $regex: `(a|b){1,400}${i}` } } },
      })),
    ),
  },
  {
    generator: "500 questions with long queries",
    make: batch(
      repeat(500, () => ({ method: "GET", path: `/server/classes/Probe?${"a=1&".repeat(1_500)}`, body: {} })),
    ),
  },
  { generator: "29,000 requests", make: batch(repeat(29_000, () => ({}))) },
  {
    generator: "10 log-ins, 20 times at a time",
    isShort: false,
    isConcurrent: true,
    make: (target) =>
      repeat(20, () =>
        batch(
          repeat(10, (i) => ({
            method: "POST",
            path: "/server/login",
            body: { username: `u${i}`, password: "p" },
          })),
        )(target),
      ),
  },
];

const form =
  (text: string, headers: Record<string, string> = {}) =>
  (): HostileRequest => ({
    path: "/server/classes/Hostile",
    headers: { ...FORM_TYPE, ...headers },
    body: text,
  });

const FORMS: readonly RequestAttack[] = [
  { generator: "a& × 9,900,000", make: form("a&".repeat(9_900_000)) },
  { generator: "a& × 100,000", make: form("a&".repeat(100_000)) },
  { generator: "a& × 1,000", make: form("a&".repeat(1_000)) },
  { generator: "distinct fields", make: form(repeat(20_000, (i) => `k${i}=v`).join("&")) },
  { generator: "percent signs", make: form(`a=${"%41".repeat(87_000)}`) },
  { generator: "broken percent signs", make: form(`a=${"%zz".repeat(87_000)}`) },
  { generator: "pluses", make: form(`a=${"+".repeat(260_000)}`) },
  { generator: "lists", make: form("a[]=1&".repeat(999)) },
  { generator: "20 MB in one field", make: form(`a=${"x".repeat(20_000_000)}`) },
  { generator: "JSON as a form", make: form(`{"a":[${"[],".repeat(6_000_000)}[]]}`) },
  {
    generator: "forms of somebody who knows the application",
    make: (target) => ({ ...form("a&".repeat(130_000))(), headers: applicationHeaders(target, FORM_TYPE) }),
  },
];

const HEADERS: readonly RequestAttack[] = [
  {
    generator: "a query string of 15 kB of fields",
    make: (target) =>
      repeat(20, () => ({
        method: "GET",
        path: `/server/classes/Probe?${"a&".repeat(7_000)}`,
        headers: applicationHeaders(target),
      })),
  },
  {
    generator: "a where of 15 kB",
    make: (target) =>
      repeat(20, () => ({
        method: "GET",
        path: `/server/classes/Probe?where=${encodeURIComponent(`{"a":{"$in":[${"[],".repeat(1_200)}[]]}}`)}`,
        headers: applicationHeaders(target),
      })),
  },
  {
    generator: "a context of 15 kB",
    make: (target) =>
      repeat(20, () => ({
        method: "GET",
        path: "/server/classes/Probe",
        headers: applicationHeaders(target, {
          "X-Parse-Cloud-Context": `{"a":${"[".repeat(7_000)}${"]".repeat(7_000)}}`,
        }),
      })),
  },
  {
    generator: "metadata of a file of 15 kB",
    make: (target) =>
      repeat(20, () => ({
        path: "/server/files/a.txt",
        headers: applicationHeaders(target, { "X-Parse-File-Metadata": `{"a":[${"{},".repeat(4_500)}{}]}` }),
        body: "x",
      })),
  },
  {
    generator: "metadata of an upload of 15 kB",
    make: (target) =>
      repeat(20, () => ({
        path: "/server/files/resumable",
        headers: applicationHeaders(target, {
          "Tus-Resumable": "1.0.0",
          "Upload-Length": "1",
          "Upload-Metadata": `${"a ,".repeat(4_500)}filename YQ==`,
        }),
      })),
  },
  {
    generator: "a path of slashes and dots",
    make: (target) =>
      repeat(20, () => ({
        method: "GET",
        path: `/server${"/./".repeat(4_500)}`,
        headers: applicationHeaders(target),
      })),
  },
  {
    generator: "many segments",
    make: (target) =>
      repeat(20, () => ({
        method: "GET",
        path: `/server/classes${"/a".repeat(7_000)}`,
        headers: applicationHeaders(target),
      })),
  },
  {
    generator: "cookies",
    make: () =>
      repeat(20, () => ({
        method: "GET",
        path: "/studio/api/session",
        headers: { Cookie: "a=b; ".repeat(3_000) },
      })),
  },
  {
    generator: "a content type of spaces",
    make: (target) =>
      repeat(20, () => ({
        path: "/server/classes/Hostile",
        headers: {
          ...applicationHeaders(target),
          "Content-Type": `${"; ".repeat(3_000)}${" ".repeat(8_000)}x`,
        },
        body: "{}",
      })),
  },
  {
    generator: "a range of a file",
    make: (target) =>
      repeat(20, () => ({
        method: "GET",
        path: `/server/files/${target.purse.appId}/none.txt`,
        headers: { Range: `bytes=${"0-1,".repeat(3_500)}` },
      })),
  },
];

const concurrentSaves =
  (count: number, size: number): RequestAttack["make"] =>
  (target) =>
    repeat(count, () => ({
      path: "/server/classes/Hostile",
      headers: applicationHeaders(target, { "X-Parse-Session-Token": target.sessionToken }),
      body: `{"text":"${"x".repeat(size)}"}`,
    }));

const CONCURRENT: readonly RequestAttack[] = [
  {
    generator: "20 saves of 19 MB at a time",
    isConcurrent: true,
    isShort: false,
    make: concurrentSaves(20, 19_000_000),
  },
  {
    generator: "40 saves of 4 MB at a time",
    isConcurrent: true,
    isShort: false,
    make: concurrentSaves(40, 3_900_000),
  },
  { generator: "200 saves of 60 kB at a time", isConcurrent: true, make: concurrentSaves(200, 60_000) },
];

/** Attacks by single requests of the Parse protocol. */
export function requestAttacks(): Attack[] {
  return [
    ...attacksBy("query", QUERIES),
    ...attacksBy("operation", OPERATIONS),
    ...attacksBy("account", ACCOUNTS),
    ...attacksBy("batch", BATCHES),
    ...attacksBy("form", FORMS),
    ...attacksBy("header", HEADERS),
    ...attacksBy("crowd", CONCURRENT),
  ];
}
