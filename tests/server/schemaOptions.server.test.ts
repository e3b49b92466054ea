import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, rest } from "../support/purse.ts";

const MASTER = { useMasterKey: true };

const FIRST = `
  schemas: [{
    className: "Game",
    fields: { score: { type: "Number" }, title: { type: "String" }, old: { type: "String" }, kept: { type: "String" } },
    indexes: { byOld: { old: 1 } },
  }],`;

const SECOND = `
  schemas: [
    { className: "Game", fields: { score: { type: "String" }, title: { type: "String" }, kept: { type: "String" } } },
    { className: "_User", fields: { age: { type: "Number" } } },
  ],`;

describe.each(DATABASES)("schemas in the config file, on %s", (database) => {
  /** Starts a server with each config in turn, on the same database. */
  async function migrate(second: string, check: (purse: Purse, objectId: string) => Promise<void>) {
    const folder = mkdtempSync(join(tmpdir(), "purse-schemas-"));
    const env = await databaseEnv(database);
    const start = (name: string, config: string) => {
      const file = join(folder, name);
      writeFileSync(file, `import { appendFileSync } from "node:fs";\nexport default { ${config} };`);
      return hostPurse({ dataDir: join(folder, "data"), env: { ...env, PURSE_CONFIG: file } });
    };
    // The process that runs both servers loads each file once.
    const first = await start("first.config.ts", FIRST);
    const game = { score: 1, title: "Chess", old: "gone", kept: "here" };
    const { body } = await rest(first, "POST", "/classes/Game", game);
    await rest(first, "POST", "/classes/Other", { n: 1 });
    await rest(first, "PUT", "/schemas/_User", { fields: { extra: { type: "String" } } }, MASTER);
    await first.stop();
    const next = await start(
      "second.config.ts",
      second.replaceAll("LOG", JSON.stringify(join(folder, "log"))),
    );
    await check(next, String(body.objectId)).finally(() => next.remove());
  }

  const fieldsOf = async (purse: Purse, className: string): Promise<Record<string, unknown>> =>
    Object((await rest(purse, "GET", `/schemas/${className}`, undefined, MASTER)).body.fields);

  it("delete extra fields and recreate modified ones with the schemaOptions", async () => {
    const options = `schemaOptions: {
      deleteExtraFields: true, recreateModifiedFields: true, strict: true,
      beforeMigration: async () => appendFileSync(LOG, "before "),
      afterMigration: () => appendFileSync(LOG, "after"),
    },`;
    await migrate(SECOND + options, async (purse, objectId) => {
      const fields = await fieldsOf(purse, "Game");
      expect(fields).toMatchObject({ score: { type: "String" }, kept: { type: "String" } });
      expect(Object.keys(fields)).not.toContain("old");
      const users = await fieldsOf(purse, "_User");
      expect(Object.keys(users)).toEqual(expect.arrayContaining(["age", "username", "email"]));
      expect(Object.keys(users)).not.toContain("extra");
      const { body } = await rest(purse, "GET", `/classes/Game/${objectId}`);
      expect([body.score, body.old, body.title, body.kept]).toEqual([undefined, undefined, "Chess", "here"]);
      expect((await rest(purse, "PUT", `/classes/Game/${objectId}`, { score: "ten" })).status).toBe(200);
      expect(purse.output()).toContain("not defined in schemas");
      expect(purse.output()).toContain("Other");
      expect(readFileSync(join(purse.dataDir, "../log"), "utf8")).toBe("before after");
    });
  });

  it("keep all fields without schemaOptions, and prevent the start for a field of another type", async () => {
    const same = SECOND.replace('score: { type: "String" }', 'score: { type: "Number" }');
    await migrate(same, async (purse, objectId) => {
      expect(Object.keys(await fieldsOf(purse, "Game"))).toContain("old");
      expect(Object.keys(await fieldsOf(purse, "_User"))).toContain("extra");
      expect((await rest(purse, "GET", `/classes/Game/${objectId}`)).body).toMatchObject({
        score: 1,
        old: "gone",
      });
      expect(purse.output()).not.toContain("not defined in schemas");
    });
    const refused = migrate(SECOND, async () => undefined);
    await expect(refused).rejects.toThrow("Game.score is Number in the database");
  });

  it('keep a field of another type with compatibility "parse", and log a warning', async () => {
    await migrate(`compatibility: "parse", ${SECOND}`, async (purse) => {
      expect(await fieldsOf(purse, "Game")).toMatchObject({ score: { type: "Number" } });
      expect(purse.output()).toContain("Game.score is Number in the database, and the code says String");
    });
  });

  it('deny omitted permissions and adding fields with compatibility "parse"', async () => {
    const closed = { find: {}, count: {}, get: {}, create: {}, update: {}, delete: {}, addField: {} };
    const definitions = `compatibility: "parse", schemas: [
      { className: "Game" },
      { className: "Board", classLevelPermissions: { find: { "*": true }, addField: { "*": true } } },
    ],`;
    await migrate(definitions, async (purse) => {
      const permissionsOf = async (className: string) =>
        (await rest(purse, "GET", `/schemas/${className}`, undefined, MASTER)).body.classLevelPermissions;
      expect(await permissionsOf("Game")).toEqual({ ...closed, protectedFields: {} });
      expect(await permissionsOf("Board")).toEqual({ ...closed, find: { "*": true }, protectedFields: {} });
      expect((await rest(purse, "GET", "/classes/Game")).body.code).toBe(119);
      expect((await rest(purse, "GET", "/classes/Board")).body).toEqual({ results: [] });
    });
  });
});
