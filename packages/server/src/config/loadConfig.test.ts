import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadConfig } from "../configuration.ts";
import { DEFAULT_ACCOUNT_LIMITS } from "./accountLimits.ts";
import { settingsTable } from "./settingsTable.ts";
import { defaultSiweDomains } from "./siweDomains.ts";

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "purse-config-"));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const load = (env: Record<string, string> = {}, argv: string[] = []) => loadConfig({ argv, env, cwd });

describe("defaults", () => {
  it("listens on loopback, port 1337, with data in ./data", async () => {
    expect(await load()).toMatchObject({ host: "127.0.0.1", port: 1337, dataDir: join(cwd, "data") });
  });

  it("allows the master key from loopback only", async () => {
    expect((await load()).masterKeyIps).toEqual(["127.0.0.1", "::1"]);
  });

  it("limits unauthenticated clients in production and not in development", async () => {
    expect((await load()).accountLimits).toEqual({});
    expect((await load({ NODE_ENV: "production" })).accountLimits).toEqual(DEFAULT_ACCOUNT_LIMITS);
    expect((await load({ NODE_ENV: "production", PURSE_LIMIT_ACCOUNTS: "0" })).accountLimits).toEqual({});
    expect((await load({ PURSE_LIMIT_ACCOUNTS: "1" })).accountLimits).toEqual(DEFAULT_ACCOUNT_LIMITS);
  });

  it("starts the local chain in development and not in production", async () => {
    expect(await load()).toMatchObject({ devChain: true, devChainPort: 8545 });
    expect((await load({ NODE_ENV: "production" })).devChain).toBe(false);
    expect((await load({ NODE_ENV: "production", PURSE_DEV_CHAIN: "1" })).devChain).toBe(true);
  });
});

describe("idempotencyPaths", () => {
  it("match the beginning of a path, as in Parse Server", async () => {
    const { idempotencyPaths } = await load({ PURSE_IDEMPOTENCY_PATHS: "classes/Note,^jobs/a|users$" });
    const isMatched = (path: string) => idempotencyPaths.some((each) => each.test(path));
    expect(["classes/Note", "classes/Note/id", "jobs/all", "users"].map(isMatched)).toEqual(
      Array(4).fill(true),
    );
    expect(["my/classes/Note", "users/id"].map(isMatched)).toEqual([false, false]);
  });
});

describe("compatibility", () => {
  it("is strict unless it is set to parse", async () => {
    expect((await load()).compatibility).toBe("strict");
    expect((await load({ PURSE_COMPATIBILITY: "parse" })).compatibility).toBe("parse");
    await expect(load({ PURSE_COMPATIBILITY: "loose" })).rejects.toThrow(
      /PURSE_COMPATIBILITY.*strict, parse/,
    );
  });
});

describe("body sizes", () => {
  it("are limited for all clients, with a lower limit for those without a session", async () => {
    expect(await load()).toMatchObject({
      maxBodyBytes: 20 * 1024 * 1024,
      maxAnonymousBodyBytes: 4 * 1024 * 1024,
      bodyMemoryBytes: 256 * 1024 * 1024,
    });
    const env = { PURSE_MAX_ANONYMOUS_BODY_BYTES: "1024", PURSE_BODY_MEMORY_BYTES: "1048576" };
    expect(await load(env)).toMatchObject({
      maxAnonymousBodyBytes: 1_024,
      bodyMemoryBytes: 1_048_576,
    });
    await expect(load({ PURSE_BODY_MEMORY_BYTES: "0" })).rejects.toThrow(/PURSE_BODY_MEMORY_BYTES/);
  });
});

describe("query limits", () => {
  it("have defaults for time and size", async () => {
    const [second, mebibyte] = [1_000, 1024 * 1024];
    expect(await load()).toMatchObject({
      queryTimeoutMs: 10 * second,
      maxAnswerBytes: 64 * mebibyte,
      maxAnswersBytes: 128 * mebibyte,
    });
    const env = {
      PURSE_QUERY_TIMEOUT_MS: "500",
      PURSE_MAX_ANSWER_BYTES: "100000",
      PURSE_MAX_ANSWERS_BYTES: "200000",
    };
    expect(await load(env)).toMatchObject({
      queryTimeoutMs: 500,
      maxAnswerBytes: 100_000,
      maxAnswersBytes: 200_000,
    });
  });

  it.each([
    ["PURSE_QUERY_TIMEOUT_MS", "0"],
    ["PURSE_MAX_ANSWER_BYTES", "1000000000"],
    ["PURSE_MAX_ANSWERS_BYTES", "many"],
  ])("cannot be disabled: %s=%s is rejected", async (name, value) => {
    await expect(load({ [name]: value })).rejects.toThrow(name);
  });
});

describe("loadConfig()", () => {
  it("prefers flags to the environment, the config file and defaults", async () => {
    await writeFile(
      join(cwd, "purse.config.ts"),
      `export default { port: 1, host: "0.0.0.0", maxLimit: 7 };`,
    );
    const config = await load({ PURSE_PORT: "2", PURSE_HOST: "::1" }, ["--port", "3"]);
    expect(config).toMatchObject({ port: 3, host: "::1", maxLimit: 7 });
  });

  it("accepts numbers, booleans and lists in the config file", async () => {
    await writeFile(
      join(cwd, "purse.config.ts"),
      `export default { port: 0, devChain: false, masterKeyIps: ["10.0.0.0/8", "::1"], maxUploadSize: 1024 };`,
    );
    expect(await load()).toMatchObject({
      port: 0,
      devChain: false,
      masterKeyIps: ["10.0.0.0/8", "::1"],
      maxUploadSize: 1_024,
    });
  });

  it("accepts a config file with defineConfig()", async () => {
    const module = join(import.meta.dirname, "defineConfig.ts");
    await writeFile(
      join(cwd, "purse.config.ts"),
      `import { defineConfig } from ${JSON.stringify(module)};\nexport default defineConfig({ port: 4000 });`,
    );
    expect((await load()).port).toBe(4_000);
  });

  it("rejects a value of the wrong type, naming the key of the config file", async () => {
    await writeFile(join(cwd, "purse.config.ts"), `export default { port: "http", lockSchemas: {} };`);
    await expect(load()).rejects.toThrow(
      '"port" of the config file is "http": it must be a whole number from 0 to 65535',
    );
  });

  it("treats an empty variable as unset", async () => {
    expect((await load({ PURSE_PORT: "" })).port).toBe(1337);
  });
});

describe("domains of wallet sign-in", () => {
  it("are separated by commas", async () => {
    const { siweDomains } = await load({
      PURSE_SIWE_DOMAINS: "Example.org, app.example.org:8443,localhost:*",
    });
    expect(siweDomains).toEqual(["example.org", "app.example.org:8443", "localhost:*"]);
  });

  it("default to the server's host, with this machine in development", () => {
    expect(defaultSiweDomains("https://example.org/server", false)).toEqual(["example.org"]);
    expect(defaultSiweDomains("http://127.0.0.1:1337/server", true)).toContain("localhost:*");
  });
});

describe("keys", () => {
  it("are generated on first start, stored, and readable by the owner only", async () => {
    const first = await load();
    const path = first.keysPath ?? "";
    expect(path).toBe(join(cwd, "data", "keys.json"));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(cwd, "data"))).mode & 0o777).toBe(0o700);
    expect(await load()).toMatchObject({ appId: first.appId, masterKey: first.masterKey });
  });

  it("are taken from the environment if set, and then not written", async () => {
    const config = await load({ PURSE_APP_ID: "notes", PURSE_MASTER_KEY: "0123456789abcdef" });
    expect(config).toMatchObject({ appId: "notes", masterKey: "0123456789abcdef", keysPath: undefined });
    await expect(readFile(join(cwd, "data", "keys.json"))).rejects.toThrow("ENOENT");
  });

  it("that are corrupted are reported and not replaced", async () => {
    await load();
    await writeFile(join(cwd, "data", "keys.json"), "{}");
    await expect(load()).rejects.toThrow("keys.json must hold");
  });
});

describe("chains", () => {
  it("are named by their environment variable", async () => {
    const { chains } = await load({
      PURSE_CHAIN_BSC_TESTNET_RPC_URL: "https://a.example, https://b.example",
      PURSE_CHAIN_MINE_RPC_URL: "http://127.0.0.1:9000",
      PURSE_CHAIN_MINE_ID: "777",
      PURSE_CHAIN_MINE_START_BLOCK: "5",
    });
    expect(chains).toEqual([
      {
        id: 97,
        name: "bsc testnet",
        aliases: ["binance testnet", "binance smart chain testnet"],
        rpcUrls: ["https://a.example", "https://b.example"],
      },
      { id: 777, name: "mine", aliases: [], rpcUrls: ["http://127.0.0.1:9000"], startBlock: 5 },
    ]);
  });

  it("can be set in the config file", async () => {
    await writeFile(
      join(cwd, "other.ts"),
      `export default { chains: { eth: { rpcUrl: ["https://node.example"], databaseUrl: "postgres://host/index" } } };`,
    );
    expect((await load({}, ["--config", "other.ts"])).chains).toMatchObject([
      {
        id: 1,
        rpcUrls: ["https://node.example"],
        database: { url: "postgres://host/index", connections: 10 },
      },
    ]);
  });

  it("can have a database of their own for their index", async () => {
    const { chains } = await load({
      PURSE_CHAIN_ETH_RPC_URL: "https://node.example",
      PURSE_CHAIN_ETH_DATABASE_URL: "postgres://pooler/index",
      PURSE_CHAIN_ETH_DATABASE_DIRECT_URL: "postgres://host/index",
      PURSE_DATABASE_CONNECTIONS: "7",
    });
    expect(chains).toMatchObject([
      { database: { url: "postgres://pooler/index", directUrl: "postgres://host/index", connections: 7 } },
    ]);
  });
});

describe("errors name the setting, its value and what is allowed:", () => {
  it.each<[Record<string, string>, string]>([
    [{ PURSE_PORT: "99999" }, 'PURSE_PORT is "99999": it must be a whole number from 0 to 65535'],
    [{ PURSE_PORT: "1e3" }, "PURSE_PORT"],
    [{ PURSE_DEV_CHAIN: "maybe" }, 'PURSE_DEV_CHAIN is "maybe": it must be 0 or 1'],
    [{ PURSE_SERVER_URL: "example.org" }, "PURSE_SERVER_URL"],
    [{ PURSE_SIWE_DOMAINS: "https://example.org" }, "PURSE_SIWE_DOMAINS"],
    [{ PURSE_SIWE_DOMAINS: "*" }, "it must be hosts such as example.org"],
    [
      { PURSE_DATABASE_URL: "postgres:nowhere" },
      "PURSE_DATABASE_URL: it must be postgres://user:password@host",
    ],
    [{ PURSE_DATABASE_URL: "mysql://localhost" }, "or sqlite:path/to/file"],
    [{ PURSE_CHANGES: "decoding" }, "Remove PURSE_CHANGES, which is no setting any more"],
    [{ PURSE_MASTER_KEY_IPS: "localhost" }, "PURSE_MASTER_KEY_IPS"],
    [{ PURSE_TRUSTED_PROXIES: "10.0.0.0/40" }, "must be an IP address, a range"],
    [{ PURSE_MASTER_KEY_IPS: "home" }, "must be an IP address, a range"],
    [{ PURSE_ENV: "staging" }, "it must be one of development, production"],
    [{ PURSE_CLOUD: "missing.ts" }, "missing.ts, which does not exist"],
    [{ PURSE_CHAIN_NOWHERE_RPC_URL: "https://node.example" }, "set PURSE_CHAIN_NOWHERE_ID"],
    [{ PURSE_CHAIN_ETH_RPC_URL: "ftp://node.example" }, "PURSE_CHAIN_ETH_RPC_URL must be"],
  ])("%j", async (env, message) => {
    await expect(load(env)).rejects.toThrow(message);
  });

  it("without repeating a master key", async () => {
    const error = await load({ PURSE_MASTER_KEY: "short" }).catch(String);
    expect(error).toContain("PURSE_MASTER_KEY");
    expect(error).not.toContain("short");
  });

  it.each([["--prot", "1"], ["--prot=1"]])("for a flag that does not exist: %s %s", async (...argv) => {
    await expect(load({}, argv)).rejects.toThrow(/^--prot is not a flag: did you mean --port\?$/);
  });

  it("for a flag that is similar to none", async () => {
    await expect(load({}, ["--swimming"])).rejects.toThrow(
      /^--swimming is not a flag\. Flags are --config, /,
    );
    await expect(load({}, ["swimming"])).rejects.toThrow(/swimming.*Flags are --config, /);
  });

  it.each([
    ["{ prot: 1 }", '"prot" is not a setting: did you mean port?'],
    ["{ liveQuery: {} }", /"liveQuery" is not a setting\. --help lists .*\/docs\/migrate\/from-parse/],
    [
      "{ accountLockout: { treshold: 1 } }",
      '"accountLockout" of the config file: "treshold" is not known: did you mean threshold?',
    ],
    [
      '{ chains: { eth: { rpcURl: "https://node.example" } } }',
      '"chains.eth" of the config file: "rpcURl" is not known: did you mean rpcUrl?',
    ],
    [
      '{ chains: { eth: { rpcUrl: "https://node.example", swimming: 1 } } }',
      /"swimming" is not known: rpcUrl, /,
    ],
  ])("for a key of the config file that does not exist: %s", async (settings, message) => {
    await writeFile(join(cwd, "purse.config.ts"), `export default ${settings};`);
    await expect(load()).rejects.toThrow(message);
  });

  it.each([
    ['{ push: { fcm: { serviceAccount: "./missing.json" } } }', "push.fcm.serviceAccount"],
    [
      '{ push: { apns: { keyId: "a", teamId: "b", topic: "c", privateKey: "./missing.p8" } } }',
      "push.apns.privateKey",
    ],
    ['{ mail: { adapter: "./missing.js" } }', "mail.adapter"],
    ['{ plugins: ["./missing.js"] }', "plugins[0]"],
    ['{ auth: { mine: { module: "./missing.js" } } }', "auth.mine.module"],
  ])("for a file that does not exist: %s", async (settings, key) => {
    await writeFile(join(cwd, "purse.config.ts"), `export default ${settings};`);
    await expect(load()).rejects.toThrow(
      new RegExp(
        `^"${key.replace(/[.[\]]/g, "\\$&")}" of the config file: it names /.*/missing.*, which does not exist$`,
      ),
    );
  });

  it("for a service account that is not JSON", async () => {
    await writeFile(join(cwd, "account.json"), "-----");
    const settings = { push: { fcm: { serviceAccount: join(cwd, "account.json") } } };
    await writeFile(join(cwd, "purse.config.ts"), `export default ${JSON.stringify(settings)};`);
    await expect(load()).rejects.toThrow(/push\.fcm\.serviceAccount.*is not a file of JSON/);
  });
});

it("settingsTable() lists every setting", () => {
  expect(settingsTable()).toContain("| --port ");
  expect(settingsTable()).toContain("PURSE_CHAIN_<NAME>_RPC_URL");
});
