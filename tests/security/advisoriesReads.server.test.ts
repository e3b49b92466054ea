import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject, JsonValue } from "@purse/protocol";
import { Secret, TOTP } from "otpauth";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { casesOf } from "../support/allCases.ts";
import { type AttackTarget, attack, type Identity, READ_ONLY_KEY, TRANSPORTS } from "../support/attempts.ts";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { connectLive, type LiveSocket } from "../support/liveClient.ts";
import { hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";
import { send } from "../support/send.ts";

const MASTER = { useMasterKey: true };
const SECRET = "needle-in-the-object";
/** What no answer to a client may contain. */
const TRACE = /needle-/;
const EVERYONE = { "*": true };
const OPEN = {
  get: EVERYONE,
  find: EVERYONE,
  count: EVERYONE,
  create: EVERYONE,
  update: EVERYONE,
  delete: EVERYONE,
  addField: EVERYONE,
};
const CLIENTS: readonly Identity[] = ["an anonymous client", "a user"];

const CLOUD = `
Parse.Cloud.afterLiveQueryEvent("Retold", ({ object }) => {
  object.set("added", "sees " + Object.keys(object.attributes).filter((key) => key === "secret" || key === "title"));
});
`;

const values = (...all: JsonValue[]): JsonValue[] => all;
const objects = (...all: JsonObject[]): JsonObject[] => all;

type Advisory = [ids: string, tried: string, run: () => Promise<unknown>];

/* What leaked from similar servers; docs/deploy/security.md lists the advisories. */
describe.each(DATABASES)("values that leaked from similar servers, on %s", (database) => {
  let purse: Purse;
  let target: AttackTarget & { sessionToken: string; userId: string };
  let vaultId = "";
  const sockets: LiveSocket[] = [];

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "purse-advisories-"));
    writeFileSync(join(folder, "cloud.mjs"), CLOUD);
    purse = await hostPurse({
      env: {
        ...(await databaseEnv(database)),
        PURSE_READ_ONLY_MASTER_KEY: READ_ONLY_KEY,
        PURSE_CLOUD: join(folder, "cloud.mjs"),
        PURSE_ALLOW_PUBLIC_EXPLAIN: "0",
      },
    });
    target = await attack(purse);
    for (const className of ["Vault", "Retold"]) {
      const fields = {
        secret: { type: "String" },
        box: { type: "Object" },
        members: { type: "Relation", targetClass: "_User" },
      };
      const protectedFields = { "*": ["secret", "box", "members"], "role:keepers": [] };
      const classLevelPermissions = { ...OPEN, protectedFields };
      await rest(purse, "POST", `/schemas/${className}`, { fields, classLevelPermissions }, MASTER);
    }
    const members = { __op: "AddRelation", objects: [userPointer(target.userId)] };
    const object = { secret: SECRET, box: { pin: SECRET }, title: "shown", members };
    const { body } = await rest(purse, "POST", "/classes/Vault", object, MASTER);
    vaultId = String(body.objectId);
  });
  afterAll(() => purse.remove());
  afterEach(() => {
    for (const { socket } of sockets.splice(0)) socket.terminate();
  });

  const userPointer = (objectId: string) => ({ __type: "Pointer", className: "_User", objectId });
  const pointer = (className: string, objectId: JsonValue) => ({ __type: "Pointer", className, objectId });

  async function live(credentials: { sessionToken?: string; masterKey?: string } = {}): Promise<LiveSocket> {
    const socket = await connectLive(purse, credentials);
    sockets.push(socket);
    return socket;
  }

  /** Expects one of the codes as the answer to a query of each client over each transport. */
  async function refuseFind(className: string, params: JsonObject, codes: number[]): Promise<void> {
    for (const who of CLIENTS) {
      for (const transport of TRANSPORTS) {
        const answer = await target.send(transport, who, {
          method: "GET",
          path: `/classes/${className}`,
          params,
          codes: [],
        });
        const seen = JSON.stringify(params);
        expect([seen, who, transport, codes]).toEqual([
          seen,
          who,
          transport,
          expect.arrayContaining([answer.code]),
        ]);
        expect(answer.text).not.toMatch(TRACE);
      }
    }
  }

  async function graphql(text: string, sessionToken?: string): Promise<string> {
    const headers = {
      "Content-Type": "application/json",
      "X-Parse-Application-Id": purse.appId,
      ...(sessionToken !== undefined && { "X-Parse-Session-Token": sessionToken }),
    };
    const body = JSON.stringify({ query: text });
    return (await send(`${purse.url}/graphql`, { method: "POST", headers, body })).text;
  }

  const create = async (className: string, fields: JsonObject, key: object = MASTER): Promise<string> => {
    const { status, body } = await rest(purse, "POST", `/classes/${className}`, fields, key);
    expect([className, status]).toEqual([className, 201]);
    return String(body.objectId);
  };

  const HIDDEN_WHERES: JsonObject[] = [
    { $or: [{ secret: SECRET }, { title: "x" }] },
    { $and: [{ title: "shown" }, { secret: { $regex: "^n" } }] },
    { $nor: [{ secret: SECRET }] },
    { $or: [{ $and: [{ $nor: [{ secret: { $exists: true } }] }] }, { title: "x" }] },
    { "box.pin": SECRET },
    { "box.pin.x": SECRET },
    { $or: [{ "box.pin": { $gt: "a" } }, { title: "x" }] },
    { members: userPointer("x") },
  ];

  const ADVISORIES: Advisory[] = [
    [
      "CVE-2026-30962, CVE-2026-31872, CVE-2026-32098",
      "hidden fields in branches, by dotted keys and in orders are refused, as live queries too",
      async () => {
        for (const where of HIDDEN_WHERES) {
          await refuseFind("Vault", { where }, [119]);
          await refuseFind("Vault", { where, count: 1, limit: 0 }, [119]);
          for (const who of CLIENTS) {
            const seen = JSON.stringify(where);
            expect([seen, who, await target.subscribe(who, "Vault", where)]).toEqual([seen, who, 119]);
          }
        }
        for (const order of ["secret", "-secret", "box.pin", "-box.pin", "title,-secret", "-box.pin.x"])
          await refuseFind("Vault", { order }, [119]);
      },
    ],
    [
      "CVE-2026-34595",
      "objects in place of lists of branches are refused",
      async () => {
        for (const operator of ["$or", "$and", "$nor"]) {
          for (const branches of values(
            { 0: { secret: SECRET }, length: 1 },
            { 0: { secret: SECRET }, 1: { title: "x" }, length: 2 },
            { length: 0 },
            {},
            "secret",
          )) {
            await refuseFind("Vault", { where: { [operator]: branches } }, [102]);
            for (const who of CLIENTS)
              expect(await target.subscribe(who, "Vault", { [operator]: branches })).toBe(102);
          }
        }
      },
    ],
    [
      "CVE-2026-33429",
      "changes of hidden fields are not delivered to clients that watch them",
      async () => {
        const client = await live({ sessionToken: target.sessionToken });
        const answer = await client.subscribe("Vault", {}, { watch: ["secret"] });
        const nested = await client.subscribe("Vault", {}, { watch: ["box.pin"], requestId: 2 });
        const id = await create("Vault", { title: "a" });
        const path = `/classes/Vault/${id}`;
        await rest(purse, "PUT", path, { secret: "needle-2", box: { pin: "needle-2" } }, MASTER);
        const ops = await client.receivedOps("Vault", () => rest(purse, "PUT", path, { title: "b" }, MASTER));
        expect([answer.op, nested.op, ops]).toEqual(["subscribed", "subscribed", []]);
      },
    ],
    [
      "CVE-2026-100632, appwrite:realtime-state",
      "live queries hide fields by the roles of each session, also of a session for the whole socket",
      async () => {
        const keeper = await signUp(purse);
        const users = { __op: "AddRelation", objects: [userPointer(keeper.id)] };
        await rest(purse, "POST", "/roles", { name: "keepers", ACL: {}, users }, MASTER);
        const [asKeeper, asUser, asNobody] = [
          await live(keeper),
          await live({ sessionToken: target.sessionToken }),
          await live(),
        ];
        expect((await asKeeper.subscribe("Vault", { secret: SECRET })).op).toBe("subscribed");
        expect((await asUser.subscribe("Vault")).op).toBe("subscribed");
        expect((await asNobody.subscribe("Vault")).op).toBe("subscribed");
        // A session of a subscription replaces that of its socket.
        const own = { sessionToken: target.sessionToken, requestId: 2 };
        const mixed = await live(keeper);
        await mixed.request({ op: "subscribe", ...own, query: { className: "Vault", where: {} } });
        expect(
          (
            await mixed.request({
              op: "subscribe",
              ...own,
              requestId: 3,
              query: { className: "Vault", where: { secret: SECRET } },
            })
          ).code,
        ).toBe(119);
        const id = await create("Vault", { secret: SECRET, box: { pin: SECRET }, title: "roles" });
        await rest(purse, "PUT", `/classes/Vault/${id}`, { title: "again" }, MASTER);
        await asNobody.receivedOps("Vault");
        await asUser.receivedOps("Vault");
        await mixed.receivedOps("Vault");
        await asKeeper.receivedOps("Vault");
        const objects = asKeeper.received.map(({ op, object }) => [op, object?.secret]);
        expect(objects).toContainEqual(["create", SECRET]);
        expect(objects).toContainEqual(["update", SECRET]);
        for (const client of [asUser, asNobody, mixed]) {
          expect(client.received.map(({ op }) => op)).toContain("update");
          expect(JSON.stringify(client.received)).not.toMatch(TRACE);
        }
      },
    ],
    [
      "CVE-2026-34363, CVE-2026-33163",
      "subscribers with different rights receive an object of their own, also after a trigger has changed it",
      async () => {
        const [all, some] = [await live({ masterKey: purse.masterKey }), await live()];
        await all.subscribe("Retold");
        await some.subscribe("Retold");
        const id = await create("Retold", { secret: "needle-kept", title: "a" });
        await rest(purse, "PUT", `/classes/Retold/${id}`, { title: "b" }, MASTER);
        await all.receivedOps("Retold");
        await some.receivedOps("Retold");
        const seen = some.received.map(({ op, object }) => [op, object?.title, object?.added]);
        expect(seen).toEqual([
          ["create", "a", "sees title"],
          ["update", "b", "sees title"],
        ]);
        expect(JSON.stringify(some.received)).not.toMatch(TRACE);
        expect(all.received.slice(0, 2).map(({ object }) => [object?.secret, object?.title])).toEqual([
          ["needle-kept", "a"],
          ["needle-kept", "b"],
        ]);
        const { body } = await rest(purse, "GET", `/classes/Retold/${id}`, undefined, MASTER);
        expect([body.secret, body.added, body.title]).toEqual(["needle-kept", undefined, "b"]);
      },
    ],
    [
      "CVE-2026-57481",
      "an update that hides an object and changes it tells only that it has left",
      async () => {
        const id = await create("Note", { text: "open", ACL: { "*": { read: true } } });
        const client = await live({ sessionToken: target.sessionToken });
        await client.subscribe("Note");
        await rest(purse, "PUT", `/classes/Note/${id}`, { text: SECRET, ACL: {} }, MASTER);
        await rest(purse, "PUT", `/classes/Note/${id}`, { text: `${SECRET} again` }, MASTER);
        await client.receivedOps("Note");
        expect(client.received.map(({ op }) => op)).toEqual(["leave"]);
        expect(Object.keys(client.received[0]?.object ?? {}).sort()).toEqual(["className", "objectId"]);
        expect(JSON.stringify(client.received)).not.toMatch(/open|needle/);
      },
    ],
    [
      "CVE-2026-116161",
      "subscriptions whose branches are equal and whose other conditions differ receive their own objects",
      async () => {
        const branches = [{ kind: "a" }, { kind: "b" }];
        const [mine, theirs] = [await live(), await live()];
        await mine.subscribe("Shelf", { $or: branches, owner: "me" });
        await theirs.subscribe("Shelf", { owner: "them", $or: branches });
        await create("Shelf", { kind: "a", owner: "them", text: SECRET });
        await create("Shelf", { kind: "b", owner: "me" });
        await mine.receivedOps("Shelf");
        await theirs.receivedOps("Shelf");
        expect(mine.received.map(({ object }) => object?.owner)).toEqual(["me"]);
        expect(theirs.received.map(({ object }) => object?.owner)).toEqual(["them"]);
      },
    ],
    [
      "CVE-2026-116161",
      "subscriptions to sessions tell each user of their own only",
      async () => {
        const other = await signUp(purse);
        const client = await live({ sessionToken: target.sessionToken });
        const where = { $or: [{ restricted: false }, { restricted: true }] };
        expect((await client.subscribe("_Session", where)).op).toBe("subscribed");
        const { body } = await rest(purse, "POST", "/sessions", {}, other);
        await rest(purse, "PUT", `/sessions/${body.objectId}`, { color: "red" }, other);
        const { sessionToken } = target;
        const own = () => rest(purse, "PUT", "/sessions/me", { color: "blue" }, { sessionToken });
        await client.receivedOps("_Session", own);
        const text = JSON.stringify(client.received);
        expect(text).toContain("blue");
        expect(text).not.toContain(other.id);
        expect(text).not.toContain(other.sessionToken);
        expect(text).not.toContain(String(body.sessionToken));
      },
    ],
    [
      "CVE-2026-53726, CVE-2026-109303",
      "members of a hidden relation, and of an object that the client may not read, are neither listed nor counted",
      async () => {
        await rest(
          purse,
          "PUT",
          `/users/${target.userId}`,
          { ACL: { "*": { read: true }, [target.userId]: { read: true, write: true } } },
          MASTER,
        );
        const members = { __op: "AddRelation", objects: [userPointer(target.userId)] };
        await create("Group", { members, ACL: {} });
        const hidden = await create("Group", { members, ACL: {} });
        await rest(
          purse,
          "POST",
          "/schemas/Sealed",
          {
            fields: { members: { type: "Relation", targetClass: "_User" } },
            classLevelPermissions: { ...OPEN, get: {}, find: {} },
          },
          MASTER,
        );
        const sealed = await create("Sealed", { members });
        const shown = await create("Group", { members });
        const counted = async (object: JsonObject, who: Identity) => {
          const where = { $relatedTo: { object, key: "members" } };
          const answers = [];
          for (const transport of TRANSPORTS)
            for (const more of objects({}, { count: 1, limit: 0 }))
              answers.push(
                await target.send(transport, who, {
                  method: "GET",
                  path: "/users",
                  params: { where, ...more },
                  codes: [],
                }),
              );
          return answers;
        };
        for (const who of CLIENTS) {
          for (const object of [
            pointer("Vault", vaultId),
            pointer("Group", hidden),
            pointer("Sealed", sealed),
          ]) {
            for (const { text, code } of await counted(object, who)) {
              expect([
                object.className,
                who,
                text.includes(target.userId),
                /"count":[^0]/.test(text),
                code ?? 119,
              ]).toEqual([object.className, who, false, false, 119]);
            }
          }
          for (const { text } of await counted(pointer("Group", shown), who))
            expect(text).toMatch(new RegExp(`${target.userId}|"count":1`));
        }
      },
    ],
    [
      "CVE-2026-116801",
      "an operator as the ID of the owner of a relation is refused",
      async () => {
        const members = { __op: "AddRelation", objects: [userPointer(target.userId)] };
        const id = await create("Club", { members });
        const related = (object: JsonValue, key: JsonValue, codes = [102]) =>
          refuseFind("_User", { where: { $relatedTo: { object, key } } }, codes);
        for (const objectId of values({ $gt: "" }, { $ne: null }, { $regex: ".*" }, [id], null, 1, true))
          await related(pointer("Club", objectId), "members");
        for (const className of values({ $ne: "" }, ["Club"], null, 1))
          await related({ __type: "Pointer", className, objectId: id }, "members");
        for (const object of values({}, "Club", null, [], { className: "Club" }, { objectId: id }))
          await related(object, "members");
        for (const key of values({ $gt: "" }, null, 1, "members.x", "mem'bers", ["members"]))
          await related(pointer("Club", id), key, [102, 105]);
      },
    ],
    [
      "CVE-2025-64502",
      "plans are refused to clients in every spelling",
      async () => {
        for (const explain of [true, "true", "executionStats", "queryPlanner", 1]) {
          await refuseFind("Vault", { explain }, [102]);
          await refuseFind("_User", { explain, where: { username: "x" } }, [102]);
          await refuseFind("Vault", { explain, count: 1, limit: 0 }, [102]);
        }
      },
    ],
    [
      "CVE-2026-33627, CVE-2026-34215",
      "no answer with a user contains what the second factor keeps",
      async () => {
        const user = await signUp(purse);
        const secret = new Secret().base32;
        const code = () => new TOTP({ secret }).generate();
        const enabled = await rest(
          purse,
          "PUT",
          `/users/${user.id}`,
          { authData: { mfa: { secret, token: code() } } },
          user,
        );
        expect(enabled.status).toBe(200);
        const { recovery } = Object(Object(enabled.body.authDataResponse).mfa);
        expect([recovery].flat().length).toBeGreaterThan(0);
        const password = "correct horse";
        const answers: string[] = [];
        const login = {
          username: user.username,
          password,
          authData: { mfa: { token: [recovery].flat()[0] } },
        };
        for (const [method, path, body, key] of [
          ["GET", "/users/me", undefined, user],
          ["GET", `/users/${user.id}`, undefined, user],
          ["GET", "/users", undefined, user],
          ["GET", "/sessions/me?include=user", undefined, user],
          ["GET", `/users/${user.id}`, undefined, MASTER],
          ["POST", "/verifyPassword", login, {}],
          ["GET", `/verifyPassword${query({ username: user.username, password })}`, undefined, {}],
          ["POST", "/login", login, {}],
          ["PUT", `/users/${user.id}`, { mood: "fine" }, user],
          ["POST", "/loginAs", { userId: user.id }, MASTER],
        ] as const)
          answers.push(JSON.stringify((await rest(purse, method, path, body, key)).body));
        answers.push(await graphql("{ viewer { user { objectId username } } }", user.sessionToken));
        answers.push(await graphql("{ users { edges { node { objectId username } } } }", user.sessionToken));
        for (const text of answers) {
          expect(text).not.toContain(secret);
          for (const each of [recovery].flat().slice(1)) expect(text).not.toContain(String(each));
        }
        expect(answers.slice(0, 2).join()).toContain(user.id);
      },
    ],
    [
      "CVE-2026-39381",
      "protected fields of sessions are in no answer, also by their own routes",
      async () => {
        const fields = { device: { type: "String" } };
        const classLevelPermissions = { ...OPEN, protectedFields: { "*": ["device"] } };
        await rest(purse, "PUT", "/schemas/_Session", { fields, classLevelPermissions }, MASTER);
        const user = await signUp(purse);
        const { body } = await rest(purse, "GET", "/sessions/me", undefined, user);
        await rest(purse, "PUT", `/sessions/${body.objectId}`, { device: SECRET }, MASTER);
        for (const path of ["/sessions/me", `/sessions/${body.objectId}`, "/sessions", "/classes/_Session"]) {
          for (const transport of TRANSPORTS) {
            const requests = [{ method: "GET", path: `/server${path}` }];
            const answer =
              transport === "REST"
                ? await rest(purse, "GET", path, undefined, user)
                : transport === "batch"
                  ? await rest(purse, "POST", "/batch", { requests }, user)
                  : await rest(purse, "POST", path, { _method: "GET" }, user);
            const text = JSON.stringify(answer.body);
            expect([path, transport, answer.status]).toEqual([path, transport, 200]);
            expect(text).toContain(String(body.objectId));
            expect(text).not.toMatch(TRACE);
          }
        }
        const changed = await rest(purse, "PUT", "/sessions/me", { color: "red" }, user);
        expect(JSON.stringify(changed.body)).not.toMatch(TRACE);
        expect(
          await graphql("{ sessions { edges { node { objectId device } } } }", user.sessionToken),
        ).not.toMatch(TRACE);
        await rest(purse, "PUT", "/schemas/_Session", { classLevelPermissions: null }, MASTER);
      },
    ],
    [
      "CVE-2026-31800, CVE-2026-30966",
      "internal classes are closed by every route and in every spelling",
      async () => {
        const classes = [
          "_Join:users:_Role",
          "_Join:roles:_Role",
          "_GraphQLConfig",
          "_Audience",
          "_GlobalConfig",
          "_Hooks",
          "_SCHEMA",
          "_PushStatus",
          "_JobStatus",
          "_JobSchedule",
          "_Idempotency",
          "_ApiKey",
          "_StudioOperator",
        ];
        const user = userPointer(target.userId);
        const REFUSED = expect.toBeOneOf([103, 119]);
        for (const className of classes) {
          const id = "x".repeat(10);
          const spellings = [
            className,
            encodeURIComponent(className),
            className.replace(":", "%3A"),
            className.replace("_", "%5F"),
          ];
          for (const [i, name] of [...new Set(spellings)].entries()) {
            const routes: [method: string, path: string, body?: JsonObject][] = [
              ["GET", `/classes/${name}`],
              ["GET", `/classes/${name}/${id}`],
              ["GET", `/classes/${name}?count=1&limit=0`],
              ["POST", `/classes/${name}`, { owningId: id, relatedId: target.userId, user }],
              ["PUT", `/classes/${name}/${id}`, { relatedId: target.userId }],
              ["DELETE", `/classes/${name}/${id}`],
              ["GET", `/aggregate/${name}?pipeline=[]`],
              ["GET", `/aggregate/${name}?distinct=relatedId`],
              ["GET", `/schemas/${name}`],
              ["DELETE", `/purge/${name}`],
            ];
            // With `npm test`, each route is tried by one spelling.
            for (const [method, path, body] of casesOf(
              routes,
              (_, position) => position % spellings.length === i,
            )) {
              const requests = [{ method, path: `/server${path}`, body: body ?? {} }];
              const { sessionToken } = target;
              const direct = await rest(purse, method, path, body, { sessionToken });
              const batched = await rest(purse, "POST", "/batch", { requests }, { sessionToken });
              const codes = [direct.body.code, Object(batched.body)[0].error?.code];
              expect([method, path, codes]).toEqual([method, path, [REFUSED, REFUSED]]);
            }
          }
          expect([className, await target.subscribe("a user", className, {})]).toEqual([
            className,
            expect.toBeOneOf([102, 103, 119]),
          ]);
        }
        const { body } = await rest(purse, "GET", "/roles", undefined, MASTER);
        expect(JSON.stringify(body)).not.toContain("relatedId");
      },
    ],
  ];

  it.each(ADVISORIES)("%s: %s", async (_ids, _tried, run) => {
    await run();
    await target.expectAlive();
  });
});
