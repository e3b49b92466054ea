import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";

const MASTER = { useMasterKey: true };
const WRONG = { code: 101, error: "Invalid username/password." };

describe.each(DATABASES)("a user whose ACL was emptied with the master key, on %s", (database) => {
  let purse: Purse;
  beforeAll(async () => {
    purse = await hostPurse({ env: await databaseEnv(database) });
  });
  afterAll(() => purse?.remove());

  it("cannot log in on any route", async () => {
    const email = `${randomUUID()}@example.org`;
    const { id, username } = await signUp(purse, { email });
    for (const path of [`/users/${id}`, `/classes/_User/${id}`]) {
      expect((await rest(purse, "PUT", path, { ACL: {} }, MASTER)).status).toBe(200);
      for (const name of [{ username }, { email }, { username: email }]) {
        const credentials = { ...name, password: "correct horse" };
        for (const route of ["/login", "/verifyPassword"]) {
          expect((await rest(purse, "POST", route, credentials)).body).toEqual(WRONG);
          expect((await rest(purse, "GET", `${route}${query(credentials)}`)).body).toEqual(WRONG);
        }
      }
      expect((await rest(purse, "POST", "/loginAs", { userId: id }, MASTER)).body.code).toBe(101);
    }
    expect((await rest(purse, "GET", `/users/${id}`, undefined, MASTER)).body.ACL).toEqual({});
  });

  it("cannot sign in with another provider", async () => {
    const anonymous = { id: randomUUID() };
    const { body } = await rest(purse, "POST", "/users", { authData: { anonymous } });
    await rest(purse, "PUT", `/users/${body.objectId}`, { ACL: {} }, MASTER);
    expect((await rest(purse, "POST", "/users", { authData: { anonymous } })).body).toEqual(WRONG);
  });

  it("loses existing sessions, and can log in again after a change of the ACL", async () => {
    const user = await signUp(purse);
    expect((await rest(purse, "GET", "/users/me", undefined, user)).status).toBe(200);
    await rest(purse, "PUT", `/users/${user.id}`, { ACL: {} }, MASTER);
    expect((await rest(purse, "GET", "/users/me", undefined, user)).body.code).toBe(209);
    const ACL = { [user.id]: { read: true, write: true } };
    await rest(purse, "PUT", `/users/${user.id}`, { ACL }, MASTER);
    const credentials = { username: user.username, password: "correct horse" };
    expect((await rest(purse, "POST", "/login", credentials)).status).toBe(200);
  });

  it("is not disabled by emptying the ACL themselves or at sign-up", async () => {
    const user = await signUp(purse, { ACL: {} });
    expect((await rest(purse, "PUT", `/users/${user.id}`, { ACL: {} }, user)).status).toBe(200);
    expect((await rest(purse, "GET", "/users/me", undefined, user)).status).toBe(200);
    await rest(purse, "PUT", `/users/${user.id}`, { ACL: { "*": { read: true } } }, MASTER);
    const credentials = { username: user.username, password: "correct horse" };
    expect((await rest(purse, "POST", "/login", credentials)).status).toBe(200);
  });
});
