import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { type MailServer, startMailServer } from "../support/mailServer.ts";
import { hostPurse, type Purse, rest } from "../support/purse.ts";

const MASTER = { useMasterKey: true };
let names = 0;
const newName = () => `person${++names}`;

/** Writes a config file for a server. */
function configFile(text: string): Record<string, string> {
  const file = join(mkdtempSync(join(tmpdir(), "purse-config-")), "purse.config.ts");
  writeFileSync(file, `export default ${text};`);
  return { PURSE_CONFIG: file };
}

function form(link: string, fields: Record<string, string>): Promise<Response> {
  return fetch(link.replace(/\?.*$/, ""), { method: "POST", body: new URLSearchParams(fields) });
}

/** Cloud code that changes users while requests of theirs are executed. */
function cloudFile(): string {
  const file = join(mkdtempSync(join(tmpdir(), "purse-cloud-")), "main.mjs");
  writeFileSync(
    file,
    `const change = (id, fields) =>
      Parse.User.createWithoutData(id).save(fields, { useMasterKey: true });
    Parse.Cloud.beforeSave(Parse.User, async ({ object }) => {
      const name = object.get("username") ?? "";
      if (!name.startsWith("swaps") || object.get("isSwapped")) return;
      if (!object.dirty("emailVerified") || object.get("emailVerified") !== true) return;
      await change(object.id, { email: "victim-" + object.get("email"), isSwapped: true });
    });
    Parse.Cloud.beforeLogin(async ({ object }) => {
      if (object.get("username").startsWith("changes")) await change(object.id, { password: "new password" });
    });`,
  );
  return file;
}

const tokenOf = (link: string) => new URL(link).searchParams.get("token") ?? "";

describe.each(DATABASES)("email on %s", (database) => {
  let mails: MailServer;
  let purse: Purse;
  beforeAll(async () => {
    mails = await startMailServer();
    purse = await hostPurse({
      env: {
        ...(await databaseEnv(database)),
        PURSE_SMTP_URL: mails.url,
        PURSE_VERIFY_USER_EMAILS: "1",
        PURSE_CLOUD: cloudFile(),
      },
    });
  });
  afterAll(async () => {
    await purse.remove();
    await mails.stop();
  });

  async function signUp(
    username = newName(),
  ): Promise<{ username: string; email: string; id: string; sessionToken: string }> {
    const email = `${username}@example.org`;
    const { body } = await rest(purse, "POST", "/users", { username, password: "old password", email });
    return { username, email, id: String(body.objectId), sessionToken: String(body.sessionToken) };
  }
  const logIn = (username: string, password = "old password") =>
    rest(purse, "POST", "/login", { username, password });

  describe("address verification", () => {
    it("sends a link that mail scanners and a second click do not spoil", async () => {
      const ann = await signUp();
      const { link } = await mails.next(ann.email);
      expect((await fetch(link, { method: "HEAD" })).status).toBe(200);
      expect((await logIn(ann.username)).body.emailVerified).toBe(false);
      const first = await fetch(link);
      expect([first.status, await first.text()]).toEqual([200, expect.stringContaining("Email verified")]);
      expect(first.headers.get("content-security-policy")).toContain("default-src 'none'");
      expect((await logIn(ann.username)).body.emailVerified).toBe(true);
      const second = await fetch(link);
      expect([second.status, await second.text()]).toEqual([200, expect.stringContaining("Email verified")]);
      expect((await fetch(link, { method: "HEAD" })).status).toBe(200);
      const updatedAt = async () =>
        (await rest(purse, "GET", `/users/${ann.id}`, undefined, MASTER)).body.updatedAt;
      const before = await updatedAt();
      await fetch(link);
      expect(await updatedAt()).toBe(before);
      const unknown = await fetch(link.replace(/token=\w+/, "token=unknown"));
      expect([unknown.status, await unknown.text()]).toEqual([
        400,
        expect.stringContaining("is no longer valid"),
      ]);
    });

    it("sends a link that verifies the address whichever of several concurrent requests comes first", async () => {
      const ann = await signUp();
      const { link } = await mails.next(ann.email);
      const statuses = await Promise.all(Array.from({ length: 5 }, async () => (await fetch(link)).status));
      expect(statuses).toEqual([200, 200, 200, 200, 200]);
      expect((await logIn(ann.username)).body.emailVerified).toBe(true);
    });

    it("does not apply to a new address by the link of a verified one", async () => {
      const ann = await signUp();
      const { link } = await mails.next(ann.email);
      expect((await fetch(link)).status).toBe(200);
      await rest(purse, "PUT", `/users/${ann.id}`, { email: `other-${ann.email}` }, ann);
      expect((await fetch(link)).status).toBe(400);
      const { body } = await rest(purse, "GET", `/users/${ann.id}`, undefined, MASTER);
      expect(body.emailVerified).toBe(false);
    });

    it("restarts for a new address and invalidates the old link", async () => {
      const ann = await signUp();
      const { link } = await mails.next(ann.email);
      const other = `other-${ann.email}`;
      await rest(purse, "PUT", `/users/${ann.id}`, { email: other }, ann);
      const fresh = await mails.next(other);
      expect((await fetch(link)).status).toBe(400);
      expect((await fetch(fresh.link)).status).toBe(200);
    });

    it("does not apply to an address that replaces the verified one at the same time", async () => {
      const ann = await signUp(`swaps${newName()}`);
      const { link } = await mails.next(ann.email);
      expect((await fetch(link)).status).toBe(400);
      const { body } = await rest(purse, "GET", `/users/${ann.id}`, undefined, MASTER);
      expect(body).toMatchObject({ email: `victim-${ann.email}`, emailVerified: false });
    });

    it("cannot be set by the client", async () => {
      const ann = await signUp();
      const update = await rest(purse, "PUT", `/users/${ann.id}`, { emailVerified: true }, ann);
      expect(update.body).toEqual({
        code: 119,
        error: "Clients aren't allowed to manually update email verification.",
      });
      const sentBack = await rest(purse, "PUT", `/users/${ann.id}`, { emailVerified: false }, ann);
      expect(sentBack.status).toBe(200);
      const { body } = await rest(purse, "GET", `/users/${ann.id}`, undefined, MASTER);
      expect(body.emailVerified).toBe(false);
      expect(JSON.stringify(body)).not.toMatch(/token/i);
    });

    it("is sent again on request, and does not reveal whether an address exists", {
      tags: ["7.verification-email"],
    }, async () => {
      const ann = await signUp();
      await mails.next(ann.email);
      const known = await rest(purse, "POST", "/verificationEmailRequest", { email: ann.email });
      const unknown = await rest(purse, "POST", "/verificationEmailRequest", { email: "nobody@example.org" });
      expect([known.status, known.body]).toEqual([200, {}]);
      expect([unknown.status, unknown.body]).toEqual([200, {}]);
      expect((await fetch((await mails.next(ann.email)).link)).status).toBe(200);
    });

    it("rejects pages of another application", async () => {
      const answer = await fetch(`${purse.serverUrl}/apps/other/verify_email?token=x`);
      expect(answer.status).toBe(403);
    });
  });

  describe("password reset", () => {
    it("works once per link, also for concurrent requests, and ends the sessions", {
      tags: ["7.password-reset"],
    }, async () => {
      const ann = await signUp();
      await mails.next(ann.email);
      expect((await rest(purse, "POST", "/requestPasswordReset", { email: ann.email })).body).toEqual({});
      const { link } = await mails.next(ann.email);
      // Mail scanners.
      expect((await fetch(link, { method: "HEAD" })).status).toBe(200);
      expect((await fetch(link)).status).toBe(200);
      const shown = await fetch(link);
      expect([shown.status, await shown.text()]).toEqual([
        200,
        expect.stringContaining("Choose a new password"),
      ]);
      const tries = Array.from({ length: 5 }, (_, i) =>
        form(link, { token: tokenOf(link), new_password: `new password ${i}` }),
      );
      const statuses = (await Promise.all(tries)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      const winner = statuses.indexOf(200);
      expect((await logIn(ann.username, `new password ${winner}`)).status).toBe(200);
      expect((await logIn(ann.username)).body.code).toBe(101);
      const me = await rest(purse, "GET", "/users/me", undefined, ann);
      expect(me.body.code).toBe(209);
      const again = await fetch(link);
      expect([again.status, await again.text()]).toEqual([200, expect.stringContaining("Password changed")]);
      const repeated = await form(link, { token: tokenOf(link), new_password: "another password" });
      expect(repeated.status).toBe(400);
    });

    it("does not verify an address that replaces that of the link at the same time", async () => {
      const ann = await signUp(`swaps${newName()}`);
      await mails.next(ann.email);
      await rest(purse, "POST", "/requestPasswordReset", { email: ann.email });
      const { link } = await mails.next(ann.email);
      const answer = await form(link, { token: tokenOf(link), new_password: "new password" });
      expect(answer.status).toBe(400);
      expect((await logIn(ann.username)).body).toMatchObject({ emailVerified: false });
    });

    it("starts no session for a password that is changed during the login", async () => {
      const ann = await signUp(`changes${newName()}`);
      expect((await logIn(ann.username)).body.code).toBe(101);
      const { body } = await rest(purse, "GET", "/sessions", undefined, MASTER);
      const users = Array.isArray(body.results) ? body.results.map((each) => JSON.stringify(each)) : [];
      expect(users.filter((each) => each.includes(ann.id))).toEqual([]);
      expect((await logIn(ann.username, "new password")).status).toBe(200);
    });

    it("shows errors of the password, and escapes usernames", async () => {
      const ann = await signUp();
      await mails.next(ann.email);
      await rest(purse, "PUT", `/users/${ann.id}`, { username: `<b>${ann.username}</b>` }, ann);
      await rest(purse, "POST", "/requestPasswordReset", { email: ann.email });
      const { link } = await mails.next(ann.email);
      const answer = await form(link, { token: tokenOf(link), new_password: "a b c", repeated: "a b d" });
      const html = await answer.text();
      expect(answer.status).toBe(400);
      expect(html).toContain("do not match");
      expect(html).not.toContain("<b>");
    });

    it.each([
      ["no address", {}, 204],
      ["an object", { email: { $ne: null } }, 125],
      ["an invalid address", { email: "nowhere" }, 125],
    ] as [string, object, number][])(
      "rejects %s",
      { tags: ["8.code.204", "8.code.125"] },
      async (_name, body, code) => {
        expect((await rest(purse, "POST", "/requestPasswordReset", body)).body.code).toBe(code);
      },
    );

    it("responds the same for unknown addresses", async () => {
      const answer = await rest(purse, "POST", "/requestPasswordReset", { email: "nobody@example.org" });
      expect([answer.status, answer.body]).toEqual([200, {}]);
    });
  });
});

describe("password policy and account lockout", () => {
  let purse: Purse;
  beforeAll(async () => {
    purse = await hostPurse({
      env: configFile(`{
        passwordPolicy: {
          validatorPattern: /^(.{8,})$/, validationError: "Too short.", doNotAllowUsername: true,
          maxPasswordHistory: 2, resetPasswordSuccessOnInvalidEmail: false,
        },
        accountLockout: { threshold: 3, duration: 1 },
      }`),
    });
  });
  afterAll(() => purse.remove());

  it("require a strong password without the username", { tags: ["8.code.142"] }, async () => {
    const username = newName();
    const signUp = (password: string) => rest(purse, "POST", "/users", { username, password });
    expect((await signUp("short")).body).toEqual({ code: 142, error: "Too short." });
    expect((await signUp(`my ${username} word`)).body).toEqual({
      code: 142,
      error: "Password cannot contain your username.",
    });
    expect((await signUp("long enough")).status).toBe(201);
  });

  it("reject recent passwords", async () => {
    const username = newName();
    const { body } = await rest(purse, "POST", "/users", { username, password: "password one" });
    const sessionToken = String(body.sessionToken);
    const change = (password: string) =>
      rest(purse, "PUT", `/users/${body.objectId}`, { password }, { sessionToken });
    expect((await change("password one")).body).toEqual({
      code: 142,
      error: "New password should not be the same as last 2 passwords.",
    });
    expect((await change("password two")).status).toBe(200);
    expect((await change("password one")).body.code).toBe(142);
    expect((await change("password three")).status).toBe(200);
    expect((await change("password one")).status).toBe(200);
  });

  it.each([
    ["an existing username", true],
    ["an unknown username", false],
  ])("lock %s after wrong passwords, also for concurrent guesses", async (_name, exists) => {
    const username = newName();
    if (exists) await rest(purse, "POST", "/users", { username, password: "right password" });
    const guesses = Array.from({ length: 10 }, (_, i) =>
      rest(purse, "POST", "/login", { username, password: `guess number ${i}` }),
    );
    const errors = (await Promise.all(guesses)).map(({ body }) => body.error);
    expect(errors.filter((error) => error === "Invalid username/password.")).toHaveLength(3);
    expect(errors.filter((error) => error?.startsWith("Your account is locked"))).toHaveLength(7);
  });

  it("reset the count after a correct password", async () => {
    const username = newName();
    await rest(purse, "POST", "/users", { username, password: "right password" });
    const logIn = (password: string) => rest(purse, "POST", "/login", { username, password });
    for (let i = 0; i < 3; i++) {
      await logIn("wrong password");
      await logIn("wrong password");
      expect((await logIn("right password")).status).toBe(200);
    }
  });

  it("reject unknown addresses with 205 if configured", { tags: ["8.code.205"] }, async () => {
    const { body } = await rest(purse, "POST", "/requestPasswordReset", { email: "nobody@example.org" });
    expect(body.code).toBe(205);
  });

  it("write mails to an outbox in development", async () => {
    const username = newName();
    const email = `${username}@example.org`;
    await rest(purse, "POST", "/users", { username, password: "right password", email });
    await rest(purse, "POST", "/requestPasswordReset", { email });
    const [file = ""] = readdirSync(join(purse.dataDir, "outbox"));
    expect(readFileSync(join(purse.dataDir, "outbox", file), "utf8")).toContain(email);
  });
});
