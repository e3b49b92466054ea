import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { type MailServer, startMailServer } from "../support/mailServer.ts";
import { hostPurse, type Purse, rest } from "../support/purse.ts";

describe.each(DATABASES)("mails and pages with the Parse Server compatibility, on %s", (database) => {
  let mails: MailServer;
  let purse: Purse;
  beforeAll(async () => {
    mails = await startMailServer();
    const file = join(mkdtempSync(join(tmpdir(), "purse-config-")), "purse.config.ts");
    writeFileSync(
      file,
      `export default { verifyUserEmails: true, passwordPolicy: { validatorPattern: /^.{8,}/ } };`,
    );
    purse = await hostPurse({
      env: {
        ...(await databaseEnv(database)),
        PURSE_COMPATIBILITY: "parse",
        PURSE_CONFIG: file,
        PURSE_SMTP_URL: mails.url,
        PURSE_APP_NAME: "An App",
      },
    });
  });
  afterAll(async () => {
    await purse?.remove();
    await mails?.stop();
  });

  let names = 0;
  async function signUp() {
    const username = `ann+${++names}`;
    const email = `ann-${names}@example.org`;
    const { body } = await rest(purse, "POST", "/users", { username, email, password: "old password" });
    return { username, email, id: String(body.objectId), sessionToken: String(body.sessionToken) };
  }
  async function resetLink(email: string) {
    await rest(purse, "POST", "/requestPasswordReset", { email });
    return (await mails.next(email)).link;
  }
  const post = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(url, { method: "POST", body: new URLSearchParams(fields), headers, redirect: "manual" });
  /** Returns the target of a redirect relative to the server's pages. */
  async function targetOf(answer: Promise<Response>): Promise<string> {
    const response = await answer;
    const location = response.headers.get("location") ?? "";
    expect([response.status, await response.text()]).toEqual([302, `Found. Redirecting to ${location}`]);
    return location.replace(`${purse.serverUrl}/apps/`, "");
  }
  const open = (url: string) => targetOf(fetch(url, { redirect: "manual" }));

  it("a verification link contains the username and redirects to the result page, also when opened again", async () => {
    const { username, email } = await signUp();
    const { link } = await mails.next(email);
    const name = encodeURIComponent(username);
    expect(link).toMatch(
      new RegExp(`/apps/${purse.appId}/verify_email\\?token=[A-Za-z0-9]+&username=${name}$`),
    );
    const success = `verify_email_success.html?username=${name}`;
    expect(await open(link)).toBe(success);
    expect(await open(link)).toBe(success);
  });

  it("a link to an earlier address redirects to the page for invalid links, which can send a new one", async () => {
    const user = await signUp();
    const { link } = await mails.next(user.email);
    await rest(purse, "PUT", `/users/${user.id}`, { email: `other-${user.email}` }, user);
    const query = `username=${encodeURIComponent(user.username)}&appId=${purse.appId}`;
    const target = await open(link);
    expect(target).toBe(`invalid_verification_link.html?${query}`);
    const page = await fetch(`${purse.serverUrl}/apps/${target}`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain(`action="${purse.appId}/resend_verification_email"`);
  });

  it("the page to resend a link shows its form, and rejects other applications", async () => {
    const open = (appId: string) => fetch(`${purse.serverUrl}/apps/${appId}/resend_verification_email`);
    const page = await open(purse.appId);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("Send new link")]);
    expect((await open("invalid")).status).toBe(403);
  });

  it("a used verification link is invalid once the address has changed", async () => {
    const user = await signUp();
    const { link } = await mails.next(user.email);
    await open(link);
    await rest(purse, "PUT", `/users/${user.id}`, { email: `other-${user.email}` }, user);
    expect(await open(link)).toMatch(/^invalid_verification_link\.html/);
  });

  it("a link without a token or username redirects to invalid_link.html", async () => {
    const base = `${purse.serverUrl}/apps/${purse.appId}`;
    expect(await open(`${base}/verify_email`)).toBe("invalid_link.html");
    expect(await open(`${base}/verify_email?token=unknown`)).toBe("invalid_link.html");
    expect(await open(`${base}/request_password_reset?token=unknown&username=ann`)).toBe("invalid_link.html");
    const page = await fetch(`${purse.serverUrl}/apps/choose_password?id=${purse.appId}`);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("no longer valid")]);
  });

  it("a new verification link is rejected for unknown and verified users, by page and JSON", async () => {
    const { username, email } = await signUp();
    const { link } = await mails.next(email);
    const resend = (name: string) =>
      targetOf(post(`${purse.serverUrl}/apps/${purse.appId}/resend_verification_email`, { username: name }));
    const request = async (address: string) => {
      const { status, body } = await rest(purse, "POST", "/verificationEmailRequest", { email: address });
      return [status, body];
    };
    expect(await resend(username)).toBe("link_send_success.html");
    await mails.next(email);
    expect(await request(email)).toEqual([200, {}]);
    await open((await mails.next(email)).link);
    expect(await open(link)).toMatch(/^invalid_verification_link\.html/);
    expect(await resend(username)).toBe("link_send_fail.html");
    expect(await resend("nobody")).toBe("link_send_fail.html");
    expect(await request(email)).toEqual([400, { code: -1, error: `Email ${email} is already verified.` }]);
    expect(await request("nobody@example.org")).toEqual([
      400,
      { code: 205, error: "No user found with email nobody@example.org" },
    ]);
  });

  it("a password reset uses redirects, with the error of a weak password", async () => {
    const { username, email } = await signUp();
    await mails.next(email);
    const link = await resetLink(email);
    const token = new URL(link).searchParams.get("token") ?? "";
    const name = encodeURIComponent(username);
    expect(await open(link)).toBe(
      `choose_password?token=${token}&id=${purse.appId}&username=${name}&app=An%20App`,
    );
    const url = link.replace(/\?.*/, "");
    const problem = "Password%20does%20not%20meet%20the%20Password%20Policy%20requirements.";
    expect(await targetOf(post(url, { token, username, new_password: "short" }))).toBe(
      `choose_password?username=${name}&token=${token}&id=${purse.appId}&error=${problem}&app=An%20App`,
    );
    expect(await targetOf(post(url, { token, username, new_password: "long enough" }))).toBe(
      `password_reset_success.html?username=${name}`,
    );
    const login = await rest(purse, "POST", "/login", { username, password: "long enough" });
    expect(login.status).toBe(200);
  });

  it("a password reset by script requires username, token and password", async () => {
    const url = `${purse.serverUrl}/apps/${purse.appId}/request_password_reset`;
    const send = async (fields: Record<string, string>) => {
      const answer = await post(url, fields, { "X-Requested-With": "XMLHttpRequest" });
      return [answer.status, await answer.json()];
    };
    const all = { username: "ann", token: "unknown", new_password: "long enough" };
    expect(await send({ ...all, username: "" })).toEqual([400, { code: 200, error: "Missing username" }]);
    expect(await send({ ...all, token: "" })).toEqual([400, { code: -1, error: "Missing token" }]);
    expect(await send({ ...all, new_password: "" })).toEqual([400, { code: 201, error: "Missing password" }]);
  });
});
