import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { connectLive } from "../support/liveClient.ts";
import { hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";

const MASTER = { useMasterKey: true };
const pointer = (objectId: string) => ({ __type: "Pointer", className: "_User", objectId });
type Person = { id: string; sessionToken: string; username: string };

function startWith(config: JsonObject, env: Record<string, string>): Promise<Purse> {
  const file = join(mkdtempSync(join(tmpdir(), "purse-config-")), "purse.config.ts");
  writeFileSync(file, `export default ${JSON.stringify(config)};`);
  return hostPurse({ env: { ...env, PURSE_CONFIG: file, PURSE_ENFORCE_PRIVATE_USERS: "0" } });
}

async function addRole(purse: Purse, name: string, member: Person): Promise<void> {
  const users = { __op: "AddRelation", objects: [pointer(member.id)] };
  expect((await rest(purse, "POST", "/roles", { name, ACL: {}, users }, MASTER)).status).toBe(201);
}

describe.each(DATABASES)("protected fields of users on %s", (database) => {
  let purse: Purse;
  let admin: Person;
  let stranger: Person;
  let boss: Person;
  let user: Person & { email: string };
  beforeAll(async () => {
    purse = await startWith({}, await databaseEnv(database));
    [admin, stranger, boss] = [await signUp(purse), await signUp(purse), await signUp(purse)];
    await addRole(purse, "Adm", admin);
    const email = `pii-${Date.now()}@example.org`;
    user = { email, ...(await signUp(purse, { email, ssn: "123", zip: "10115", boss: pointer(boss.id) })) };
  });
  afterAll(() => purse?.remove());

  async function protect(protectedFields: JsonObject): Promise<void> {
    const open = { "*": true };
    const classLevelPermissions = {
      find: open,
      get: open,
      count: open,
      create: open,
      update: open,
      delete: open,
      addField: open,
      protectedFields,
    };
    const { status } = await rest(purse, "PUT", "/schemas/_User", { classLevelPermissions }, MASTER);
    expect(status).toBe(200);
  }

  /** Returns the fields of the user that a client can read, checked on every route. */
  async function visible(reader?: Person): Promise<string[]> {
    const post = await rest(purse, "POST", "/classes/Post", { author: pointer(user.id) }, MASTER);
    const get = async (path: string): Promise<unknown> =>
      (await rest(purse, "GET", path, undefined, reader)).body;
    const where = { username: user.username };
    const keys = "email,emailVerified,ssn,zip";
    const answers = [
      await get(`/users/${user.id}`),
      await get(`/classes/_User/${user.id}`),
      await get(`/users/${user.id}?keys=${keys}`),
      Object(await get(`/users${query({ where })}`)).results?.[0],
      Object(await get(`/classes/_User${query({ where, keys })}`)).results?.[0],
      Object(await get(`/classes/Post/${post.body.objectId}?include=author`)).author,
    ];
    const seen = answers.map((answer) =>
      ["email", "emailVerified", "ssn", "zip"].filter((field) => field in Object(answer)).join(),
    );
    expect(new Set(seen).size).toBe(1);
    return seen[0] ? seen[0].split(",") : [];
  }

  const search = async (where: JsonObject, reader?: Person) =>
    (await rest(purse, "GET", `/users${query({ where })}`, undefined, reader)).body;

  it("hide email addresses from others by default, and show them to the user", async () => {
    await protect({});
    for (const reader of [undefined, stranger, admin, boss]) {
      expect(await visible(reader)).toEqual(["ssn", "zip"]);
      expect(await search({ email: user.email }, reader)).toMatchObject({ code: 119 });
    }
    expect(await visible(user)).toEqual(["email", "ssn", "zip"]);
  });

  it.each([
    ["a role", () => ["role:Adm"]],
    ["a user", () => [admin.id]],
  ])("show email addresses and other fields to %s that a rule names", async (_who, subjects) => {
    const opened = Object.fromEntries(subjects().map((subject) => [subject, []]));
    await protect({ "*": ["email", "ssn"], ...opened });
    expect(await visible(admin)).toEqual(["email", "ssn", "zip"]);
    expect(await visible(stranger)).toEqual(["zip"]);
    expect(await visible()).toEqual(["zip"]);
    const wheres: JsonObject[] = [
      { email: user.email },
      { $or: [{ email: user.email }, { ssn: "none" }] },
      { email: { $regex: "^pii-" } },
    ];
    for (const where of wheres) {
      expect((await search(where, admin)).results).toMatchObject([{ objectId: user.id }]);
      expect(await search(where, stranger)).toMatchObject({ code: 119 });
      expect(await search(where)).toMatchObject({ code: 119 });
    }
    const order = `/users${query({ where: { ssn: "123" }, order: "email" })}`;
    expect((await rest(purse, "GET", order, undefined, admin)).body.results).toHaveLength(1);
    expect((await rest(purse, "GET", order, undefined, stranger)).body.code).toBe(119);
  });

  it("show email addresses to signed-in users", async () => {
    await protect({ "*": ["email"], authenticated: [] });
    expect(await visible(stranger)).toEqual(["email", "ssn", "zip"]);
    expect(await visible()).toEqual(["ssn", "zip"]);
  });

  it("show email addresses to the user of a pointer field, but reject them in conditions", async () => {
    await protect({ "*": ["email", "ssn"], "userField:boss": [] });
    expect(await visible(boss)).toEqual(["email", "ssn", "zip"]);
    expect(await visible(admin)).toEqual(["zip"]);
    expect(await search({ email: user.email }, boss)).toMatchObject({ code: 119 });
  });

  it("do not show email addresses because of rules about other fields", async () => {
    await protect({ "*": ["ssn"], "role:Adm": [] });
    expect(await visible(admin)).toEqual(["ssn", "zip"]);
    expect(await search({ email: user.email }, admin)).toMatchObject({ code: 119 });
  });

  it("apply in live queries", async () => {
    await protect({ "*": ["email", "ssn"], "role:Adm": [] });
    const sockets = await Promise.all([
      connectLive(purse, { sessionToken: admin.sessionToken }),
      connectLive(purse, { sessionToken: stranger.sessionToken }),
    ]);
    const [privileged, other] = sockets;
    for (const socket of sockets) {
      expect(await socket?.subscribe("_User", { username: user.username })).toMatchObject({
        op: "subscribed",
      });
    }
    expect(await other?.subscribe("_User", { email: user.email })).toMatchObject({ op: "error" });
    await rest(purse, "PUT", `/users/${user.id}`, { zip: "20095" }, user);
    expect((await privileged?.next())?.object).toMatchObject({ zip: "20095", email: user.email, ssn: "123" });
    const seen = (await other?.next())?.object;
    expect(seen).toMatchObject({ zip: "20095" });
    expect(seen).not.toHaveProperty("email");
    expect(seen).not.toHaveProperty("ssn");
    for (const { socket } of sockets) socket.terminate();
  });
});

describe.each(DATABASES)("protected fields of users in the config file, on %s", (database) => {
  async function fieldsSeenBy(config: JsonObject, env: Record<string, string> = {}) {
    const purse = await startWith(config, { ...(await databaseEnv(database)), ...env });
    const [admin, stranger] = [await signUp(purse), await signUp(purse)];
    await addRole(purse, "Adm", admin);
    const { id } = await signUp(purse, { email: "pii@example.org", ssn: "123" });
    const seen = [admin, stranger, undefined].map(async (reader) => {
      const { body } = await rest(purse, "GET", `/users/${id}`, undefined, reader);
      return ["email", "ssn"].filter((field) => field in body);
    });
    const fields = await Promise.all(seen);
    await purse.remove();
    return fields;
  }

  it("show email addresses to a role", async () => {
    const config = { protectedFields: { _User: { "*": ["email", "ssn"], "role:Adm": [] } } };
    expect(await fieldsSeenBy(config)).toEqual([["email", "ssn"], [], []]);
  });

  it("are extended by userSensitiveFields", async () => {
    expect(await fieldsSeenBy({ userSensitiveFields: ["ssn"] })).toEqual([[], [], []]);
    const config = { userSensitiveFields: ["ssn"], protectedFields: { _User: { "role:Adm": ["email"] } } };
    expect(await fieldsSeenBy(config)).toEqual([["ssn"], [], []]);
  });

  it("show email addresses by any rule with the Parse Server compatibility", async () => {
    const config = { protectedFields: { _User: { "*": ["ssn"], "role:Adm": [] } } };
    expect(await fieldsSeenBy(config)).toEqual([["ssn"], [], []]);
    const parse = { PURSE_COMPATIBILITY: "parse" };
    expect(await fieldsSeenBy(config, parse)).toEqual([["email", "ssn"], [], []]);
  });
});
