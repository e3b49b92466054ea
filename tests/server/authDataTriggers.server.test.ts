import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, rest } from "../support/purse.ts";

const MASTER = { useMasterKey: true };

/** Accepts everything but the code "wrong". */
const ADAPTER = `export default {
  validateAuthData({ code }) { if (code === "wrong") throw new Error("Wrong code."); },
};`;

/** Sets authData to the value of another field. */
const CLOUD = `Parse.Cloud.beforeSave("_User", ({ object }) => {
  const wanted = object.get("wanted");
  if (wanted !== undefined) object.set("authData", wanted);
  object.unset("wanted");
});`;

describe.each(DATABASES)("authData of users on %s", (database) => {
  let purse: Purse;
  let strict: Purse;
  let count = 0;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "purse-auth-data-"));
    for (const name of ["one", "two"]) writeFileSync(join(folder, `${name}.mjs`), ADAPTER);
    const auth = { one: { module: join(folder, "one.mjs") }, two: { module: join(folder, "two.mjs") } };
    writeFileSync(join(folder, "purse.config.ts"), `export default ${JSON.stringify({ auth })};`);
    writeFileSync(join(folder, "cloud.mjs"), CLOUD);
    const env = {
      PURSE_CONFIG: join(folder, "purse.config.ts"),
      PURSE_CLOUD: join(folder, "cloud.mjs"),
      PURSE_READ_ONLY_MASTER_KEY: "read-only-master-key",
    };
    purse = await hostPurse({
      env: { ...(await databaseEnv(database)), ...env, PURSE_COMPATIBILITY: "parse" },
    });
    strict = await hostPurse({ env: { ...(await databaseEnv(database)), ...env } });
  });
  afterAll(() => Promise.all([purse?.remove(), strict?.remove()]));

  const unique = () => `id-${++count}`;
  const create = (fields: object) => rest(purse, "POST", "/users", fields);
  const authDataOf = async (id: unknown) =>
    (await rest(purse, "GET", `/users/${id}`, undefined, MASTER)).body.authData;

  it("is set by beforeSave and identifies the user from then on", async () => {
    const [sent, set] = [unique(), unique()];
    const authData = { one: { id: sent } };
    const created = await create({ authData, wanted: { one: { id: set } } });
    expect(created.status).toBe(201);
    expect(await authDataOf(created.body.objectId)).toEqual({ one: { id: set } });
    const again = await create({ authData: { one: { id: set } } });
    expect([again.status, again.body.objectId]).toEqual([200, created.body.objectId]);
    const conflict = await create({ authData, wanted: { one: { id: set } } });
    expect(conflict.body).toEqual({ code: 208, error: "this auth is already used" });
    // The identity that the trigger has replaced can be used again.
    expect((await create({ authData })).status).toBe(201);
  });

  it("is set by beforeSave of an update without a provider check, unlike by clients", async () => {
    const username = unique();
    const { body } = await create({ username, password: "secret" });
    const credentials = { sessionToken: String(body.sessionToken) };
    const update = (fields: object) => rest(purse, "PUT", `/users/${body.objectId}`, fields, credentials);
    const id = unique();
    expect((await update({ wanted: { two: { id, code: "wrong" } } })).status).toBe(200);
    expect(await authDataOf(body.objectId)).toEqual({ two: { id, code: "wrong" } });
    const refused = await update({ authData: { one: { id, code: "wrong" } } });
    expect(refused.body).toEqual({ code: 141, error: "Wrong code." });
    expect(await authDataOf(body.objectId)).toEqual({ two: { id, code: "wrong" } });
  });

  it("of wallets and second factors cannot be set by beforeSave", async () => {
    const username = unique();
    const { body } = await create({ username, password: "secret" });
    const credentials = { sessionToken: String(body.sessionToken) };
    for (const wanted of [{ moralisEth: { id: `0x${"1".repeat(40)}` } }, { mfa: { secret: "x" } }]) {
      const answer = await rest(purse, "PUT", `/users/${body.objectId}`, { wanted }, credentials);
      expect(answer.body).toEqual({ code: expect.any(Number), error: expect.any(String) });
    }
    expect(await authDataOf(body.objectId)).toBeUndefined();
  });

  it("is returned to the master key in lists, alone and included with the Parse Server compatibility", async () => {
    const ids = [unique(), unique()];
    const users = await Promise.all(ids.map((id) => create({ authData: { one: { id } } })));
    const objectIds = users.map(({ body }) => String(body.objectId));
    const where = encodeURIComponent(JSON.stringify({ objectId: { $in: objectIds } }));
    const list = async (credentials: object) => {
      const { body } = await rest(
        purse,
        "GET",
        `/users?where=${where}&order=createdAt`,
        undefined,
        credentials,
      );
      return (body.results as { objectId: string; authData?: unknown }[]).map((user) => user.authData);
    };
    const expected = ids.map((id) => ({ one: { id } }));
    expect(await list(MASTER)).toEqual(expect.arrayContaining(expected));
    const pointer = { __type: "Pointer", className: "_User", objectId: objectIds[0] };
    const post = await rest(purse, "POST", "/classes/Post", { author: pointer }, MASTER);
    const path = `/classes/Post/${post.body.objectId}?include=author`;
    const included = await rest(purse, "GET", path, undefined, MASTER);
    expect(included.body.author).toMatchObject({ authData: expected[0] });
    const other = { sessionToken: String(users[1]?.body.sessionToken) };
    expect(await list(other)).toEqual([expected[1]]);
    const readOnly = await fetch(`${purse.serverUrl}/users?where=${where}`, {
      headers: { "X-Parse-Application-Id": purse.appId, "X-Parse-Master-Key": "read-only-master-key" },
    });
    expect(readOnly.status).toBe(200);
    expect(await readOnly.text()).not.toContain("authData");
  });

  it("is hidden from the master key without the compatibility", async () => {
    const { body } = await rest(strict, "POST", "/users", { authData: { one: { id: unique() } } });
    const read = await rest(strict, "GET", `/users/${body.objectId}`, undefined, MASTER);
    expect(read.body).not.toHaveProperty("authData");
  });

  it("is followed by the location of the user in sign-up and sign-in responses", async () => {
    const authData = { one: { id: unique() } };
    const created = await create({ authData });
    const location = `${purse.serverUrl}/users/${created.body.objectId}`;
    expect(created.headers.get("location")).toBe(location);
    const signedIn = await create({ authData });
    expect([signedIn.status, signedIn.headers.get("location")]).toEqual([200, location]);
  });
});

it("an auth adapter with an unknown policy prevents the start", async () => {
  const folder = mkdtempSync(join(tmpdir(), "purse-auth-data-"));
  const file = join(folder, "purse.config.ts");
  writeFileSync(file, `export default { auth: { one: { policy: "sole", validateAuthData() {} } } };`);
  await expect(hostPurse({ env: { PURSE_CONFIG: file } })).rejects.toThrow(
    'the policy of the sign-in adapter one must be "default", "solo" or "additional"',
  );
});
