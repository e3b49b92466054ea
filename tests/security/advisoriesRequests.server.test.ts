import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject, JsonValue } from "@purse/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { NIGHTLY, pairsOf } from "../support/allCases.ts";
import {
  type AttackTarget,
  type Attempt,
  type AttemptAnswer,
  attack,
  type Identity,
  READ_ONLY_KEY,
  TRANSPORTS,
} from "../support/attempts.ts";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { connectLive, type LiveSocket } from "../support/liveClient.ts";
import { hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";
import { type Received, send } from "../support/send.ts";
import { type StudioClient, setUpStudio } from "../support/studio.ts";

const MASTER = { useMasterKey: true };
const CLIENTS: readonly Identity[] = ["an anonymous client", "a user"];
const SECRETS = {
  PURSE_WEBHOOK_KEY: "needle-webhook-key",
  PURSE_STREAMS_SECRET: "needle-streams-secret",
  PURSE_MAINTENANCE_KEY: "needle-maintenance-key",
  PURSE_SMTP_URL: "smtp://mailer:needle-mail-password@127.0.0.1:1",
};

const CLOUD = `
Parse.Cloud.define("hello", () => "Hello!");
Parse.Cloud.define("secretly", () => "needle-of-the-function", { requireMaster: true });
Parse.Cloud.define("shop.order", () => "ordered", { requireUser: true });
Parse.Cloud.define("echo", ({ params }) => Object.keys(params).concat(typeof ({}).polluted));
Parse.Cloud.beforeSave("Kept", ({ object, original }) => {
  if (original === undefined) return;
  object.set("roles", original.get("roles"));
  object.set("place", original.get("place"));
  object.set("box", original.get("box"));
  object.setACL(original.getACL());
});
Parse.Cloud.beforeSave("Reverted", ({ object, original }) => {
  if (original !== undefined) object.revert("roles", "place", "box", "ACL");
});
Parse.Cloud.beforeSave("Constant", () => {}, {
  fields: { roles: { constant: true }, place: { constant: true }, box: { constant: true }, ACL: { constant: true } },
});
Parse.Cloud.beforeSave("Dated", ({ object }) => { object.set("checked", true); });
Parse.Cloud.beforeFind(Parse.File, ({ file, user }) => {
  if (file.name().includes("guarded") && !user) throw new Parse.Error(119, "guarded");
});
`;

const values = (...all: JsonValue[]): JsonValue[] => all;
const objects = (...all: JsonObject[]): JsonObject[] => all;
const raw = (text: string): JsonObject => JSON.parse(text);
const deep = (levels: number, open: string, inner: string, close: string): JsonValue =>
  JSON.parse(open.repeat(levels) + inner + close.repeat(levels));
/** A condition whose branches double at each level. */
const doubled = (levels: number): JsonObject => {
  let where: JsonObject = { n: 1 };
  for (let i = 0; i < levels; i++) where = { $or: [where, where] };
  return where;
};

/** A value in a message; some are nested too deeply for JSON.stringify. */
function shown(value: unknown): string {
  try {
    return JSON.stringify(value).slice(0, 300);
  } catch {
    return "nested deeply";
  }
}

/** Clients that try something: all, or one in turn, which changes after each has used every transport. */
const clientsOf = (turn: number): readonly Identity[] =>
  NIGHTLY ? CLIENTS : CLIENTS.slice(Math.floor(turn / TRANSPORTS.length) % CLIENTS.length).slice(0, 1);

type Advisory = [ids: string, tried: string, run: () => Promise<unknown>];

/* Requests that broke similar servers; docs/deploy/security.md lists the advisories. */
describe.each(DATABASES)("requests that broke similar servers, on %s", (database) => {
  let purse: Purse;
  let target: AttackTarget & { sessionToken: string; userId: string };
  let owner: StudioClient;
  const sockets: LiveSocket[] = [];
  let turn = 0;

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "purse-advisories-"));
    writeFileSync(join(folder, "cloud.mjs"), CLOUD);
    purse = await hostPurse({
      env: {
        ...(await databaseEnv(database)),
        ...SECRETS,
        PURSE_READ_ONLY_MASTER_KEY: READ_ONLY_KEY,
        PURSE_CLOUD: join(folder, "cloud.mjs"),
        PURSE_GRAPHQL_PUBLIC_INTROSPECTION: "0",
        PURSE_ALLOW_PUBLIC_EXPLAIN: "0",
      },
    });
    target = await attack(purse);
    owner = await setUpStudio(purse);
    await rest(purse, "POST", "/classes/Thing", { n: 1, text: "shown", o: { a: 1 } }, MASTER);
  });
  afterAll(() => purse.remove());
  afterEach(() => {
    for (const { socket } of sockets.splice(0)) socket.terminate();
  });

  const url = (
    path: string,
    init: { method?: string; headers?: Record<string, string>; body?: string } = {},
  ) => send(`${purse.url}${path}`, { method: "GET", headers: {}, ...init });
  const app = () => ({ "X-Parse-Application-Id": purse.appId });
  const json = () => ({ ...app(), "Content-Type": "application/json" });

  function graphql(text: string, headers: Record<string, string> = {}, more: object = {}): Promise<Received> {
    const body = JSON.stringify({ query: text, ...more });
    return url("/graphql", { method: "POST", headers: { ...json(), ...headers }, body });
  }

  /** Sends a request as each client over each transport, and expects one of the codes (null: no error). */
  async function expectCodes(
    attempt: Omit<Attempt, "codes">,
    codes: (number | null)[],
  ): Promise<AttemptAnswer[]> {
    const answers: AttemptAnswer[] = [];
    // With `npm test`, one of the clients uses one of the transports, in turn; with the rest, each client does.
    const clients = clientsOf(turn);
    for (const [who, transport] of pairsOf(clients, TRANSPORTS, turn++)) {
      const answer = await target.send(transport, who, { ...attempt, codes: [] });
      const seen = [attempt.method, attempt.path, shown(attempt.params), who, transport];
      expect([...seen, codes, answer.text.slice(0, 200)]).toEqual([
        ...seen,
        expect.arrayContaining([answer.code]),
        expect.anything(),
      ]);
      expect(answer.text).not.toMatch(/SQLITE|syntax error|at .*\.ts:\d+|polluted/);
      answers.push(answer);
    }
    return answers;
  }
  const find = (params: JsonObject, codes: (number | null)[], className = "Thing") =>
    expectCodes({ method: "GET", path: `/classes/${className}`, params }, codes);
  const save = (fields: JsonObject, codes: (number | null)[]) =>
    expectCodes({ method: "POST", path: "/classes/Thing", params: fields }, codes);
  const subscribe = async (where: JsonObject, codes: (number | null)[]) => {
    for (const who of clientsOf(turn++)) {
      const code = await target.subscribe(who, "Thing", where);
      expect([shown(where), who, codes]).toEqual([shown(where), who, expect.arrayContaining([code])]);
    }
  };
  const countOf = async (className: string) =>
    (await rest(purse, "GET", `/classes/${className}?count=1&limit=0`, undefined, MASTER)).body.count;

  const ADVISORIES: Advisory[] = [
    [
      "CVE-2025-53364, CVE-2026-30854, CVE-2026-32594, CVE-2026-109302",
      "introspection is refused to clients in every form, over HTTP, WebSocket and by its hash",
      async () => {
        const forms = [
          "{ __schema { types { name } } }",
          '{ __type(name: "User") { name fields { name } } }',
          '{ ... on Query { __type(name: "User") { name } } }',
          '{ ... { t: __type(name: "User") { name } } }',
          "{ ...F } fragment F on Query { a: __schema { queryType { name } } }",
          '{ ... on Query { ... on Query { ...F } } } fragment F on Query { __type(name: "User") { name } }',
          "query Q { health __schema { __typename } }",
          'query A { health } query B { __type(name: "User") { name } }',
        ];
        const identities: Record<string, string>[] = [{}, { "X-Parse-Session-Token": target.sessionToken }];
        for (const text of forms) {
          const digest = Buffer.from(await crypto.subtle.digest("SHA-256", Buffer.from(text))).toString(
            "hex",
          );
          const extensions = { persistedQuery: { version: 1, sha256Hash: digest } };
          const more = { extensions, ...(text.startsWith("query A") && { operationName: "B" }) };
          const asMaster = await graphql(text, { "X-Parse-Master-Key": purse.masterKey }, more);
          expect([text, asMaster.status]).toEqual([text, 200]);
          for (const headers of identities) {
            for (const tried of [
              await graphql(text, headers, more),
              await url("/graphql", {
                method: "POST",
                headers: { ...json(), ...headers },
                body: JSON.stringify(more),
              }),
            ]) {
              expect([text, JSON.parse(tried.text).data ?? null]).toEqual([text, null]);
              expect(tried.text).not.toMatch(/"(name|types|fields|queryType)":/);
            }
          }
          const message = await firstMessage(text);
          expect([text, /__Type|"name"|"fields"/.test(message)]).toEqual([text, false]);
          expect(message).toMatch(/"type":"error"/);
        }
      },
    ],
    [
      "CVE-2026-30835",
      "a broken pattern is refused without words of the database or the engine",
      async () => {
        for (const pattern of [
          "[abc",
          "(",
          "*",
          "a{2",
          "(?<n>a)\\k<n>",
          "(?=a)",
          "\\",
          "a{1001}",
          "(?P<n",
          "[z-a]",
        ]) {
          const where = { text: { $regex: pattern } };
          const texts = (await find({ where }, [102, null])).map(({ text }) => text);
          texts.push((await find({ where, count: 1, limit: 0 }, [102, null]))[0]?.text ?? "");
          await subscribe(where, [102, null]);
          const pipeline = [{ $match: where }];
          const aggregated = await rest(
            purse,
            "GET",
            `/aggregate/Thing${query({ pipeline })}`,
            undefined,
            MASTER,
          );
          texts.push(JSON.stringify(aggregated.body));
          const answered = await graphql(
            "query ($w: ThingWhereInput) { things(where: $w) { count } }",
            {},
            { variables: { w: { text: { matchesRegex: pattern } } } },
          );
          texts.push(answered.text);
          for (const text of texts)
            expect([pattern, text]).toEqual([
              pattern,
              expect.not.stringMatching(
                /SQLITE|postgres|invalid regular expression: |Invalid regular expression: \/|at .*\.ts|brackets \[\] not balanced/i,
              ),
            ]);
        }
      },
    ],
    [
      "CVE-2026-30925, CVE-2026-32770",
      "a pattern of a subscription neither delays nor ends the events of others",
      async () => {
        await subscribe({ text: { $regex: "[" } }, [102]);
        const attacker = await connectLive(purse);
        sockets.push(attacker);
        const patterns = ["^(a+)+$", "(a|a)*$", "(.*a){20}", "^(([a-z])+.)+[A-Z]([a-z])+$"];
        for (const [requestId, pattern] of patterns.entries()) {
          const answer = await attacker.subscribe(
            "Slow",
            { text: { $regex: pattern } },
            { requestId: requestId + 1 },
          );
          expect([pattern, answer.op]).toEqual([pattern, "subscribed"]);
        }
        const other = await connectLive(purse);
        sockets.push(other);
        await other.subscribe("Slow");
        const began = performance.now();
        await rest(purse, "POST", "/classes/Slow", { text: `${"a".repeat(100_000)}!` }, MASTER);
        expect((await other.next()).op).toBe("create");
        expect(performance.now() - began).toBeLessThan(10_000);
      },
    ],
    [
      "CVE-2026-32944, CVE-2026-33498, CVE-2026-33508, CVE-2026-57480, CVE-2026-30946",
      "conditions that are nested deeply, or whose branches double, are refused before they are walked through",
      async () => {
        const nested: JsonValue[] = [
          deep(9_000, '{"$or":[', '{"n":1}', "]}"),
          deep(9_000, '{"$and":[', '{"n":1}', "]}"),
          deep(9_000, '{"$nor":[', '{"n":1}', "]}"),
          { n: deep(9_000, '{"$not":', '{"$gt":1}', "}") },
          { p: deep(2_000, '{"$inQuery":{"className":"Thing","where":{"p":', '{"$exists":true}', "}}}") },
          {
            p: deep(
              2_000,
              '{"$notInQuery":{"className":"Thing","where":{"$or":[{"p":',
              '{"$exists":true}',
              "}]}}}",
            ),
          },
          { p: deep(2_000, '{"$select":{"key":"n","query":{"className":"Thing","where":{"n":', "1", "}}}}") },
          { n: { $in: deep(9_000, "[", "1", "]") } },
          doubled(14),
          { p: { $inQuery: { className: "Thing", where: doubled(14) } } },
          { n: { $not: { $not: { $not: { $gt: 1 } } } } },
        ];
        for (const where of nested) {
          const began = performance.now();
          await find({ where }, [102, 107]);
          if (typeof where === "object" && where !== null && !Array.isArray(where))
            await subscribe(where, [102, 107]);
          expect(performance.now() - began).toBeLessThan(10_000);
        }
        await find(
          { include: Array.from({ length: 1_000 }, (_, i) => `p.${"p.".repeat(i % 50)}p${i}`).join() },
          [102, 107],
        );
        await find({ where: { $or: Array.from({ length: 10_000 }, (_, n) => ({ n })) } }, [102]);
      },
    ],
    [
      "CVE-2026-30938, CVE-2026-32878",
      "names of prototypes are found wherever they are in a request",
      async () => {
        const bodies = [
          '{"a":{},"__proto__":{"polluted":1}}',
          '{"a":{"b":{}},"c":{"__proto__":{"polluted":1}}}',
          '{"a":[{"b":1},{"__proto__":{"polluted":1}}]}',
          '{"a":[],"constructor":{"prototype":{"polluted":1}}}',
          '{"o":{"x":{},"constructor":{"prototype":{"polluted":1}}}}',
          '{"o":{"x":[1,[2,{"prototype":{"polluted":1}}]]}}',
          '{"o.__proto__.polluted":1}',
          '{"o.constructor.prototype.polluted":1}',
          '{"a":{"__op":"Add","objects":[{},{"__proto__":{"polluted":1}}]}}',
          '{"a":{"__op":"Batch","ops":[{"__op":"Add","objects":[{"__proto__":{"polluted":1}}]}]}}',
          '{"o.x":{"y":{},"__proto__":{"polluted":1}}}',
        ];
        const before = await countOf("Thing");
        for (const body of bodies) await save(raw(body), [105]);
        expect(await countOf("Thing")).toBe(before);
        for (const [path, body] of [
          [
            "/schemas/Proto",
            '{"className":"Proto","fields":{"a":{"type":"String"},"__proto__":{"type":"String"}}}',
          ],
          ["/schemas/Proto", '{"className":"Proto","fields":{"constructor":{"type":"String"}}}'],
          [
            "/schemas/Proto",
            '{"className":"Proto","classLevelPermissions":{"find":{},"__proto__":{"*":true}}}',
          ],
          ["/schemas/Proto", '{"className":"Proto","indexes":{"__proto__":{"a":1}}}'],
          ["/schemas/__proto__", '{"className":"__proto__"}'],
          ["/schemas/constructor", "{}"],
        ] as const) {
          const { status } = await rest(purse, "POST", path, body, MASTER);
          const [fields] = [(await rest(purse, "GET", "/schemas/Proto", undefined, MASTER)).body];
          expect([path, body, status >= 400 || !JSON.stringify(fields).includes("__proto__")]).toEqual([
            path,
            body,
            true,
          ]);
          await rest(purse, "DELETE", "/schemas/Proto", undefined, MASTER);
        }
        await rest(purse, "PUT", "/config", '{"params":{"a":{},"__proto__":{"polluted":1}}}', MASTER);
        const echoed = await rest(
          purse,
          "POST",
          "/functions/echo",
          '{"a":{"__proto__":{"polluted":1}},"constructor":{"prototype":{"polluted":1}}}',
        );
        expect(JSON.stringify(echoed.body)).toMatch(/"undefined"|"code"/);
        const { body } = await rest(purse, "POST", "/functions/echo", {});
        expect(body.result).toEqual(["undefined"]);
      },
    ],
    [
      "CVE-2026-30939, CVE-2026-32886, CVE-2026-34532",
      "names below a function, and those that every object inherits, are no functions",
      async () => {
        const names = [
          "__proto__",
          "constructor",
          "toString",
          "valueOf",
          "hasOwnProperty",
          "a.__proto__.b",
          "__proto__.toString",
          "hello.prototype.constructor",
          "hello.constructor",
          "hello.call",
          "secretly.prototype.constructor",
          "secretly.constructor",
          "secretly.bind",
          "secretly.",
          ".secretly",
          "secretly.x",
          "SECRETLY",
          "shop",
          "shop.order.prototype",
          "shop.order.constructor",
          "shop.__proto__",
          "shop..order",
          "length",
          "%5F%5Fproto%5F%5F",
        ];
        for (const name of names) {
          for (const { text } of await expectCodes(
            { method: "POST", path: `/functions/${name}`, params: {} },
            [141],
          ))
            expect(text).not.toMatch(/needle|ordered|Hello!/);
          for (const key of [purse.masterKey, READ_ONLY_KEY]) {
            const headers = { ...json(), "X-Parse-Master-Key": key };
            const job = await url(`/server/jobs/${name}`, { method: "POST", headers, body: "{}" });
            expect([name, JSON.parse(job.text).code]).toEqual([name, expect.toBeOneOf([141, 119])]);
          }
        }
        await expectCodes({ method: "POST", path: "/functions/secretly", params: {} }, [142, 141, 119]);
      },
    ],
    [
      "CVE-2026-31840, CVE-2026-31871, CVE-2026-32234, CVE-2026-33539",
      "quotes in names of fields are refused in every place",
      async () => {
        const before = await countOf("Thing");
        const id = String(
          Object((await rest(purse, "GET", "/classes/Thing?limit=1", undefined, MASTER)).body.results)[0]
            .objectId,
        );
        for (const name of [
          "a'b",
          'a"b',
          "o.a'b",
          'o.a"b',
          "o.a'||(select 1)||'",
          "o.a\"->>'x",
          "o.a\\'b",
          "o.a$$b",
          "a`b",
          "o.a)--",
          "o.a;b",
          "o.a\u0000b",
          "o.a{b}",
          "o.a,b",
        ]) {
          await find({ where: { [name]: 1 } }, [105, 102, 107]);
          await find({ where: { $or: [{ [name]: { $exists: true } }, { n: 1 }] } }, [105, 102, 107]);
          await find({ order: name }, name.includes(",") ? [105, null] : [105, 107]);
          await find({ order: `-${name}` }, name.includes(",") ? [105, null] : [105, 107]);
          await find(
            { where: { n: { $select: { key: name, query: { className: "Thing", where: {} } } } } },
            [105, 102, 107],
          );
          await save({ [name]: { __op: "Increment", amount: 1 } }, [105, 107]);
          await expectCodes(
            {
              method: "PUT",
              path: `/classes/Thing/${id}`,
              params: { [name]: { __op: "Increment", amount: 1 } },
            },
            [105, 107],
          );
          await expectCodes(
            { method: "PUT", path: `/classes/Thing/${id}`, params: { [name]: { __op: "Delete" } } },
            [105, 107],
          );
          for (const params of [
            { distinct: name },
            { pipeline: [{ $group: { _id: `$${name}` } }] },
            { pipeline: [{ $group: { _id: null, [name]: { $sum: 1 } } }] },
            { pipeline: [{ $group: { _id: null, x: { $sum: `$${name}` } } }] },
            { pipeline: [{ $project: { [name]: 1 } }] },
            { pipeline: [{ $project: { x: `$${name}` } }] },
            { pipeline: [{ $sort: { [name]: 1 } }] },
            { pipeline: [{ $match: { [name]: 1 } }] },
            { pipeline: [{ $unwind: `$${name}` }] },
          ] as JsonObject[]) {
            const { status, body } = await rest(
              purse,
              "GET",
              `/aggregate/Thing${query(params)}`,
              undefined,
              MASTER,
            );
            const seen = JSON.stringify(params);
            expect([seen, status, JSON.stringify(body)]).toEqual([
              seen,
              expect.toBeOneOf([200, 400]),
              expect.not.stringMatching(/SQLITE|syntax|column|\.ts:/i),
            ]);
          }
        }
        expect(await countOf("Thing")).toBe(before);
      },
    ],
    [
      "CVE-2026-31856, parse-server#10261",
      "an amount that is no number changes nothing, whatever the field is",
      async () => {
        const { body } = await rest(
          purse,
          "POST",
          "/classes/Thing",
          { n: 1, o: { n: 1, "a b": 1, 'q"x': 1 } },
          MASTER,
        );
        const path = `/classes/Thing/${body.objectId}`;
        const stored = async () => {
          const { n, o } = (await rest(purse, "GET", path, undefined, MASTER)).body;
          return { n, o };
        };
        const before = await stored();
        for (const amount of [
          "1",
          "1; drop table x",
          {},
          { $gt: 1 },
          [],
          [1],
          null,
          true,
          "NaN",
        ] as JsonValue[]) {
          for (const field of ["n", "o.n", "o.new", "o.n.deeper"]) {
            await expectCodes(
              { method: "PUT", path, params: { [field]: { __op: "Increment", amount } } },
              [105, 107, 111],
            );
          }
        }
        for (const field of ["n", "o.n"]) {
          const answer = await rest(purse, "PUT", path, `{"${field}":{"__op":"Increment","amount":1e400}}`);
          expect([field, answer.status]).toEqual([field, 400]);
        }
        expect(await stored()).toEqual(before);
        // The names of keys beside the incremented one are kept.
        expect((await rest(purse, "PUT", path, { "o.n": { __op: "Increment", amount: 2 } })).status).toBe(
          200,
        );
        expect((await stored()).o).toEqual({ n: 3, "a b": 1, 'q"x': 1 });
      },
    ],
    [
      "parse-server#10308",
      "fields that nobody has defined match nothing and are no errors",
      async () => {
        for (const params of objects(
          { where: { unknown: 1 } },
          { where: { "unknown.x": 1 } },
          { where: { unknown: { $nearSphere: { __type: "GeoPoint", latitude: 1, longitude: 1 } } } },
        )) {
          for (const { text } of await find(params, [null])) expect(JSON.parse(text).results).toEqual([]);
        }
        for (const params of objects(
          { order: "unknown" },
          { order: "-unknown.x" },
          { keys: "unknown" },
          { excludeKeys: "unknown" },
          { include: "unknown.x" },
        ))
          for (const { text } of await find(params, [null]))
            expect(JSON.parse(text).results.length).toBeGreaterThan(0);
      },
    ],
    [
      "CVE-2026-109301",
      "a file without a URL or with another type of name reaches triggers and subscribers, or is refused",
      async () => {
        const client = await connectLive(purse);
        sockets.push(client);
        await client.subscribe("Dated");
        for (const file of values(
          { __type: "File", name: "x" },
          { __type: "File", name: "x", url: null },
          { __type: "File", name: "x", url: 5 },
          { __type: "File" },
          { __type: "File", name: {} },
          { __type: "File", name: "" },
          { __type: "File", name: "../x", url: "x" },
          [{ __type: "File", name: "x" }],
          { deep: { __type: "File", name: "x" } },
        ))
          await expectCodes(
            { method: "POST", path: "/classes/Dated", params: { [`f${JSON.stringify(file).length}`]: file } },
            [null, 111, 122, 107],
          );
        const { body } = await rest(purse, "POST", "/classes/Dated", {
          file: { __type: "File", name: "last" },
        });
        await client.receivedOps("Dated", () =>
          rest(purse, "PUT", `/classes/Dated/${body.objectId}`, { file: { __type: "File", name: "again" } }),
        );
        expect(JSON.stringify(client.received)).toContain('"again"');
      },
    ],
    [
      "CVE-2026-134242",
      "dotted keys below dates are refused in classes with triggers",
      async () => {
        const { body } = await rest(purse, "POST", "/classes/Dated", {
          when: { __type: "Date", iso: "2026-01-01T00:00:00.000Z" },
        });
        for (const key of [
          "createdAt.x",
          "updatedAt.x",
          "objectId.x",
          "when.x",
          "when.iso",
          "when.__type",
          "createdAt.iso",
        ]) {
          for (const value of values(1, "x", null, { __op: "Delete" }, { __op: "Increment", amount: 1 }))
            await expectCodes(
              { method: "PUT", path: `/classes/Dated/${body.objectId}`, params: { [key]: value } },
              [105, 111],
            );
        }
        const { when, checked } = (await rest(purse, "GET", `/classes/Dated/${body.objectId}`)).body;
        expect([when, checked]).toEqual([{ __type: "Date", iso: "2026-01-01T00:00:00.000Z" }, true]);
      },
    ],
    [
      "CVE-2026-134243",
      "what a trigger keeps constant is not changed by dotted keys and operations",
      async () => {
        const place = { __type: "GeoPoint", latitude: 1, longitude: 2 };
        const ACL = { "*": { read: true, write: true } };
        for (const className of ["Kept", "Reverted", "Constant"]) {
          const object = { roles: ["guest"], place, box: { level: 1 }, ACL };
          const { body } = await rest(purse, "POST", `/classes/${className}`, object, MASTER);
          const path = `/classes/${className}/${body.objectId}`;
          const stored = async () => {
            const { updatedAt: _, ...fields } = (await rest(purse, "GET", path, undefined, MASTER)).body;
            return fields;
          };
          const before = await stored();
          for (const fields of objects(
            { "roles.0": "admin" },
            { "roles.1": "admin" },
            { roles: { __op: "Add", objects: ["admin"] } },
            { roles: { __op: "AddUnique", objects: ["admin"] } },
            { roles: { __op: "Remove", objects: ["guest"] } },
            { roles: { __op: "Delete" } },
            { roles: ["admin"] },
            { roles: [], "roles.0": "admin" },
            { "box.level": 9 },
            { "box.level.deeper": 9 },
            { "box.level": { __op: "Increment", amount: 9 } },
            { "box.level": { __op: "Delete" } },
            { "box.other": 1 },
            { box: { level: 9 } },
            { box: { __op: "Delete" }, "box.level": 9 },
            { box: { level: 5 }, "box.level": 9 },
            { "box.level": 9, box: { level: 5 } },
            { "place.latitude": 9 },
            { "place.latitude": { __op: "Increment", amount: 9 } },
            { "place.__type": { __op: "Delete" } },
            { place: { __op: "Delete" } },
            { [`ACL.${target.userId}`]: { write: true } },
            { "ACL.*": { read: false } },
            { ACL: { [target.userId]: { read: true, write: true } } },
          )) {
            await expectCodes({ method: "PUT", path, params: fields }, [null, 105, 111]);
            expect([className, shown(fields), await stored()]).toEqual([className, shown(fields), before]);
          }
        }
      },
    ],
    [
      "CVE-2026-47138",
      "a long version of the client is read in no time",
      async () => {
        const version = `js${"9".repeat(100_000)}`;
        const began = performance.now();
        for (const _ClientVersion of values(
          version,
          `${"1.".repeat(50_000)}x`,
          `i${" ".repeat(100_000)}1`,
          {},
          [],
          null,
          5,
        )) {
          const body = JSON.stringify({ _ApplicationId: purse.appId, _method: "GET", _ClientVersion });
          const answer = await target.post("/classes/Thing", body);
          expect([String(_ClientVersion).slice(0, 5), answer.status]).toEqual([
            String(_ClientVersion).slice(0, 5),
            200,
          ]);
        }
        const headers = { ...app(), "X-Parse-Client-Version": version.slice(0, 7_000) };
        expect((await url("/server/classes/Thing", { headers })).status).toBe(200);
        expect(performance.now() - began).toBeLessThan(5_000);
      },
    ],
    [
      "CVE-2025-68115, parse-server#10237, parse-server#10242",
      "pages of accounts show parameters as text and send them to no header and no path",
      async () => {
        const markup = `"><script>alert(1)</script><img src=x onerror=alert(1)>'`;
        const injected = "x\r\nSet-Cookie: planted=1\r\n\r\n<script>alert(1)</script>";
        const names = [
          "token",
          "username",
          "id",
          "locale",
          "error",
          "app",
          "appId",
          "email",
          "link",
          "redirect",
        ];
        const apps = `/server/apps/${purse.appId}`;
        const pages = [
          `${apps}/verify_email`,
          `${apps}/request_password_reset`,
          `${apps}/resend_verification_email`,
          "/server/apps/choose_password",
          "/server/apps/invalid_verification_link.html",
          "/server/apps/invalid_link.html",
          "/server/apps/password_reset_success.html",
          "/server/apps/verify_email_success.html",
        ];
        for (const page of pages) {
          for (const value of [
            markup,
            injected,
            "../../../../etc/passwd",
            "..%2f..%2f",
            "javascript:alert(1)",
            "https://evil.example/",
          ]) {
            const search = new URLSearchParams(names.map((name) => [name, value]));
            for (const init of [
              {},
              {
                method: "POST",
                headers: { "Content-Type": "application/x-www-form-urlencoded" },
                body: `${search}&new_password=x`,
              },
            ]) {
              const answer = await url("body" in init ? page : `${page}?${search}`, init);
              expect([page, value, answer.status < 500]).toEqual([page, value, true]);
              expect(answer.text).not.toMatch(/<script|<img|onerror=alert\(1\)>|root:/);
              expect([
                answer.headers.get("set-cookie"),
                answer.headers.get("location")?.includes("evil") ?? false,
              ]).toEqual([null, false]);
              if (answer.headers.get("content-type")?.startsWith("text/html"))
                expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
            }
          }
        }
      },
    ],
    [
      "CVE-2026-30848",
      "no route reads beside its folder, in any spelling",
      async () => {
        const escapes = [
          "../",
          "..%2f",
          "%2e%2e/",
          "%2e%2e%2f",
          "..%5c",
          "..\\",
          "....//",
          "%252e%252e%252f",
          "..;/",
          "%c0%ae%c0%ae/",
          ".%00./",
        ];
        const prefixes = [
          "/",
          "/assets/",
          "/studio/",
          "/studio/assets/",
          "/api/v2/docs/",
          `/server/files/${purse.appId}/`,
          "/server/files/",
          "/server/apps/",
          "/ipfs/",
          "/pages/",
        ];
        const folders = prefixes.flatMap((prefix) => escapes.map((up) => `${prefix}${up.repeat(6)}`));
        const files = ["package.json", "data/keys.json", "purse.sqlite", "etc/passwd"];
        for (const [folder, file] of pairsOf(folders, files)) {
          const path = `${folder}${file}`;
          const answer = await rawGet(path);
          expect([path, answer.status < 500]).toEqual([path, true]);
          expect(answer.text).not.toMatch(/"@purse\/|root:x|SQLite format|masterKey/);
        }
        for (const sibling of [
          "/assets../index.html",
          "/studio-x/index.html",
          "/studio../package.json",
          "/assets-private/x",
        ])
          expect([sibling, (await rawGet(sibling)).text.includes('"@purse/')]).toEqual([sibling, false]);
      },
    ],
    [
      "CVE-2026-30850, CVE-2026-34784",
      "a trigger guards a file against every way to read it",
      async () => {
        const PNG = Buffer.from(
          "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
          "base64",
        );
        const upload = await fetch(`${purse.serverUrl}/files/guarded.png`, {
          method: "POST",
          headers: { ...app(), "X-Parse-Master-Key": purse.masterKey, "Content-Type": "image/png" },
          body: PNG,
        });
        const { name }: { name: string } = await upload.json();
        const file = `/server/files/${purse.appId}/${name}`;
        const metadata = `/server/files/${purse.appId}/metadata/${name}`;
        const token = { "X-Parse-Session-Token": target.sessionToken };
        expect((await url(file, { headers: { ...app(), ...token } })).status).toBe(200);
        const ways: [string, { method?: string; headers?: Record<string, string> }][] = [
          [file, {}],
          [file, { method: "HEAD" }],
          [file, { headers: { Range: "bytes=0-3" } }],
          [file, { headers: { Range: "bytes=-1" } }],
          [file, { headers: { Range: "bytes=0-3", "If-Range": "x" } }],
          [file, { headers: { "If-None-Match": "*" } }],
          [`${file}?width=10`, {}],
          [`${file}?width=10&format=webp`, {}],
          [`${file}?x=1`, {}],
          [file.replace("/files/", "/files//"), {}],
          [file.replace("guarded", "%67uarded"), {}],
          [metadata, {}],
          [metadata, { method: "HEAD" }],
          [metadata.replace("/metadata/", "/metadata//"), {}],
        ];
        for (const [path, init] of ways) {
          const { status, text } = await url(path, init);
          expect([path, init, status]).toEqual([path, init, expect.toBeOneOf([400, 403, 404])]);
          expect(text).not.toMatch(/PNG|metadata":/);
        }
      },
    ],
    [
      "appwrite:impersonation",
      "lists and objects in place of parameters are refused or ignored, on every route",
      async () => {
        const before = await countOf("Thing");
        for (const name of [
          "where",
          "order",
          "limit",
          "skip",
          "keys",
          "excludeKeys",
          "include",
          "count",
          "includeAll",
          "readPreference",
          "redirectClassNameForKey",
          "explain",
          "hint",
        ]) {
          for (const value of values(["x"], [{}], {}, { $ne: 1 }, { length: 1, 0: "x" }, [["x"]], true)) {
            for (const answer of await expectCodes(
              { method: "GET", path: "/classes/Thing", params: { [name]: value } },
              [null, 102, 105, 107, 111],
            )) {
              if (answer.code === null) expect(Array.isArray(JSON.parse(answer.text).results)).toBe(true);
            }
          }
        }
        for (const spelling of [
          "where[]=x",
          "where[$or][]=1",
          "order[]=n",
          "limit[]=1",
          "limit[$gt]=1",
          "keys[a]=b",
          "_method[]=DELETE",
          "_MasterKey[]=x",
          "_SessionToken[]=x",
          "_SessionToken[$ne]=x",
          "_ApplicationId[]=test-app",
        ]) {
          const { status, text } = await url(`/server/classes/Thing?${spelling}`, { headers: app() });
          expect([spelling, status, text]).toEqual([
            spelling,
            expect.toBeOneOf([200, 400, 403]),
            expect.not.stringMatching(/\.ts:/),
          ]);
        }
        for (const [name, value] of [
          ["_SessionToken", [target.sessionToken]],
          ["_SessionToken", { $ne: "" }],
          ["_MasterKey", [purse.masterKey]],
          ["_MasterKey", { $ne: "" }],
          ["_method", ["DELETE"]],
        ] as [string, JsonValue][]) {
          const answer = await target.post(
            "/users/me",
            JSON.stringify({ _ApplicationId: purse.appId, _method: "GET", [name]: value }),
          );
          expect([name, value, answer.status >= 400]).toEqual([name, value, true]);
          expect(answer.text).not.toContain(target.userId);
        }
        expect(await countOf("Thing")).toBe(before);
      },
    ],
    [
      "CVE-2026-27610, appwrite:cache-control",
      "no cache stores an answer to a signed-in client",
      async () => {
        const keys: Record<string, string>[] = [
          { "X-Parse-Session-Token": target.sessionToken },
          { "X-Parse-Master-Key": purse.masterKey },
          {},
        ];
        for (const headers of keys) {
          for (const path of [
            "/users/me",
            "/sessions/me",
            "/classes/Thing",
            `/users/${target.userId}`,
            "/config",
            "/roles",
            "/schemas",
            "/serverInfo",
            "/hooks/functions",
          ]) {
            const answer = await url(`/server${path}`, { headers: { ...app(), ...headers } });
            expect([path, answer.headers.get("cache-control")]).toEqual([path, "no-store"]);
          }
          for (const [method, path, body] of [
            ["POST", "/graphql", '{"query":"{ viewer { user { id } } }"}'],
            ["POST", "/server/batch", '{"requests":[{"method":"GET","path":"/server/users/me"}]}'],
            ["POST", "/server/functions/hello", "{}"],
          ] as const) {
            const answer = await url(path, { method, headers: { ...json(), ...headers }, body });
            expect([path, answer.headers.get("cache-control")]).toEqual([path, "no-store"]);
          }
        }
        for (const path of ["/session", "/operators", "/schema/classes", "/data/Thing", "/audit"]) {
          const answer = await owner.request("GET", path);
          expect([path, answer.headers.get("cache-control")]).toEqual([path, "no-store"]);
        }
      },
    ],
    [
      "appwrite:secrets",
      "no route returns what is stored as a secret, not even to operators",
      async () => {
        await rest(
          purse,
          "POST",
          "/hooks/functions",
          { functionName: "hooked", url: "https://hooks.example/needle" },
          MASTER,
        );
        await owner.request("POST", "/keys", { name: "first", limit: 0 });
        const texts: [string, string][] = [];
        for (const path of [
          "/hooks/functions",
          "/hooks/triggers",
          "/config",
          "/schemas",
          "/serverInfo",
          "/security",
          "/classes/_ApiKey",
          "/classes/_User",
          "/classes/_Hooks",
          "/graphql-config",
          "/logs?limit=500",
          "/scriptlog?level=debug",
          "/jobs",
          "/cloud_code/jobs/data",
        ]) {
          for (const key of [purse.masterKey, READ_ONLY_KEY])
            texts.push([
              path,
              (await url(`/server${path}`, { headers: { ...app(), "X-Parse-Master-Key": key } })).text,
            ]);
        }
        for (const path of ["/metrics", "/health", "/ready", "/config.json"])
          texts.push([path, (await url(path)).text]);
        for (const path of [
          "/status",
          "/settings",
          "/webhooks",
          "/keys",
          "/logs",
          "/audit",
          "/insights",
          "/operators",
          "/sessions",
          "/mail/templates",
        ])
          texts.push([path, (await owner.request("GET", path).catch(() => ({ text: "" }))).text]);
        for (const [path, text] of texts) {
          for (const secret of [
            ...Object.values(SECRETS),
            "needle-mail-password",
            purse.masterKey,
            READ_ONLY_KEY,
            "$argon2",
            '"passwordHash"',
            '"keyHash"',
          ])
            expect([path, text.includes(secret) && secret]).toEqual([path, false]);
        }
        expect(texts.filter(([, text]) => text.includes("hooks.example")).length).toBeGreaterThan(0);
      },
    ],
    [
      "appwrite#14913",
      "each field of a GraphQL operation has the rights of its sender, also after one that signs in",
      async () => {
        const victim = await signUp(purse);
        const { body } = await rest(
          purse,
          "POST",
          "/classes/Thing",
          { text: "needle-private", ACL: { [victim.id]: { read: true, write: true } } },
          MASTER,
        );
        const id = body.objectId;
        const text = `mutation {
          before: updateThing(input: { id: "${id}", fields: { text: "changed" } }) { thing { text } }
          logIn(input: { username: "${victim.username}", password: "correct horse" }) { viewer { user { objectId } } }
          after: updateThing(input: { id: "${id}", fields: { text: "changed" } }) { thing { text } }
          deleteThing(input: { id: "${id}" }) { thing { text } }
        }`;
        for (const headers of [{}, { "X-Parse-Session-Token": target.sessionToken }] as Record<
          string,
          string
        >[]) {
          const answer = JSON.parse((await graphql(text, headers)).text);
          expect([answer.data.before, answer.data.after, answer.data.deleteThing]).toEqual([
            null,
            null,
            null,
          ]);
          expect(answer.data.logIn.viewer.user.objectId).toBe(victim.id);
          expect(JSON.stringify(answer)).not.toContain("needle");
        }
        const reads = `{ a: thing(id: "${id}") { text } b: things { edges { node { text } } } v: viewer { user { objectId } } c: thing(id: "${id}") { text } }`;
        expect((await graphql(reads, { "X-Parse-Session-Token": victim.sessionToken })).text).toContain(
          "needle-private",
        );
        expect((await graphql(reads, { "X-Parse-Session-Token": target.sessionToken })).text).not.toContain(
          "needle-private",
        );
        expect((await rest(purse, "GET", `/classes/Thing/${id}`, undefined, MASTER)).body.text).toBe(
          "needle-private",
        );
      },
    ],
    [
      "appwrite#14910",
      "a wrong key is refused, and does not make a guest",
      async () => {
        const wrong: [string, Record<string, string>, number[]][] = [
          ["/server/classes/Thing", { ...app(), "X-Parse-Master-Key": "wrong" }, [403]],
          [
            "/server/classes/Thing",
            { ...app(), "X-Parse-Session-Token": "r:00000000000000000000000000000000" },
            [400],
          ],
          ["/server/classes/Thing", { ...app(), "X-Parse-Session-Token": "wrong" }, [400]],
          ["/server/classes/Thing", { ...app(), "X-Parse-Maintenance-Key": "wrong" }, [403]],
          ["/server/classes/Thing", { "X-Parse-Application-Id": "wrong" }, [403]],
          ["/server/classes/Thing", { Authorization: `Basic ${btoa(`${purse.appId}:wrong`)}` }, [403]],
          ["/api/v2/info/endpointWeights", { "X-API-Key": "wrong" }, [200, 401]],
          ["/api/v2/block/1?chain=eth", { "X-API-Key": "wrong" }, [401, 400]],
          ["/studio/api/operators", { Cookie: "purse_studio=wrong" }, [401]],
        ];
        for (const [path, headers, statuses] of wrong) {
          const { status, text } = await url(path, { headers });
          expect([path, headers, status, text.includes('"results"')]).toEqual([
            path,
            headers,
            expect.toBeOneOf(statuses),
            false,
          ]);
        }
        const mcp = await url("/mcp", {
          method: "POST",
          headers: {
            ...json(),
            Accept: "application/json, text/event-stream",
            Authorization: "Bearer wrong",
          },
          body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
        });
        expect(mcp.status).toBe(401);
      },
    ],
  ];

  /** The first answer to an operation over a WebSocket without a key. */
  async function firstMessage(text: string): Promise<string> {
    const socket = new WebSocket(`${purse.url.replace("http", "ws")}/graphql`, "graphql-transport-ws");
    try {
      await new Promise((resolve, reject) => socket.on("open", resolve).on("error", reject));
      const next = () =>
        new Promise<string>((resolve) => socket.once("message", (data) => resolve(String(data))));
      const acknowledged = next();
      socket.send(JSON.stringify({ type: "connection_init", payload: app() }));
      expect(await acknowledged).toContain("connection_ack");
      const answer = next();
      socket.send(JSON.stringify({ id: "1", type: "subscribe", payload: { query: text } }));
      return await answer;
    } finally {
      socket.terminate();
    }
  }

  /** Requests a path as it is: URL would resolve its dots. */
  async function rawGet(path: string): Promise<{ status: number; text: string }> {
    const { request } = await import("node:http");
    return new Promise((resolve, reject) => {
      request({ host: "127.0.0.1", port: purse.port, path, headers: app() })
        .on("error", reject)
        .on("response", async (response) => {
          let text = "";
          for await (const chunk of response) text += chunk;
          resolve({ status: response.statusCode ?? 0, text });
        })
        .end();
    });
  }

  it.each(ADVISORIES)("%s: %s", async (_ids, _tried, run) => {
    await run();
    await target.expectAlive();
  });
});
