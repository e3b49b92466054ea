import { isJsonObject, type JsonObject } from "@purse/protocol";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type InProcessServer, startInProcess } from "../../../test/inProcessServer.ts";
import { SoftAuthenticator } from "../../../test/softAuthenticator.ts";

const ORIGIN = "https://shop.example";
const MASTER_KEY = "a master key of this test";
const PASSWORD = "correct horse battery";

interface Account {
  id: string;
  username: string;
  sessionToken: string;
}

interface Reply {
  status: number;
  body: JsonObject;
}

describe("passkeys of users", () => {
  let server: InProcessServer | undefined;
  beforeAll(async () => {
    server = await startInProcess({
      PURSE_MASTER_KEY: MASTER_KEY,
      // Behind a proxy: what clients send as their host does not matter.
      PURSE_SERVER_URL: `${ORIGIN}/server`,
    });
  });
  afterAll(() => server?.remove());

  const ask = async (
    method: string,
    path: string,
    body?: JsonObject,
    account?: Account,
    isMaster = false,
  ): Promise<Reply> => {
    const reply = await fetch(`${server?.url}/server${path}`, {
      method,
      headers: {
        "x-parse-application-id": "test",
        "content-type": "application/json",
        "x-forwarded-host": "evil.example",
        ...(account && { "x-parse-session-token": account.sessionToken }),
        ...(isMaster && { "x-parse-master-key": MASTER_KEY }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const json: JsonObject = JSON.parse(await reply.text());
    return { status: reply.status, body: json };
  };

  let users = 0;
  async function signUp(): Promise<Account> {
    const username = `user${++users}`;
    const { body } = await ask("POST", "/users", { username, password: PASSWORD });
    return { id: String(body.objectId), username, sessionToken: String(body.sessionToken) };
  }

  async function optionsFor(purpose: string, account?: Account, code?: string): Promise<JsonObject> {
    const { body } = await ask("POST", "/passkeys/options", { purpose, ...(code && { code }) }, account);
    if (!isJsonObject(body.options)) throw new Error(JSON.stringify(body));
    return body.options;
  }

  async function register(account: Account, name = "Laptop", code?: string) {
    const authenticator = new SoftAuthenticator(ORIGIN);
    const credential = authenticator.register(await optionsFor("register", account, code));
    const { status, body } = await ask("POST", "/passkeys", { credential, name }, account);
    expect([status, body.error]).toEqual([201, undefined]);
    return { authenticator, id: String(body.objectId) };
  }

  const signIn = (passkey: JsonObject) => ask("POST", "/users", { authData: { passkey } });
  const proofOf = async (authenticator: SoftAuthenticator, purpose: string) =>
    authenticator.signIn(await optionsFor(purpose));
  const listOf = async (account: Account) => (await ask("GET", "/passkeys", undefined, account)).body.results;

  it("sign in without a username, and the session records the provider", async () => {
    const account = await signUp();
    const { authenticator, id } = await register(account);
    const { status, body } = await signIn(await proofOf(authenticator, "login"));
    expect([status, body.objectId, body.username]).toEqual([200, account.id, account.username]);
    const sessionToken = String(body.sessionToken);
    const session = await ask("GET", "/sessions/me", undefined, { ...account, sessionToken });
    expect(session.body.createdWith).toEqual({ action: "login", authProvider: "passkey" });
    expect(await listOf(account)).toEqual([
      {
        objectId: id,
        credentialId: authenticator.id,
        name: "Laptop",
        createdAt: expect.any(String),
        lastUsedAt: expect.any(String),
        transports: ["hybrid", "internal"],
        isSyncable: false,
        isBackedUp: false,
      },
    ]);
  });

  async function signUpOptions(username?: string): Promise<{ userId: string; options: JsonObject }> {
    const { body } = await ask("POST", "/passkeys/options", {
      purpose: "signup",
      ...(username && { username }),
    });
    if (!isJsonObject(body.options)) throw new Error(JSON.stringify(body));
    return { userId: String(body.userId), options: body.options };
  }

  it("create accounts without a password, to which they sign in", async () => {
    const { userId, options } = await signUpOptions("keyed");
    expect(options.user).toMatchObject({ name: "keyed", id: Buffer.from(userId).toString("base64url") });
    const authenticator = new SoftAuthenticator(ORIGIN);
    const passkey = { userId, credential: authenticator.register(options), name: "Phone" };
    const created = await ask("POST", "/users", { username: "keyed", authData: { passkey } });
    expect([created.status, created.body.objectId]).toEqual([201, userId]);
    const account = { id: userId, username: "keyed", sessionToken: String(created.body.sessionToken) };
    const session = await ask("GET", "/sessions/me", undefined, account);
    expect(session.body.createdWith).toEqual({ action: "signup", authProvider: "passkey" });
    expect(await listOf(account)).toMatchObject([{ name: "Phone", credentialId: authenticator.id }]);
    const signedIn = await signIn(await proofOf(authenticator, "login"));
    expect([signedIn.status, signedIn.body.objectId]).toEqual([200, userId]);
    expect((await ask("GET", "/login?username=keyed&password=guess")).body.code).toBe(101);
    const [only] = JSON.parse(JSON.stringify(await listOf(account)));
    const removed = await ask("DELETE", `/passkeys/${only.objectId}`, undefined, account);
    expect(removed.body.code).toBe(119);
  });

  it("create accounts with a username that the server chooses if there is none, or not at all if it is taken", async () => {
    const { userId, options } = await signUpOptions();
    const credential = new SoftAuthenticator(ORIGIN).register(options);
    const taken = (await signUp()).username;
    const passkey = { userId, credential };
    const refused = await ask("POST", "/users", { username: taken, authData: { passkey } });
    expect(refused.body.code).toBe(202);
    const created = await ask("POST", "/users", { authData: { passkey } });
    expect([created.status, String(created.body.username).length]).toEqual([201, 25]);
  });

  it("create no accounts with an id that the client believes to exist, as other sign-ups", async () => {
    const { userId, options } = await signUpOptions();
    const passkey = { userId, credential: new SoftAuthenticator(ORIGIN).register(options) };
    const refused = await ask("POST", "/users", { id: "known", authData: { passkey } });
    expect(refused.body).toMatchObject({ code: 105, error: "id is an invalid field name." });
  });

  it("create no accounts by challenges for other purposes, accounts or pages, nor twice", async () => {
    const { userId, options } = await signUpOptions("thief");
    const create = (passkey: JsonObject) =>
      ask("POST", "/users", { username: "thief", authData: { passkey } });
    const rejection = { status: 404, body: { code: 101 } };
    const account = await signUp();
    const own = new SoftAuthenticator(ORIGIN).register(await optionsFor("register", account));
    const signUpCredential = new SoftAuthenticator(ORIGIN).register(options);
    const elsewhere = new SoftAuthenticator("https://evil.example").register(options);
    const attempts: JsonObject[] = [
      { userId: account.id, credential: own },
      { userId, credential: own },
      { userId: account.id, credential: signUpCredential },
      { userId: "another123", credential: signUpCredential },
      { credential: signUpCredential },
      { userId: [userId], credential: signUpCredential },
      { userId, credential: elsewhere },
      { userId, credential: {} },
    ];
    for (const attempt of attempts) expect(await create(attempt)).toMatchObject(rejection);
    const register = await ask("POST", "/passkeys", { credential: signUpCredential }, account);
    expect(register).toMatchObject(rejection);
    expect((await create({ userId, credential: signUpCredential })).status).toBe(201);
    const again = await ask("POST", "/users", {
      authData: { passkey: { userId, credential: signUpCredential } },
    });
    expect(again).toMatchObject(rejection);
    expect(
      (await ask("POST", "/passkeys/options", { purpose: "signup", username: { $ne: 1 } })).body.code,
    ).toBe(142);
  });

  it("create no session, and sign in to none, before an email address that has to be verified is", async () => {
    const strict = await startInProcess({
      PURSE_SERVER_URL: `${ORIGIN}/server`,
      PURSE_VERIFY_USER_EMAILS: "1",
      PURSE_PREVENT_LOGIN_WITH_UNVERIFIED_EMAIL: "1",
    });
    try {
      const send = async (path: string, body: JsonObject): Promise<Reply> => {
        const reply = await fetch(`${strict.url}/server${path}`, {
          method: "POST",
          headers: { "x-parse-application-id": "test", "content-type": "application/json" },
          body: JSON.stringify(body),
        });
        return { status: reply.status, body: JSON.parse(await reply.text()) };
      };
      const authenticator = new SoftAuthenticator(ORIGIN);
      const requested = await send("/passkeys/options", { purpose: "signup" });
      const credential = authenticator.register(JSON.parse(JSON.stringify(requested.body.options)));
      const passkey = { userId: requested.body.userId ?? null, credential };
      const created = await send("/users", { email: "a@example.org", authData: { passkey } });
      expect([created.status, created.body.sessionToken]).toEqual([201, undefined]);
      const { body } = await send("/passkeys/options", { purpose: "login" });
      const proof = authenticator.signIn(JSON.parse(JSON.stringify(body.options)));
      const response = isJsonObject(proof.response) ? proof.response : {};
      const forged = { ...proof, response: { ...response, signature: "MAYCAQECAQE" } };
      expect((await send("/users", { authData: { passkey: forged } })).body.code).toBe(101);
      expect((await send("/users", { authData: { passkey: proof } })).body.code).toBe(205);
    } finally {
      await strict.remove();
    }
  });

  it("can be added to an account several times, with names that the user can change", async () => {
    const account = await signUp();
    const { id } = await register(account, "Laptop");
    await register(account, "Phone");
    const renamed = await ask("PUT", `/passkeys/${id}`, { name: "  Old laptop " }, account);
    expect(renamed.body.name).toBe("Old laptop");
    expect(await listOf(account)).toMatchObject([{ name: "Old laptop" }, { name: "Phone" }]);
    for (const name of ["", "x".repeat(101), 7]) {
      expect((await ask("PUT", `/passkeys/${id}`, { name }, account)).body.code).toBe(142);
    }
  });

  it("can be seen and changed by their user only, and not through classes", async () => {
    const [account, other] = [await signUp(), await signUp()];
    const { id } = await register(account);
    expect(await listOf(other)).toEqual([]);
    expect((await ask("PUT", `/passkeys/${id}`, { name: "x" }, other)).body.code).toBe(101);
    expect((await ask("DELETE", `/passkeys/${id}`, undefined, other)).body.code).toBe(101);
    for (const who of [undefined, other, account]) {
      expect((await ask("GET", "/classes/_Passkey", undefined, who)).body.code).toBe(119);
      expect((await ask("DELETE", `/classes/_Passkey/${id}`, undefined, who)).body.code).toBe(119);
    }
    expect((await ask("GET", "/passkeys")).body.code).toBe(209);
    expect(await listOf(account)).toHaveLength(1);
  });

  it("cannot be created or changed as objects, but an operator can delete one", async () => {
    const account = await signUp();
    const { authenticator, id } = await register(account);
    expect((await ask("POST", "/classes/_Passkey", { owner: account.id }, undefined, true)).body.code).toBe(
      119,
    );
    expect((await ask("PUT", `/classes/_Passkey/${id}`, { counter: 0 }, undefined, true)).body.code).toBe(
      119,
    );
    expect((await ask("DELETE", `/classes/_Passkey/${id}`, undefined, undefined, true)).status).toBe(200);
    expect((await signIn(await proofOf(authenticator, "login"))).body.code).toBe(101);
  });

  it("are rejected with a replayed response or one for another purpose", async () => {
    const account = await signUp();
    const { authenticator } = await register(account);
    const proof = await proofOf(authenticator, "login");
    const replies = await Promise.all([signIn(proof), signIn(proof)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, expect.any(Number)]);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await signIn(proof)).toMatchObject({ status: 404, body: { code: 101 } });
    expect((await signIn(await proofOf(authenticator, "factor"))).body.error).toContain("another purpose");
  });

  it("of other users are rejected as authData, and unknown ones create no user", async () => {
    const { body } = await signIn(await proofOf(new SoftAuthenticator(ORIGIN), "login"));
    expect(body).toMatchObject({ code: 101, error: "The passkey was refused: it is not registered here." });
    const [account, other] = [await signUp(), await signUp()];
    const { authenticator } = await register(account);
    const proof = await proofOf(authenticator, "login");
    const linked = await ask("PUT", `/users/${other.id}`, { authData: { passkey: proof } }, other);
    expect(linked.body.code).toBe(252);
  });

  it("are locked with their account after too many wrong responses", async () => {
    const account = await signUp();
    const { authenticator } = await register(account);
    for (let attempt = 0; attempt < 10; attempt++) {
      const options = await optionsFor("login");
      const reply = await signIn(authenticator.signIn(options, { origin: "https://evil.example" }));
      expect(reply.body.error).toBe("The passkey was refused: it was used on another site.");
    }
    expect((await signIn(await proofOf(authenticator, "login"))).body.error).toContain("account is locked");
  });

  it("can be removed unless one is the only sign-in method of the account", async () => {
    const account = await signUp();
    const { id } = await register(account);
    await register(account);
    expect((await ask("DELETE", `/passkeys/${id}`, undefined, account)).status).toBe(200);
    const [last] = Object.values((await listOf(account)) ?? []);
    const lastId = isJsonObject(last) ? last.objectId : "";
    const anonymousId = "0123456789abcdef0123456789abcdef0123";
    const { body } = await ask("POST", "/users", { authData: { anonymous: { id: anonymousId } } });
    const nameless: Account = {
      id: String(body.objectId),
      username: "",
      sessionToken: String(body.sessionToken),
    };
    const only = await register(nameless);
    const refused = await ask("DELETE", `/passkeys/${only.id}`, undefined, nameless);
    expect(refused.body).toMatchObject({ code: 119 });
    // An account with a password can do without.
    expect((await ask("DELETE", `/passkeys/${lastId}`, undefined, account)).status).toBe(200);
  });

  it("are deleted with their user", async () => {
    const account = await signUp();
    const { authenticator } = await register(account);
    expect((await ask("DELETE", `/users/${account.id}`, undefined, account)).status).toBe(200);
    expect((await signIn(await proofOf(authenticator, "login"))).body.code).toBe(101);
    const where = encodeURIComponent(JSON.stringify({ owner: account.id }));
    const left = await ask("GET", `/classes/_Passkey?where=${where}`, undefined, undefined, true);
    expect(left.body.results).toEqual([]);
  });

  describe("as a second factor", () => {
    const logIn = (account: Account, mfa?: JsonObject) =>
      ask("POST", "/login", {
        username: account.username,
        password: PASSWORD,
        ...(mfa && { authData: { mfa } }),
      });

    async function enableApp(account: Account): Promise<TOTP> {
      const secret = new Secret({ size: 20 });
      const totp = new TOTP({ secret });
      const mfa = { secret: secret.base32, token: totp.generate() };
      const { status } = await ask("PUT", `/users/${account.id}`, { authData: { mfa } }, account);
      expect(status).toBe(200);
      return totp;
    }

    it("replace the code of an app, and sign in without it", async () => {
      const account = await signUp();
      const { authenticator } = await register(account);
      await enableApp(account);
      expect((await logIn(account)).body).toMatchObject({ code: -1 });
      expect((await logIn(account, { passkey: await proofOf(authenticator, "login") })).body.code).toBe(101);
      expect((await logIn(account, { passkey: await proofOf(authenticator, "factor") })).status).toBe(200);
      expect((await signIn(await proofOf(authenticator, "login"))).status).toBe(200);
    });

    it("of another user are rejected", async () => {
      const [account, other] = [await signUp(), await signUp()];
      await enableApp(account);
      const { authenticator } = await register(other);
      const reply = await logIn(account, { passkey: await proofOf(authenticator, "factor") });
      expect(reply.body.error).toBe("The passkey was refused: it belongs to another account.");
    });

    it("require the existing second factor before registration", async () => {
      const account = await signUp();
      const totp = await enableApp(account);
      const request = { purpose: "register" };
      expect((await ask("POST", "/passkeys/options", request, account)).body.code).toBe(-1);
      const wrong = await ask("POST", "/passkeys/options", { ...request, code: "000000" }, account);
      expect(wrong.body.code).toBe(141);
      const code = totp.generate({ timestamp: Date.now() + 30_000 });
      const { authenticator } = await register(account, "Key", code);
      const again = await ask("POST", "/passkeys/options", { ...request, code }, account);
      expect(again.body.code).toBe(141);
      const passkey = await proofOf(authenticator, "factor");
      expect(
        (await ask("POST", "/passkeys/options", { ...request, code: { passkey } }, account)).status,
      ).toBe(200);
    });

    it("can be enabled without an app, with recovery codes, and the last one cannot be removed before they are disabled", async () => {
      const account = await signUp();
      const { authenticator, id } = await register(account);
      const enable = async (mfa: JsonObject) =>
        ask("PUT", `/users/${account.id}`, { authData: { mfa } }, account);
      const enabled = await enable({ passkey: await proofOf(authenticator, "factor") });
      const response = enabled.body.authDataResponse;
      const recovery =
        isJsonObject(response) && isJsonObject(response.mfa) ? String(response.mfa.recovery) : "";
      expect(recovery.split(", ")).toHaveLength(8);
      expect((await logIn(account)).body.code).toBe(-1);
      expect((await logIn(account, { token: recovery.split(", ")[0] ?? "" })).status).toBe(200);
      expect((await ask("DELETE", `/passkeys/${id}`, undefined, account)).body).toMatchObject({ code: 119 });
      expect((await enable({ disable: true })).body.code).toBe(141);
      const old = { passkey: await proofOf(authenticator, "factor") };
      expect((await enable({ disable: true, old })).status).toBe(200);
      expect((await logIn(account)).status).toBe(200);
      expect((await ask("DELETE", `/passkeys/${id}`, undefined, account)).status).toBe(200);
    });
  });
});
