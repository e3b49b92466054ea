import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, rest, signUp } from "../support/purse.ts";

const MASTER = { useMasterKey: true };
const inMs = (ms: number) => ({ __type: "Date", iso: new Date(Date.now() + ms).toISOString() });
const DAY = 86_400_000;

describe.each(DATABASES)("sessions on %s", (database) => {
  let purse: Purse;
  beforeAll(async () => {
    purse = await hostPurse({ env: await databaseEnv(database) });
  });
  afterAll(() => purse?.remove());

  async function signIn() {
    const user = await signUp(purse);
    const { body } = await rest(purse, "GET", "/sessions/me", undefined, user);
    return { ...user, sessionId: String(body.objectId) };
  }
  const forms = (id: string) => [`/sessions/${id}`, `/classes/_Session/${id}`];
  const isValid = async (credentials: { sessionToken: string }) =>
    (await rest(purse, "GET", "/users/me", undefined, credentials)).status === 200;

  it("record their creation by sign-up or login with the provider", async () => {
    const began = async (sessionToken: unknown) => {
      const credentials = { sessionToken: String(sessionToken) };
      return (await rest(purse, "GET", "/sessions/me", undefined, credentials)).body.createdWith;
    };
    const { username, sessionToken } = await signUp(purse);
    expect(await began(sessionToken)).toEqual({ action: "signup", authProvider: "password" });
    const login = await rest(purse, "POST", "/login", { username, password: "correct horse" });
    expect(await began(login.body.sessionToken)).toEqual({ action: "login", authProvider: "password" });
    const anonymous = await rest(purse, "POST", "/users", { authData: { anonymous: { id: randomUUID() } } });
    expect(await began(anonymous.body.sessionToken)).toEqual({ action: "login", authProvider: "anonymous" });
  });

  it("are updated and deleted with a session token only", async () => {
    const user = await signIn();
    for (const path of [...forms(user.sessionId), ...forms("unknown")]) {
      expect((await rest(purse, "PUT", path, { note: 1 })).body).toMatchObject({ code: 209 });
      expect((await rest(purse, "DELETE", path)).body).toMatchObject({ code: 209 });
    }
    expect(await isValid(user)).toBe(true);
    const other = await signIn();
    for (const path of forms(user.sessionId)) {
      expect((await rest(purse, "PUT", path, { note: 1 }, other)).body.code).toBe(101);
      expect((await rest(purse, "DELETE", path, undefined, other)).body.code).toBe(101);
    }
  });

  it("are ended with the master key, also with an installation", async () => {
    for (const index of [0, 1]) {
      const { username } = await signUp(purse);
      const response = await fetch(`${purse.serverUrl}/login`, {
        method: "POST",
        headers: { "X-Parse-Application-Id": purse.appId, "X-Parse-Installation-Id": randomUUID() },
        body: JSON.stringify({ username, password: "correct horse" }),
      });
      const { sessionToken } = await response.json();
      expect(await isValid({ sessionToken })).toBe(true);
      const { body } = await rest(purse, "GET", "/sessions/me", undefined, { sessionToken });
      const path = forms(String(body.objectId))[index] ?? "";
      expect((await rest(purse, "PUT", path, { expiresAt: inMs(-DAY) }, MASTER)).status).toBe(200);
      expect(await isValid({ sessionToken })).toBe(false);
    }
  });

  it("are not created by users whom the permissions of the class deny it, in any way", async () => {
    const { sessionToken } = await signUp(purse);
    const master = { useMasterKey: true };
    const { body: before } = await rest(purse, "GET", "/schemas/_Session", undefined, master);
    const allowed = before.classLevelPermissions;
    const denied = { classLevelPermissions: { ...Object(allowed), create: {} } };
    await rest(purse, "PUT", "/schemas/_Session", denied, master);
    for (const path of ["/sessions", "/classes/_Session"]) {
      const { status, body } = await rest(purse, "POST", path, {}, { sessionToken });
      expect([path, status, body.code]).toEqual([path, 400, 119]);
    }
    await rest(purse, "PUT", "/schemas/_Session", { classLevelPermissions: allowed }, master);
    expect((await rest(purse, "POST", "/sessions", {}, { sessionToken })).status).toBe(201);
  });

  it("are extended with the master key, but not by their user", async () => {
    const user = await signIn();
    const expiresAt = inMs(3_000 * DAY);
    const path = `/sessions/${user.sessionId}`;
    expect((await rest(purse, "PUT", path, { expiresAt }, user)).body.code).toBe(105);
    expect((await rest(purse, "PUT", path, { expiresAt }, MASTER)).status).toBe(200);
    const { body } = await rest(purse, "GET", "/sessions/me", undefined, user);
    expect(body.expiresAt).toEqual(expiresAt);
  });

  it.each([
    ["user", { __type: "Pointer", className: "_User", objectId: "other" }],
    ["sessionToken", "r:mine"],
    ["installationId", "mine"],
    ["ACL", {}],
    ["expiresAt", "tomorrow"],
    ["expiresAt", { __op: "Delete" }],
  ])("protect their %s from the master key too: %j", async (field, value) => {
    const { sessionId } = await signIn();
    const { body } = await rest(purse, "PUT", `/sessions/${sessionId}`, { [field]: value }, MASTER);
    expect([105, 111, 142]).toContain(body.code);
  });
});
