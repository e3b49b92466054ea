import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { type Answer, hostPurse, type Purse, rest } from "../support/purse.ts";

const MASTER = { useMasterKey: true };

/** Adapters in the format of parse-server. `calls` of `service` counts its calls. */
const ADAPTERS = {
  service: `
    let calls = 0;
    export default {
      validateAuthData({ token, refuse }) {
        calls += 1;
        if (refuse === "text") throw "The service says no.";
        if (refuse === "error") throw new Error("The service is closed.");
        if (refuse === "code") throw Object.assign(new Error("Slow down."), { code: 4711 });
        if (refuse === "nothing") throw undefined;
        if (token === "response") return { response: { calls } };
      },
    };`,
  stepped: `
    const seen = (step) => (authData, options, request) => {
      if (authData.code !== "right") throw new Error(step + " refused " + options.name);
      const { master, isChallenge, triggerName, user, object } = request;
      return {
        response: { step, triggerName, master, isChallenge, user: user?.id, object: object?.id, name: object?.get("username") },
        save: { id: authData.id, step },
        doNotSave: authData.doNotSave,
      };
    };
    export default {
      validateSetUp: seen("validateSetUp"),
      validateLogin: seen("validateLogin"),
      validateUpdate: seen("validateUpdate"),
      challenge(data, authData, options, request) {
        if (data.fail) throw "No challenge.";
        return { echo: data, name: options.name, object: request.object?.id, isChallenge: request.isChallenge };
      },
    };`,
  code: `
    const check = ({ code }) => { if (code !== "right") throw new Error("Wrong code."); return { doNotSave: false, save: { enabled: true } }; };
    export default {
      policy: "additional",
      validateSetUp: check, validateLogin: check, validateUpdate: check,
      challenge: () => undefined,
    };`,
  hiding: `
    export default {
      validateAuthData: () => {},
      afterFind({ ip, user, master }, authData, { name }) {
        if (authData.id === "shown") return undefined;
        const { token, ...rest } = authData;
        authData.token = "changed";
        return { ...rest, seenBy: [typeof ip, user?.id, master, name] };
      },
    };`,
  key: `
    export default { policy: () => "solo", validateAuthData({ code }) { if (code !== "right") throw new Error("Wrong key."); } };`,
};

/** An adapter like those of Parse Server 9: CommonJS, and a class whose base accepts everything. */
const CODED = `
  Object.defineProperty(exports, "__esModule", { value: true });
  class AuthAdapter {
    validateAppId() { return Promise.resolve({}); }
    validateAuthData() { return Promise.resolve({}); }
    validateSetUp() { return Promise.resolve({}); }
    validateLogin() { return Promise.resolve({}); }
    validateUpdate() { return Promise.resolve({}); }
    beforeFind() {}
    afterFind() { return Promise.resolve({}); }
  }
  class Coded extends AuthAdapter {
    beforeFind(authData) {
      if (!/^code of /.test(authData.code)) throw new Error("The code is wrong.");
      authData.id = authData.code.slice("code of ".length);
      delete authData.code;
    }
    validateSetUp({ id }) { return { id }; }
    validateLogin({ id }) { return { id }; }
    validateUpdate({ id }) { return { id }; }
  }
  exports.default = new Coded();`;

const CLOUD = `
const seen = [];
Parse.Cloud.afterSave("_User", ({ object }) => { seen.push(object.get("authData") ?? null); });
Parse.Cloud.define("seen", () => seen);
`;

describe.each(DATABASES)("sign-in adapters on %s", (database) => {
  let purse: Purse;
  let lenient: Purse;
  let count = 0;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "purse-adapters-"));
    const auth: JsonObject = {};
    for (const [name, source] of Object.entries(ADAPTERS)) {
      writeFileSync(join(folder, `${name}.mjs`), source);
      auth[name] = { module: join(folder, `${name}.mjs`), name };
    }
    writeFileSync(join(folder, "coded.cjs"), CODED);
    auth.coded = { module: join(folder, "coded.cjs") };
    writeFileSync(join(folder, "purse.config.ts"), `export default ${JSON.stringify({ auth })};`);
    writeFileSync(join(folder, "cloud.mjs"), CLOUD);
    const env = { PURSE_CONFIG: join(folder, "purse.config.ts"), PURSE_CLOUD: join(folder, "cloud.mjs") };
    purse = await hostPurse({ env: { ...(await databaseEnv(database)), ...env } });
    lenient = await hostPurse({
      env: { ...(await databaseEnv(database)), ...env, PURSE_ALLOW_EXPIRED_AUTH_DATA_TOKEN: "1" },
    });
  });
  afterAll(() => Promise.all([purse.remove(), lenient.remove()]));

  const unique = (): string => `id-${++count}`;
  const users = (authData: JsonObject, more: JsonObject = {}, server = purse): Promise<Answer> =>
    rest(server, "POST", "/users", { authData, ...more });
  const authDataOf = async ({ body }: Answer, server = purse): Promise<unknown> => {
    const sessionToken = String(body.sessionToken);
    return (await rest(server, "GET", "/users/me", undefined, { sessionToken })).body.authData;
  };
  const update = (user: Answer, fields: JsonObject): Promise<Answer> =>
    rest(purse, "PUT", `/users/${user.body.objectId}`, fields, {
      sessionToken: String(user.body.sessionToken),
    });
  const newUser = async (authData: JsonObject = {}): Promise<Answer & { name: string }> => {
    const name = unique();
    const created = await users(authData, { username: name, password: "secret" });
    expect(created.status).toBe(201);
    return { ...created, name };
  };
  const logIn = (name: string, authData?: JsonObject): Promise<Answer> =>
    rest(purse, "POST", "/login", { username: name, password: "secret", ...(authData && { authData }) });

  it("store the token of the last sign-in", async () => {
    const id = unique();
    await users({ service: { id, token: "one" } });
    const again = await users({ service: { id, token: "two" } });
    expect([again.status, await authDataOf(again)]).toEqual([200, { service: { id, token: "two" } }]);
  });

  it("may look up the user of a code, and are not bypassed by an id", async () => {
    const id = unique();
    const created = await users({ coded: { code: `code of ${id}` } });
    expect([created.status, await authDataOf(created)]).toEqual([201, { coded: { id } }]);
    const again = await users({ coded: { code: `code of ${id}` } });
    expect([again.status, again.body.objectId]).toEqual([200, created.body.objectId]);
    const unproven: JsonObject[] = [{ id }, { id, code: "guess" }, { id, token: "t" }, {}];
    for (const server of [purse, lenient]) {
      await users({ coded: { code: `code of ${id}` } }, {}, server);
      for (const coded of unproven)
        expect((await users({ coded }, {}, server)).body).toEqual({ code: 141, error: "The code is wrong." });
    }
    const other = await newUser();
    expect((await update(other, { authData: { coded: { id } } })).body.error).toBe("The code is wrong.");
    expect((await update(other, { authData: { coded: { code: `code of ${id}` } } })).body.code).toBe(208);
    const own = unique();
    expect((await update(other, { authData: { coded: { code: `code of ${own}` } } })).status).toBe(200);
    expect((await users({ coded: { code: `code of ${own}` } })).body.objectId).toBe(other.body.objectId);
  });

  it("reject the identity of another user with 208 while a user is signed in", async () => {
    const service = { id: unique() };
    const owner = await users({ service });
    const session = (user: Answer) => ({ sessionToken: String(user.body.sessionToken) });
    const other = await newUser();
    const { status, body } = await rest(purse, "POST", "/users", { authData: { service } }, session(other));
    expect([status, body]).toEqual([400, { code: 208, error: "this auth is already used" }]);
    const wrong = { authData: { service: { ...service, refuse: "text" } } };
    expect((await rest(purse, "POST", "/users", wrong, session(other))).body.code).toBe(141);
    const own = await rest(purse, "POST", "/users", { authData: { service } }, session(owner));
    expect([own.status, own.body.objectId]).toEqual([200, owner.body.objectId]);
  });

  it("accept numeric IDs as strings and as numbers", async () => {
    const id = ++count + 1_000_000;
    const first = await users({ service: { id } });
    const second = await users({ service: { id: String(id) } });
    expect([first.status, second.status, second.body.objectId]).toEqual([201, 200, first.body.objectId]);
    for (const wrong of [1.5, true, {}, ""]) {
      expect((await users({ service: { id: wrong } })).body.code).toBe(250);
    }
  });

  it.each([
    ["text", 141, "The service says no."],
    ["error", 141, "The service is closed."],
    ["code", 4711, "Slow down."],
    ["nothing", 141, "Auth failed. Unknown error."],
  ])("return their error to the client: %s", async (refuse, code, error) => {
    const id = unique();
    const user = await newUser({ service: { id } });
    const service = { id, refuse };
    for (const answer of [
      await users({ service }),
      await users({ service: { id: unique(), refuse } }),
      await update(user, { authData: { service } }),
      await logIn(user.name, { service }),
    ])
      expect([answer.status, answer.body]).toEqual([400, { code, error }]);
  });

  it("are not called by an update without changes", async () => {
    const service = { id: unique(), token: "response" };
    const user = await newUser({ service });
    const changed = await update(user, { authData: { service: { ...service, more: 1 } } });
    expect(changed.body.authDataResponse).toMatchObject({ service: { calls: expect.any(Number) } });
    const unchanged = await update(user, { authData: { service: { ...service, more: 1 } }, n: 1 });
    expect([unchanged.status, unchanged.body.authDataResponse]).toEqual([200, undefined]);
  });

  it("reject an update to null with 252", async () => {
    const user = await newUser();
    const { status, body } = await update(user, { authData: null });
    expect([status, body]).toEqual([400, { code: 252, error: "This authentication method is unsupported." }]);
  });

  it("pass their data to afterSave", async () => {
    const service = { id: unique() };
    const user = await newUser({ service });
    const changed = { ...service, token: "new" };
    await update(user, { authData: { service: changed } });
    const { body } = await rest(purse, "POST", "/functions/seen", {});
    expect(body.result).toEqual(expect.arrayContaining([{ service }, { service: changed }]));
  });

  it("run the matching step: set up, login or update", async () => {
    const id = unique();
    const stepped = { id, code: "right" };
    const created = await users({ stepped }, { username: id });
    const { objectId } = created.body;
    expect([created.status, created.body.authDataResponse]).toMatchObject([
      201,
      { stepped: { step: "validateSetUp", triggerName: "validateSetUp", master: false, name: id } },
    ]);
    const again = await users({ stepped });
    expect(again.body.authDataResponse).toMatchObject({
      stepped: { step: "validateLogin", object: objectId },
    });
    const updated = await update(again, { authData: { stepped } });
    expect(updated.body.authDataResponse).toMatchObject({
      stepped: { step: "validateUpdate", user: objectId },
    });
    expect(await authDataOf(again)).toEqual({ stepped: { id, step: "validateUpdate" } });
    const wrong = await users({ stepped: { id, code: "wrong" } });
    expect([wrong.status, wrong.body]).toEqual([400, { code: 141, error: "validateLogin refused stepped" }]);
  });

  it("keep the stored data with doNotSave", async () => {
    const id = unique();
    const user = await users({ stepped: { id, code: "right" } });
    await update(user, { authData: { stepped: { id, code: "right", doNotSave: true } } });
    expect(await authDataOf(user)).toEqual({ stepped: { id, step: "validateSetUp" } });
  });

  it("without an ID create no account, but extend one with a username and password", async () => {
    const refused = await users({ code: { code: "right" } });
    expect([refused.status, refused.body.code]).toEqual([400, 252]);
    const user = await newUser({ code: { code: "right" } });
    expect(await authDataOf(user)).toEqual({ code: { enabled: true } });
  });

  it("of the legacy form require an ID only if nothing else identifies the user", async () => {
    const refused = await users({ service: { token: "right" } });
    expect([refused.status, refused.body.code]).toEqual([400, 252]);
    const stepped = { id: unique(), code: "right" };
    const user = await users({ stepped, service: { token: "right" } });
    expect(user.status).toBe(201);
    expect(await authDataOf(user)).toMatchObject({ service: { token: "right" } });
    const again = await users({ stepped });
    expect([again.status, again.body.objectId]).toEqual([200, user.body.objectId]);
  });

  it("with the policy additional are required by every other sign-in", async () => {
    const service = { id: unique() };
    const user = await newUser({ service, code: { code: "right" } });
    const missing = { code: -1, error: "Missing additional authData code" };
    for (const answer of [await logIn(user.name), await users({ service })])
      expect([answer.status, answer.body]).toEqual([400, missing]);
    for (const answer of [
      await logIn(user.name, { code: { code: "wrong" } }),
      await users({ service, code: { code: "wrong" } }),
    ])
      expect([answer.status, answer.body]).toEqual([400, { code: 141, error: "Wrong code." }]);
    for (const answer of [
      await logIn(user.name, { code: { code: "right" } }),
      await users({ service, code: { code: "right" } }),
    ])
      expect([answer.status, answer.body.objectId]).toEqual([200, user.body.objectId]);
  });

  it("with the policy solo require no additional adapter", async () => {
    const key = { id: unique(), code: "right" };
    const user = await newUser({ key, code: { code: "right" } });
    expect((await users({ key })).body.objectId).toBe(user.body.objectId);
    expect((await users({ key: { ...key, code: "wrong" } })).body).toEqual({
      code: 141,
      error: "Wrong key.",
    });
    expect((await logIn(user.name)).body.code).toBe(-1);
  });

  it("are linked by a sign-in with several identities, unless another user has one of them", async () => {
    const [service, stepped] = [{ id: unique() }, { id: unique(), code: "right" }];
    const user = await users({ service });
    const both = await users({ service, stepped });
    expect([both.status, both.body.objectId]).toEqual([200, user.body.objectId]);
    expect((await users({ stepped })).body.objectId).toBe(user.body.objectId);
    const taken = await users({ service: { id: unique() }, stepped });
    expect(taken.body.objectId).toBe(user.body.objectId);
    const other = await users({ service: { id: unique() } });
    expect((await update(other, { authData: { stepped } })).body.code).toBe(208);
  });

  it("accept stored data without a check only with PURSE_ALLOW_EXPIRED_AUTH_DATA_TOKEN", async () => {
    for (const [server, isQueried] of [
      [purse, true],
      [lenient, false],
    ] as const) {
      const service = { id: unique(), token: "response" };
      await users({ service }, {}, server);
      const again = await users({ service }, {}, server);
      expect([again.status, "authDataResponse" in again.body]).toEqual([200, isQueried]);
      const changed = await users({ service: { ...service, token: "no", refuse: "text" } }, {}, server);
      expect(changed.body.code).toBe(141);
    }
  });

  describe("respond to POST /challenge", () => {
    const challenge = (body: JsonObject): Promise<Answer> => rest(purse, "POST", "/challenge", body);

    it("for anonymous clients, a username with its password, and a verified identity", async () => {
      const stepped = { id: unique(), code: "right" };
      const user = await newUser({ stepped });
      const challengeData = { stepped: { n: 1 }, code: {}, service: {}, unknown: {}, mfa: {} };
      const expected = (object?: unknown) => ({
        challengeData: {
          code: true,
          stepped: { echo: { n: 1 }, name: "stepped", isChallenge: true, ...(object ? { object } : {}) },
        },
      });
      expect((await challenge({ challengeData })).body).toEqual(expected());
      const named = await challenge({ challengeData, username: user.name, password: "secret" });
      expect(named.body).toEqual(expected(user.body.objectId));
      const proven = await challenge({ challengeData, authData: { stepped } });
      expect(proven.body).toEqual(expected(user.body.objectId));
    });

    it.each<[string, JsonObject, number, number, string]>([
      ["no data", {}, 400, -1, "Nothing to challenge."],
      ["data that is not an object", { challengeData: "x" }, 400, -1, "challengeData should be an object."],
      [
        "a name without a password",
        { username: "x", challengeData: {} },
        400,
        -1,
        "You provided username or email, you need to also provide password.",
      ],
      [
        "a wrong password",
        { username: "x", password: "y", challengeData: {} },
        404,
        101,
        "Invalid username/password.",
      ],
      [
        "authData that is not an object",
        { authData: "x", challengeData: {} },
        400,
        -1,
        "authData should be an object.",
      ],
      [
        "two identities",
        { authData: { service: { id: "a" }, stepped: { id: "b" } }, challengeData: {} },
        400,
        -1,
        "You cannot provide more than one authData provider with an id.",
      ],
      [
        "an unknown identity",
        { authData: { service: { id: "nobody" } }, challengeData: {} },
        404,
        101,
        "User not found.",
      ],
      ["a challenge that fails", { challengeData: { stepped: { fail: true } } }, 400, 141, "No challenge."],
    ])("with an error for %s", async (_what, body, status, code, error) => {
      const answer = await challenge(body);
      expect([answer.status, answer.body]).toEqual([status, { code, error }]);
    });

    it("with the same error for a wrong proof and an unknown identity", async () => {
      const id = unique();
      await users({ stepped: { id, code: "right" } });
      const answer = await challenge({ authData: { stepped: { id, code: "wrong" } }, challengeData: {} });
      expect([answer.status, answer.body]).toEqual([404, { code: 101, error: "User not found." }]);
    });
  });

  it("can replace their stored data when it is read", async () => {
    const signUp = async (id: string) =>
      (await rest(purse, "POST", "/users", { authData: { hiding: { id, token: "secret" } } })).body;
    const { objectId, sessionToken } = await signUp("hidden");
    const read = (await rest(purse, "GET", "/users/me", undefined, { sessionToken: String(sessionToken) }))
      .body;
    expect(read.authData).toEqual({
      hiding: { id: "hidden", seenBy: ["string", objectId, false, "hiding"] },
    });
    const { sessionToken: other } = await signUp("shown");
    const shown = (await rest(purse, "GET", "/users/me", undefined, { sessionToken: String(other) })).body;
    expect(shown.authData).toEqual({ hiding: { id: "shown", token: "secret" } });
  });

  it("hide authData from others", async () => {
    const user = await newUser({ service: { id: unique(), token: "private" } });
    const { body } = await rest(purse, "GET", `/users/${user.body.objectId}`, undefined, MASTER);
    expect(JSON.stringify(body)).not.toContain("private");
  });
});
