import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { DATABASES, emptyDatabaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, rest } from "../support/purse.ts";
import { purseCommand } from "../support/purseCommand.ts";

const MASTER = { useMasterKey: true };
const DUMP = resolve(import.meta.dirname, "../fixtures/parse-dump");
const EVERYTHING = "everyone read, everyone create, everyone change";

describe.each(DATABASES)("classes from before, on %s", (database) => {
  const folder = () => mkdtempSync(join(tmpdir(), "purse-access-"));

  /** Runs a server for a time. */
  async function during<T>(
    dataDir: string,
    env: Record<string, string>,
    task: (purse: Purse) => Promise<T>,
  ): Promise<T> {
    const purse = await hostPurse({ dataDir, env });
    try {
      return await task(purse);
    } finally {
      await purse.stop();
    }
  }

  /** Whether everyone may read a class, after it was created unless it exists. */
  async function isOpen(purse: Purse, className: string): Promise<boolean> {
    await rest(purse, "POST", `/schemas/${className}`, {}, MASTER);
    return (await rest(purse, "GET", `/classes/${className}`)).status === 200;
  }

  it("stay open in production if they come from development, are listed at the start, and are closed by a command", async () => {
    const dataDir = folder();
    const env = await emptyDatabaseEnv(database);
    const production = { ...env, PURSE_ENV: "production" };
    await during(dataDir, env, async (purse) => {
      await rest(purse, "POST", "/classes/Early", { n: 1 });
      expect(await isOpen(purse, "Early")).toBe(true);
    });
    await during(dataDir, production, async (purse) => {
      expect(purse.output()).toContain(`Early: ${EVERYTHING}`);
      expect([await isOpen(purse, "Early"), await isOpen(purse, "Late")]).toEqual([true, false]);
    });
    const settings = { ...production, PURSE_DATA_DIR: dataDir };
    expect((await purseCommand(["permissions"], settings)).output.split("\n")).toEqual([
      `Early: ${EVERYTHING}`,
      "Late: only operators, roles and named users",
    ]);
    expect(await purseCommand(["permissions", "close", "Nothing"], settings)).toEqual({
      code: 1,
      output: "purse: Class Nothing does not exist.",
    });
    expect(await purseCommand(["permissions", "close", "Early"], settings)).toEqual({
      code: 0,
      output: "Early: closed",
    });
    await during(dataDir, production, async (purse) => {
      expect(purse.output()).not.toContain("strangers");
      expect([await isOpen(purse, "Early"), await isOpen(purse, "Late")]).toEqual([false, false]);
      const keys = { PURSE_APP_ID: purse.appId, PURSE_MASTER_KEY: purse.masterKey };
      const set = ["permissions", "set", "Early", "publicRead", "--server", purse.serverUrl];
      expect(await purseCommand(set, { ...settings, ...keys })).toEqual({
        code: 0,
        output: "Early: publicRead",
      });
      expect(await isOpen(purse, "Early")).toBe(true);
    });
  });

  it("stay open in production if they were imported from Parse Server, as do new ones, unless the setting says otherwise", async () => {
    const dataDir = folder();
    const env = { ...(await emptyDatabaseEnv(database)), PURSE_ENV: "production" };
    expect(
      await purseCommand(["import", "--parse", DUMP], { ...env, PURSE_DATA_DIR: dataDir }),
    ).toMatchObject({
      code: 0,
    });
    await during(dataDir, env, async (purse) => {
      expect(await isOpen(purse, "New")).toBe(true);
      const report = await rest(purse, "GET", "/security", undefined, MASTER);
      expect(JSON.stringify(report.body)).toContain("New classes are open to everyone");
    });
    await during(dataDir, { ...env, PURSE_CLASS_ACCESS: "closed" }, async (purse) => {
      expect([await isOpen(purse, "New"), await isOpen(purse, "Newer")]).toEqual([true, false]);
    });
  });

  it("stay as they are in an export, which also says whether new ones are closed", async () => {
    const [from, to] = [folder(), folder()];
    const env = { ...(await emptyDatabaseEnv(database)), PURSE_ENV: "production" };
    await during(from, env, async (purse) => {
      await rest(purse, "POST", "/schemas/Opened", { access: "open" }, MASTER);
      await rest(purse, "POST", "/schemas/Closed", {}, MASTER);
    });
    const file = join(to, "export.jsonl");
    expect(await purseCommand(["export", "--out", file], { ...env, PURSE_DATA_DIR: from })).toMatchObject({
      code: 0,
    });
    const target = { ...(await emptyDatabaseEnv(database)), PURSE_ENV: "production" };
    expect(await purseCommand(["import", "--in", file], { ...target, PURSE_DATA_DIR: to })).toMatchObject({
      code: 0,
    });
    await during(to, target, async (purse) => {
      const found = [
        await isOpen(purse, "Opened"),
        await isOpen(purse, "Closed"),
        await isOpen(purse, "New"),
      ];
      expect(found).toEqual([true, false, false]);
    });
  });

  it("get the permissions of a definition that opens them, and are not changed by one without", async () => {
    const dataDir = folder();
    const config = join(dataDir, "purse.config.mjs");
    const env = { ...(await emptyDatabaseEnv(database)), PURSE_ENV: "production", PURSE_CONFIG: config };
    const define = (definition: object) =>
      writeFileSync(config, `export default { schemas: [${JSON.stringify(definition)}] };`);
    define({ className: "Post" });
    await during(dataDir, env, async (purse) => expect(await isOpen(purse, "Post")).toBe(false));
    define({ className: "Post", access: "publicRead" });
    const settings = { ...env, PURSE_DATA_DIR: dataDir };
    expect((await purseCommand(["schema"], settings)).output).toContain("~ Post class-level permissions");
    expect((await purseCommand(["schema", "apply"], settings)).code).toBe(0);
    define({ className: "Post" });
    await during(dataDir, env, async (purse) => expect(await isOpen(purse, "Post")).toBe(true));
  });
});
