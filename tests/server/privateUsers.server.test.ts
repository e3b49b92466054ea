import { randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NIGHTLY } from "../support/allCases.ts";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";
import { purseCommand, purseProgram } from "../support/purseCommand.ts";

const MASTER = { useMasterKey: true };
const DUMP = resolve(import.meta.dirname, "../fixtures/parse-dump");

/** Returns the distinct results of reading a new user by ID and query, anonymously and as another user. */
async function readers(purse: Purse): Promise<boolean[]> {
  const [user, other] = [await signUp(purse), await signUp(purse)];
  const reads = [undefined, other].flatMap((credentials) =>
    [`/users/${user.id}`, `/classes/_User/${user.id}`].map(
      async (path) => (await rest(purse, "GET", path, undefined, credentials)).status === 200,
    ),
  );
  const queries = ["/users", "/classes/_User"].map(async (path) => {
    const found = await rest(purse, "GET", `${path}${query({ where: { username: user.username } })}`);
    return JSON.stringify(found.body.results) !== "[]";
  });
  expect((await rest(purse, "GET", `/users/${user.id}`, undefined, user)).status).toBe(200);
  expect((await rest(purse, "GET", `/users/${user.id}`, undefined, MASTER)).status).toBe(200);
  return [...new Set(await Promise.all([...reads, ...queries]))];
}

describe.each(DATABASES)("new users on %s", (database) => {
  describe("in a new database", () => {
    let purse: Purse;
    beforeAll(async () => {
      purse = await hostPurse({ env: await databaseEnv(database) });
    });
    afterAll(() => purse?.remove());

    it("are readable by themselves only", async () => {
      expect(await readers(purse)).toEqual([false]);
      const { id } = await signUp(purse);
      const { body } = await rest(purse, "GET", `/users/${id}`, undefined, MASTER);
      expect(body.ACL).toEqual({ [id]: { read: true, write: true } });
    });

    it("are private with every sign-up method", async () => {
      const { body } = await rest(purse, "POST", "/users", { authData: { anonymous: { id: randomUUID() } } });
      expect((await rest(purse, "GET", `/users/${body.objectId}`)).body.code).toBe(101);
    });

    it("are readable with permission in their ACL", async () => {
      const user = await signUp(purse, { ACL: { "*": { read: true } } });
      const { body } = await rest(purse, "GET", `/users/${user.id}`);
      expect(body).toMatchObject({ username: user.username });
    });
  });

  it("are private or public according to the setting at each start", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "purse-private-"));
    const env = await databaseEnv(database);
    const starts = [
      ["0", true],
      ["1", false],
      ["", false],
    ] as const;
    for (const [setting, isPublic] of starts) {
      const purse = await hostPurse({ dataDir, env: { ...env, PURSE_ENFORCE_PRIVATE_USERS: setting } });
      expect(await readers(purse)).toEqual([isPublic]);
      await purse.stop();
    }
  });

  it("stay public after an import from Parse and a restart", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "purse-private-"));
    const env = { ...(await databaseEnv(database)), PURSE_DATA_DIR: dataDir };
    // A server has run before the import.
    await (await hostPurse({ dataDir, env })).stop();
    expect(await purseCommand(["import", "--parse", DUMP], env)).toMatchObject({ code: 0 });
    for (let i = 0; i < 2; i++) {
      const purse = await hostPurse({ dataDir, env });
      expect(await readers(purse)).toEqual([true]);
      await purse.stop();
    }
  });

  if (NIGHTLY)
    it("keep their visibility after an export and import", async () => {
      const from = {
        ...(await databaseEnv(database)),
        PURSE_DATA_DIR: mkdtempSync(join(tmpdir(), "purse-")),
      };
      const to = { ...(await databaseEnv(database)), PURSE_DATA_DIR: mkdtempSync(join(tmpdir(), "purse-")) };
      const file = join(from.PURSE_DATA_DIR, "export.jsonl");
      const source = await hostPurse({ dataDir: from.PURSE_DATA_DIR, env: from });
      await signUp(source);
      await source.stop();
      // As a program, which ends only once it has closed its store.
      expect(await purseProgram(["export", "--out", file], from)).toMatchObject({ code: 0 });
      expect(await purseCommand(["import", "--in", file], to)).toMatchObject({ code: 0 });
      const target = await hostPurse({ dataDir: to.PURSE_DATA_DIR, env: to });
      expect(await readers(target)).toEqual([false]);
      await target.remove();
    });
});
