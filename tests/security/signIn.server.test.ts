import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { Secret, TOTP } from "otpauth";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NIGHTLY } from "../support/allCases.ts";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { type Answer, hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";
import { STUDIO_PASSWORD, StudioClient, setUpStudio } from "../support/studio.ts";

/** With `npm test`, each race runs twice. */
const ROUNDS = NIGHTLY ? 10 : 2;
const MASTER = { useMasterKey: true };
const THRESHOLD = 4;

function configFile(text: string): Record<string, string> {
  const file = join(mkdtempSync(join(tmpdir(), "purse-config-")), "purse.config.ts");
  writeFileSync(file, `export default ${text};`);
  return { PURSE_CONFIG: file };
}

const installationOf = (purse: Purse) => ({
  logIn: (username: string, installation: string, password = "correct horse") =>
    rest(purse, "POST", "/login", { username, password, _InstallationId: installation }),
  sessionsOf: async (userId: string): Promise<JsonObject[]> => {
    const user = { __type: "Pointer", className: "_User", objectId: userId };
    const { body } = await rest(purse, "GET", `/sessions${query({ where: { user } })}`, undefined, MASTER);
    return Object(body.results);
  },
});

/** Returns how many of the session tokens in the responses are still valid. */
async function liveTokens(purse: Purse, answers: Answer[]): Promise<number> {
  const tokens = answers.map(({ body }) => String(body.sessionToken));
  const states = await Promise.all(
    tokens.map((sessionToken) => rest(purse, "GET", "/users/me", undefined, { sessionToken })),
  );
  return states.filter(({ status }) => status === 200).length;
}

describe.each(DATABASES)("sessions of one installation on %s", (database) => {
  let purse: Purse;
  beforeAll(async () => {
    purse = await hostPurse({ env: await databaseEnv(database) });
  });
  afterAll(() => purse?.remove());

  it("start concurrently without errors, and exactly one remains", async () => {
    const { logIn, sessionsOf } = installationOf(purse);
    for (let round = 0; round < ROUNDS; round++) {
      const user = await signUp(purse);
      const answers = await Promise.all(Array.from({ length: 8 }, () => logIn(user.username, "phone")));
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
      expect(await liveTokens(purse, answers)).toBe(1);
      const phoneSessions = (await sessionsOf(user.id)).filter(
        ({ installationId }) => installationId === "phone",
      );
      expect(phoneSessions).toHaveLength(1);
    }
  });

  it("start concurrently by login and upgrade, one remains, and other sessions continue", async () => {
    const { logIn, sessionsOf } = installationOf(purse);
    const user = await signUp(purse);
    const laptop = await logIn(user.username, "laptop");
    const upgrade = () =>
      rest(purse, "POST", "/upgradeToRevocableSession", { _InstallationId: "phone" }, user);
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => logIn(user.username, "phone")),
      ...Array.from({ length: 4 }, upgrade),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(await liveTokens(purse, answers)).toBe(1);
    expect(await liveTokens(purse, [laptop])).toBe(1);
    const phones = (await sessionsOf(user.id)).filter(({ installationId }) => installationId === "phone");
    expect(phones).toHaveLength(1);
  });

  it("start while others of the user end, without errors", async () => {
    const { logIn } = installationOf(purse);
    const user = await signUp(purse);
    for (let round = 0; round < ROUNDS; round++) {
      const { body } = await logIn(user.username, "phone");
      const sessionToken = String(body.sessionToken);
      const [out, first, second] = await Promise.all([
        rest(purse, "POST", "/logout", {}, { sessionToken }),
        logIn(user.username, "phone"),
        logIn(user.username, "phone"),
      ]);
      expect([out.status, first.status, second.status]).toEqual([200, 200, 200]);
      expect(await liveTokens(purse, [first, second])).toBe(1);
    }
  });

  it("end when the password changes during a logout, without errors", async () => {
    const { logIn } = installationOf(purse);
    const user = await signUp(purse);
    let password = "correct horse";
    for (let round = 0; round < ROUNDS; round++) {
      const others = await Promise.all(
        ["a", "b", "c"].map((installation) => logIn(user.username, installation, password)),
      );
      password = `another horse ${round}`;
      const [changed, ...out] = await Promise.all([
        rest(purse, "PUT", `/users/${user.id}`, { password }, user),
        ...others.map(({ body }) =>
          rest(purse, "POST", "/logout", {}, { sessionToken: String(body.sessionToken) }),
        ),
      ]);
      expect([changed?.status, ...out.map(({ status }) => status)]).toEqual([200, 200, 200, 200]);
      expect(await liveTokens(purse, others)).toBe(0);
    }
  });

  it("are not replaced by a session created for another device", async () => {
    const { logIn } = installationOf(purse);
    const user = await signUp(purse);
    const phone = await logIn(user.username, "phone");
    const other = await rest(
      purse,
      "POST",
      "/sessions",
      { _InstallationId: "phone" },
      { sessionToken: String(phone.body.sessionToken) },
    );
    expect(other.status).toBe(201);
    expect(await liveTokens(purse, [phone, other])).toBe(2);
  });
});

if (NIGHTLY)
  describe("sessions of one installation on two processes with one PostgreSQL", () => {
    let both: Purse[] = [];
    beforeAll(async () => {
      const env = await databaseEnv("PostgreSQL");
      both = await Promise.all([hostPurse({ env }), hostPurse({ env })]);
    });
    afterAll(() => Promise.all(both.map((purse) => purse.remove())));

    it("start concurrently without errors, and exactly one remains", async () => {
      const [one, two] = both;
      if (!one || !two) throw new Error("two processes are needed");
      for (let round = 0; round < 5; round++) {
        const user = await signUp(one);
        const logIns = Array.from({ length: 10 }, (_, i) =>
          installationOf(i % 2 === 0 ? one : two).logIn(user.username, "phone"),
        );
        const answers = await Promise.all(logIns);
        expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
        const { sessionsOf } = installationOf(one);
        const phoneSessions = (await sessionsOf(user.id)).filter(
          ({ installationId }) => installationId === "phone",
        );
        expect(phoneSessions).toHaveLength(1);
        // A session that one process ended soon ends in the other.
        await expect.poll(() => liveTokens(two, answers)).toBe(1);
        await expect.poll(() => liveTokens(one, answers)).toBe(1);
      }
    });
  });

const newSecret = () => new Secret().base32;
/** A code of now, or of the next 30 seconds once that was used: each is valid for half a minute at least. */
const codeOf = (secret: string, seconds: 0 | 30 | -30 = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + seconds * 1000 });
const wrong = (i: number) => ({ mfa: { token: String(i).padStart(7, "x") } });
const LOCKED = /^Your account is locked/;

describe.each(DATABASES)("the second factor on %s", (database) => {
  let purse: Purse;
  beforeAll(async () => {
    const cloud = join(mkdtempSync(join(tmpdir(), "purse-cloud-")), "main.mjs");
    writeFileSync(
      cloud,
      `Parse.Cloud.define("enter", async ({ params }) => {
         const user = await Parse.User.logInWithAdditionalAuth(params.username, params.password, params.authData);
         return user.getSessionToken();
       });`,
    );
    purse = await hostPurse({
      env: {
        ...(await databaseEnv(database)),
        PURSE_CLOUD: cloud,
        ...configFile(`{ accountLockout: { threshold: ${THRESHOLD}, duration: 5 } }`),
      },
    });
  });
  afterAll(() => purse?.remove());

  async function enrolled(fields: JsonObject = {}) {
    const user = await signUp(purse, fields);
    const secret = newSecret();
    const mfa = { secret, token: codeOf(secret) };
    const { body } = await rest(purse, "PUT", `/users/${user.id}`, { authData: { mfa } }, user);
    const recovery = String(Object(body.authDataResponse).mfa.recovery).split(", ");
    return { ...user, secret, recovery };
  }
  type Enrolled = Awaited<ReturnType<typeof enrolled>>;
  const logIn = (username: string, authData?: JsonObject, password = "correct horse") =>
    rest(purse, "POST", "/login", { username, password, ...(authData && { authData }) });
  const change = (user: Enrolled, mfa: JsonObject | null) =>
    rest(purse, "PUT", `/users/${user.id}`, { authData: { mfa } }, user);

  /** Every request that takes a second-factor code. */
  const SIGN_INS: Record<string, (user: Enrolled, i: number) => Promise<Answer>> = {
    "POST /login": (user, i) => logIn(user.username, wrong(i)),
    "GET /login in the old envelope": (user, i) =>
      rest(purse, "POST", "/login", {
        _method: "GET",
        username: user.username,
        password: "correct horse",
        authData: wrong(i),
      }),
    "a batch of logins": async (user, i) => {
      const body = { username: user.username, password: "correct horse", authData: wrong(i) };
      const requests = [{ method: "POST", path: "/server/login", body }];
      const answer = await rest(purse, "POST", "/batch", { requests });
      return { ...answer, body: Object(answer.body)[0].error };
    },
    "a cloud function that logs in": (user, i) =>
      rest(purse, "POST", "/functions/enter", {
        username: user.username,
        password: "correct horse",
        authData: wrong(i),
      }),
    "removing the factor": (user, i) => change(user, { old: wrong(i).mfa.token, disable: true }),
    "replacing the factor": (user, i) => {
      const secret = newSecret();
      return change(user, { old: wrong(i).mfa.token, secret, token: codeOf(secret) });
    },
    "recovery codes": (user, i) => logIn(user.username, { mfa: { token: `${i}`.repeat(20) } }),
  };

  it.each(Object.entries(SIGN_INS))("is locked after too many wrong codes by %s", async (_name, tryOne) => {
    const user = await enrolled();
    const errors: (string | undefined)[] = [];
    for (let i = 0; i <= THRESHOLD; i++) errors.push((await tryOne(user, i)).body.error);
    expect(errors.slice(0, THRESHOLD)).toEqual(Array(THRESHOLD).fill("Invalid MFA token"));
    expect(errors[THRESHOLD]).toMatch(LOCKED);
    // The correct code, the password and a recovery code are rejected now too.
    const right = await logIn(user.username, { mfa: { token: codeOf(user.secret, 30) } });
    expect(right.body).toMatchObject({ code: 101, error: expect.stringMatching(LOCKED) });
    const recovered = await logIn(user.username, { mfa: { token: user.recovery[0] ?? "" } });
    expect(recovered.body.error).toMatch(LOCKED);
    expect((await change(user, { old: codeOf(user.secret, 30), disable: true })).body.error).toMatch(LOCKED);
  });

  it("shares one count of wrong codes among wallet, other sign-ins and password", async () => {
    const signer = privateKeyToAccount(generatePrivateKey());
    const proof = async () => {
      const messageReply = await rest(purse, "POST", "/functions/requestMessage", {
        address: signer.address,
      });
      const data = String(Object(messageReply.body.result).message);
      return { id: signer.address, signature: await signer.signMessage({ message: data }), data };
    };
    const { body } = await rest(purse, "POST", "/users", { authData: { moralisEth: await proof() } });
    const user = { id: String(body.objectId), sessionToken: String(body.sessionToken) };
    const secret = newSecret();
    const mfa = { secret, token: codeOf(secret) };
    expect((await rest(purse, "PUT", `/users/${user.id}`, { authData: { mfa } }, user)).status).toBe(200);
    const errors: (string | undefined)[] = [];
    for (let i = 0; i <= THRESHOLD; i++) {
      const authData = { moralisEth: await proof(), ...wrong(i) };
      errors.push((await rest(purse, "POST", "/users", { authData })).body.error);
    }
    expect(errors.slice(0, THRESHOLD)).toEqual(Array(THRESHOLD).fill("Invalid MFA token"));
    expect(errors[THRESHOLD]).toMatch(LOCKED);
  });

  it("limits concurrent guesses like sequential ones", async () => {
    const user = await enrolled();
    const guesses = await Promise.all(Array.from({ length: 40 }, (_, i) => logIn(user.username, wrong(i))));
    const errors = guesses.map(({ body }) => body.error);
    expect(errors.filter((error) => error === "Invalid MFA token")).toHaveLength(THRESHOLD);
    expect(errors.filter((error) => LOCKED.test(error ?? ""))).toHaveLength(40 - THRESHOLD);
  });

  it("rejects the correct code in a batch after too many guesses", async () => {
    const user = await enrolled();
    for (let i = 0; i < THRESHOLD; i++) await logIn(user.username, wrong(i));
    const code = codeOf(user.secret, 30);
    const requests = Array.from({ length: 20 }, () => ({
      method: "POST",
      path: "/server/login",
      body: { username: user.username, password: "correct horse", authData: { mfa: { token: code } } },
    }));
    const { body } = await rest(purse, "POST", "/batch", { requests });
    expect(JSON.stringify(body)).not.toContain("sessionToken");
  });

  it("keeps the count after a correct password and verifyPassword", async () => {
    const user = await enrolled();
    for (let i = 0; i < THRESHOLD - 1; i++) {
      expect((await logIn(user.username, wrong(i))).body.error).toBe("Invalid MFA token");
      expect((await logIn(user.username)).body.error).toBe("Missing additional authData mfa");
      const verified = await rest(
        purse,
        "GET",
        `/verifyPassword${query({ username: user.username, password: "correct horse" })}`,
      );
      expect(verified.status).toBe(200);
    }
    expect((await logIn(user.username, wrong(0), "wrong horse")).body.code).toBe(101);
    expect((await logIn(user.username, { mfa: { token: codeOf(user.secret, 30) } })).body.error).toMatch(
      LOCKED,
    );
  });

  it("resets the count after a correct code", async () => {
    const user = await enrolled();
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < THRESHOLD - 1; i++) await logIn(user.username, wrong(i));
      const code = user.recovery[round] ?? "";
      expect((await logIn(user.username, { mfa: { token: code } })).status).toBe(200);
    }
  });

  it("accepts a code once per time step, for any request", async () => {
    const user = await enrolled();
    const code = codeOf(user.secret, 30);
    expect((await logIn(user.username, { mfa: { token: code } })).status).toBe(200);
    expect((await logIn(user.username, { mfa: { token: code } })).body.error).toBe("Invalid MFA token");
    expect((await change(user, { old: code, disable: true })).body.error).toBe("Invalid MFA token");
  });

  it("accepts one of a concurrent login and change with the same code", async () => {
    const user = await enrolled();
    const code = codeOf(user.secret, 30);
    const secret = newSecret();
    const answers = await Promise.all([
      logIn(user.username, { mfa: { token: code } }),
      change(user, { old: code, secret, token: codeOf(secret) }),
      logIn(user.username, { mfa: { token: code } }),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it("is replaced with codes of both factors for the same time", async () => {
    const user = await enrolled();
    const secret = newSecret();
    const codes = { old: codeOf(user.secret, 30), token: codeOf(secret, 30) };
    const { status, body } = await change(user, { ...codes, secret });
    expect(status).toBe(200);
    expect((await logIn(user.username, { mfa: { token: codeOf(user.secret, -30) } })).body.code).toBe(141);
    const [token = ""] = String(Object(body.authDataResponse).mfa.recovery).split(", ");
    expect((await logIn(user.username, { mfa: { token } })).status).toBe(200);
  });
});

describe("the second factor with the account lockout turned off", () => {
  let purse: Purse;
  beforeAll(async () => {
    purse = await hostPurse({ env: configFile("{ accountLockout: false }") });
  });
  afterAll(() => purse?.remove());

  it("is locked after ten wrong codes", async () => {
    const user = await signUp(purse);
    const secret = newSecret();
    const mfa = { secret, token: codeOf(secret) };
    await rest(purse, "PUT", `/users/${user.id}`, { authData: { mfa } }, user);
    const logIn = (authData: JsonObject) =>
      rest(purse, "POST", "/login", { username: user.username, password: "correct horse", authData });
    const errors: (string | undefined)[] = [];
    for (let i = 0; i < 11; i++) errors.push((await logIn(wrong(i))).body.error);
    expect(errors.slice(0, 10)).toEqual(Array(10).fill("Invalid MFA token"));
    expect(errors[10]).toMatch(LOCKED);
    // Wrong passwords do not lock the account, as configured.
    const body = { username: user.username, password: "wrong" };
    for (let i = 0; i < 12; i++) {
      expect((await rest(purse, "POST", "/login", body)).body.error).toBe("Invalid username/password.");
    }
  });
});

describe.each(DATABASES)("the studio's second factor on %s", (database) => {
  let purse: Purse;
  let owner: StudioClient;
  let totp: TOTP;
  beforeAll(async () => {
    purse = await hostPurse({ env: await databaseEnv(database) });
    owner = await setUpStudio(purse);
    const { body } = await owner.request("POST", "/second-factor", { password: STUDIO_PASSWORD });
    totp = new TOTP({ secret: String(body.secret) });
    const code = totp.generate();
    expect((await owner.request("PUT", "/second-factor", { code })).status).toBe(200);
  });
  afterAll(() => purse?.remove());

  it("is not replaced without a code of the current one", async () => {
    const enrollment = await owner.request("POST", "/second-factor", { password: STUDIO_PASSWORD });
    expect([enrollment.status, enrollment.body.code]).toEqual([403, 119]);
    expect((await owner.request("PUT", "/second-factor", { code: "000000" })).status).toBe(403);
  });

  it("counts wrong codes of removals and sign-ins together, also concurrent ones", async () => {
    const remove = () =>
      owner.request("DELETE", "/second-factor", { password: STUDIO_PASSWORD, code: "xxxxxx" });
    const attempts = await Promise.all([
      ...Array.from({ length: 12 }, remove),
      ...Array.from({ length: 6 }, () => new StudioClient(purse).signIn("ada", STUDIO_PASSWORD, "yyyyyy")),
    ]);
    const codes = attempts.map(({ body }) => body.code);
    expect(codes.filter((code) => code === 141)).toHaveLength(10);
    expect(codes.filter((code) => code === 155)).toHaveLength(8);
    expect(
      (
        await new StudioClient(purse).signIn(
          "ada",
          STUDIO_PASSWORD,
          totp.generate({ timestamp: Date.now() + 30_000 }),
        )
      ).status,
    ).toBe(429);
  });
});
