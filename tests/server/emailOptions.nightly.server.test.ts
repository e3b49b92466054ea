import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type MailServer, startMailServer } from "../support/mailServer.ts";
import { hostPurse, type Purse, rest } from "../support/purse.ts";

const MASTER = { useMasterKey: true };
const PASSWORD = "old password";
const UNVERIFIED = { code: 205, error: "User email is not verified." };
const EXPIRED = "no longer valid";
const tokenOf = (link: string) => new URL(link).searchParams.get("token") ?? "";

// Both databases store the addresses and tokens in email.server.test.ts.
describe("email options", () => {
  let mails: MailServer;
  let running: Purse | undefined;
  beforeAll(async () => {
    mails = await startMailServer();
  });
  afterEach(async () => {
    await running?.remove();
    running = undefined;
  });
  afterAll(() => mails.stop());

  /** Starts a server whose config file has the given text. */
  async function start(config: string, env: Record<string, string> = {}): Promise<Purse> {
    const file = join(mkdtempSync(join(tmpdir(), "purse-config-")), "purse.config.ts");
    writeFileSync(file, `export default ${config};`);
    running = await hostPurse({
      env: { PURSE_CONFIG: file, PURSE_SMTP_URL: mails.url, ...env },
    });
    return running;
  }

  let names = 0;
  async function signUp(purse: Purse, prefix = "someone") {
    const username = `${prefix}-${++names}`;
    const email = `${username}@example.org`;
    const { status, body } = await rest(purse, "POST", "/users", { username, email, password: PASSWORD });
    return { username, email, status, body, id: String(body.objectId) };
  }
  const logIn = (purse: Purse, username: string, password = PASSWORD, more = {}, credentials = {}) =>
    rest(purse, "POST", "/login", { username, password, ...more }, credentials);
  const script = { "X-Requested-With": "XMLHttpRequest" };
  const post = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(url, { method: "POST", body: new URLSearchParams(fields), headers, redirect: "manual" });

  it("call functions that decide on verification and login", async () => {
    const purse = await start(`{
      verifyUserEmails: async ({ object, original, master, ip, installationId }) =>
        object.get("email").startsWith("check") && original === undefined && !master && ip !== undefined,
      preventLoginWithUnverifiedEmail: ({ object }) => object.get("username").startsWith("check"),
      sendUserEmailVerification: ({ user, master }) => !user.get("username").includes("silent") && !master,
    }`);
    const checked = await signUp(purse, "check");
    expect(checked.body).not.toHaveProperty("sessionToken");
    expect((await logIn(purse, checked.username)).body).toEqual(UNVERIFIED);
    const free = await signUp(purse, "free");
    expect(free.body.sessionToken).toEqual(expect.any(String));
    expect((await logIn(purse, free.username)).status).toBe(200);
    const silent = await signUp(purse, "check-silent");
    expect((await logIn(purse, silent.username)).body).toEqual(UNVERIFIED);
    // Mails of the others would have arrived before this one.
    expect((await fetch((await mails.next(checked.email)).link)).status).toBe(200);
    expect((await logIn(purse, checked.username)).status).toBe(200);
    const last = await signUp(purse, "check-last");
    await mails.next(last.email);
    expect([free, silent].filter(({ email }) => mails.has(email))).toEqual([]);
  });

  it("treat only true as a yes", async () => {
    const purse = await start(`{ verifyUserEmails: () => "yes", preventLoginWithUnverifiedEmail: true }`);
    const user = await signUp(purse);
    expect((await logIn(purse, user.username)).status).toBe(200);
  });

  it("pass resendRequest to the function", async () => {
    const purse = await start(`{
      verifyUserEmails: ({ resendRequest }) => resendRequest === true,
    }`);
    const user = await signUp(purse);
    await rest(purse, "POST", "/verificationEmailRequest", { email: user.email });
    expect((await fetch((await mails.next(user.email)).link)).status).toBe(200);
  });

  it("return no session from a sign-up that requires verification, on any route", async () => {
    const purse = await start("{ verifyUserEmails: true, preventLoginWithUnverifiedEmail: true }");
    for (const path of ["/users", "/classes/_User"]) {
      const username = `new-${++names}`;
      const email = `${username}@example.org`;
      const fields = { username, email, password: PASSWORD };
      const { status, body } = await rest(purse, "POST", path, fields);
      expect(status).toBe(201);
      expect(body).not.toHaveProperty("sessionToken");
      const sessions = await rest(purse, "GET", "/sessions", undefined, MASTER);
      expect(sessions.body.results).toEqual([]);
      expect((await fetch((await mails.next(email)).link)).status).toBe(200);
    }
    const username = `without-${++names}`;
    const { body } = await rest(purse, "POST", "/users", { username, password: PASSWORD });
    expect(body.sessionToken).toEqual(expect.any(String));
  });

  it("let the master key ignore an unverified address", async () => {
    const purse = await start("{ verifyUserEmails: true, preventLoginWithUnverifiedEmail: true }");
    const { username, email } = await signUp(purse);
    const ignored = { ignoreEmailVerification: true };
    for (const route of ["/login", "/verifyPassword"]) {
      const send = (more: object, credentials = {}) =>
        rest(purse, "POST", route, { username, password: PASSWORD, ...more }, credentials);
      expect((await send(ignored)).body).toEqual(UNVERIFIED);
      expect((await send({}, MASTER)).body).toEqual(UNVERIFIED);
      expect((await send(ignored, MASTER)).body).toMatchObject({ username, email });
    }
  });

  it("reject an unverified sign-up with 205, although the user is created and gets the link", {
    tags: ["8.code.205"],
  }, async () => {
    const purse = await start(
      "{ verifyUserEmails: true, preventLoginWithUnverifiedEmail: true, preventSignupWithUnverifiedEmail: true }",
    );
    const user = await signUp(purse);
    expect(user.body).toEqual(UNVERIFIED);
    expect((await fetch((await mails.next(user.email)).link)).status).toBe(200);
    expect((await logIn(purse, user.username)).status).toBe(200);
  });

  it.each([
    [false, EXPIRED],
    [true, "Choose a new password"],
  ])("invalidate earlier links, unless they are reused: %s", async (reuse, shown) => {
    const purse = await start(`{
      verifyUserEmails: true, emailVerifyTokenReuseIfValid: ${reuse}, passwordPolicy: { resetTokenReuseIfValid: ${reuse} },
    }`);
    const { email } = await signUp(purse);
    const first = (await mails.next(email)).link;
    await rest(purse, "POST", "/verificationEmailRequest", { email });
    const second = (await mails.next(email)).link;
    expect((await fetch(first)).status).toBe(reuse ? 200 : 400);
    // Opened before, as the same link: the address is verified.
    expect((await fetch(second)).status).toBe(200);
    await rest(purse, "POST", "/requestPasswordReset", { email });
    const earlier = (await mails.next(email)).link;
    await rest(purse, "POST", "/requestPasswordReset", { email });
    const later = (await mails.next(email)).link;
    expect(await (await fetch(earlier)).text()).toContain(shown);
    expect(await (await fetch(later)).text()).toContain("Choose a new password");
  });

  it.each([
    ["email address", (to: string) => ({ email: `new-${to}` })],
    ["password", () => ({ password: "a new one" })],
  ])("invalidate password reset links when the %s changes", async (_what, changeOf) => {
    const purse = await start("{}");
    const { id, email, body } = await signUp(purse);
    const session = { sessionToken: String(body.sessionToken) };
    for (const credentials of [session, MASTER]) {
      await rest(purse, "POST", "/requestPasswordReset", { email });
      const { link } = await mails.next(email);
      expect((await fetch(link)).status).toBe(200);
      expect((await rest(purse, "PUT", `/users/${id}`, changeOf(email), credentials)).status).toBe(200);
      expect((await fetch(link)).status).toBe(400);
      await rest(purse, "PUT", `/users/${id}`, { email }, credentials);
    }
  });

  it("pass the whole user to the function that sends the mail", async () => {
    const purse = await start(`{
      verifyUserEmails: true,
      sendUserEmailVerification: ({ user, master }) =>
        Boolean(user.id && user.get("createdAt") && user.get("updatedAt") && user.toJSON().username) && master === false,
    }`);
    const { email } = await signUp(purse);
    expect((await fetch((await mails.next(email)).link)).status).toBe(200);
  });

  it("allow a password reset for a user whose username is the address", async () => {
    const purse = await start("{}");
    const username = `name-${++names}@example.org`;
    await rest(purse, "POST", "/users", { username, password: PASSWORD });
    await rest(purse, "POST", "/requestPasswordReset", { email: username });
    const { link } = await mails.next(username);
    const token = tokenOf(link);
    expect((await post(link.replace(/\?.*/, ""), { token, new_password: "a new one" })).status).toBe(200);
    expect((await logIn(purse, username, "a new one")).status).toBe(200);
  });

  describe("the pages of a password reset", () => {
    async function reset(purse: Purse) {
      const user = await signUp(purse);
      await rest(purse, "POST", "/requestPasswordReset", { email: user.email });
      const { link } = await mails.next(user.email);
      return { ...user, link, url: link.replace(/\?.*/, ""), token: tokenOf(link) };
    }

    it("respond to scripts with JSON", async () => {
      const purse = await start(
        `{ passwordPolicy: { validatorPattern: /^.{8,}$/, validationError: "Too short." } }`,
      );
      const { url, token, username } = await reset(purse);
      const send = async (fields: Record<string, string>) => {
        const answer = await post(url, fields, script);
        return [answer.status, await answer.json()];
      };
      expect(await send({ new_password: "long enough" })).toEqual([
        400,
        { code: -1, error: "Missing token" },
      ]);
      expect(await send({ token })).toEqual([400, { code: 201, error: "Missing password" }]);
      const invalid = {
        code: -1,
        error: "Failed to reset password: username / email / token is invalid",
      };
      expect(await send({ token: "other", new_password: "long enough" })).toEqual([400, invalid]);
      expect(await send({ token, new_password: "short" })).toEqual([400, { code: -1, error: "Too short." }]);
      expect(await send({ token, username, new_password: "long enough" })).toEqual([
        200,
        "Password successfully reset",
      ]);
      expect(await send({ token, new_password: "long enough" })).toEqual([400, invalid]);
      expect((await logIn(purse, username, "long enough")).status).toBe(200);
    });

    it("are available at the paths of Parse Server", async () => {
      const purse = await start("{}");
      const { url, token, username } = await reset(purse);
      const base = `${purse.serverUrl}/apps`;
      const form = await fetch(`${base}/choose_password?token=${token}&id=${purse.appId}&error=%3Cb%3Ebad`);
      const html = await form.text();
      expect(html).toContain(`action="${purse.appId}/request_password_reset"`);
      expect(html).not.toContain("<b>");
      expect((await fetch(`${base}/choose_password?token=${token}&id=other`)).status).toBe(403);
      expect((await fetch(`${base}/choose_password?token=other&id=${purse.appId}`)).status).toBe(400);
      for (const name of [
        "verify_email_success",
        "password_reset_success",
        "link_send_success",
        "link_send_fail",
      ]) {
        const page = await fetch(`${base}/${name}.html`);
        expect([name, page.status]).toEqual([name, 200]);
        expect(page.headers.get("content-type")).toContain("text/html");
      }
      for (const name of ["invalid_link", "invalid_verification_link"]) {
        const page = await fetch(`${base}/${name}.html`);
        expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(EXPIRED)]);
      }
      expect((await post(url, { token, new_password: "a new one" })).status).toBe(200);
      expect((await logIn(purse, username, "a new one")).status).toBe(200);
    });

    it("are replaced with custom pages", async () => {
      const names = [
        "choosePassword",
        "passwordResetSuccess",
        "invalidLink",
        "verifyEmailSuccess",
        "invalidVerificationLink",
        "linkSendSuccess",
        "linkSendFail",
      ];
      const customPages = Object.fromEntries(
        names.map((name) => [name, `https://site.example/${name}?lang=en`]),
      );
      const purse = await start(`{ verifyUserEmails: true, customPages: ${JSON.stringify(customPages)} }`);
      const targetOf = (answer: Response) => {
        expect(answer.status).toBe(302);
        const target = new URL(answer.headers.get("location") ?? "");
        expect(target.searchParams.get("lang")).toBe("en");
        target.searchParams.delete("lang");
        return [target.pathname.slice(1), Object.fromEntries(target.searchParams)];
      };
      const get = async (url: string) => targetOf(await fetch(url, { redirect: "manual" }));
      const user = await signUp(purse);
      const { username } = user;
      const verification = (await mails.next(user.email)).link;
      expect(await get(verification)).toEqual(["verifyEmailSuccess", { username }]);
      // The token names the user, also if the link was opened before.
      expect(await get(`${verification}&username=ann`)).toEqual(["verifyEmailSuccess", { username }]);
      await rest(purse, "POST", "/requestPasswordReset", { email: user.email });
      const { link } = await mails.next(user.email);
      const [url, token] = [link.replace(/\?.*/, ""), tokenOf(link)];
      const form = { token, id: purse.appId, username, app: "Purse" };
      expect(await get(link)).toEqual(["choosePassword", { ...form, app: expect.any(String) }]);
      expect(targetOf(await post(url, { token, new_password: "" }))).toEqual([
        "choosePassword",
        { ...form, app: expect.any(String), error: "Enter a new password." },
      ]);
      expect(targetOf(await post(url, { token, new_password: "a new one" }))).toEqual([
        "passwordResetSuccess",
        { username },
      ]);
      expect(await get(link)).toEqual(["invalidLink", {}]);
      const resend = url.replace("request_password_reset", "resend_verification_email");
      expect(targetOf(await post(resend, { username }))).toEqual(["linkSendSuccess", {}]);
      expect(targetOf(await post(resend, { username: "nobody" }))).toEqual(["linkSendSuccess", {}]);
    });

    it("are embedded in the configured frame of a site", async () => {
      const purse = await start(`{ customPages: { parseFrameURL: "https://site.example/frame" } }`);
      const { link, token, username } = await reset(purse);
      const { origin, pathname, searchParams } = new URL(link);
      expect(`${origin}${pathname}`).toBe("https://site.example/frame");
      expect(Object.fromEntries(searchParams)).toEqual({
        link: `/apps/${purse.appId}/request_password_reset`,
        token,
        username,
      });
    });
  });
});
