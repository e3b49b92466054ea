import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { type MailServer, startMailServer } from "../support/mailServer.ts";
import { hostPurse, type Purse, rest } from "../support/purse.ts";

const MASTER = { useMasterKey: true };
const CLOUD = `
Parse.Cloud.beforeSave(Parse.User, ({ object }) => {
  if (object.get("trusted")) object.set("emailVerified", true);
  if (object.get("doubted")) object.set("emailVerified", false);
  const reserved = object.get("reserved");
  if (reserved) object.set(reserved, 0);
});
Parse.Cloud.beforeSave("Thing", ({ object }) => { object.set(object.get("reserved"), 0); });
`;

describe.each(DATABASES)("beforeSave of _User on %s", (database) => {
  let mails: MailServer;
  let purse: Purse;
  beforeAll(async () => {
    mails = await startMailServer();
    const cloud = join(mkdtempSync(join(tmpdir(), "purse-cloud-")), "main.js");
    writeFileSync(cloud, CLOUD);
    purse = await hostPurse({
      env: {
        ...(await databaseEnv(database)),
        PURSE_CLOUD: cloud,
        PURSE_SMTP_URL: mails.url,
        PURSE_VERIFY_USER_EMAILS: "1",
      },
    });
  });
  afterAll(async () => {
    await purse?.remove();
    await mails.stop();
  });

  let names = 0;
  const newUser = () => {
    const username = `triggered${++names}`;
    return { username, password: "p", email: `${username}@example.org` };
  };
  const isVerified = async (id: unknown) =>
    (await rest(purse, "GET", `/users/${id}`, undefined, MASTER)).body.emailVerified;

  it("can verify the email address of a new user, who gets no mail", async () => {
    const user = newUser();
    for (const path of ["/users", "/classes/_User"]) {
      const { email, username } = newUser();
      const { status, body } = await rest(purse, "POST", path, { ...user, username, email, trusted: true });
      expect([status, await isVerified(body.objectId)]).toEqual([201, true]);
      const { body: login } = await rest(purse, "POST", "/login", { username, password: "p" });
      expect(login.emailVerified).toBe(true);
    }
  });

  it("can verify and unverify the email address of an existing user", async () => {
    const user = newUser();
    const { body } = await rest(purse, "POST", "/users", user);
    await mails.next(user.email);
    const session = { sessionToken: String(body.sessionToken) };
    const update = (fields: object) => rest(purse, "PUT", `/users/${body.objectId}`, fields, session);
    expect(await isVerified(body.objectId)).toBe(false);
    expect((await update({ trusted: true })).body).toMatchObject({ emailVerified: true });
    expect(await isVerified(body.objectId)).toBe(true);
    expect((await update({ email: `new-${user.email}` })).status).toBe(200);
    expect(await isVerified(body.objectId)).toBe(true);
    expect((await update({ trusted: false, doubted: true })).status).toBe(200);
    expect(await isVerified(body.objectId)).toBe(false);
  });

  it("does not allow clients to set emailVerified", async () => {
    const user = newUser();
    const refused = await rest(purse, "POST", "/users", { ...user, emailVerified: true });
    expect(refused.body.code).toBe(119);
    const { body } = await rest(purse, "POST", "/users", { ...user, trusted: true });
    const session = { sessionToken: String(body.sessionToken) };
    const attempt = await rest(purse, "PUT", `/users/${body.objectId}`, { emailVerified: false }, session);
    expect(attempt.body.code).toBe(119);
  });

  it("cannot set a reserved field, as in other classes", async () => {
    for (const path of ["/classes/Thing", "/users"]) {
      const { status, body } = await rest(purse, "POST", path, { ...newUser(), reserved: "length" });
      expect([path, status, body.code]).toEqual([path, 400, 105]);
    }
  });
});
