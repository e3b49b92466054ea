import type { JsonObject, JsonValue } from "@purse/protocol";
import { pointer, type RequestAttack, repeat } from "./requestAttack.ts";
import { applicationHeaders, type HostileRequest, type Target } from "./target.ts";

/** About as many nodes as those with a session may send. */
const KEYS = 29_000;
const keysOf = (count: number, value: (i: number) => JsonValue = (i) => i, name = "k") =>
  Object.fromEntries(repeat(count, (i) => [`${name}${i}`, value(i)]));

/** By somebody who is signed in. */
const send = (target: Target, method: string, path: string, body: JsonObject): HostileRequest => ({
  method,
  path,
  headers: applicationHeaders(target, { "X-Parse-Session-Token": target.sessionToken }),
  body: JSON.stringify(body),
});
const save =
  (...bodies: JsonObject[]): RequestAttack["make"] =>
  (target) =>
    bodies.map((body) => send(target, "POST", "/server/classes/Hostile", body));
/** Changes of one object, and then a look at it. */
const change =
  (...bodies: JsonObject[]): RequestAttack["make"] =>
  (target) => {
    const path = `/server/classes/Hostile/${target.objectId}`;
    return [
      ...bodies.map((body) => send(target, "PUT", path, body)),
      { method: "GET", path, headers: applicationHeaders(target) },
    ];
  };
const find =
  (params: JsonObject, className = "Hostile"): RequestAttack["make"] =>
  (target) =>
    send(target, "POST", `/server/classes/${className}`, { _method: "GET", ...params });
const call =
  (path: string, body: JsonObject): RequestAttack["make"] =>
  (target) =>
    send(target, "POST", path, body);
/** Conditions, as the text that old clients send. */
const asText = (where: JsonObject) => JSON.stringify(where);

const conditions = (count: number): JsonObject => ({
  $and: repeat(count, (i) => ({ [`field${i}`]: { $gt: i, $ne: `text ${i}` } })),
});
const texts = (count: number, length = 1) => repeat(count, (i) => `${"x".repeat(length)} ${i}`);
const objects = (count: number) => repeat(count, (i) => ({ a: i, b: `t${i}` }));

/** Large values that are stored, compared and read again, and long texts of every kind. */
export const LARGE: readonly RequestAttack[] = (
  [
    ["an update with 29,000 keys", change({ map: keysOf(KEYS) })],
    ["an update with 29,000 other keys", change({ map: keysOf(KEYS, (i) => i, "other") })],
    [
      "an update with 14,000 objects in an object",
      change({ map: keysOf(14_000, (i) => ({ [`n${i}`]: i })) }),
    ],
    [
      "paths into 29,000 keys",
      change(
        { map: keysOf(KEYS) },
        { "map.k1.a": 1 },
        { "map.k2": { __op: "Delete" }, "map.k3": { __op: "Increment", amount: 1 } },
      ),
    ],
    [
      "10,000 objects added uniquely to as many",
      change({ list: objects(10_000) }, { list: { __op: "AddUnique", objects: objects(10_000) } }),
    ],
    [
      "10,000 objects removed from as many",
      change({ list: objects(10_000) }, { list: { __op: "Remove", objects: objects(10_000) } }),
    ],
    [
      "lists in lists added uniquely",
      change(
        { list: repeat(5_000, (i) => [[i], [i + 1]]) },
        { list: { __op: "AddUnique", objects: repeat(5_000, (i) => [[i], [i + 2]]) } },
      ),
    ],
    [
      "pointers added uniquely to as many",
      change(
        { list: repeat(8_000, pointer) },
        { list: { __op: "AddUnique", objects: repeat(8_000, (i) => pointer(i + 4_000)) } },
      ),
    ],
    [
      "long texts that begin alike, added uniquely to as many",
      change({ list: texts(2_000, 1_000) }, { list: { __op: "AddUnique", objects: texts(2_000, 1_000) } }),
    ],
    [
      "an update of an ACL of 9,000 entries",
      change({ ACL: { "*": { read: true, write: true }, ...keysOf(9_000, () => ({ read: true }), "u") } }),
    ],
    [
      "an ACL of 9,000 roles",
      save({ ACL: { "*": { read: true }, ...keysOf(9_000, () => ({ write: true }), "role:r") } }),
    ],
    ["a save of 900 fields", save(keysOf(900, (i) => `value ${i}`))],
    ["a save of 900 fields of pointers", save(keysOf(900, pointer, "p"))],
    [
      "11,000 dates",
      save({ list: repeat(11_000, (i) => ({ __type: "Date", iso: new Date(1e12 + i).toISOString() })) }),
    ],
    [
      "9,000 places",
      save({ list: repeat(9_000, (i) => ({ __type: "GeoPoint", latitude: i % 90, longitude: i % 180 })) }),
    ],
    ["4 MB of bytes", save({ data: { __type: "Bytes", base64: "QUJD".repeat(950_000) } })],
    [
      "8,000 files",
      save({ list: repeat(8_000, (i) => ({ __type: "File", name: `f${i}`, url: `http://a/f${i}` })) }),
    ],
    ["14,000 operations in a list", save({ list: repeat(14_000, () => ({ __op: "Increment", amount: 1 })) })],
    [
      "8,000 objects of a relation",
      save({
        rel: { __op: "AddRelation", objects: repeat(8_000, (i) => ({ ...pointer(i), className: "Probe" })) },
      }),
    ],
    ["where as a text with 280 kB of texts", find({ where: asText({ text: { $in: texts(19_000, 5) } }) })],
    ["where as a text with 499 conditions", find({ where: asText(conditions(499)) })],
    ["where as a text of 3 MB", find({ where: asText({ text: "x".repeat(3_000_000) }) })],
    ["where as a text of 29,000 keys", find({ where: asText({ map: keysOf(KEYS) }) })],
    [
      "where as a text of 19,000 objects",
      find({ where: asText({ map: { $in: repeat(900, (i) => keysOf(19, (k) => k + i)) } }) }),
    ],
    [
      "where as a text of arrays in arrays",
      find({ where: `{"map":${"[".repeat(60_000)}${"]".repeat(60_000)}}` }),
    ],
    [
      "where with 8,000 pointers in a list",
      find({ where: { next: { $in: repeat(8_000, (i) => ({ ...pointer(i), className: "Probe" })) } } }),
    ],
    [
      "where with 19,000 numbers in a list",
      find({ where: { number: { $in: repeat(19_999, (i) => i * 1.5) } } }),
    ],
    ["where with an object of 25,000 keys", find({ where: { map: keysOf(25_000) } })],
    [
      "where with 19,000 texts not in a list of each",
      find({ where: { list: { $nin: texts(19_000) }, text: { $nin: texts(900) } } }),
    ],
    ["a count of 499 conditions", find({ where: conditions(499), count: 1, limit: 0 })],
    [
      "a search of 900 characters in 9 fields",
      find({
        where: Object.fromEntries(
          repeat(9, (i) => [`text${i}`, { $text: { $search: { $term: "ab ".repeat(300) } } }]),
        ),
      }),
    ],
    [
      "a polygon of 999 points in 20 branches",
      find({
        where: {
          $or: repeat(20, () => ({ place: { $geoWithin: { $polygon: repeat(49, (i) => [i, i]) } } })),
        },
      }),
    ],
    [
      "nested queries with 2,000 texts each",
      find({
        where: {
          $and: repeat(8, () => ({
            text: { $inQuery: { className: "Hostile", where: { text: { $in: texts(2_000) } } } },
          })),
        },
      }),
    ],
    [
      "keys of 280 kB",
      find({
        keys: repeat(900, (i) => `map.${"k".repeat(100)}${i}`).join(),
        excludeKeys: repeat(900, (i) => `m${i}.${"k".repeat(100)}`).join(),
      }),
    ],
    ["a function with 29,000 keys", call("/server/functions/hello", keysOf(KEYS))],
    [
      "a function with an ABI of 3,800 entries",
      call("/server/functions/runContractFunction", {
        address: `0x${"1".repeat(40)}`,
        chain: "0x539",
        function_name: "f",
        abi: repeat(3_800, (i) => ({
          type: "function",
          name: `f${i}`,
          inputs: [{ type: "uint256", name: "a" }],
          outputs: [],
        })),
      }),
    ],
    [
      "a function with an ABI as a text of 3,800 entries",
      call("/server/functions/runContractFunction", {
        address: `0x${"1".repeat(40)}`,
        chain: "0x539",
        function_name: "f",
        abi: JSON.stringify(
          repeat(3_800, (i) => ({
            type: "function",
            name: `f${i}`,
            inputs: [{ type: "uint256", name: "a" }],
            outputs: [],
          })),
        ),
      }),
    ],
    [
      "tuples in tuples in an ABI",
      call("/server/functions/runContractFunction", {
        address: `0x${"1".repeat(40)}`,
        chain: "0x539",
        function_name: "f",
        abi: [
          {
            type: "function",
            name: "f",
            inputs: [
              repeat(60, (i) => i).reduce<JsonObject>(
                (inner) => ({
                  type: "tuple",
                  name: "t",
                  components: [inner, { type: "uint256", name: "x" }],
                }),
                { type: "uint256", name: "a" },
              ),
            ],
            outputs: [],
          },
        ],
        params: { t: {} },
      }),
    ],
    [
      "declarations of an ABI of 1 MB",
      call("/server/functions/runContractFunction", {
        address: `0x${"1".repeat(40)}`,
        chain: "0x539",
        function_name: "f",
        abi: repeat(
          5_000,
          (i) => `function f${i}(${repeat(20, (n) => `uint256 a${n}`).join(", ")}) view returns (uint256)`,
        ),
      }),
    ],
    [
      "a declaration of brackets",
      call("/server/functions/runContractFunction", {
        address: `0x${"1".repeat(40)}`,
        chain: "0x539",
        function_name: "f",
        abi: [
          `function f(${"(".repeat(20_000)}uint256${")".repeat(20_000)} a)`,
          `function g(${"uint256[] ".repeat(50_000)})`,
        ],
      }),
    ],
    [
      "a name of ENS of 1 MB",
      call("/server/functions/resolveENSDomain", { domain: `${"a.".repeat(500_000)}eth` }),
    ],
    [
      "a domain of 3 MB",
      call("/server/functions/resolveDomain", { domain: `${"\u0130".repeat(1_000_000)}.crypto` }),
    ],
    [
      "a sign-in by a message of 3 MB",
      call("/server/users", {
        authData: {
          moralisEth: {
            id: `0x${"1".repeat(40)}`,
            signature: `0x${"1".repeat(130)}`,
            data: "Sign in\n".repeat(400_000),
          },
        },
      }),
    ],
    [
      "a sign-in by a message of lines like EIP-4361's",
      call("/server/users", {
        authData: {
          moralisEth: {
            id: `0x${"1".repeat(40)}`,
            signature: `0x${"1".repeat(130)}`,
            data: `a wants you to sign in with your Ethereum account:\n0x${"1".repeat(40)}\n\n${"x\n\n".repeat(100_000)}URI: a\nVersion: 1\nResources:\n${"- a\n".repeat(400_000)}`,
          },
        },
      }),
    ],
    [
      "a token of 3 MB",
      call("/server/users", {
        authData: {
          google: {
            id: "1",
            id_token: `${"a".repeat(1_000_000)}.${"e".repeat(1_000_000)}.${"a".repeat(1_000_000)}`,
          },
          oidc: { id: "1", id_token: `${"a.".repeat(900_000)}` },
        },
      }),
    ],
    [
      "a token of a head with 20,000 keys",
      call("/server/users", {
        authData: {
          google: {
            id: "1",
            id_token: `${Buffer.from(JSON.stringify(keysOf(20_000))).toString("base64url")}.e30.a`,
          },
        },
      }),
    ],
    ["9,000 providers", call("/server/users", { authData: keysOf(9_000, () => ({ id: "1" }), "p") })],
    [
      "a sign-up with a name of 250 marks",
      call("/server/users", { username: "\ufdfa".repeat(250), password: "x".repeat(1_000) }),
    ],
    ["an address of @ signs", call("/server/requestPasswordReset", { email: `${"a@".repeat(100_000)}` })],
    [
      "a receipt of 3 MB",
      call("/server/validate_purchase", { receipt: "A".repeat(3_000_000), productIdentifier: "x" }),
    ],
    [
      "an event with 29,000 dimensions",
      call("/server/events/AppOpened", { dimensions: keysOf(KEYS, String) }),
    ],
    [
      "an installation with 29,000 keys",
      call("/server/installations", { installationId: "large", deviceType: "ios", more: keysOf(KEYS) }),
    ],
    [
      "a role with 8,000 users",
      call("/server/roles", {
        name: `r${"x".repeat(20)}`,
        ACL: {},
        users: {
          __op: "AddRelation",
          objects: repeat(8_000, (i) => ({ ...pointer(i), className: "_User" })),
        },
      }),
    ],
    [
      "a file of JSON with 15 MB of base64",
      call("/server/files/a.bin", {
        base64: "QUJD".repeat(900_000),
        fileData: { metadata: keysOf(9_000, String), tags: keysOf(9_000, String) },
      }),
    ],
    [
      "a schema of 9,000 fields",
      call("/server/schemas/Large", { fields: keysOf(9_000, () => ({ type: "String" }), "f") }),
    ],
    [
      "an aggregation as a text of 280 kB",
      find({ pipeline: JSON.stringify(repeat(500, (i) => ({ $match: keysOf(20, (k) => k + i) }))) }),
    ],
    [
      "escapes in 3 MB of text",
      (target) => ({
        ...send(target, "POST", "/server/classes/Hostile", {}),
        body: `{"text":"${"\\u00e4".repeat(500_000)}"}`,
      }),
    ],
    [
      "numbers of 30,000 digits",
      (target) => ({
        ...send(target, "POST", "/server/classes/Hostile", {}),
        body: `{"list":[${repeat(100, () => "1".repeat(30_000)).join()}]}`,
      }),
    ],
    [
      "one key 29,000 times",
      (target) => ({
        ...send(target, "POST", "/server/classes/Hostile", {}),
        body: `{"map":{${repeat(29_000, () => '"k":1').join()}}}`,
      }),
    ],
    [
      "29,000 keys of digits",
      save({ map: Object.fromEntries(repeat(KEYS, (i) => [String(i * 1_000_003), 1])) }),
    ],
  ] satisfies [string, RequestAttack["make"]][]
).map(([generator, make]) => ({ generator, isShort: false, make }));
