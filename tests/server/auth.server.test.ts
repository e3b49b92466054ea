import { randomUUID } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { openSchemas, openStore } from "@purse/server";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { type OidcIssuer, startOidcIssuer } from "../support/oidcIssuer.ts";
import { hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";

const MASTER = { useMasterKey: true };

describe.each(DATABASES)("sign-in on %s", (database) => {
  let purse: Purse;
  let oidc: OidcIssuer;
  let databaseUrl: string | undefined;
  beforeAll(async () => {
    oidc = await startOidcIssuer("our-client");
    const folder = mkdtempSync(join(tmpdir(), "purse-auth-"));
    writeFileSync(
      join(folder, "house.mjs"),
      `export default {
        validateAppId(appIds) { if (!appIds.includes("a")) throw new Error("wrong app"); },
        async validateAuthData(authData, options) { if (authData.secret !== options.secret) throw "You do not live here."; },
      };`,
    );
    const config = {
      auth: {
        company: { type: "oidc", issuer: oidc.issuer, clientId: "our-client" },
        house: { module: join(folder, "house.mjs"), secret: "open sesame", appIds: ["a"] },
      },
    };
    writeFileSync(join(folder, "purse.config.ts"), `export default ${JSON.stringify(config)};`);
    const env = await databaseEnv(database);
    databaseUrl = env.PURSE_DATABASE_URL;
    purse = await hostPurse({
      env: { ...env, PURSE_CONFIG: join(folder, "purse.config.ts") },
    });
  });
  afterAll(async () => {
    await purse.remove();
    await oidc.stop();
  });

  const users = (authData: unknown, more: JsonObject = {}) =>
    rest(purse, "POST", "/users", { authData, ...more });
  const me = (sessionToken: string) => rest(purse, "GET", "/users/me", undefined, { sessionToken });
  const update = (id: unknown, fields: object, sessionToken: string) =>
    rest(purse, "PUT", `/users/${id}`, fields, { sessionToken });

  describe("with an external provider", () => {
    it("creates a user the first time and signs in the next", { tags: ["7.save.new-user"] }, async () => {
      const company = { id: "alice", id_token: await oidc.token("alice") };
      const first = await users({ company });
      expect([first.status, first.body.username]).toEqual([201, expect.any(String)]);
      const second = await users({ company: { id: "alice", id_token: await oidc.token("alice") } });
      expect([second.status, second.body.objectId]).toEqual([200, first.body.objectId]);
      const mine = await me(String(second.body.sessionToken));
      expect(mine.body.authData).toEqual({ company: { id: "alice" } });
    });

    it.each([
      ["another subject", async () => oidc.token("mallory")],
      ["another audience", async () => oidc.token("bob", { aud: "their-client" })],
      ["another issuer", async () => oidc.token("bob", { iss: "https://evil.example" })],
      ["another key", async () => oidc.token("bob", {}, true)],
      ["a malformed token", async () => "x.y.z"],
      [
        "no algorithm",
        async () =>
          `${btoa('{"alg":"none"}')}.${btoa(`{"sub":"bob","iss":"${oidc.issuer}","aud":"our-client"}`)}.`,
      ],
    ])("rejects a token with %s", async (_name, token) => {
      const { status, body } = await users({ company: { id: "bob", id_token: await token() } });
      expect([status, body.code]).toEqual([404, 101]);
      expect(body.error).toContain("refused");
    });

    it("calls a custom adapter", async () => {
      expect((await users({ house: { id: "h1", secret: "open sesame" } })).status).toBe(201);
      const refused = await users({ house: { id: "h1", secret: "please" } });
      expect(refused.body).toEqual({ code: 141, error: "You do not live here." });
    });

    it.each([
      ["an unknown provider", { nowhere: { id: "x" } }, 252],
      ["authData that is not an object", { company: "alice" }, 251],
      ["authData without an ID", { company: { id_token: "x" } }, 250],
      ["a query operator as ID", { company: { id: { $ne: null } } }, 250],
      ["the prototype", JSON.parse('{"__proto__":{"id":"x"}}'), 252],
    ] as [string, unknown, number][])(
      "rejects %s",
      { tags: ["8.code.252", "8.code.250", "8.code.251"] },
      async (_n, authData, code) => {
        const { status, body } = await users(authData);
        expect(status).toBeLessThan(500);
        expect([code, 105, 107]).toContain(body.code);
      },
    );

    it("links an identity to one user only", { tags: ["8.code.208"] }, async () => {
      const [ann, bob] = [await signUp(purse), await signUp(purse)];
      const proof = async () => ({ company: { id: "carol", id_token: await oidc.token("carol") } });
      expect((await update(ann.id, { authData: await proof() }, ann.sessionToken)).status).toBe(200);
      const taken = await update(bob.id, { authData: await proof() }, bob.sessionToken);
      expect(taken.body).toEqual({ code: 208, error: "this auth is already used" });
      expect((await users(await proof())).body.objectId).toBe(ann.id);
      await update(ann.id, { authData: { company: null } }, ann.sessionToken);
      expect((await update(bob.id, { authData: await proof() }, bob.sessionToken)).status).toBe(200);
    });

    it("does not sign in to an account with the same email address", async () => {
      const email = `${randomUUID()}@example.org`;
      const victim = await signUp(purse, { email });
      const answer = await users({ company: { id: "eve", id_token: await oidc.token("eve", { email }) } });
      expect(answer.body.objectId).not.toBe(victim.id);
    });

    it("keeps the last sign-in method of an account", async () => {
      const { body } = await users({ company: { id: "last", id_token: await oidc.token("last") } });
      const refused = await update(body.objectId, { authData: { company: null } }, String(body.sessionToken));
      expect(refused.body.code).toBe(119);
    });
  });

  describe("of anonymous users", () => {
    it("creates a user, finds it by ID, and ends when the user gets a name", async () => {
      const anonymous = { id: randomUUID() };
      const first = await users({ anonymous });
      expect(first.status).toBe(201);
      expect((await users({ anonymous })).body.objectId).toBe(first.body.objectId);
      const username = `named-${randomUUID()}`;
      const named = await update(
        first.body.objectId,
        { username, password: "correct horse" },
        String(first.body.sessionToken),
      );
      expect(named.status).toBe(200);
      expect((await users({ anonymous })).body.objectId).not.toBe(first.body.objectId);
      const logIn = await rest(purse, "POST", "/login", { username, password: "correct horse" });
      expect(logIn.body.objectId).toBe(first.body.objectId);
      expect(logIn.body).not.toHaveProperty("authData");
    });

    it("accepts any ID in development", async () => {
      expect((await users({ anonymous: { id: "1" } })).status).toBe(201);
    });
  });

  describe("with a second factor", () => {
    const newSecret = () => new Secret().base32;
    // A code of the next 30 seconds is valid, too, and longer than one of the previous ones would be.
    const codeOf = (secret: string, seconds: 0 | 30 = 0) =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + seconds * 1000 });

    async function enrolled() {
      const user = await signUp(purse);
      const secret = newSecret();
      const mfa = { secret, token: codeOf(secret) };
      const { body } = await update(user.id, { authData: { mfa } }, user.sessionToken);
      const recovery = String(Object(body.authDataResponse).mfa.recovery).split(", ");
      return { ...user, secret, recovery };
    }
    const logIn = (username: string, mfa?: JsonObject) =>
      rest(purse, "POST", "/login", {
        username,
        password: "correct horse",
        ...(mfa && { authData: { mfa } }),
      });

    it("requires a code, accepts each once, and hides the secret", async () => {
      const user = await enrolled();
      expect((await logIn(user.username)).body).toEqual({
        code: -1,
        error: "Missing additional authData mfa",
      });
      expect((await logIn(user.username, { token: "000000" })).body.code).toBe(141);
      const code = codeOf(user.secret, 30);
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => logIn(user.username, { token: code })),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      const done = answers.find(({ status }) => status === 200);
      expect(done?.body.authData).toEqual({ mfa: { status: "enabled" } });
      expect((await logIn(user.username, { token: code })).body.error).toBe("Invalid MFA token");
      const asMaster = await rest(purse, "GET", `/users/${user.id}`, undefined, MASTER);
      expect(JSON.stringify(asMaster.body)).not.toContain(user.secret);
    });

    it("accepts each recovery code once", async () => {
      const user = await enrolled();
      const [code = ""] = user.recovery;
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => logIn(user.username, { token: code })),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect((await logIn(user.username, { token: code })).body.code).toBe(141);
      expect((await logIn(user.username, { token: user.recovery[1] ?? "" })).status).toBe(200);
    });

    it("is disabled only with a valid code", async () => {
      const user = await enrolled();
      const end = (mfa: JsonObject | null) => update(user.id, { authData: { mfa } }, user.sessionToken);
      expect((await end(null)).body.code).toBe(141);
      expect((await end({ old: "000000", disable: true })).body.code).toBe(141);
      expect((await end({ old: codeOf(user.secret, 30), disable: true })).status).toBe(200);
      expect((await logIn(user.username)).status).toBe(200);
    });

    it("rejects invalid secrets and codes", async () => {
      const user = await signUp(purse);
      for (const mfa of [
        { secret: "short", token: "1" },
        { secret: newSecret(), token: "000000" },
        { token: "1" },
        "x",
      ]) {
        expect((await update(user.id, { authData: { mfa } }, user.sessionToken)).body.code).toBe(141);
      }
    });
  });

  describe("sessions", () => {
    it("are upgraded, listed, changed and deleted", {
      tags: ["7.upgrade-session", "7.current-session"],
    }, async () => {
      const ann = await signUp(purse);
      const upgraded = await rest(purse, "POST", "/upgradeToRevocableSession", {}, ann);
      expect(upgraded.body.sessionToken).toMatch(/^r:/);
      expect(upgraded.body.sessionToken).not.toBe(ann.sessionToken);
      const token = { sessionToken: String(upgraded.body.sessionToken) };
      const list = await rest(purse, "GET", "/sessions", undefined, token);
      expect(Object(list.body.results)).toHaveLength(2);
      expect((await rest(purse, "PUT", "/sessions/me", { device: "phone" }, token)).status).toBe(200);
      expect((await rest(purse, "GET", "/sessions/me", undefined, token)).body.device).toBe("phone");
      for (const field of [
        "sessionToken",
        "user",
        "expiresAt",
        "createdWith",
        "installationId",
        "restricted",
      ]) {
        const refused = await rest(purse, "PUT", "/sessions/me", { [field]: "x" }, token);
        expect(refused.status).toBe(400);
      }
      const { body: own } = await rest(purse, "GET", "/sessions/me", undefined, token);
      const user = await rest(purse, "GET", `/users/${ann.id}`, undefined, token);
      expect(user.body.sessionToken).toBe(token.sessionToken);
      const sentBack = { device: "phone", user: own.user ?? null };
      expect((await rest(purse, "PUT", "/sessions/me", sentBack, token)).status).toBe(200);
      const other = Object(list.body.results).find(
        (each: JsonObject) => each.objectId !== upgraded.body.objectId,
      );
      await rest(purse, "DELETE", `/sessions/${other.objectId}`, undefined, token);
      expect((await me(ann.sessionToken)).body.code).toBe(209);
      await rest(purse, "DELETE", "/sessions/me", undefined, token);
      expect((await me(token.sessionToken)).body.code).toBe(209);
    });

    it("are limited to one per installation", { tags: ["3.session.installation-id"] }, async () => {
      const ann = await signUp(purse);
      const logIn = async (installation: string) => {
        const { body } = await rest(purse, "POST", "/login", {
          username: ann.username,
          password: "correct horse",
          _InstallationId: installation,
        });
        return String(body.sessionToken);
      };
      const [phone, laptop] = [await logIn("phone"), await logIn("laptop")];
      const again = await logIn("phone");
      expect((await me(phone)).body.code).toBe(209);
      expect((await me(laptop)).status).toBe(200);
      expect((await me(again)).status).toBe(200);
      const mine = await rest(purse, "GET", "/sessions/me", undefined, { sessionToken: laptop });
      expect(mine.body.installationId).toBe("laptop");
    });

    it("record the client in words, without further details", async () => {
      const { username } = await signUp(purse);
      const response = await fetch(`${purse.serverUrl}/login`, {
        method: "POST",
        headers: {
          "X-Parse-Application-Id": purse.appId,
          "Content-Type": "application/json",
          "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
        },
        body: JSON.stringify({ username, password: "correct horse" }),
      });
      const { sessionToken } = Object(await response.json());
      const { body } = await rest(purse, "GET", "/sessions/me", undefined, { sessionToken });
      expect(body).toMatchObject({ userAgent: "Firefox, Linux", lastUsedAt: { __type: "Date" } });
      // Ids, tokens and times contain such digits by chance.
      const text = JSON.stringify(body).replaceAll(
        /r:[0-9a-f]{32}|\d{4}-\d\d-\d\dT[\d:.]+Z|"[A-Za-z0-9]{10}"/g,
        "",
      );
      expect(text).not.toMatch(/140|127\.0\.0\.1|::1/);
      // Values from clients are ignored, so that a thief of a session cannot relabel it.
      const forged = {
        userAgent: "Safari, iPhone",
        lastUsedAt: { __type: "Date", iso: "2020-01-01T00:00:00.000Z" },
      };
      expect((await rest(purse, "PUT", "/sessions/me", forged, { sessionToken })).status).toBe(200);
      const after = await rest(purse, "GET", "/sessions/me", undefined, { sessionToken });
      expect(after.body).toMatchObject({ userAgent: "Firefox, Linux", lastUsedAt: Object(body.lastUsedAt) });
    });

    it("record their last use to a quarter of an hour", async () => {
      const store = await openStore(
        databaseUrl === undefined
          ? { kind: "sqlite", path: join(purse.dataDir, "purse.sqlite") }
          : { kind: "postgres", url: databaseUrl, connections: 1 },
      );
      const schema = (await openSchemas(store)).require("_Session");
      /** Returns the recorded last use of a session that is used again after some minutes. */
      const usedAgainAfter = async (minutes: number) => {
        const { sessionToken, id: userId } = await signUp(purse);
        const user = { __type: "Pointer", className: "_User", objectId: userId };
        const { body } = await rest(
          purse,
          "GET",
          `/sessions${query({ where: { user } })}`,
          undefined,
          MASTER,
        );
        const [{ objectId }] = Object(body.results);
        const iso = new Date(Date.now() - minutes * 60_000).toISOString();
        const operations = { lastUsedAt: { op: "Set" as const, value: { __type: "Date", iso } } };
        const at = new Date().toISOString();
        await store.write([{ kind: "update", schema, id: objectId, at, operations, subjects: null }]);
        await Promise.all(Array.from({ length: 5 }, () => me(sessionToken)));
        const lastUsedAt = async () => JSON.parse((await store.get(schema, objectId, null)) ?? "").lastUsedAt;
        return { before: iso, lastUsedAt };
      };
      try {
        const long = await usedAgainAfter(20);
        await expect.poll(async () => (await long.lastUsedAt()).iso).not.toBe(long.before);
        expect(Date.now() - Date.parse((await long.lastUsedAt()).iso)).toBeLessThan(5 * 60_000);
        const short = await usedAgainAfter(5);
        expect((await short.lastUsedAt()).iso).toBe(short.before);
      } finally {
        await store.close();
      }
    });

    it("can be created for another user with the master key", async () => {
      const ann = await signUp(purse);
      expect((await rest(purse, "POST", "/loginAs", { userId: ann.id })).status).toBe(403);
      const { body } = await rest(purse, "POST", "/loginAs", { userId: ann.id }, MASTER);
      expect((await me(String(body.sessionToken))).body.objectId).toBe(ann.id);
      const nobody = await rest(purse, "POST", "/loginAs", { userId: "nobody" }, MASTER);
      expect(nobody.body).toEqual({ code: 101, error: "user not found" });
    });
  });

  it("deletes a user with all related data", async () => {
    const username = `gone-${randomUUID()}`;
    const proof = async () => ({ company: { id: username, id_token: await oidc.token(username) } });
    const ann = await signUp(purse, { username, email: `${username}@example.org` });
    await update(ann.id, { authData: await proof() }, ann.sessionToken);
    const user = { __type: "Pointer", className: "_User", objectId: ann.id };
    const role = await rest(
      purse,
      "POST",
      "/roles",
      { name: username, ACL: {}, users: { __op: "AddRelation", objects: [user] } },
      MASTER,
    );
    expect((await rest(purse, "DELETE", `/users/${ann.id}`, undefined, ann)).status).toBe(200);
    expect((await me(ann.sessionToken)).body.code).toBe(209);
    const sessions = await rest(purse, "GET", `/sessions${query({ where: { user } })}`, undefined, MASTER);
    expect(sessions.body.results).toEqual([]);
    const pointer = { __type: "Pointer", className: "_Role", objectId: role.body.objectId };
    const members = await rest(
      purse,
      "GET",
      `/users${query({ where: { $relatedTo: { object: pointer, key: "users" } } })}`,
      undefined,
      MASTER,
    );
    expect(members.body.results).toEqual([]);
    // The username, email address and identity can be reused.
    const again = await signUp(purse, { username, email: `${username}@example.org` });
    expect((await update(again.id, { authData: await proof() }, again.sessionToken)).status).toBe(200);
  });
});
