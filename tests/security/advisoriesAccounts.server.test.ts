import { randomUUID } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject, JsonValue } from "@purse/protocol";
import { Secret, TOTP } from "otpauth";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { connectLive } from "../support/liveClient.ts";
import { type MailServer, startMailServer } from "../support/mailServer.ts";
import { type OidcIssuer, startOidcIssuer } from "../support/oidcIssuer.ts";
import { type Answer, hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";
import { send } from "../support/send.ts";

const MASTER = { useMasterKey: true };
const PASSWORD = "correct horse";

/** The class that adapters of Parse Server extend: its methods accept everything. */
const BASE = `
class AuthAdapter {
  policy = "default";
  validateAppId() { return Promise.resolve({}); }
  validateAuthData() { return Promise.resolve({}); }
  validateSetUp() { return Promise.resolve({}); }
  validateLogin() { return Promise.resolve({}); }
  validateUpdate() { return Promise.resolve({}); }
  challenge() { return Promise.resolve({}); }
  validateOptions() { return Promise.resolve({}); }
  afterFind() { return undefined; }
}
const check = async ({ code }) => { if (code !== "right") throw new Error("Wrong code."); };
`;
const ADAPTERS = {
  steps: `${BASE} class Steps extends AuthAdapter { validateSetUp(data) { return check(data); } validateLogin(data) { return check(data); } validateUpdate(data) { return check(data); } }
    export default new Steps();`,
  assigned: `${BASE} export default Object.assign(new AuthAdapter(), { validateSetUp: check, validateLogin: check, validateUpdate: check });`,
  whole: `${BASE} class Whole extends AuthAdapter { validateAuthData(data) { return check(data); } } class Deeper extends Whole {}
    export default new Deeper();`,
};

const values = (...all: JsonValue[]): JsonValue[] => all;

type Advisory = [ids: string, tried: string, run: () => Promise<unknown>];

/* What broke accounts of similar servers; docs/deploy/security.md lists the advisories. */
describe.each(DATABASES)("accounts as they were attacked at similar servers, on %s", (database) => {
  let purse: Purse;
  let mails: MailServer;
  let company: OidcIssuer;
  let partner: OidcIssuer;
  /** Tries to link what is presented. */
  let linker: Awaited<ReturnType<typeof signUp>>;

  beforeAll(async () => {
    mails = await startMailServer();
    [company, partner] = [await startOidcIssuer("our-client"), await startOidcIssuer("our-client")];
    const folder = mkdtempSync(join(tmpdir(), "purse-advisories-"));
    const auth: JsonObject = {
      company: { type: "oidc", issuer: company.issuer, clientId: "our-client" },
      partner: { type: "oidc", issuer: partner.issuer, clientId: "our-client" },
    };
    for (const [name, source] of Object.entries(ADAPTERS)) {
      writeFileSync(join(folder, `${name}.mjs`), source);
      auth[name] = { module: join(folder, `${name}.mjs`) };
    }
    writeFileSync(join(folder, "purse.config.ts"), `export default ${JSON.stringify({ auth })};`);
    purse = await hostPurse({
      env: {
        ...(await databaseEnv(database)),
        PURSE_CONFIG: join(folder, "purse.config.ts"),
        PURSE_SMTP_URL: mails.url,
        PURSE_VERIFY_USER_EMAILS: "1",
      },
    });
    linker = await signUp(purse);
  });
  afterAll(async () => {
    await purse?.remove();
    await Promise.all([mails, company, partner].map((each) => each?.stop()));
  });
  afterEach(async () => expect((await fetch(`${purse.url}/health`)).status).toBe(200));

  const usersWith = async (where: JsonObject): Promise<JsonValue> =>
    (await rest(purse, "GET", `/users${query({ where, count: 1, limit: 0 })}`, undefined, MASTER)).body
      .count ?? null;
  const stored = async (id: string): Promise<JsonObject> => {
    const { updatedAt: _, ...user } = (await rest(purse, "GET", `/users/${id}`, undefined, MASTER)).body;
    return user;
  };
  const logIn = (username: string, more: JsonObject = {}) =>
    rest(purse, "POST", "/login", { username, password: PASSWORD, ...more });

  /** Sends authData everywhere where it is accepted; returns the answers by route. */
  async function present(authData: JsonValue): Promise<Record<string, Answer>> {
    const requests = [{ method: "POST", path: "/server/users", body: { authData } }];
    const batch = await rest(purse, "POST", "/batch", { requests });
    const [entry] = Object(batch.body);
    const graphql = await send(`${purse.url}/graphql`, {
      method: "POST",
      headers: { "X-Parse-Application-Id": purse.appId, "Content-Type": "application/json" },
      body: JSON.stringify({
        query:
          "mutation ($authData: Object!) { logInWith(input: { authData: $authData }) { viewer { sessionToken } } }",
        variables: { authData },
      }),
    });
    const graphqlError = JSON.parse(graphql.text).errors?.[0]?.extensions?.code;
    return {
      "sign-up": await rest(purse, "POST", "/users", { authData }),
      "sign-up by class": await rest(purse, "POST", "/classes/_User", { authData }),
      "sign-up in a batch": {
        ...batch,
        status: entry?.error ? 400 : 200,
        body: entry?.error ?? entry?.success,
      },
      link: await rest(purse, "PUT", `/users/${linker.id}`, { authData }, linker),
      challenge: await rest(purse, "POST", "/challenge", { authData, challengeData: { company: true } }),
      GraphQL: { ...graphql, status: graphqlError === undefined ? 200 : 400, body: { code: graphqlError } },
    };
  }

  async function withFactor() {
    const user = await signUp(purse);
    const secret = new Secret().base32;
    const totp = new TOTP({ secret: Secret.fromBase32(secret) });
    const token = totp.generate();
    const { body } = await rest(
      purse,
      "PUT",
      `/users/${user.id}`,
      { authData: { mfa: { secret, token } } },
      user,
    );
    const recovery = String(Object(body.authDataResponse).mfa.recovery).split(", ");
    return { ...user, recovery, code: () => totp.generate({ timestamp: Date.now() + 30_000 }) };
  }

  const ADVISORIES: Advisory[] = [
    [
      "CVE-2026-30967, CVE-2026-33409",
      "an ID without a proof, or with the proof of another person, signs in at no provider",
      async () => {
        const victim = `victim-${randomUUID()}`;
        const made = await rest(purse, "POST", "/users", {
          authData: { company: { id: victim, id_token: await company.token(victim) } },
        });
        expect(made.status).toBe(201);
        const attacker = `attacker-${randomUUID()}`;
        const own = await company.token(attacker);
        const wallet = privateKeyToAccount(generatePrivateKey());
        const address = wallet.address.toLowerCase();
        const data = `Moralis Authentication\n\nId: ${purse.appId}:${new Date().toISOString()}`;
        const signature = await privateKeyToAccount(generatePrivateKey()).signMessage({ message: data });
        const tried: JsonObject[] = [
          { company: { id: victim } },
          { company: { id: victim, id_token: null } },
          { company: { id: victim, id_token: "" } },
          { company: { id: victim, id_token: own } },
          { company: { id: victim, id_token: own, sub: victim } },
          { company: { id: victim, id_token: [own] } },
          { company: { id: victim, access_token: own } },
          { partner: { id: victim, id_token: await company.token(victim) } },
          { steps: { id: victim } },
          { assigned: { id: victim } },
          { whole: { id: victim } },
          { moralisEth: { id: address } },
          { moralisEth: { id: address, data } },
          { moralisEth: { id: address, data, signature: "" } },
          { moralisEth: { id: address, data, signature } },
          { moralisEth: { id: address, data, signature: { $ne: 1 } } },
          { moralisSol: { id: address } },
          { passkey: { id: victim } },
          { passkeys: { id: victim } },
          { mfa: { id: victim } },
        ];
        for (const authData of tried) {
          for (const [route, { status, body }] of Object.entries(await present(authData))) {
            const seen = JSON.stringify(authData);
            expect([seen, route, status >= 400, body?.sessionToken]).toEqual([seen, route, true, undefined]);
            expect(status).toBeLessThan(500);
          }
        }
      },
    ],
    [
      "CVE-2026-116163",
      "adapters that extend the class of Parse Server's adapters decide, whichever of its methods they override",
      async () => {
        for (const name of Object.keys(ADAPTERS)) {
          const id = randomUUID();
          const signIn = (code: string) =>
            rest(purse, "POST", "/users", { authData: { [name]: { id, code } } });
          expect([name, (await signIn("wrong")).body.code]).toEqual([name, 141]);
          expect([name, (await signIn("right")).status]).toEqual([name, 201]);
          expect([name, (await signIn("wrong")).body.code]).toEqual([name, 141]);
          expect([name, (await signIn("right")).status]).toEqual([name, 200]);
        }
      },
    ],
    [
      "CVE-2026-32242",
      "two providers keep their tokens and users apart, also in parallel",
      async () => {
        const ids = Array.from({ length: 8 }, () => randomUUID());
        const signIn = async (provider: "company" | "partner", id: string, issuer: OidcIssuer) =>
          rest(purse, "POST", "/users", {
            authData: { [provider]: { id, id_token: await issuer.token(id) } },
          });
        const answers = await Promise.all(
          ids.map(async (id) => ({
            right: await Promise.all([signIn("company", id, company), signIn("partner", id, partner)]),
            wrong: await Promise.all([signIn("company", id, partner), signIn("partner", id, company)]),
          })),
        );
        const users = answers.flatMap(({ right }) =>
          right.map(({ status, body }) => (status === 201 ? body.objectId : "")),
        );
        expect(new Set(users).size).toBe(2 * ids.length);
        for (const { wrong } of answers) expect(wrong.map(({ body }) => body.code)).toEqual([101, 101]);
      },
    ],
    [
      "CVE-2026-32248",
      "operators in place of IDs in authData are refused and reach no account",
      async () => {
        const id = randomUUID();
        await rest(purse, "POST", "/users", {
          authData: { company: { id, id_token: await company.token(id) } },
        });
        for (const operator of values(
          { $gt: "" },
          { $ne: null },
          { $regex: "." },
          { $exists: true },
          [id],
          true,
        )) {
          for (const provider of ["company", "whole", "anonymous", "moralisEth", "passkey", "unknown"]) {
            const authData = {
              [provider]: { id: operator, id_token: await company.token(id), code: "right" },
            };
            for (const [route, { status, body }] of Object.entries(await present(authData))) {
              const seen = JSON.stringify([provider, operator]);
              expect([seen, route, status >= 400 && status < 500, body?.sessionToken]).toEqual([
                seen,
                route,
                true,
                undefined,
              ]);
            }
          }
        }
      },
    ],
    [
      "CVE-2026-33042",
      "empty authData signs nobody up",
      async () => {
        const before = await usersWith({});
        for (const authData of [
          {},
          null,
          [],
          "",
          0,
          false,
          { company: {} },
          { company: null },
          { anonymous: {} },
          { anonymous: null },
          { moralisEth: {} },
          { mfa: {} },
          { __proto__: null, toString: {} },
        ] as JsonValue[]) {
          for (const more of [{}, { username: "" }, { password: PASSWORD }]) {
            const answer = await rest(purse, "POST", "/users", { authData, ...more });
            const seen = JSON.stringify([authData, more]);
            expect([seen, answer.status >= 400 && answer.status < 500, answer.body.sessionToken]).toEqual([
              seen,
              true,
              undefined,
            ]);
          }
        }
        expect(await usersWith({})).toBe(before);
      },
    ],
    [
      "CVE-2026-33538",
      "thousands of unknown providers are refused at the first one",
      async () => {
        const authData = Object.fromEntries(
          Array.from({ length: 5_000 }, (_, i) => [`unknown${i}`, { id: "x" }]),
        );
        const answers = Object.entries(await present(authData));
        for (const [route, { body }] of answers)
          expect([route, body.code]).toEqual([route, expect.toBeOneOf([252, 107, -1, 101])]);
      },
    ],
    [
      "CVE-2026-30941",
      "operators in place of tokens of links reset nothing and verify nobody",
      async () => {
        const username = randomUUID();
        const email = `${username}@example.org`;
        const { body } = await rest(purse, "POST", "/users", { username, password: PASSWORD, email });
        await mails.next(email);
        await rest(purse, "POST", "/requestPasswordReset", { email });
        await mails.next(email);
        const before = await stored(String(body.objectId));
        const reset = `${purse.serverUrl}/apps/${purse.appId}/request_password_reset`;
        const verify = `${purse.serverUrl}/apps/${purse.appId}/verify_email`;
        for (const token of [{ $ne: "" }, { $gt: "" }, { $regex: "." }, [""], [], null, true, 0]) {
          const json = {
            method: "POST",
            headers: { "Content-Type": "application/json" },
            body: JSON.stringify({ token, new_password: "another horse", username }),
          };
          expect([JSON.stringify(token), (await send(reset, json)).status]).toEqual([
            JSON.stringify(token),
            400,
          ]);
        }
        for (const text of ["token[$ne]=x", "token[$regex]=.", "token[]=x", "token[$gt]=", "token="]) {
          const headers = { "Content-Type": "application/x-www-form-urlencoded" };
          const form = {
            method: "POST",
            headers,
            body: `${text}&new_password=another horse&username=${username}`,
          };
          expect([text, (await send(reset, form)).status]).toEqual([text, 400]);
          for (const url of [reset, verify])
            expect([
              text,
              url,
              (await send(`${url}?${text}&username=${username}`, { method: "GET", headers: {} })).status,
            ]).toEqual([text, url, 400]);
        }
        expect((await logIn(username)).status).toBe(200);
        expect(await stored(String(body.objectId))).toEqual(before);
        expect(before.emailVerified).toBe(false);
      },
    ],
    [
      "CVE-2026-32742, CVE-2026-33527, CVE-2026-34574, parse-server#10213",
      "clients choose neither token, user nor end of a session, at its creation and later, in any spelling",
      async () => {
        const [user, other] = [await signUp(purse), await signUp(purse)];
        const far = { __type: "Date", iso: "2999-01-01T00:00:00.000Z" };
        const pointer = { __type: "Pointer", className: "_User", objectId: other.id };
        const values: JsonObject[] = [
          { sessionToken: "r:00000000000000000000000000000000" },
          { expiresAt: far },
          { expiresAt: null },
          { expiresAt: 0 },
          { expiresAt: "" },
          { expiresAt: { __op: "Delete" } },
          { "expiresAt.iso": "2999-01-01T00:00:00.000Z" },
          { user: pointer },
          { user: null },
          { user: { __op: "Delete" } },
          { restricted: false, createdWith: { action: "login" } },
          { installationId: null },
        ];
        const { body: mine } = await rest(purse, "GET", "/sessions/me", undefined, user);
        const read = async (id: JsonValue | undefined) => {
          const { updatedAt: _, ...session } = (
            await rest(purse, "GET", `/sessions/${id}`, undefined, MASTER)
          ).body;
          return session;
        };
        const before = await read(mine.objectId);
        for (const fields of values) {
          const seen = JSON.stringify(fields);
          for (const path of [
            "/sessions/me",
            `/sessions/${mine.objectId}`,
            `/classes/_Session/${mine.objectId}`,
          ]) {
            expect([seen, path, (await rest(purse, "PUT", path, fields, user)).body.code]).toEqual([
              seen,
              path,
              expect.toBeOneOf([105, undefined]),
            ]);
            expect([seen, path, await read(mine.objectId)]).toEqual([seen, path, before]);
          }
          for (const path of ["/sessions", "/classes/_Session"]) {
            const { status, body } = await rest(purse, "POST", path, fields, user);
            if (status >= 400) continue;
            const made = await read(body.objectId);
            expect([seen, Object(made.user).objectId]).toEqual([seen, user.id]);
            const end = Date.parse(Object(made.expiresAt).iso);
            expect([seen, end > Date.now() && end < Date.now() + 400 * 86_400_000]).toEqual([seen, true]);
            expect(body.sessionToken).not.toBe("r:00000000000000000000000000000000");
          }
          expect(
            (
              await rest(purse, "GET", "/users/me", undefined, {
                sessionToken: "r:00000000000000000000000000000000",
              })
            ).body.code,
          ).toBe(209);
        }
        for (const [method, body] of [
          ["PUT", { color: "red" }],
          ["GET", undefined],
        ] as const)
          expect([method, (await rest(purse, method, "/sessions/me", body)).body.code]).toEqual([
            method,
            209,
          ]);
        expect((await rest(purse, "POST", "/sessions", {})).body.code).toBe(209);
      },
    ],
    [
      "CVE-2026-31875, CVE-2026-33624, CVE-2026-34224, CVE-2026-43930",
      "one of ten parallel logins with the same code or recovery code succeeds, and none later",
      async () => {
        for (const kind of ["recovery code", "code"]) {
          const user = await withFactor();
          const token = kind === "code" ? user.code() : (user.recovery[0] ?? "");
          const body = { username: user.username, password: PASSWORD, authData: { mfa: { token } } };
          const requests = [{ method: "POST", path: "/server/login", body }];
          const tries = Array.from({ length: 10 }, (_, i) =>
            i % 2 === 0
              ? logIn(user.username, { authData: { mfa: { token } } })
              : rest(purse, "POST", "/batch", { requests }),
          );
          const tokens = (await Promise.all(tries)).filter(({ body }) =>
            JSON.stringify(body).includes("sessionToken"),
          );
          expect(tokens).toHaveLength(1);
          expect(
            (await logIn(user.username, { authData: { mfa: { token } } })).body.sessionToken,
          ).toBeUndefined();
        }
      },
    ],
    [
      "CVE-2026-116162",
      "a login with a second factor stores nothing else of its request",
      async () => {
        const user = await withFactor();
        const before = await stored(user.id);
        const planted = {
          emailVerified: true,
          role: "admin",
          ACL: { "*": { read: true, write: true } },
          _hashed_password: "x",
        };
        const authData = { mfa: { token: user.recovery[0] ?? "", status: "disabled", secret: "planted" } };
        expect((await logIn(user.username, { ...planted, username: user.username, authData })).status).toBe(
          200,
        );
        await rest(purse, "POST", "/challenge", {
          username: user.username,
          password: PASSWORD,
          challengeData: { mfa: true },
          ...planted,
        });
        expect(await stored(user.id)).toEqual(before);
        expect((await logIn(user.username)).body.sessionToken).toBeUndefined();
      },
    ],
    [
      "CVE-2026-112768",
      "an update of another user is refused alike for names and addresses that exist and that do not",
      async () => {
        const [owner, other] = [
          await signUp(purse, { email: `${randomUUID()}@example.org` }),
          await signUp(purse),
        ];
        const { email } = await stored(owner.id);
        const target = await signUp(purse);
        for (const credentials of [{}, other]) {
          for (const path of [`/users/${target.id}`, `/classes/_User/${target.id}`, "/users/nobody"]) {
            const ask = async (fields: JsonObject) => {
              const { status, body } = await rest(purse, "PUT", path, fields, credentials);
              return JSON.stringify([status, body]);
            };
            const taken = [
              await ask({ email: email ?? "" }),
              await ask({ username: owner.username }),
              await ask({ password: PASSWORD }),
            ];
            const free = [
              await ask({ email: `${randomUUID()}@example.org` }),
              await ask({ username: randomUUID() }),
              await ask({ password: "another horse" }),
            ];
            expect(taken).toEqual(free);
            for (const answer of taken) expect(answer).toMatch(/^\[(400|403|404),/);
          }
        }
      },
    ],
    [
      "CVE-2026-116164",
      "internal fields of users are written by nobody, whatever their names are",
      async () => {
        const user = await signUp(purse);
        const before = await stored(user.id);
        for (const name of [
          "_hashed_password",
          "_failed_login_count",
          "_account_lockout_expires_at",
          "_password_history",
          "_password_changed_at",
          "_perishable_token",
          "_perishable_token_expires_at",
          "_email_verify_token",
          "_email_verify_token_expires_at",
          "_rperm",
          "_wperm",
          "_acl",
          "_session_token",
          "_tombstone",
          "_auth_data_company",
          "_id",
          "_created_at",
          "$where",
        ]) {
          for (const value of [
            "x",
            0,
            null,
            { __op: "Delete" },
            { __op: "Increment", amount: 1 },
          ] as JsonValue[]) {
            for (const field of [name, `${name}.x`]) {
              const tried = [
                await rest(purse, "PUT", `/users/${user.id}`, { [field]: value }, user),
                await rest(purse, "POST", "/users", {
                  username: randomUUID(),
                  password: PASSWORD,
                  [field]: value,
                }),
              ];
              for (const { status, body } of tried) {
                expect([field, value, status, body.code]).toEqual([field, value, 400, 105]);
              }
            }
          }
        }
        expect(await stored(user.id)).toEqual(before);
        expect((await logIn(user.username)).status).toBe(200);
      },
    ],
    [
      "parse-server#10194",
      "a session ends at its time, although it was used a moment ago, also on an open socket",
      async () => {
        const user = await signUp(purse);
        const { body } = await rest(purse, "GET", "/sessions/me", undefined, user);
        const client = await connectLive(purse, user);
        await client.subscribe("Board");
        const expiresAt = { __type: "Date", iso: new Date(Date.now() + 1_500).toISOString() };
        const path = `/sessions/${body.objectId}`;
        expect((await rest(purse, "PUT", path, { expiresAt }, MASTER)).status).toBe(200);
        expect((await rest(purse, "GET", "/users/me", undefined, user)).status).toBe(200);
        await expect
          .poll(async () => (await rest(purse, "GET", "/users/me", undefined, user)).body.code)
          .toBe(209);
        expect((await rest(purse, "POST", "/classes/Board", { n: 1 }, user)).body.code).toBe(209);
        await rest(purse, "POST", "/classes/Board", { n: 2 }, MASTER);
        expect(await client.next()).toMatchObject({ op: "error", code: 209 });
        expect((await client.closed).code).toBe(1008);
      },
    ],
    [
      "parse-server#10268",
      "a closed sign-up is refused before anything is said about names, addresses and fields",
      async () => {
        const { username } = await signUp(purse, { email: `${randomUUID()}@example.org` });
        const everyone = { "*": true };
        const classLevelPermissions = { find: everyone, get: everyone, update: everyone, create: {} };
        await rest(purse, "PUT", "/schemas/_User", { classLevelPermissions }, MASTER);
        try {
          for (const fields of [
            { username, password: PASSWORD },
            { username: randomUUID(), password: PASSWORD },
            { username: randomUUID(), password: PASSWORD, createdAt: 1, unknown: { __type: "X" } },
            { authData: { anonymous: { id: randomUUID() } } },
          ] as JsonObject[]) {
            for (const route of ["/users", "/classes/_User"]) {
              const seen = JSON.stringify(fields);
              expect([seen, route, (await rest(purse, "POST", route, fields)).body.code]).toEqual([
                seen,
                route,
                119,
              ]);
            }
          }
        } finally {
          await rest(purse, "PUT", "/schemas/_User", { classLevelPermissions: null }, MASTER);
        }
      },
    ],
    [
      "CVE-2024-38351, CVE-2026-44166, CVE-2026-31813",
      "an account that somebody made with the address of a victim is not that of the victim's provider",
      async () => {
        const email = `${randomUUID()}@example.org`;
        const planted = await rest(purse, "POST", "/users", {
          username: randomUUID(),
          password: PASSWORD,
          email,
        });
        const wallet = privateKeyToAccount(generatePrivateKey());
        const data = `Moralis Authentication\n\nId: ${purse.appId}:${new Date().toISOString()}`;
        const moralisEth = {
          id: wallet.address.toLowerCase(),
          data,
          signature: await wallet.signMessage({ message: data }),
        };
        const attacker = { sessionToken: String(planted.body.sessionToken) };
        expect(
          (
            await rest(
              purse,
              "PUT",
              `/users/${planted.body.objectId}`,
              { authData: { moralisEth } },
              attacker,
            )
          ).status,
        ).toBe(200);
        const id = randomUUID();
        const claims = { email, email_verified: true };
        for (const [provider, issuer] of [
          ["company", company],
          ["partner", partner],
        ] as const) {
          const authData = { [provider]: { id, id_token: await issuer.token(id, claims), email } };
          const victim = await rest(purse, "POST", "/users", { authData });
          expect([provider, victim.status, victim.body.objectId === planted.body.objectId]).toEqual([
            provider,
            201,
            false,
          ]);
          expect(
            (await rest(purse, "GET", `/users/${victim.body.objectId}`, undefined, attacker)).body.code,
          ).toBe(101);
        }
        expect((await stored(String(planted.body.objectId))).emailVerified).toBe(false);
        const foreign = await company.token(id, { ...claims, iss: partner.issuer });
        expect(
          (await rest(purse, "POST", "/users", { authData: { company: { id, id_token: foreign } } })).body
            .code,
        ).toBe(101);
      },
    ],
    [
      "GHSA-3529-5m8x-rpv3",
      "neither links, sign-in messages nor passkeys name a host that only the request names",
      async () => {
        const headers = {
          "X-Parse-Application-Id": purse.appId,
          "Content-Type": "application/json",
          "X-Forwarded-Host": "evil.example",
          "X-Forwarded-Proto": "https",
          Forwarded: "host=evil.example;proto=https",
          "X-Original-Host": "evil.example",
          "X-Host": "evil.example",
        };
        const post = async (path: string, body: object) =>
          (await send(`${purse.serverUrl}${path}`, { method: "POST", headers, body: JSON.stringify(body) }))
            .text;
        const email = `${randomUUID()}@example.org`;
        await post("/users", { username: randomUUID(), password: PASSWORD, email });
        const verification = await mails.next(email);
        await post("/requestPasswordReset", { email });
        const reset = await mails.next(email);
        for (const { link } of [verification, reset]) expect(new URL(link).origin).toBe(purse.url);
        const { address } = privateKeyToAccount(generatePrivateKey());
        const message = await post("/functions/requestMessage", { address });
        const passkey = await post("/challenge", { challengeData: { passkey: { purpose: "signIn" } } });
        const config = (await send(`${purse.url}/config.json`, { method: "GET", headers })).text;
        expect(message).toContain(`127.0.0.1:${purse.port} wants you`);
        for (const text of [message, passkey, config]) expect(text).not.toContain("evil.example");
      },
    ],
    [
      "supabase/auth#2625",
      "malformed signatures and messages of wallets are refused without an error of the server",
      async () => {
        const { address } = privateKeyToAccount(generatePrivateKey());
        const data = `Moralis Authentication\n\nId: ${purse.appId}:${new Date().toISOString()}`;
        for (const signature of [
          "0x",
          "0x00",
          `0x${"0".repeat(130)}`,
          `0x${"f".repeat(130)}`,
          `0x${"0".repeat(131)}`,
          "x".repeat(132),
          "0x".padEnd(100_000, "f"),
          `0x${"00".repeat(64)}1f`,
          1,
          null,
          {},
          [],
        ] as JsonValue[]) {
          for (const message of [
            data,
            "",
            "\u0000",
            `127.0.0.1:${purse.port} wants you to sign in with your Ethereum account:\n${address}`,
            {},
            [],
          ] as JsonValue[]) {
            const authData = { moralisEth: { id: address.toLowerCase(), signature, data: message } };
            const answer = await rest(purse, "POST", "/users", { authData });
            const seen = JSON.stringify([String(signature).slice(0, 12), message]);
            expect([seen, answer.status >= 400 && answer.status < 500, answer.body.sessionToken]).toEqual([
              seen,
              true,
              undefined,
            ]);
          }
        }
      },
    ],
  ];

  it.each(ADVISORIES)("%s: %s", async (_ids, _tried, run) => {
    await run();
  });
});
