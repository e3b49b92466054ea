import { randomUUID } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type MailServer, type ReceivedMail, startMailServer } from "../support/mailServer.ts";
import { hostPurse, type Purse, rest } from "../support/purse.ts";
import { setUpStudio } from "../support/studio.ts";

const VICTIM = () => `${randomUUID()}@example.org`;
const all = (mail: ReceivedMail, name: string) =>
  mail.headers.filter(([each]) => each === name).map(([, value]) => value);

/** Expects a mail with one recipient and one of each header, whatever the user's name is. */
function expectOneRecipient(mail: ReceivedMail, to: string): void {
  expect(mail.to).toEqual([to]);
  expect(all(mail, "to")).toEqual([to]);
  for (const name of ["bcc", "cc", "reply-to", "x-injected", "sender"]) expect(all(mail, name)).toEqual([]);
  for (const name of ["from", "subject", "mime-version", "content-type"]) {
    expect(all(mail, name)).toHaveLength(1);
  }
}

describe("mails with text chosen by users and operators", () => {
  let mails: MailServer;
  let purse: Purse;
  beforeAll(async () => {
    mails = await startMailServer();
    const code = join(mkdtempSync(join(tmpdir(), "purse-mails-")), "main.mjs");
    writeFileSync(
      code,
      `Parse.Cloud.define("tell", ({ params }) => Moralis.Cloud.sendEmail({ subject: "Hello", text: "Hello.", ...params }));`,
    );
    purse = await hostPurse({
      env: {
        PURSE_SMTP_URL: mails.url,
        PURSE_VERIFY_USER_EMAILS: "1",
        PURSE_APP_NAME: 'Ann, "Bob" <eve@evil.example>\r\nBcc: eve@evil.example',
        PURSE_TRUSTED_PROXIES: "loopback",
        PURSE_CLOUD: code,
      },
    });
  });
  afterAll(async () => {
    await purse?.remove();
    await mails?.stop();
  });

  async function resetMail(username: string): Promise<{ mail: ReceivedMail; email: string }> {
    const email = VICTIM();
    // Clients cannot choose all of these names; users of earlier days have them.
    const user = { username, password: "correct horse", email };
    const { status } = await rest(purse, "POST", "/users", user, { useMasterKey: true });
    expect(status).toBe(201);
    await mails.next(email);
    expect((await rest(purse, "POST", "/requestPasswordReset", { email })).status).toBe(200);
    return { mail: await mails.next(email), email };
  }

  it.each([
    ["a header", "ada\r\nBcc: eve@evil.example\r\nX-Injected: 1", "ada Bcc eve@evil.example X-Injected 1"],
    ["the end of the headers", "ada\n\n<h1>Pay here</h1>", "ada h1 Pay here h1"],
    [
      "the end of a message",
      "ada\r\n.\r\nMAIL FROM:<eve@evil.example>\r\n",
      "ada . MAIL FROM eve@evil.example",
    ],
    ["a link", "ada https://evil.example/login?x=1", "ada https evil.example login x 1"],
    ["HTML", "<img src=//evil.example/x.png>", "img src evil.example x.png"],
    ["a placeholder of the template", "{{link}}", "link"],
    ["line separators of Unicode", "ada\u2028\u2029\u0085eve", "ada eve"],
    ["right-to-left overrides", "ada\u202eeve", "ada eve"],
    ["nothing but line breaks", "\r\n\r\n\r\n", ""],
  ])("show a name that contains %s as one harmless line", async (_title, name, shown) => {
    const { mail, email } = await resetMail(`${name}${randomUUID().slice(0, 4)}`);
    expectOneRecipient(mail, email);
    expect(mail.text).not.toContain("evil.example/");
    expect(mail.text).toMatch(
      new RegExp(`reset the password of ${shown.replace(/[.+?]/g, "\\$&")} ?[0-9a-f]{4}\\.`),
    );
    expect(mail.link).toMatch(new RegExp(`^${purse.serverUrl}/apps/${purse.appId}/request_password_reset`));
  });

  it("shorten a very long name", async () => {
    const { mail, email } = await resetMail(`${randomUUID()}${"x".repeat(200)}`);
    expectOneRecipient(mail, email);
    expect(mail.text).not.toContain("x".repeat(61));
  });

  it("have one sender, whatever the name of the application is", async () => {
    const { mail, email } = await resetMail(`ada-${randomUUID()}`);
    expectOneRecipient(mail, email);
    const [from = ""] = all(mail, "from");
    expect(from).toMatch(/<no-reply@localhost>$/);
    expect(from.match(/<[^>]*@[^>]*>(?=$|,)/g)).toEqual(["<no-reply@localhost>"]);
  });

  it.each([
    "ada@example.org\r\nBcc: eve@evil.example",
    "ada@example.org\nRCPT TO:<eve@evil.example>",
    "ada@example.org,eve@evil.example",
    "ada@example.org;eve@evil.example",
    "ada@example.org eve@evil.example",
    "Ada <ada@example.org>",
    "group:ada@example.org",
    "ada@example.org(eve@evil.example)",
    '"eve@evil.example\\" "@example.org',
    "ada@[127.0.0.1]",
    "ada\u0000@example.org",
    "ada@example.org\u2028",
    "ada\u202e@example.org",
    "ada@@example.org",
    "ada@",
    "@example.org",
    `${"a".repeat(320)}@example.org`,
  ])("are not sent to the invalid address %j", async (email) => {
    const before = mails.count();
    const user = { username: randomUUID(), password: "correct horse" };
    expect((await rest(purse, "POST", "/users", { ...user, email })).body.code).toBe(125);
    for (const path of ["/requestPasswordReset", "/verificationEmailRequest"]) {
      expect((await rest(purse, "POST", path, { email })).body.code).toBe(125);
    }
    const { body } = await rest(purse, "POST", "/users", user);
    const changed = await rest(
      purse,
      "PUT",
      `/users/${body.objectId}`,
      { email },
      { sessionToken: String(body.sessionToken) },
    );
    expect(changed.body.code).toBe(125);
    expect(mails.count()).toBe(before);
  });

  it("are sent to internationalized addresses", async () => {
    const email = `зоя-${randomUUID()}@пример.example`;
    const user = { username: randomUUID(), password: "correct horse", email };
    expect((await rest(purse, "POST", "/users", user)).status).toBe(201);
  });

  it("link to the configured address, whatever host the request names", async () => {
    const { email } = await resetMail(`ada-${randomUUID()}`);
    await fetch(`${purse.serverUrl}/requestPasswordReset`, {
      method: "POST",
      headers: {
        "X-Parse-Application-Id": purse.appId,
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-Proto": "https",
        "X-Forwarded-For": "198.51.100.7",
      },
      body: JSON.stringify({ email }),
    });
    expect((await mails.next(email)).link).toMatch(new RegExp(`^${purse.serverUrl}/`));
  });

  it("of cloud code have a single-line subject and only the named recipients", async () => {
    const to = VICTIM();
    const subject = "Hello\r\nBcc: eve@evil.example\r\n\r\nInjected";
    expect((await rest(purse, "POST", "/functions/tell", { to, subject })).status).toBe(200);
    const mail = await mails.next(to);
    expectOneRecipient(mail, to);
    const other = VICTIM();
    const refused = await rest(purse, "POST", "/functions/tell", { to: `${other}\r\nBcc: eve@evil.example` });
    expect([refused.status, refused.body.code]).toEqual([400, -1]);
    // A mail that is sent after it comes after one that is sent in spite of the error.
    const later = VICTIM();
    expect((await rest(purse, "POST", "/functions/tell", { to: later })).status).toBe(200);
    await mails.next(later);
    expect([mails.has(other), mails.has("eve@evil.example")]).toEqual([false, false]);
  });

  it("with an operator's HTML template escape names", async () => {
    const owner = await setUpStudio(purse);
    const template = {
      subject: "{{username}}: reset",
      text: "{{link}} {{username}}",
      html: '<p title="{{username}}">{{username}} of {{appName}}</p><a href="{{link}}">reset</a>',
    };
    expect((await owner.request("PUT", "/mail/templates/passwordReset", { template })).status).toBe(200);
    try {
      const { mail, email } = await resetMail(`"><script>alert(1)</script>' ${randomUUID()}`);
      expectOneRecipient(mail, email);
      const body = mail.text.slice(mail.text.indexOf("\r\n\r\n"));
      expect(body).not.toMatch(/<script|<eve@/);
      expect(body).toContain("Ann, &quot;Bob&quot; &lt;eve@evil.example&gt; Bcc: eve@evil.example");
    } finally {
      await owner.request("DELETE", "/mail/templates/passwordReset");
    }
  });
});
