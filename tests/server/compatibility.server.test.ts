import { randomUUID } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, emptyDatabaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, rest, signUp } from "../support/purse.ts";

const MASTER = { useMasterKey: true };

async function signInWithWallet(purse: Purse): Promise<void> {
  const signer = privateKeyToAccount(generatePrivateKey());
  const { body } = await rest(purse, "POST", "/functions/requestMessage", { address: signer.address });
  const data = String(Object(body.result).message);
  const signature = await signer.signMessage({ message: data });
  const moralisEth = { id: signer.address.toLowerCase(), signature, data };
  const { status } = await rest(purse, "POST", "/users", { authData: { moralisEth } });
  expect(status).toBe(201);
}

describe.each(DATABASES)("the Parse Server compatibility on %s", (database) => {
  let purse: Purse;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "purse-compatibility-"));
    const adapter =
      "let calls = 0; export default { validateAuthData: () => ({ response: { calls: ++calls } }), afterFind: (...[, , options]) => ({ options: String(options) }) };";
    writeFileSync(join(folder, "adapter.mjs"), adapter);
    const auth = { counted: { module: join(folder, "adapter.mjs") } };
    writeFileSync(join(folder, "purse.config.mjs"), `export default ${JSON.stringify({ auth })};`);
    purse = await hostPurse({
      env: {
        ...(await emptyDatabaseEnv(database)),
        PURSE_CONFIG: join(folder, "purse.config.mjs"),
        PURSE_COMPATIBILITY: "parse",
        PURSE_ENV: "production",
        PURSE_READ_ONLY_MASTER_KEY: "read-only-master-key",
        PURSE_ALLOW_PRIVATE_HOOKS: "1",
      },
    });
  });
  afterAll(() => purse?.remove());

  const isValid = async (sessionToken: unknown) =>
    (await rest(purse, "GET", "/users/me", undefined, { sessionToken: String(sessionToken) })).status === 200;

  it("lets only the master key read session tokens", async () => {
    const user = await signUp(purse);
    const { body } = await rest(purse, "GET", "/sessions/me", undefined, user);
    for (const path of [`/sessions/${body.objectId}`, `/classes/_Session/${body.objectId}`]) {
      const read = await rest(purse, "GET", path, undefined, MASTER);
      expect(read.body.sessionToken).toBe(user.sessionToken);
    }
    const login = await rest(purse, "POST", "/login", { username: user.username, password: "correct horse" });
    for (const path of ["/sessions", "/classes/_Session"]) {
      const all = await rest(purse, "GET", path, undefined, MASTER);
      expect(JSON.stringify(all.body)).toContain(user.sessionToken);
      expect(JSON.stringify(all.body)).toContain(login.body.sessionToken);
      const own = await rest(purse, "GET", path, undefined, {
        sessionToken: String(login.body.sessionToken),
      });
      expect(JSON.stringify(own.body)).not.toContain(user.sessionToken);
      const readOnly = await fetch(`${purse.serverUrl}${path}`, {
        headers: { "X-Parse-Application-Id": purse.appId, "X-Parse-Master-Key": "read-only-master-key" },
      });
      expect(readOnly.status).toBe(200);
      expect(await readOnly.text()).not.toContain(user.sessionToken);
    }
  });

  it("returns the results of operations on objects that the client may not read", async () => {
    const counters = { className: "Counter", fields: { hidden: { type: "Number" } } };
    const classLevelPermissions = { create: {}, update: { "*": true }, protectedFields: { "*": ["hidden"] } };
    await rest(purse, "POST", "/schemas/Counter", { ...counters, classLevelPermissions }, MASTER);
    const created = await rest(purse, "POST", "/classes/Counter", { key: 1, hidden: 1 }, MASTER);
    const path = `/classes/Counter/${created.body.objectId}`;
    const increment = { __op: "Increment", amount: 10 };
    const { body } = await rest(purse, "PUT", path, { key: increment, hidden: increment });
    expect(body).toEqual({ updatedAt: expect.any(String), key: 11 });
    expect((await rest(purse, "GET", path)).body.code).toBe(119);
    const writable = { key: 1, ACL: { "*": { write: true } } };
    const locked = await rest(purse, "POST", "/classes/Locked", writable, MASTER);
    const lockedPath = `/classes/Locked/${locked.body.objectId}`;
    expect((await rest(purse, "PUT", lockedPath, { key: increment })).body).toMatchObject({ key: 11 });
    expect((await rest(purse, "GET", lockedPath)).body.code).toBe(101);
  });

  it("returns the error object of a webhook unchanged under 141", async () => {
    const error = { code: 1337, error: "hacking that one!" };
    const server = createServer((_request, response) => response.end(JSON.stringify({ error })));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      await rest(purse, "POST", "/hooks/functions", { functionName: "far", url }, MASTER);
      expect((await rest(purse, "POST", "/functions/far", {})).body).toEqual({ code: 141, error });
    } finally {
      server.close();
    }
  });

  it("accepts only letters and digits as user ids in permissions unless clients may choose ids", async () => {
    const classLevelPermissions = { find: { "12345_6789": true } };
    const { body } = await rest(purse, "POST", "/schemas/Other", { classLevelPermissions }, MASTER);
    expect(body).toEqual({
      code: 107,
      error: "'12345_6789' is not a valid key for class level permissions",
    });
  });

  it("stores a job schedule without a time", async () => {
    const schedule = { jobName: "some job" };
    expect((await rest(purse, "POST", "/classes/_JobSchedule", schedule, MASTER)).status).toBe(201);
    expect((await rest(purse, "POST", "/classes/_JobSchedule", schedule)).body.code).toBe(119);
  });

  it("lets clients write products unless class-level permissions deny it", async () => {
    const product = { productIdentifier: "song", title: "A song", subtitle: "Of three minutes", order: 1 };
    const icon = { __type: "File", name: "icon.png" };
    const download = { __type: "File", name: "song.mp3" };
    const write = () => rest(purse, "POST", "/classes/_Product", { ...product, icon, download });
    const { status, body } = await write();
    expect([status, body.downloadName]).toEqual([201, "song.mp3"]);
    const changed = await rest(purse, "PUT", `/classes/_Product/${body.objectId}`, { download: icon });
    expect(changed.body.downloadName).toBe("icon.png");
    const setWriters = (create: object) =>
      rest(purse, "PUT", "/schemas/_Product", { classLevelPermissions: { create } }, MASTER);
    await setWriters({});
    expect((await write()).body.code).toBe(119);
    await setWriters({ "*": true });
  });

  it("lets clients save audiences, which their ACL protects", async () => {
    const user = await signUp(purse);
    const audience = { name: "All", query: "{}", ACL: { [user.id]: { read: true, write: true } } };
    const { status, body } = await rest(purse, "POST", "/classes/_Audience", audience, user);
    expect(status).toBe(201);
    const path = `/classes/_Audience/${body.objectId}`;
    expect((await rest(purse, "GET", path, undefined, user)).body.name).toBe("All");
    expect((await rest(purse, "GET", path)).body.code).toBe(101);
    const invalid = await rest(purse, "POST", "/classes/_Audience", { name: "Bad", query: "{" }, user);
    expect(invalid.body.code).toBe(102);
  });

  it("lets only the master key write job statuses", async () => {
    const write = (options?: typeof MASTER) =>
      rest(purse, "POST", "/classes/_JobStatus", { jobName: "nightly", status: "succeeded" }, options);
    const { status, body } = await write(MASTER);
    expect(status).toBe(201);
    const read = await rest(purse, "GET", `/classes/_JobStatus/${body.objectId}`, undefined, MASTER);
    expect(read.body).toMatchObject({ jobName: "nightly", status: "succeeded" });
    expect((await write()).body.code).toBe(119);
  });

  it("shows to others whether an email address is verified, but not the address", async () => {
    const ACL = { "*": { read: true } };
    const user = await signUp(purse, { email: `${randomUUID()}@example.org`, ACL });
    await rest(purse, "PUT", `/users/${user.id}`, { emailVerified: true }, MASTER);
    const { body } = await rest(purse, "GET", `/users/${user.id}`);
    expect([body.emailVerified, body.email]).toEqual([true, undefined]);
  });

  it("omits the default ACL from schemas unless it is set", async () => {
    const { body } = await rest(purse, "POST", "/schemas/Plain", {}, MASTER);
    expect(body.classLevelPermissions).toMatchObject({ find: { "*": true } });
    expect(body.classLevelPermissions).not.toHaveProperty("ACL");
    const classLevelPermissions = { ACL: { "*": { read: true } } };
    const changed = await rest(purse, "PUT", "/schemas/Plain", { classLevelPermissions }, MASTER);
    expect(changed.body.classLevelPermissions).toMatchObject(classLevelPermissions);
  });

  it("lists classes like Parse Server, and Purse's own ones once they are used", async () => {
    const fresh = await hostPurse({
      env: { ...(await emptyDatabaseEnv(database)), PURSE_COMPATIBILITY: "parse" },
    });
    try {
      const list = async () => {
        const { body } = await rest(fresh, "GET", "/schemas", undefined, MASTER);
        const classes: JsonObject[] = Object(body.results);
        return new Map(classes.map(({ className, ...others }) => [String(className), others]));
      };
      const fields = async (className: string) =>
        Object.keys(
          Object((await rest(fresh, "GET", `/schemas/${className}`, undefined, MASTER)).body.fields),
        );
      expect([...(await list()).keys()].sort()).toEqual(["_Role", "_User"]);
      expect(await fields("_Role")).not.toContain("gate");
      expect(await fields("_User")).not.toContain("ethAddress");
      await signUp(fresh);
      const session = (await list()).get("_Session");
      expect(session).not.toHaveProperty("indexes");
      expect(Object.keys(Object(session?.fields)).sort()).toEqual(
        "ACL createdAt createdWith expiresAt installationId objectId sessionToken updatedAt user".split(" "),
      );
      expect((await rest(fresh, "GET", "/schemas/_Product", undefined, MASTER)).body.code).toBe(103);
      const createProducts = (name: string) =>
        rest(fresh, "POST", "/schemas/_Product", { fields: { [name]: { type: "String" } } }, MASTER);
      expect((await createProducts("title")).body).toEqual({
        code: 136,
        error: "field title cannot be added",
      });
      expect((await createProducts("note")).status).toBe(200);
      expect((await createProducts("note")).body.code).toBe(103);
      expect([...(await list()).keys()].sort()).toEqual(["_Product", "_Role", "_Session", "_User"]);
      await signInWithWallet(fresh);
      expect(await fields("_User")).toContain("ethAddress");
    } finally {
      await fresh.remove();
    }
  });

  it("finds sessions by token with the master key, and returns specific errors for the read-only key", async () => {
    const user = await signUp(purse);
    const where = encodeURIComponent(JSON.stringify({ sessionToken: user.sessionToken }));
    const find = async (credentials: object) =>
      (await rest(purse, "GET", `/classes/_Session?where=${where}`, undefined, credentials)).body.results;
    expect(await find(MASTER)).toEqual([expect.objectContaining({ sessionToken: user.sessionToken })]);
    const other = encodeURIComponent(JSON.stringify({ sessionToken: "r:0123456789abcdef0123456789abcdef" }));
    const none = await rest(purse, "GET", `/sessions?where=${other}`, undefined, MASTER);
    expect(none.body).toEqual({ results: [] });
    const write = async (method: string, path: string) => {
      const response = await fetch(`${purse.serverUrl}${path}`, {
        method,
        headers: { "X-Parse-Application-Id": purse.appId, "X-Parse-Master-Key": "read-only-master-key" },
        body: "{}",
      });
      return (await response.json()).error;
    };
    const denied = (action: string) => `read-only masterKey isn't allowed to ${action}.`;
    expect(await write("POST", "/classes/Thing")).toBe(denied("perform the create operation"));
    expect(await write("PUT", "/schemas/Thing")).toBe(denied("update a schema"));
    expect(await write("PUT", "/config")).toBe(denied("update the config"));
    expect(await write("POST", "/push")).toBe(denied("send push notifications"));
  });

  it("ends all sessions when the password changes, and returns a new token", async () => {
    const user = await signUp(purse);
    const other = await rest(purse, "POST", "/login", { username: user.username, password: "correct horse" });
    const { body } = await rest(purse, "PUT", `/users/${user.id}`, { password: "a new one" }, user);
    expect(body.sessionToken).toMatch(/^r:/);
    expect(
      await Promise.all([user.sessionToken, other.body.sessionToken, body.sessionToken].map(isValid)),
    ).toEqual([false, false, true]);
    const byMaster = await rest(purse, "PUT", `/users/${user.id}`, { password: "one more" }, MASTER);
    expect(byMaster.body).not.toHaveProperty("sessionToken");
    expect(await isValid(body.sessionToken)).toBe(false);
  });

  it("keeps one session per installation when the password changes", async () => {
    const headers = { "X-Parse-Application-Id": purse.appId, "X-Parse-Installation-Id": randomUUID() };
    const { id, username } = await signUp(purse);
    const send = async (method: string, path: string, fields: object, token = "") => {
      const answer = await fetch(`${purse.serverUrl}${path}`, {
        method,
        headers: { ...headers, ...(token && { "X-Parse-Session-Token": token }) },
        body: JSON.stringify(fields),
      });
      return answer.json();
    };
    const login = await send("POST", "/login", { username, password: "correct horse" });
    const changed = await send("PUT", `/users/${id}`, { password: "a new one" }, login.sessionToken);
    expect(await isValid(changed.sessionToken)).toBe(true);
    const { body } = await rest(purse, "GET", "/sessions", undefined, {
      sessionToken: changed.sessionToken,
    });
    expect(body.results).toHaveLength(1);
  });

  it("gives anonymous users a new session when they get a name, and accepts any ID", async () => {
    const { status, body } = await rest(purse, "POST", "/users", {
      authData: { anonymous: { id: randomUUID().slice(0, 8) } },
    });
    expect(status).toBe(201);
    const session = { sessionToken: String(body.sessionToken) };
    const fields = { username: randomUUID(), password: "correct horse" };
    const named = await rest(purse, "PUT", `/users/${body.objectId}`, fields, session);
    expect(named.body.sessionToken).toMatch(/^r:/);
    expect(await isValid(body.sessionToken)).toBe(false);
    expect(await isValid(named.body.sessionToken)).toBe(true);
  });

  it("unlinks the only sign-in method", async () => {
    const { body } = await rest(purse, "POST", "/users", { authData: { anonymous: { id: randomUUID() } } });
    const session = { sessionToken: String(body.sessionToken) };
    const change = { authData: { anonymous: null } };
    expect((await rest(purse, "PUT", `/users/${body.objectId}`, change, session)).status).toBe(200);
  });

  it("returns an error for an expired session, also later", async () => {
    const user = await signUp(purse);
    const { body: session } = await rest(purse, "GET", "/sessions/me", undefined, user);
    const path = `/sessions/${session.objectId}`;
    for (const time of [new Date(Date.now() - 1_000), new Date("2015-01-01")]) {
      const expiresAt = { __type: "Date", iso: time.toISOString() };
      expect((await rest(purse, "PUT", path, { expiresAt }, MASTER)).status).toBe(200);
      for (const read of ["/users/me", "/classes/Thing"]) {
        const { status, body } = await rest(purse, "GET", read, undefined, user);
        expect([status, body]).toMatchObject([400, { code: 209, error: "Session token is expired." }]);
      }
    }
  });

  it("verifies an identity without an ID on every request", async () => {
    const user = await signUp(purse);
    const link = async (counted: object) =>
      (await rest(purse, "PUT", `/users/${user.id}`, { authData: { counted } }, user)).body.authDataResponse;
    const first = await link({ some: "proof" });
    const again = await link({ some: "proof" });
    expect([first, again]).toEqual([{ counted: { calls: 1 } }, { counted: { calls: 2 } }]);
    const withId = { id: randomUUID() };
    expect([await link(withId), await link(withId)]).toEqual([{ counted: { calls: 3 } }, undefined]);
    const { body } = await rest(purse, "GET", "/users/me", undefined, user);
    expect(body.authData).toEqual({ counted: { options: "undefined" } });
  });

  it("serves files with their types in a sandbox, except for scripts and styles", async () => {
    const types = {
      "a.html": "text/html; charset=utf-8",
      "a.svg": "image/svg+xml",
      "a.pdf": "application/pdf",
    };
    const opaque = "application/octet-stream";
    for (const [name, type] of Object.entries({
      ...types,
      "a.js": opaque,
      "a.css": opaque,
      "a.xsl": opaque,
    })) {
      const { body } = await rest(purse, "POST", `/files/${name}`, "text", MASTER);
      const { headers } = await fetch(String(body.url));
      expect(headers.get("content-type"), name).toBe(type);
      expect(headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
      expect(headers.get("content-disposition")).toMatch(/^attachment/);
    }
  });

  it("returns a session when the master key links a sign-in method", async () => {
    const user = await signUp(purse);
    const link = (authData: object, credentials: object) =>
      rest(purse, "PUT", `/users/${user.id}`, { authData }, credentials);
    const linked = await link({ anonymous: { id: randomUUID() } }, MASTER);
    expect(await isValid(linked.body.sessionToken)).toBe(true);
    expect(await isValid(user.sessionToken)).toBe(true);
    expect((await link({ anonymous: null }, MASTER)).body).not.toHaveProperty("sessionToken");
    expect((await link({ anonymous: { id: randomUUID() } }, user)).body).not.toHaveProperty("sessionToken");
  });

  it("keeps the sessions of a locked-out user", async () => {
    const user = await signUp(purse);
    await rest(purse, "PUT", `/users/${user.id}`, { ACL: {} }, MASTER);
    expect((await rest(purse, "GET", "/sessions/me", undefined, user)).status).toBe(200);
    const login = await rest(purse, "POST", "/login", { username: user.username, password: "correct horse" });
    expect(login.body.code).toBe(101);
  });
});

describe.each(DATABASES)("without the Parse Server compatibility, on %s", (database) => {
  let purse: Purse;
  beforeAll(async () => {
    purse = await hostPurse({
      env: { ...(await emptyDatabaseEnv(database)), PURSE_REVOKE_SESSION_ON_PASSWORD_RESET: "0" },
    });
  });
  afterAll(() => purse?.remove());

  it("the master key reads no tokens, and sessions remain if the setting keeps them", async () => {
    const user = await signUp(purse);
    const all = await rest(purse, "GET", "/sessions", undefined, MASTER);
    expect(JSON.stringify(all.body)).not.toContain(user.sessionToken);
    const change = await rest(purse, "PUT", `/users/${user.id}`, { password: "a new one" }, user);
    expect(change.body).not.toHaveProperty("sessionToken");
    expect((await rest(purse, "GET", "/users/me", undefined, user)).status).toBe(200);
  });
});
