import { request } from "node:http";
import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { casesOf, pairsOf } from "../support/allCases.ts";
import {
  type AttackTarget,
  type Attempt,
  attack,
  IDENTITIES,
  READ_ONLY_KEY,
  TRANSPORTS,
} from "../support/attempts.ts";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse } from "../support/purse.ts";

const MAX_BODY = 20 * 1024 * 1024;

/** Parses JSON that an object literal cannot express. */
const raw = (text: string): JsonObject => JSON.parse(text);
const nested = (depth: number, inner: string) =>
  raw(`${'{"$or":['.repeat(depth)}${inner}${"]}".repeat(depth)}`);
const deep = (depth: number) => raw(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);

const bad = (...codes: (number | null)[]) => codes;
const find = (where: JsonObject, codes: (number | null)[]): Attempt => ({
  method: "GET",
  path: "/classes/Thing",
  params: { where },
  codes,
});
const save = (fields: JsonObject, codes: (number | null)[]): Attempt => ({
  method: "POST",
  path: "/classes/Thing",
  params: fields,
  codes,
});

/** Attempts of every identity, named by the number of the abuse case. */
const ATTEMPTS: [string, Attempt][] = [
  ...["a'b", 'a"b', "a;b", "a->b", "a$$b", "a b", "a\\b", "a/*b", "ä"].flatMap(
    (name): [string, Attempt][] => [
      [`1 ${name} in where`, find({ [name]: 1 }, bad(105))],
      [`1 ${name} in order`, { ...find({}, bad(105)), params: { order: name } }],
      [`1 ${name} in keys`, { ...find({}, bad(105)), params: { keys: name } }],
      [`1 ${name} incremented`, save({ [name]: { __op: "Increment", amount: 1 } }, bad(105))],
    ],
  ),
  [
    "2 an operator as username",
    { method: "POST", path: "/login", params: { username: { $ne: 1 }, password: "x" }, codes: bad(101) },
  ],
  [
    "2 an operator as password",
    { method: "POST", path: "/login", params: { username: "x", password: { $ne: 1 } }, codes: bad(101) },
  ],
  [
    "2 an operator as e-mail",
    { method: "POST", path: "/requestPasswordReset", params: { email: { $ne: 1 } }, codes: bad(125) },
  ],
  ["3 $where", find({ $where: "sleep(1000)" }, bad(105))],
  ["3 $expr", find({ $expr: { $gt: [1, 0] } }, bad(105))],
  ["3 $function", find({ n: { $function: { body: "return true" } } }, bad(102))],
  ["3 an unknown operator", find({ n: { $foo: 1 } }, bad(102))],
  ["3 $or that is not an array", find({ $or: { length: 2, "0": {} } }, bad(102))],
  ["4 __proto__ as field", save(raw('{"__proto__":{"a":1}}'), bad(105))],
  ["4 a nested __proto__", save(raw('{"o":{"x":{"__proto__":{"a":1}}}}'), bad(105))],
  [
    "4 a nested constructor after other keys",
    save(raw('{"o":{"x":1,"constructor":{"prototype":{}}}}'), bad(105)),
  ],
  ["4 prototype by a dotted path", save({ "o.__proto__.a": 1 }, bad(105))],
  ["4 prototype in where", find(raw('{"o.constructor.prototype":1}'), bad(105))],
  ["5 a function named toString", { method: "POST", path: "/functions/toString", codes: bad(141) }],
  ["5 a function named __proto__", { method: "POST", path: "/functions/__proto__", codes: bad(141) }],
  ["5 a function with a dot", { method: "POST", path: "/functions/a.b", codes: bad(141) }],
  ["6 a pattern with catastrophic backtracking", find({ text: { $regex: "^(a+)+$" } }, bad(null))],
  [
    "6 nested repetition regardless of case",
    find({ text: { $regex: "(x+x+)+y", $options: "i" } }, bad(null)),
  ],
  ["6 a very long pattern", find({ text: { $regex: "a".repeat(5_000) } }, bad(102))],
  ["7 a broken pattern", find({ text: { $regex: "(" } }, bad(102))],
  ["8 10,000 times $or", find(nested(10_000, '{"n":1}'), bad(102, 107, 105))],
  ["8 deep values", save({ o: deep(5_000) }, bad(107, 105))],
  ["8 50,000 operands", find({ n: { $in: Array.from({ length: 50_000 }, (_, i) => i) } }, bad(102))],
  [
    "8 2,000 conditions",
    find(Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`f${i}`, 1])), bad(102)),
  ],
  ...[
    "_Join:users:_Role",
    "_SCHEMA",
    "_Hooks",
    "_GlobalConfig",
    "_Idempotency",
    "purse_claims",
    "sqlite_master",
  ].flatMap((name): [string, Attempt][] => [
    [`13 reading ${name}`, { method: "GET", path: `/classes/${name}`, codes: bad(119, 103, null) }],
    [`13 deleting in ${name}`, { method: "DELETE", path: `/classes/${name}/x`, codes: bad(119, 103, 101) }],
  ]),
  ...["objectId", "createdAt", "updatedAt", "_rperm", "_wperm", "_hashed_password", "_id", "1a"].map(
    (name): [string, Attempt] => [`14 saving ${name}`, save({ [name]: "x" }, bad(105))],
  ),
  ["20 an ACL for an invalid subject", save({ ACL: { "role:*": { read: true }, "a b": {} } }, bad(123))],
  ["20 an ACL that is not an object", save({ ACL: "everyone" }, bad(123))],
  ["20 an ACL whose permissions are not booleans", save({ ACL: { "*": { read: 1 } } }, bad(123))],
];

/** Requests that need the master key; the read-only key may send those that only read. */
const OPERATOR_ONLY: [string, Attempt][] = [
  [
    "3 an aggregate",
    { method: "GET", path: "/aggregate/Thing", params: { pipeline: [{ $count: "n" }] }, codes: bad(119) },
  ],
  ["9 distinct", { method: "GET", path: "/aggregate/Thing", params: { distinct: "n" }, codes: bad(119) }],
  ["13 schemas", { method: "GET", path: "/schemas", codes: bad(119) }],
  ["13 creating a class", { method: "POST", path: "/schemas/Stolen", params: {}, codes: bad(119) }],
  ["13 purging a class", { method: "DELETE", path: "/purge/Thing", codes: bad(119) }],
  [
    "38 a hook",
    {
      method: "POST",
      path: "/hooks/functions",
      params: { functionName: "f", url: "http://x.example" },
      codes: bad(119),
    },
  ],
  ["38 running a job", { method: "POST", path: "/jobs/any", params: {}, codes: bad(119) }],
  [
    "38 saving config parameters",
    { method: "PUT", path: "/config", params: { params: { a: 1 } }, codes: bad(119) },
  ],
  [
    "38 scheduling a job",
    {
      method: "POST",
      path: "/classes/_JobSchedule",
      params: { jobName: "any", cron: "* * * * *" },
      codes: bad(119),
    },
  ],
  [
    "38 a login as another user",
    { method: "POST", path: "/loginAs", params: { userId: "x" }, codes: bad(119) },
  ],
];

describe.each(DATABASES)("abuse cases on %s", (database) => {
  let purse: Purse;
  let attackTarget: AttackTarget & { sessionToken: string };
  const send: AttackTarget["send"] = (...attempt) => attackTarget.send(...attempt);
  const post: AttackTarget["post"] = (path, body) => attackTarget.post(path, body);
  const alive = () => attackTarget.expectAlive();

  beforeAll(async () => {
    purse = await hostPurse({
      env: { ...(await databaseEnv(database)), PURSE_READ_ONLY_MASTER_KEY: READ_ONLY_KEY },
    });
    attackTarget = await attack(purse);
    await send("REST", "the master key", save({ n: 1, text: `${"a".repeat(40)}!`, o: {} }, []));
  });
  afterAll(() => purse.remove());

  // With `npm test`, each identity uses one of the transports for each of them, in turn.
  it.each(ATTEMPTS)("case %s is rejected for every identity over every transport", async (_name, attempt) => {
    const turn = ATTEMPTS.findIndex(([, each]) => each === attempt);
    for (const [who, transport] of pairsOf(IDENTITIES, TRANSPORTS, turn)) {
      const answer = await send(transport, who, attempt);
      const isWrite = attempt.method !== "GET" || transport === "batch";
      const refusals = attempt.codes.filter((code) => code !== null);
      const codes = who === "the read-only key" && isWrite ? [119, ...refusals] : attempt.codes;
      expect([transport, who, codes]).toEqual([transport, who, expect.arrayContaining([answer.code])]);
      expect(answer.status).toBeLessThan(500);
      expect(answer.text).not.toMatch(/SQLITE|syntax error|at .*\.ts:\d+/);
    }
    await alive();
  });

  it.each(ATTEMPTS.filter(([, { path, params }]) => path.startsWith("/classes/") && params?.where))(
    "case %s is rejected in a live query for every identity",
    async (name, { params, codes }) => {
      const turn = ATTEMPTS.findIndex(([each]) => each === name) % IDENTITIES.length;
      for (const who of casesOf(IDENTITIES, (_, i) => i === turn)) {
        const code = await attackTarget.subscribe(who, "Thing", params?.where ?? {});
        expect([who, codes]).toEqual([who, expect.arrayContaining([code])]);
      }
      await alive();
    },
  );

  it.each(OPERATOR_ONLY)("case %s requires the master key", async (_name, attempt) => {
    for (const who of ["an anonymous client", "a user"] as const) {
      for (const transport of TRANSPORTS) {
        const answer = await send(transport, who, attempt);
        expect([transport, who, attempt.codes]).toEqual([
          transport,
          who,
          expect.arrayContaining([answer.code]),
        ]);
      }
    }
    const seen = await send("overridden method", "the read-only key", attempt);
    expect(seen.code).toBe(attempt.method === "GET" ? null : 119);
    await alive();
  });

  it("rejects a batch of 10,000 requests, a nested batch and alternative spellings of its path (case 32)", async () => {
    const requests = Array.from({ length: 10_000 }, () => ({ method: "GET", path: "/server/classes/Thing" }));
    const envelope = { _ApplicationId: purse.appId };
    expect((await post("/batch", JSON.stringify({ ...envelope, requests }))).code).toBe(107);
    for (const path of ["/server/batch", "/server//batch", "/batch", "/server/./batch", "/server/batch/"]) {
      const answer = await post(
        "/batch",
        JSON.stringify({ ...envelope, requests: [{ method: "POST", path, body: { requests: [] } }] }),
      );
      expect([path, /"success"/.test(answer.text)]).toEqual([path, false]);
    }
    for (const method of ["get", "Put", "PATCH", "TRACE", "__proto__", 5, ["GET"]]) {
      const answer = await post("/classes/Thing", JSON.stringify({ ...envelope, _method: method, n: 9 }));
      expect([method, answer.status]).toEqual([method, 405]);
    }
    await alive();
  });

  describe("a body that is too large (case 33)", () => {
    const KEYS: Record<string, () => Record<string, string>> = {
      "an anonymous client": () => ({}),
      "a user": () => ({ "X-Parse-Session-Token": attackTarget.sessionToken }),
      "the master key": () => ({ "X-Parse-Master-Key": purse.masterKey }),
    };

    it.each(Object.entries(KEYS))(
      "is rejected with 413 by its Content-Length before %s has sent any of it",
      async (_who, keys) => {
        const headers = { ...keys(), "Content-Length": String(MAX_BODY + 1) };
        expect(await stream(headers, 0)).toMatchObject({ status: 413, code: 116 });
        await attackTarget.expectAlive();
      },
    );

    it.each(Object.entries(KEYS))(
      "is rejected with 413 at the size limit without a Content-Length, sent by %s",
      async (_who, keys) => {
        const { status, code, sent } = await stream(keys(), 5 * MAX_BODY);
        expect([status, code]).toEqual([413, 116]);
        // Only data that the kernel had buffered before the response exceeds the limit.
        expect(sent).toBeLessThan(3 * MAX_BODY);
        await attackTarget.expectAlive();
      },
    );

    it("is rejected with 107 if it has too many fields", async () => {
      const fields = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`f${i}`, i]));
      for (const transport of TRANSPORTS)
        expect([transport, (await send(transport, "a user", save(fields, []))).code]).toEqual([
          transport,
          107,
        ]);
      await alive();
    });
  });

  it.each<[string, number, number]>([
    ["", 403, 119],
    ["null", 400, 107],
    ["[1]", 400, 107],
    ['"x"', 400, 107],
    ["5", 400, 107],
    ["{", 400, 107],
    ["\u0000", 400, 107],
    ["<xml/>", 400, 107],
  ])("rejects the body %j, which is not a JSON object (case 33)", async (body, status, code) => {
    expect(await post("/classes/Thing", body)).toMatchObject({ status, code });
    await alive();
  });

  /** Streams bytes of a save until the response arrives. */
  function stream(
    headers: Record<string, string>,
    bytes: number,
  ): Promise<{ status: number | undefined; code: unknown; sent: number }> {
    return new Promise((resolve, reject) => {
      let sent = 0;
      let isAnswered = false;
      const uploadRequest = request(`${purse.serverUrl}/classes/Thing`, {
        method: "POST",
        headers: { "X-Parse-Application-Id": purse.appId, "Content-Type": "application/json", ...headers },
      });
      uploadRequest.on("response", async (response) => {
        isAnswered = true;
        let text = "";
        for await (const chunk of response) text += chunk;
        resolve({ status: response.statusCode, code: JSON.parse(text).code, sent });
        uploadRequest.destroy();
      });
      // The server closes the connection after its response.
      uploadRequest.on("error", (error) => isAnswered || reject(error));
      uploadRequest.flushHeaders();
      const piece = Buffer.alloc(256 * 1024, " ");
      const more = () => {
        while (!isAnswered && sent < bytes) {
          sent += piece.length;
          if (!uploadRequest.write(piece)) return void uploadRequest.once("drain", more);
        }
      };
      more();
    });
  }

  it("queries reveal no hidden fields and no unreadable objects (cases 9 to 12)", async () => {
    const thing = await send("REST", "the master key", {
      method: "POST",
      path: "/classes/Vault",
      params: { code: "sesame", hint: "s", ACL: { someone: { read: true, write: true } } },
      codes: [],
    });
    const objectId = String(JSON.parse(thing.text).objectId);
    const pointer = { __type: "Pointer", className: "Vault", objectId };
    await send("REST", "the master key", save({ vault: pointer, code: "sesame" }, []));
    const subquery = { className: "Vault", where: {} };
    const queries: JsonObject[] = [
      { vault: { $inQuery: subquery } },
      { code: { $select: { key: "code", query: subquery } } },
      { $relatedTo: { object: pointer, key: "things" } },
    ];
    for (const where of queries) {
      const answer = await send("REST", "a user", find(where, []));
      expect([answer.status, JSON.parse(answer.text).results]).toEqual([200, []]);
    }
    const included = await send("REST", "a user", {
      ...find({ vault: { $exists: true } }, []),
      params: { where: { vault: { $exists: true } }, include: "vault" },
    });
    expect(included.text).not.toContain('"hint"');
    const written = await send("REST", "the master key", {
      method: "POST",
      path: "/classes/Drop",
      params: { n: 41, ACL: { "*": { write: true } } },
      codes: [],
    });
    const update = await send("REST", "a user", {
      method: "PUT",
      path: `/classes/Drop/${JSON.parse(written.text).objectId}`,
      params: { n: { __op: "Increment", amount: 1 } },
      codes: [],
    });
    expect(Object.keys(JSON.parse(update.text))).toEqual(["updatedAt"]);
  });
});
