import { randomUUID } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { type Answer, envelope, hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";

const PASSWORD = "correct horse";
/** The response for a wrong password, an unknown username and a username that does not match the email address. */
const WRONG = { code: 101, error: "Invalid username/password." };

describe.each(DATABASES)("login credentials on %s", (database) => {
  let purse: Purse;
  beforeAll(async () => {
    purse = await hostPurse({ env: await databaseEnv(database) });
  });
  afterAll(() => purse?.remove());

  const ways: [string, (params: JsonObject) => Promise<Answer>][] = [
    ["POST /login", (params) => rest(purse, "POST", "/login", params)],
    ["GET /login", (params) => rest(purse, "GET", `/login${query(params)}`)],
    ["POST /verifyPassword", (params) => rest(purse, "POST", "/verifyPassword", params)],
    ["GET /verifyPassword", (params) => rest(purse, "GET", `/verifyPassword${query(params)}`)],
    ["the login of SDKs", (params) => envelope(purse, "/login", { ...params, _method: "GET" })],
    [
      "the verifyPassword of SDKs",
      (params) => envelope(purse, "/verifyPassword", { ...params, _method: "GET" }),
    ],
  ];

  async function newUser(): Promise<{ username: string; email: string; id: string }> {
    const username = `user-${randomUUID()}`;
    const email = `${username}@example.org`;
    const { body } = await rest(purse, "POST", "/users", { username, email, password: PASSWORD });
    return { username, email, id: String(body.objectId) };
  }

  it("start no session by HEAD", async () => {
    const { username, id } = await newUser();
    const sessions = async () => {
      const where = { user: { __type: "Pointer", className: "_User", objectId: id } };
      const master = { useMasterKey: true };
      const { body } = await rest(purse, "GET", `/sessions${query({ where })}`, undefined, master);
      return Array.isArray(body.results) ? body.results.length : undefined;
    };
    const before = await sessions();
    const url = `${purse.serverUrl}/login${query({ username, password: PASSWORD })}`;
    const headers = { "X-Parse-Application-Id": purse.appId };
    expect((await fetch(url, { method: "HEAD", headers })).status).toBe(405);
    expect(await sessions()).toBe(before);
    expect((await fetch(url, { headers })).status).toBe(200);
    expect(await sessions()).not.toBe(before);
  });

  describe.each(ways)("%s", (_way, send) => {
    it("find a user by username, by email address, and by email address as username, in any case", async () => {
      const { username, email, id } = await newUser();
      const spellings: JsonObject[] = [
        { username },
        { email },
        { username: email },
        { username: email.toUpperCase() },
        { username: "", email },
        { username, email: "" },
      ];
      for (const names of spellings) {
        const { status, body } = await send({ ...names, password: PASSWORD });
        expect([names, status, body.objectId]).toEqual([names, 200, id]);
      }
    });

    it("must name the same user if both username and email address are given", async () => {
      const [ann, bob] = [await newUser(), await newUser()];
      const both = await send({ username: ann.username, email: ann.email, password: PASSWORD });
      expect(both.body.objectId).toBe(ann.id);
      for (const names of [
        { username: ann.username, email: bob.email },
        { username: bob.username, email: ann.email },
        { username: ann.username, email: "nobody@example.org" },
        { username: "nobody", email: ann.email },
        { username: ann.email, email: ann.email },
      ]) {
        const { status, body } = await send({ ...names, password: PASSWORD });
        expect([names, status, body]).toEqual([names, 404, WRONG]);
      }
    });

    it("prefer a matching username to a matching email address", async () => {
      const ann = await newUser();
      const namesake = { username: ann.email, password: "another one" };
      const { body } = await rest(purse, "POST", "/users", namesake);
      expect((await send(namesake)).body.objectId).toBe(body.objectId);
      expect((await send({ username: ann.email, password: PASSWORD })).body).toEqual(WRONG);
      expect((await send({ email: ann.email, password: PASSWORD })).body.objectId).toBe(ann.id);
    });

    it("are rejected with the same error for wrong passwords and unknown names in all spellings", async () => {
      const { email } = await newUser();
      expect((await send({ username: email, password: "wrong" })).body).toEqual(WRONG);
      expect((await send({ username: "nobody@example.org", password: "wrong" })).body).toEqual(WRONG);
      expect((await send({ password: PASSWORD })).body.code).toBe(200);
      expect((await send({ username: "", email: "", password: PASSWORD })).body.code).toBe(200);
      expect((await send({ username: email, password: "" })).body.code).toBe(201);
    });
  });

  it("are rejected if the username or email address is not a string", async () => {
    const { username, email } = await newUser();
    for (const names of [{ username, email: { $ne: "" } }, { username: { $ne: "" }, email }, { email: 1 }]) {
      const { body } = await rest(purse, "POST", "/login", { ...names, password: PASSWORD });
      expect([101, 121]).toContain(body.code);
    }
  });

  it("share one count of wrong passwords for all names of a user", async () => {
    const { username, email } = await newUser();
    const spellings: JsonObject[] = [{ username }, { email }, { username: email }, { username, email }];
    for (let i = 0; i < 10; i++) {
      await rest(purse, "POST", "/login", { ...spellings[i % spellings.length], password: "wrong" });
    }
    for (const names of spellings) {
      const { body } = await rest(purse, "POST", "/login", { ...names, password: PASSWORD });
      expect(body.error).toContain("Your account is locked");
    }
  });
});

describe.each(DATABASES)("the age of a password on %s", (database) => {
  it("is counted from the first login if the password is older than the policy", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "purse-age-"));
    const env = await databaseEnv(database);
    const before = await hostPurse({ dataDir, env });
    const { username } = await signUp(before);
    await before.stop();
    const file = join(dataDir, "purse.config.ts");
    // In days: two seconds.
    writeFileSync(file, `export default { passwordPolicy: { maxPasswordAge: ${2 / 86_400} } };`);
    const purse = await hostPurse({ dataDir, env: { ...env, PURSE_CONFIG: file } });
    const logIn = () => rest(purse, "POST", "/login", { username, password: PASSWORD });
    expect((await logIn()).status).toBe(200);
    await expect
      .poll(async () => (await logIn()).body, { timeout: 30_000 })
      .toEqual({ code: 101, error: "Your password has expired. Please reset your password." });
    await purse.remove();
  });
});
