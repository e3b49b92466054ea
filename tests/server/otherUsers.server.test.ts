import { randomUUID } from "node:crypto";
import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";

const MASTER = { useMasterKey: true };
const pointer = (objectId: string) => ({ __type: "Pointer", className: "_User", objectId });
const forms = (id: string) => [`/users/${id}`, `/classes/_User/${id}`];

describe.each(DATABASES)("users whose ACL lets others write, on %s", (database) => {
  let purse: Purse;
  let admin: { id: string; sessionToken: string };
  beforeAll(async () => {
    purse = await hostPurse({ env: await databaseEnv(database) });
    admin = await signUp(purse);
    const role = {
      name: "admin",
      ACL: {},
      users: { __op: "AddRelation", objects: [pointer(admin.id)] },
    };
    expect((await rest(purse, "POST", "/roles", role, MASTER)).status).toBe(201);
  });
  afterAll(() => purse?.remove());

  const managed = (fields: JsonObject = {}) =>
    signUp(purse, { ...fields, ACL: { "role:admin": { read: true, write: true } } });

  it("are updated by members of a role", async () => {
    const user = await managed();
    for (const [i, path] of forms(user.id).entries()) {
      const { status, body } = await rest(purse, "PUT", path, { level: i, username: user.username }, admin);
      expect([status, body]).toEqual([200, { updatedAt: expect.any(String) }]);
      expect((await rest(purse, "GET", path, undefined, user)).body.level).toBe(i);
    }
  });

  it("are deleted with their sessions by members of a role", async () => {
    for (const index of [0, 1]) {
      const user = await managed();
      const path = forms(user.id)[index] ?? "";
      expect((await rest(purse, "DELETE", path, undefined, admin)).status).toBe(200);
      expect((await rest(purse, "GET", "/users/me", undefined, user)).body.code).toBe(209);
      expect((await rest(purse, "PUT", path, { level: 1 }, admin)).body.code).toBe(206);
    }
  });

  it("are updated by another user, or by every signed-in user", async () => {
    const shared = await signUp(purse, { ACL: { [admin.id]: { read: true, write: true } } });
    expect((await rest(purse, "PUT", `/users/${shared.id}`, { a: 1 }, admin)).status).toBe(200);
    const open = await signUp(purse, { ACL: { "*": { read: true, write: true } } });
    expect((await rest(purse, "PUT", `/users/${open.id}`, { a: 1 }, admin)).status).toBe(200);
    expect((await rest(purse, "PUT", `/users/${open.id}`, { a: 1 })).body.code).toBe(206);
  });

  it("are updated in batches", async () => {
    const user = await managed();
    const requests = [{ method: "PUT", path: `/server/users/${user.id}`, body: { level: 5 } }];
    const { body } = await rest(purse, "POST", "/batch", { requests }, admin);
    expect(body).toMatchObject([{ success: { updatedAt: expect.any(String) } }]);
  });

  it.each([
    ["password", { password: "taken over" }],
    ["email", { email: "mallory@example.org" }],
    ["email", { email: { __op: "Delete" } }],
    ["username", { username: `taken-${randomUUID()}` }],
    ["authData", { authData: { anonymous: { id: randomUUID() } } }],
    ["authData", { authData: { anonymous: null } }],
  ])("keep their credentials: %s %#", async (field, change) => {
    const user = await managed({ email: `${randomUUID()}@example.org` });
    for (const path of forms(user.id)) {
      const { body } = await rest(purse, "PUT", path, { level: 1, ...change }, admin);
      expect(body).toEqual({
        code: 119,
        error: `The ${field} of another user can only be changed with the master key.`,
      });
    }
    const { body } = await rest(purse, "GET", `/users/${user.id}`, undefined, MASTER);
    expect(body).not.toHaveProperty("level");
    const credentials = { username: user.username, password: "correct horse" };
    expect((await rest(purse, "POST", "/login", credentials)).status).toBe(200);
    expect((await rest(purse, "PUT", `/users/${user.id}`, { emailVerified: true }, admin)).body.code).toBe(
      119,
    );
  });

  it("keep access to themselves with any ACL that others set", async () => {
    const user = await managed();
    const ACL = { "role:admin": { read: true, write: true } };
    expect((await rest(purse, "PUT", `/users/${user.id}`, { ACL }, admin)).status).toBe(200);
    expect((await rest(purse, "GET", "/users/me", undefined, user)).status).toBe(200);
  });

  it("with an unknown ID return 101 for the master key", async () => {
    const { body } = await rest(purse, "PUT", "/users/nobody", { a: 1 }, MASTER);
    expect(body).toEqual({ code: 101, error: "Object not found." });
  });
});

describe.each(DATABASES)("writable users with the Parse Server compatibility, on %s", (database) => {
  let purse: Purse;
  beforeAll(async () => {
    purse = await hostPurse({ env: { ...(await databaseEnv(database)), PURSE_COMPATIBILITY: "parse" } });
  });
  afterAll(() => purse?.remove());

  it("get new credentials from users who may write them", async () => {
    const admin = await signUp(purse);
    const user = await signUp(purse, { ACL: { [admin.id]: { read: true, write: true } } });
    const username = `renamed-${randomUUID()}`;
    const change = { username, password: "a new one", email: `${username}@example.org` };
    expect((await rest(purse, "PUT", `/users/${user.id}`, change, admin)).status).toBe(200);
    const { body } = await rest(purse, "GET", `/login${query({ username, password: "a new one" })}`);
    expect(body.objectId).toBe(user.id);
    const stranger = await signUp(purse);
    expect((await rest(purse, "PUT", `/users/${user.id}`, change, stranger)).body.code).toBe(206);
  });
});
