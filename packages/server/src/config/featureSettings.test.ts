import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadConfig } from "../configuration.ts";
import { MissingPackageError } from "../core/featurePackages.ts";

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "purse-config-"));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

/** Loads the settings of a server that was installed without the packages of its features. */
const load = (env: Record<string, string> = {}, argv: string[] = []) =>
  loadConfig({ argv, env, cwd, isInstalled: () => false });

const GIVEN = [
  ["PURSE_GRAPHQL", "1", "@purse/graphql"],
  ["PURSE_GRAPHQL_MAX_DEPTH", "10", "@purse/graphql"],
  ["PURSE_MCP", "read", "@purse/mcp"],
  ["PURSE_MCP_LIMIT", "10", "@purse/mcp"],
  ["PURSE_FILES_STORE", "s3://files", "@purse/s3"],
  ["PURSE_BACKUPS_STORE", "s3://backups", "@purse/s3"],
  ["PURSE_VALKEY_URL", "valkey://localhost:6379", "@purse/valkey"],
  ["PURSE_CLICKHOUSE_URL", "http://localhost:8123/db", "@purse/clickhouse"],
  ["PURSE_IPFS_RPC_URL", "http://localhost:5001", "@purse/ipfs"],
] as const;

describe("a setting of a feature whose package is not installed", () => {
  it.each(GIVEN)("is rejected with its name and the package: %s=%s", async (variable, value, packageName) => {
    const error = await load({ [variable]: value }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(MissingPackageError);
    expect(error).toMatchObject({
      neededBy: variable,
      packageName,
      message: `${variable} needs the package ${packageName}, which is not installed: npm install ${packageName}`,
    });
  });

  it("is named as the config file has it", async () => {
    await writeFile(join(cwd, "purse.config.ts"), "export default { graphql: true };");
    await expect(load()).rejects.toThrow(/^"graphql" of the config file needs the package @purse\/graphql/);
  });

  it("is off without being set, also where it is on by default", async () => {
    const config = await load();
    expect(config).toMatchObject({ filesStore: { kind: "disk" }, backupsStore: { kind: "disk" } });
    expect(config).toMatchObject({ valkeyUrl: undefined, clickHouseUrl: undefined });
  });

  it.each([
    ["PURSE_GRAPHQL", "0"],
    ["PURSE_GRAPHQL", "false"],
    ["PURSE_MCP", "off"],
    ["PURSE_FILES_STORE", "disk"],
    ["PURSE_BACKUPS_STORE", "disk"],
    ["PURSE_IPFS_GATEWAY", "https://ipfs.example.org/ipfs"],
  ])("may be turned off: %s=%s", async (variable, value) => {
    await expect(load({ [variable]: value })).resolves.toBeDefined();
  });

  it("turns off what the config file turns off", async () => {
    await writeFile(join(cwd, "purse.config.ts"), 'export default { graphql: false, mcp: "off" };');
    await expect(load()).resolves.toBeDefined();
  });
});

describe("a setting of a feature whose package is installed", () => {
  it.each(GIVEN.filter(([name]) => !/VALKEY|CLICKHOUSE/.test(name)))(
    "is read: %s=%s",
    async (variable, value) => {
      await expect(loadConfig({ argv: [], env: { [variable]: value }, cwd })).resolves.toBeDefined();
    },
  );
});
