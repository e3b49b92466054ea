import { randomUUID } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NIGHTLY } from "../support/allCases.ts";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { type MailServer, startMailServer } from "../support/mailServer.ts";
import { hostPurse, type Purse } from "../support/purse.ts";

const LIMITS = {
  signUp: { count: 4, windowSeconds: 60 },
  anonymousSignUp: { count: 3, windowSeconds: 60 },
  failedLogIn: { count: 5, windowSeconds: 60 },
  session: { count: 6, windowSeconds: 60 },
  mailPerAddress: { count: 6, windowSeconds: 60 },
  mailPerRecipient: { count: 2, windowSeconds: 60 },
  walletMessage: { count: 3, windowSeconds: 60 },
  installation: { count: 2, windowSeconds: 60 },
  role: { count: 2, windowSeconds: 60 },
};
const REFUSED = { status: 429, body: { code: 155, error: "Too many requests." } };

interface Answer {
  status: number;
  body: JsonObject;
  retryAfter: number;
}

let addresses = 0;
/** Returns an unused client address behind the trusted proxy. */
function newAddress(): string {
  addresses += 1;
  return `198.51.${100 + Math.floor(addresses / 250)}.${addresses % 250}`;
}

function clientOf(purse: Purse, address = newAddress(), credentials: Record<string, string> = {}) {
  return async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(`${purse.serverUrl}${path}`, {
      method,
      headers: {
        "X-Parse-Application-Id": purse.appId,
        "Content-Type": "application/json",
        "X-Forwarded-For": address,
        ...credentials,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const retryAfter = Number(response.headers.get("retry-after"));
    return { status: response.status, body: await response.json(), retryAfter };
  };
}

const newUser = () => ({ username: `u-${randomUUID()}`, password: "correct horse" });

describe.each(DATABASES)("rate limits of accounts in production, on %s", (database) => {
  let purse: Purse;
  let mails: MailServer;
  beforeAll(async () => {
    mails = await startMailServer();
    const folder = mkdtempSync(join(tmpdir(), "purse-limits-"));
    const config = join(folder, "purse.config.ts");
    writeFileSync(config, `export default ${JSON.stringify({ accountLimits: LIMITS })};`);
    writeFileSync(
      join(folder, "main.mjs"),
      `Parse.Cloud.define("address", ({ ip }) => ip);
       Parse.Cloud.define("signUp", async ({ params }) => {
         const user = await new Parse.User(params).signUp();
         return user.id;
       });`,
    );
    purse = await hostPurse({
      env: {
        ...(await databaseEnv(database)),
        PURSE_ENV: "production",
        PURSE_TRUSTED_PROXIES: "loopback",
        PURSE_CONFIG: config,
        PURSE_CLOUD: join(folder, "main.mjs"),
        PURSE_SMTP_URL: mails.url,
        PURSE_MASTER_KEY_IPS: "*",
        PURSE_ALLOW_ANONYMOUS_ROLES: "1",
      },
    });
  });
  afterAll(async () => {
    await purse?.remove();
    await mails?.stop();
  });

  const master = () => clientOf(purse, newAddress(), { "X-Parse-Master-Key": purse.masterKey });
  async function signedUp(fields: JsonObject = {}) {
    const user = newUser();
    const { status, body } = await clientOf(purse)("POST", "/users", { ...user, ...fields });
    expect(status).toBe(201);
    return { ...user, id: String(body.objectId), sessionToken: String(body.sessionToken) };
  }

  it("limit sign-ups per address, including rejected ones, and send Retry-After", async () => {
    const taken = await signedUp();
    const send = clientOf(purse);
    const answers: Answer[] = [];
    for (let i = 0; i < 3; i++)
      answers.push(await send("POST", "/users", { ...newUser(), username: taken.username }));
    expect(answers.map(({ body }) => body.code)).toEqual([202, 202, 202]);
    expect((await send("POST", "/classes/_User", newUser())).status).toBe(201);
    const refused = await send("POST", "/users", newUser());
    expect(refused).toMatchObject(REFUSED);
    expect(refused.retryAfter).toBeGreaterThan(0);
    expect(refused.retryAfter).toBeLessThanOrEqual(60);
    // Other addresses, the master key and existing users are not affected.
    expect((await clientOf(purse)("POST", "/users", newUser())).status).toBe(201);
    expect((await send("POST", "/login", taken)).status).toBe(200);
    for (let i = 0; i < 6; i++) expect((await master()("POST", "/users", newUser())).status).toBe(201);
  });

  it("limit sign-ups per address in batches and concurrent requests", async () => {
    const send = clientOf(purse);
    const requests = Array.from({ length: 10 }, () => ({
      method: "POST",
      path: "/server/users",
      body: newUser(),
    }));
    const { body } = await send("POST", "/batch", { requests });
    const parts: JsonObject[] = Object.values(body).map((each) => Object(each));
    expect(parts.filter(({ success }) => success)).toHaveLength(4);
    expect(parts.filter(({ error }) => Object(error).code === 155)).toHaveLength(6);
  });

  it("do not count requests of cloud code for its callers", async () => {
    const send = clientOf(purse);
    for (let i = 0; i < 6; i++) {
      expect((await send("POST", "/functions/signUp", newUser())).status).toBe(200);
    }
  });

  it("limit new anonymous users per address, but not their later logins", async () => {
    const send = clientOf(purse);
    const ids = Array.from({ length: 4 }, () => randomUUID());
    const begin = (id: string | undefined) => send("POST", "/users", { authData: { anonymous: { id } } });
    for (const id of ids.slice(0, 3)) expect((await begin(id)).status).toBe(201);
    expect(await begin(ids[3])).toMatchObject(REFUSED);
    expect((await begin(ids[0])).status).toBe(200);
  });

  it("limit wrong passwords per address across usernames, and do not count correct ones", async () => {
    const user = await signedUp();
    const send = clientOf(purse);
    for (let i = 0; i < 4; i++) {
      expect((await send("POST", "/login", user)).status).toBe(200);
      expect((await send("POST", "/login", newUser())).body.code).toBe(101);
    }
    const verify = await send("GET", `/verifyPassword?username=${user.username}&password=wrong`);
    expect(verify.body.code).toBe(101);
    expect(await send("POST", "/login", newUser())).toMatchObject(REFUSED);
    expect(await send("POST", "/login", user)).toMatchObject(REFUSED);
    expect((await clientOf(purse)("POST", "/login", user)).status).toBe(200);
  });

  it("limit wrong passwords in concurrent requests and batches for known and unknown usernames", async () => {
    const user = await signedUp();
    const send = clientOf(purse);
    const requests = Array.from({ length: 20 }, (_, i) => ({
      method: "POST",
      path: "/server/login",
      body: i % 2 === 0 ? { ...user, password: "wrong" } : newUser(),
    }));
    const { body } = await send("POST", "/batch", { requests });
    const codes = Object.values(body).map((each) => Object(each).error.code);
    expect(codes.filter((code) => code === 101)).toHaveLength(5);
    expect(codes.filter((code) => code === 155)).toHaveLength(15);
  });

  it("count an IPv6 /64 network as one address", async () => {
    const network = `2001:db8:${randomUUID().slice(0, 4)}:1`;
    const answers: number[] = [];
    for (let i = 0; i < 6; i++) {
      const send = clientOf(purse, `${network}::${i + 1}`);
      answers.push((await send("POST", "/login", newUser())).status);
    }
    expect(answers).toEqual([404, 404, 404, 404, 404, 429]);
    expect((await clientOf(purse, "2001:db8:0:2::1")("POST", "/login", newUser())).status).toBe(404);
  });

  it("limit the new sessions of a user on every route", async () => {
    const user = await signedUp();
    const session = { "X-Parse-Session-Token": user.sessionToken };
    const attempts = [
      () => clientOf(purse)("POST", "/login", user),
      () => clientOf(purse, newAddress(), session)("POST", "/sessions", {}),
      () => clientOf(purse, newAddress(), session)("POST", "/upgradeToRevocableSession", {}),
    ];
    for (let i = 0; i < 6; i++) expect((await attempts[i % 3]?.())?.status).toBeLessThan(300);
    for (const attempt of attempts) expect(await attempt()).toMatchObject(REFUSED);
    expect((await master()("POST", "/loginAs", { userId: user.id })).status).toBe(200);
  });

  it("limit mails per recipient with the same responses for known and unknown addresses", async () => {
    const known = `${randomUUID()}@example.org`;
    const unknown = `${randomUUID()}@example.org`;
    await signedUp({ email: known });
    const before = mails.count();
    const answersFor = async (email: string) => {
      const answers: Answer[] = [];
      for (let i = 0; i < 4; i++)
        answers.push(await clientOf(purse)("POST", "/requestPasswordReset", { email }));
      return answers.map(({ status, body }) => [status, body]);
    };
    const answers = await answersFor(known);
    expect(answers.map(([status]) => status)).toEqual([200, 200, 429, 429]);
    expect(await answersFor(unknown)).toEqual(answers);
    // Different spellings name the same mailbox.
    const upperCaseReply = await clientOf(purse)("POST", "/requestPasswordReset", {
      email: known.toUpperCase(),
    });
    expect(upperCaseReply).toMatchObject(REFUSED);
    await mails.next(known);
    await mails.next(known);
    expect(mails.count() - before).toBe(2);
  });

  it("limit the mails of all kinds that one address requests", async () => {
    const address = newAddress();
    const send = clientOf(purse, address);
    const email = () => `${randomUUID()}@example.org`;
    const page = () =>
      fetch(`${purse.serverUrl}/apps/${purse.appId}/resend_verification_email`, {
        method: "POST",
        headers: { "X-Forwarded-For": address },
        body: new URLSearchParams({ email: email() }),
      });
    for (let i = 0; i < 2; i++) {
      expect((await send("POST", "/requestPasswordReset", { email: email() })).status).toBe(200);
      expect((await send("POST", "/verificationEmailRequest", { email: email() })).status).toBe(200);
      expect((await page()).status).toBe(200);
    }
    expect(await send("POST", "/requestPasswordReset", { email: email() })).toMatchObject(REFUSED);
    expect(await send("POST", "/verificationEmailRequest", { email: email() })).toMatchObject(REFUSED);
    const refused = await page();
    expect([refused.status, refused.headers.get("content-type")]).toEqual([
      429,
      expect.stringContaining("text/html"),
    ]);
  });

  it("limit the pending wallet sign-in messages per address", async () => {
    const send = clientOf(purse);
    const message = () => {
      const { address } = privateKeyToAccount(generatePrivateKey());
      return send("POST", "/functions/requestMessage", { address });
    };
    for (let i = 0; i < 3; i++) expect((await message()).status).toBe(200);
    expect(await message()).toMatchObject(REFUSED);
  });

  it("limit new installations per address, and not the changes of known ones", async () => {
    const installation = () => ({ installationId: randomUUID(), deviceType: "ios" });
    const send = clientOf(purse);
    const known = installation();
    expect((await send("POST", "/installations", known)).status).toBe(201);
    expect((await send("POST", "/classes/_Installation", installation())).status).toBe(201);
    expect(await send("POST", "/installations", installation())).toMatchObject(REFUSED);
    expect((await send("POST", "/installations", { ...known, badge: 1 })).status).toBe(200);
    expect((await clientOf(purse)("POST", "/installations", installation())).status).toBe(201);
  });

  it("limit new role names per user, or per address without a user", async () => {
    const role = () => ({ name: `r-${randomUUID()}`, ACL: {} });
    const user = await signedUp();
    const session = { "X-Parse-Session-Token": user.sessionToken };
    const asUser = () => clientOf(purse, newAddress(), session);
    const nobody = clientOf(purse);
    for (const make of [asUser, () => nobody]) {
      expect((await make()("POST", "/roles", role())).status).toBe(201);
      expect((await make()("POST", "/classes/_Role", role())).status).toBe(201);
      expect(await make()("POST", "/roles", role())).toMatchObject(REFUSED);
    }
    for (let i = 0; i < 4; i++) expect((await master()("POST", "/roles", role())).status).toBe(201);
  });
});

describe("rate limits of accounts in development", () => {
  if (NIGHTLY)
    it("are off, so that application tests can sign up freely", async () => {
      const purse = await hostPurse();
      try {
        const send = clientOf(purse);
        const statuses = new Set<number>();
        for (let round = 0; round < 7; round++) {
          const signUps = Array.from({ length: 10 }, () => send("POST", "/users", newUser()));
          for (const { status } of await Promise.all(signUps)) statuses.add(status);
          const wrong = Array.from({ length: 10 }, () => send("POST", "/login", newUser()));
          for (const { status } of await Promise.all(wrong)) statuses.add(status);
        }
        expect([...statuses]).toEqual([201, 404]);
      } finally {
        await purse.remove();
      }
    });

  it("are on if PURSE_LIMIT_ACCOUNTS is set", async () => {
    const purse = await hostPurse({ env: { PURSE_LIMIT_ACCOUNTS: "1" } });
    try {
      const send = clientOf(purse);
      const statuses: number[] = [];
      for (let round = 0; round < 6; round++) {
        const wrong = Array.from({ length: 10 }, () => send("POST", "/login", newUser()));
        for (const { status } of await Promise.all(wrong)) statuses.push(status);
      }
      expect(statuses.filter((status) => status === 404)).toHaveLength(50);
      expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    } finally {
      await purse.remove();
    }
  });
});
