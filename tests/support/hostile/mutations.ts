import type { JsonObject, JsonValue } from "@purse/protocol";
import type { Random } from "../random.ts";
import type { Attack } from "./attack.ts";
import { enveloped, type HostileRequest, type Target } from "./target.ts";

/** Valid requests of legacy clients: path and fields. */
const VALID: readonly [string, JsonObject][] = [
  [
    "/classes/Hostile",
    { text: "t", list: [1, "a"], map: { m: { n: 1 } }, number: 4, ACL: { "*": { read: true } } },
  ],
  [
    "/classes/Hostile",
    {
      _method: "GET",
      where: { number: { $gt: 1 }, text: { $regex: "^t", $options: "i" } },
      order: "-number",
      limit: 5,
      keys: "text,map.m",
      include: "map",
    },
  ],
  [
    "/classes/Hostile",
    {
      _method: "GET",
      where: { $or: [{ text: "t" }, { list: { $all: [1] } }], map: { $exists: true } },
      count: 1,
      skip: 0,
    },
  ],
  [
    "/classes/Hostile",
    {
      _method: "GET",
      where: { place: { $nearSphere: { __type: "GeoPoint", latitude: 1, longitude: 2 }, $maxDistance: 1 } },
    },
  ],
  [
    "/classes/Hostile",
    { _method: "GET", where: { text: { $inQuery: { className: "Probe", where: { n: 1 }, limit: 3 } } } },
  ],
  [
    "/classes/Hostile",
    {
      list: { __op: "AddUnique", objects: [1, { a: 1 }] },
      number: { __op: "Increment", amount: 2 },
      text: { __op: "Delete" },
    },
  ],
  [
    "/batch",
    {
      requests: [
        { method: "POST", path: "/server/classes/Hostile", body: { number: 1 } },
        { method: "GET", path: "/server/classes/Hostile?limit=1" },
      ],
      transaction: false,
    },
  ],
  ["/functions/getServerTime", { a: 1 }],
  ["/login", { username: "somebody", password: "something" }],
  [
    "/installations",
    { installationId: "abc", deviceType: "ios", deviceToken: "t", channels: ["a", "b"], badge: 1 },
  ],
  ["/roles", { name: "Editors", ACL: { "*": { read: true } }, users: { __op: "AddRelation", objects: [] } }],
  ["/users/me", { _method: "GET", _SessionToken: "r:0123456789abcdef", include: "a" }],
  ["/requestPasswordReset", { email: "a@example.org" }],
  [
    "/aggregate/Hostile",
    { _method: "GET", pipeline: [{ $match: { number: 1 } }, { $group: { _id: "$text", n: { $sum: 1 } } }] },
  ],
];

/** Hostile replacements for values. */
const HOSTILE: readonly ((random: Random) => JsonValue)[] = [
  () => null,
  () => -0,
  () => 1e308,
  () => -1,
  () => 2 ** 53 + 1,
  () => "",
  () => "\0",
  () => "\ud800",
  () => "__proto__",
  () => "constructor",
  () => "x".repeat(100_000),
  () => "\ufdfa".repeat(10_000),
  () => "../".repeat(1_000),
  () => [],
  () => ({}),
  () => Array.from({ length: 5_000 }, () => []),
  () => Array.from({ length: 5_000 }, (_, i) => `s${i}`),
  () => Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`k${i}`, i])),
  () => JSON.parse(`${"[".repeat(90)}${"]".repeat(90)}`),
  () => ({ __op: "Increment", amount: "1" }),
  () => ({ __op: "Batch", ops: [{ __op: "AddRelation", objects: [null] }] }),
  () => ({ __type: "Pointer", className: "_User", objectId: { $ne: 1 } }),
  () => ({ __type: "Date", iso: "9999999999999" }),
  () => ({ __type: "Polygon", coordinates: [[1, 2]] }),
  () => ({ $regex: "(".repeat(500) }),
  () => ({ $in: Array.from({ length: 3_000 }, (_, i) => ({ i })) }),
  () => ({ $select: { query: { className: "Hostile", where: {} }, key: "a.b" } }),
  (random) => random.text(20),
  (random) => random.next() * 1e12,
];

const KEYS = [
  "__proto__",
  "constructor",
  "$where",
  "$or",
  "a.b.c",
  "a b",
  "\0",
  "ACL",
  "objectId",
  "_rperm",
  "length",
];

function mutate(value: JsonValue, random: Random): JsonValue {
  const isInner = typeof value === "object" && value !== null;
  if (!isInner || random.integerBelow(5) === 0) return random.pick(HOSTILE)(random);
  if (Array.isArray(value)) {
    const at = random.integerBelow(value.length + 1);
    const mutated = at < value.length ? mutate(value[at] ?? null, random) : random.pick(HOSTILE)(random);
    return [...value.slice(0, at), mutated, ...value.slice(at + 1)];
  }
  const names = Object.keys(value);
  const name = names.length === 0 || random.integerBelow(4) === 0 ? random.pick(KEYS) : random.pick(names);
  const entries = Object.entries(value).filter(([known]) => known !== name);
  const known = Object.hasOwn(value, name) ? value[name] : undefined;
  return Object.fromEntries([
    ...entries,
    [name, known === undefined ? random.pick(HOSTILE)(random) : mutate(known, random)],
  ]);
}

/** A valid request with one to three values or some bytes changed. */
export function mutated(target: Target, random: Random): HostileRequest {
  const [path, fields] = random.pick(VALID);
  let changed: JsonValue = fields;
  for (let left = 1 + random.integerBelow(3); left > 0; left--) changed = mutate(changed, random);
  const object =
    typeof changed === "object" && changed !== null && !Array.isArray(changed) ? changed : { a: changed };
  let body = enveloped(target, object);
  if (random.integerBelow(6) === 0) {
    const at = random.integerBelow(body.length);
    body =
      body.slice(0, at) +
      random.pick(["", '"', "{", "]", ",", "\\", "1e999", "\ufffd"]) +
      body.slice(at + random.integerBelow(4));
  }
  return { path: `/server${path}`, headers: { "Content-Type": "text/plain" }, body };
}

const PER_ATTACK = 200;

export function mutationAttacks(rounds: number): Attack[] {
  return Array.from({ length: rounds }, (_, round) => ({
    generator: `${PER_ATTACK} mutations, round ${round + 1}`,
    route: "mutation",
    isShort: round === 0,
    async run(target, random) {
      const statuses: number[] = [];
      for (let i = 0; i < PER_ATTACK; i++) statuses.push(await target.send(mutated(target, random)));
      return statuses;
    },
  }));
}
