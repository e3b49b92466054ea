import { randomUUID } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import Database from "better-sqlite3";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { openSocket } from "../support/liveClient.ts";
import { envelope, hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";

const many = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const MB = 1024 * 1024;
const MASTER = { useMasterKey: true };
const LIMITED = "/functions/limited";

/** Sends the head of a request without its body and returns the status, which thus cannot depend on the body. */
function statusOfHead(purse: Purse, path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const lines = Object.entries({ Host: "x", "Content-Length": "1000000", ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    const socket = connect(purse.port, "127.0.0.1", () => {
      socket.write(`POST ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
    });
    socket.once("data", (chunk) => {
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(chunk.toString())?.[1]));
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

describe.each(DATABASES)("size limits on %s", (database) => {
  let purse: Purse;
  let env: Record<string, string>;
  let user: { id: string; sessionToken: string };
  let objectId: string;

  beforeAll(async () => {
    env = await databaseEnv(database);
    const lockout = { duration: 5, threshold: 3 };
    purse = await hostPurse({ env: { ...env, ...configured({ accountLockout: lockout }) } });
    user = await signUp(purse);
    const fields = { text: "t", list: ["l"], map: { m: 1 }, number: 1 };
    const made = await rest(purse, "POST", "/classes/Bound", fields, MASTER);
    objectId = String(made.body.objectId);
  });
  afterAll(() => purse?.remove());

  const find = (where: JsonObject, more: JsonObject = {}) =>
    envelope(purse, "/classes/Bound", { _method: "GET", where, ...more });
  const codeOf = ({ body }: { body: { code?: number } }) => body.code;

  describe("before the body is read", () => {
    it("a header with an unknown application ID is rejected with 403", async () => {
      expect(await statusOfHead(purse, "/server/classes/Bound", { "X-Parse-Application-Id": "other" })).toBe(
        403,
      );
    });

    it("a Content-Length above the maximum is rejected with 413", async () => {
      const headers = { "X-Parse-Application-Id": purse.appId, "Content-Length": String(30 * MB) };
      expect(await statusOfHead(purse, "/server/classes/Bound", headers)).toBe(413);
    });
  });

  describe("a body", () => {
    it.each<[string, string, number]>([
      ["of a form with 100,000 fields", "a&".repeat(100_000), 107],
      ["of a form above the size limit of forms", `a=${"x".repeat(MB)}`, 116],
    ])("%s is rejected", async (_, body, code) => {
      const response = await fetch(`${purse.serverUrl}/classes/Bound`, {
        method: "POST",
        headers: { "Content-Type": "application/x-www-form-urlencoded" },
        body,
      });
      expect(await response.json()).toMatchObject({ code });
    });

    it("is not parsed without the application ID if it is large", async () => {
      const broken = `{"a":"${"x".repeat(MB)}`;
      expect(await envelope(purse, "/classes/Bound", broken)).toMatchObject({
        status: 403,
        body: { code: 119 },
      });
      expect(await envelope(purse, "/functions/getServerTime", broken)).toMatchObject({ status: 403 });
    });

    it("has the size limit of its sender: anonymous, user or master key, in headers or in the legacy envelope", async () => {
      const large = { text: "x".repeat(5 * MB) };
      const full = { list: many(50_000, (i) => `s${i}`) };
      const credentials: [JsonObject, object, number][] = [
        [{}, {}, 400],
        [{ _SessionToken: user.sessionToken }, user, 201],
        [{ _MasterKey: purse.masterKey }, MASTER, 201],
      ];
      for (const [inBody, inHeader, status] of credentials) {
        for (const fields of [large, full]) {
          const answers = [
            await envelope(purse, "/classes/Large", { ...fields, ...inBody }),
            await rest(purse, "POST", "/classes/Large", fields, inHeader),
          ];
          const expected = status === 400 && fields === large ? 413 : status;
          expect(answers.map((answer) => answer.status)).toEqual([expected, expected]);
        }
      }
    });

    it("with an invalid session token or key has the limits of an anonymous client", async () => {
      const fields = { text: "x".repeat(5 * MB) };
      const claimed: JsonObject[] = [{ _SessionToken: "r:none" }, { _MasterKey: "wrong" }];
      for (const credentials of claimed) {
        expect((await envelope(purse, "/classes/Large", { ...fields, ...credentials })).status).toBe(413);
      }
    });

    it("with a million numbers is accepted with the master key only", async () => {
      const fields = { list: many(1_000_000, (i) => i % 10) };
      expect(codeOf(await rest(purse, "POST", "/classes/Large", fields, user))).toBe(107);
      expect((await rest(purse, "POST", "/classes/Large", fields, MASTER)).status).toBe(201);
    });
  });

  describe("names and IDs", () => {
    const long = (length: number) => "x".repeat(length);
    it.each<[string, string, JsonObject, number]>([
      ["a username", "/users", { username: long(257), password: "p" }, 200],
      [
        "a username that is too long after Unicode normalization",
        "/users",
        { username: "\ufdfa".repeat(257), password: "p" },
        200,
      ],
      ["a username at login", "/login", { username: long(100_000), password: "p" }, 101],
      ["a password", "/users", { username: randomUUID(), password: long(1_025) }, 142],
      ["a password at login", "/login", { username: "somebody", password: long(100_000) }, 101],
      ["an address", "/users", { username: "u", password: "p", email: `${long(400)}@example.org` }, 125],
      ["a role", "/roles", { name: long(129), ACL: {} }, 139],
      ["a role in an ACL", "/classes/Bound", { ACL: { [`role:${long(129)}`]: { read: true } } }, 123],
      ["a field", "/classes/Bound", { [long(129)]: 1 }, 105],
      ["a path", "/classes/Bound", { [`map.${long(3_000)}`]: 1 }, 105],
      ["a class", `/classes/${long(129)}`, { a: 1 }, 103],
      [
        "a pointer's class",
        "/classes/Bound",
        { link: { __type: "Pointer", className: long(129), objectId: "a" } },
        111,
      ],
      ["a session token", "/classes/Bound", { _method: "GET", _SessionToken: long(300) }, 209],
      ["a master key", "/classes/Bound", { _method: "GET", _MasterKey: long(5_000) }, 119],
      [
        "an installation ID in the envelope",
        "/classes/Bound",
        { _method: "GET", _InstallationId: long(129) },
        107,
      ],
      ["an installation ID", "/installations", { installationId: long(129), deviceType: "ios" }, 107],
      ["a device token", "/installations", { deviceToken: long(5_000), deviceType: "ios" }, 107],
      ["a channel", "/installations", { installationId: "i", deviceType: "ios", channels: [long(129)] }, 112],
      [
        "a channel that is not a string",
        "/installations",
        { installationId: "i", deviceType: "ios", channels: [{}] },
        112,
      ],
      [
        "channels",
        "/installations",
        {
          installationId: "i",
          deviceType: "ios",
          channels: { __op: "AddUnique", objects: many(1_001, (i) => `c${i}`) },
        },
        112,
      ],
      ["an id of another service", "/users", { authData: { anonymous: { id: long(600) } } }, 250],
    ])("are rejected above their maximum length: %s", async (_, path, fields, code) => {
      expect(codeOf(await envelope(purse, path, fields))).toBe(code);
    });

    it("are accepted up to their maximum length", async () => {
      const username = `${randomUUID()}${"\ufdfa".repeat(220)}`;
      const answer = await rest(purse, "POST", "/users", { username, password: "correct horse" });
      expect(answer.status).toBe(201);
      expect((await rest(purse, "POST", "/login", { username, password: "correct horse" })).status).toBe(200);
    });

    it("limit the channels of an installation, however they are added", async () => {
      const { body } = await envelope(purse, "/installations", {
        installationId: randomUUID(),
        deviceType: "ios",
        channels: many(990, (i) => `c${i}`),
      });
      const add = (op: string, from: number, count: number) =>
        envelope(purse, `/installations/${body.objectId}`, {
          _method: "PUT",
          channels: { __op: op, objects: many(count, (i) => `c${from + i}`) },
        });
      expect((await add("AddUnique", 500, 500)).status).toBe(200);
      expect(codeOf(await add("Add", 0, 1))).toBe(112);
      expect(codeOf(await add("AddUnique", 5_000, 1))).toBe(112);
      expect((await add("AddUnique", 0, 1_000)).status).toBe(200);
    });
  });

  it("failed logins are counted under keys of the same length for any username", async () => {
    for (const username of ["short", "x".repeat(200), "\ufdfa".repeat(250)]) {
      const answer = await rest(purse, "POST", "/login", { username, password: "wrong" });
      expect(answer.body.code).toBe(101);
    }
    const keys = await countedKeys(purse, env);
    expect(keys.filter((key) => key.length !== 43)).toEqual([]);
    expect(keys.length).toBeGreaterThanOrEqual(3);
  });

  describe("queries", () => {
    it.each<[string, JsonObject]>([
      ["1,000 conditions", Object.fromEntries(many(1_000, (i) => [`f${i}`, i]))],
      ["1,000 alternatives", { $or: many(999, (i) => ({ number: i })) }],
      ["20,000 strings", { text: { $in: many(20_000, String) } }],
      ["$all with 900 strings", { list: { $all: many(900, String) } }],
      ["$all with 900 numbers", { list: { $all: many(900, Number) } }],
      ["500 dotted paths", { $or: many(500, (i) => ({ "map.m": i })) }],
    ])("may contain %s", async (_, where) => {
      expect((await find(where)).status).toBe(200);
    });

    it("with $all match only arrays that contain all the values", async () => {
      const { body } = await rest(purse, "POST", "/classes/Held", { list: ["a", "b", 1, 1.5, "1"] }, MASTER);
      const found = async (values: (string | number | boolean)[]) => {
        const answer = await envelope(purse, "/classes/Held", {
          _method: "GET",
          where: { list: { $all: values } },
        });
        return Object.values(answer.body.results ?? []).map((each) => Object(each).objectId);
      };
      for (const values of [["a"], ["a", "b", "a"], [1, 1.5], ["1", 1]]) {
        expect(await found(values), JSON.stringify(values)).toEqual([body.objectId]);
      }
      for (const values of [["a", "c"], ["1.5"], [2], ["a", true]]) {
        expect(await found(values), JSON.stringify(values)).toEqual([]);
      }
    });

    it.each<[string, JsonObject, JsonObject]>([
      ["21 conditions on the items of arrays", { $or: many(21, (i) => ({ list: String(i) })) }, {}],
      ["33 sort keys", {}, { order: many(33, (i) => `k${i}`).join() }],
      ["an invalid skip", {}, { skip: 1e300 }],
      ["large patterns", { text: { $regex: "(a{100}){100}" } }, {}],
    ])("are rejected with 102 if they contain %s", async (_, where, more) => {
      const answer = await find(where, more);
      expect(codeOf(answer)).toBe(102);
      // The message is the server's own, not that of the SQL engine.
      expect(answer.body.error).not.toMatch(/sql|expression tree|ORDER BY|term/i);
    });

    it("include a graph of pointers up to a limit", async () => {
      const ids = many(40, () => randomUUID().slice(0, 10));
      const links = ids.map((id) => ({ __type: "Pointer", className: "Node", objectId: id }));
      const server = await hostPurse({
        env: {
          ...(await databaseEnv(database)),
          PURSE_ALLOW_CUSTOM_OBJECT_ID: "1",
          // Otherwise, the size of the response would be the first limit.
          PURSE_MAX_ANSWER_BYTES: String(2 ** 28),
        },
      });
      try {
        const requests = ids.map((id) => ({
          method: "POST",
          path: "/server/classes/Node",
          body: { objectId: id, links },
        }));
        await rest(server, "POST", "/batch", { requests }, MASTER);
        const including = (include: string) => rest(server, "GET", `/classes/Node${query({ include })}`);
        expect((await including("links")).status).toBe(200);
        // 40 × 40 × 40 × 40 objects.
        expect(codeOf(await including("links.links.links"))).toBe(102);
      } finally {
        await server.remove();
      }
    });
  });

  describe("values that the database cannot store", () => {
    const surrogate = "\ud800";
    const pointerTo = (objectId: string) => ({ __type: "Pointer", className: "Bound", objectId });
    it.each<[string, JsonObject]>([
      ["NUL", { text: "a\0" }],
      ["a lone surrogate", { text: surrogate }],
      ["a nested lone surrogate", { map: { a: [{ b: surrogate }] } }],
      ["a lone surrogate added to an array", { list: { __op: "Add", objects: [surrogate] } }],
    ])("are rejected with 107 by create and update: %s", async (_, fields) => {
      expect(codeOf(await rest(purse, "POST", "/classes/Bound", fields))).toBe(107);
      const path = `/classes/Bound/${objectId}`;
      expect(codeOf(await rest(purse, "PUT", path, fields))).toBe(107);
    });

    it.each<[string, JsonObject]>([
      ["equality", { text: "\0" }],
      ["an array", { text: { $in: ["a", surrogate] } }],
      ["an object", { map: { a: surrogate } }],
      ["a pointer", { link: { __type: "Pointer", className: "C", objectId: "\0" } }],
    ])("are rejected with 107 in conditions: %s", async (_, where) => {
      expect(codeOf(await find(where))).toBe(107);
    });

    it.each<[string, number, string, string, (text: string) => JsonObject]>([
      ["a parameter of the config", 107, "PUT", "/config", (text) => ({ params: { text } })],
      [
        "a webhook",
        107,
        "POST",
        "/hooks/functions",
        (text) => ({ functionName: "f", url: `http://a.b/${text}` }),
      ],
      [
        "a default value",
        107,
        "POST",
        "/schemas/Odd",
        (text) => ({ fields: { a: { type: "String", defaultValue: text } } }),
      ],
      [
        "a relation",
        107,
        "POST",
        "/classes/Bound",
        (text) => ({ related: { __op: "AddRelation", objects: [pointerTo(text)] } }),
      ],
      [
        "an installation of a session",
        107,
        "POST",
        "/users",
        (text) => ({ username: "odd", password: "p", _InstallationId: text }),
      ],
      [
        "an anonymous user",
        250,
        "POST",
        "/users",
        (text) => ({ authData: { anonymous: { id: `${text}${"0".repeat(40)}` } } }),
      ],
      ["a username", 101, "POST", "/login", (text) => ({ username: text, password: "p" })],
      ["the user of a login", 101, "POST", "/loginAs", (text) => ({ userId: text })],
    ])("are rejected in %s with %i", async (_, code, method, path, fieldsOf) => {
      // Sessions are not started with the master key.
      const credentials = /^\/(?:users|login)$/.test(path) ? {} : MASTER;
      for (const text of ["a\0", `a${surrogate}`])
        expect(codeOf(await rest(purse, method, path, fieldsOf(text), credentials))).toBe(code);
    });

    it("are in no id, so that no object is found", async () => {
      expect(codeOf(await rest(purse, "GET", "/classes/Bound/a%00"))).toBe(101);
    });

    it("include the infinite result of an Increment, which is rejected with 111", async () => {
      const increment = { number: { __op: "Increment", amount: 1e308 } };
      const { body } = await rest(purse, "POST", "/classes/Bound", increment, MASTER);
      for (const fields of [increment, { ...increment, list: { __op: "Add", objects: [1] } }]) {
        expect(codeOf(await rest(purse, "PUT", `/classes/Bound/${body.objectId}`, fields))).toBe(111);
      }
      const { body: kept } = await rest(purse, "GET", `/classes/Bound/${body.objectId}`);
      expect(kept.number).toBe(1e308);
    });

    it("do not include characters outside the Basic Multilingual Plane", async () => {
      const { body } = await rest(purse, "POST", "/classes/Bound", { text: "\u{1f600}" });
      expect((await find({ text: "\u{1f600}" })).body.results).toMatchObject([{ objectId: body.objectId }]);
    });
  });

  describe("batches", () => {
    const batch = (requests: JsonObject[], credentials = {}) =>
      rest(purse, "POST", "/batch", { requests }, credentials);
    const call = { method: "POST", path: "/server/functions/getServerTime", body: {} };

    it("limit the number of function calls, except with the master key", async () => {
      expect(codeOf(await batch(many(101, () => call)))).toBe(107);
      expect((await batch(many(100, () => call))).status).toBe(200);
      expect(
        (
          await batch(
            many(101, () => call),
            MASTER,
          )
        ).status,
      ).toBe(200);
    });

    it("limit the number of logins in all spellings of their path", async () => {
      const paths = [
        "/server/login",
        "/server//login/",
        "/login",
        "/server/classes/_User",
        "/server/classes/%5fUser",
      ];
      const requests = paths.flatMap((path) =>
        many(5, () => ({ method: "POST", path, body: { username: randomUUID() } })),
      );
      expect(codeOf(await batch(requests))).toBe(107);
    });

    it("reject a path that is longer than a URL may be", async () => {
      expect(
        codeOf(await batch([{ method: "GET", path: `/server/classes/Bound?${"a=1&".repeat(3_000)}` }])),
      ).toBe(107);
    });
  });

  it("live queries reject oversized IDs, fields and messages, and others continue", async () => {
    const socket = await openSocket(purse);
    await socket.request({ op: "connect", applicationId: purse.appId });
    const subscribe = (requestId: string | number, more: object) =>
      socket.request({ op: "subscribe", requestId, query: { className: "Bound", where: {}, ...more } });
    expect(await subscribe("r".repeat(300), {})).toMatchObject({ op: "error", code: 102 });
    expect(await subscribe(1, { fields: many(1_001, (i) => `f${i}`) })).toMatchObject({
      op: "error",
      code: 102,
    });
    expect(
      await socket.request(
        `{"op":"subscribe","requestId":1,"query":{"className":"Bound","where":{"a":[${"[],".repeat(40_000)}[]]}}}`,
      ),
    ).toMatchObject({ op: "error", code: 107 });
    expect(await subscribe(2, {})).toMatchObject({ op: "subscribed" });
    socket.socket.terminate();
  });
});

describe("a client above a rate limit", () => {
  it("is rejected before its body is read if the headers identify it", async () => {
    const limits = [{ path: LIMITED, windowSeconds: 60, count: 2 }];
    const purse = await hostPurse({ env: configured({ rateLimits: limits }) });
    try {
      for (let i = 0; i < 2; i++) expect((await rest(purse, "POST", LIMITED, {})).status).toBe(400);
      expect((await rest(purse, "POST", LIMITED, {})).status).toBe(429);
      expect(await statusOfHead(purse, `/server${LIMITED}`, { "X-Parse-Application-Id": purse.appId })).toBe(
        429,
      );
      expect((await rest(purse, "POST", LIMITED, {}, MASTER)).status).toBe(400);
    } finally {
      await purse.remove();
    }
  });
});

/** Returns settings that load a configuration file with these options. */
function configured(config: object): Record<string, string> {
  const file = join(mkdtempSync(join(tmpdir(), "purse-bounds-")), "purse.config.ts");
  writeFileSync(file, `export default ${JSON.stringify(config)};`);
  return { PURSE_CONFIG: file };
}

/** Returns the keys in the database under which failed logins are counted. */
async function countedKeys(purse: Purse, env: Record<string, string>): Promise<string[]> {
  const text = "SELECT value FROM purse_counts WHERE scope = 'lockout'";
  if (env.PURSE_DATABASE_URL !== undefined) {
    const sql = postgres(env.PURSE_DATABASE_URL, { max: 1 });
    const rows = await sql.unsafe(text);
    await sql.end();
    return rows.map(({ value }) => String(value));
  }
  const file = new Database(`${purse.dataDir}/purse.sqlite`, { readonly: true });
  const rows: unknown[] = file.prepare(text).pluck().all();
  file.close();
  return rows.map(String);
}
