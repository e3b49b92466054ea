import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { erc20Abi } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ChainClient, createChainClient } from "../support/chainClient.ts";
import { hostPurse, type Purse, rest } from "../support/purse.ts";
import { purseCommand } from "../support/purseCommand.ts";

describe("the moralis-admin-cli commands", () => {
  let purse: Purse;
  let hand: ChainClient;
  let folder: string;
  let env: Record<string, string>;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "purse-moralis-"));
    mkdirSync(join(folder, "code/nested"), { recursive: true });
    writeFileSync(join(folder, "code/a.js"), 'const word = "hello";\nconsole.log("loaded");');
    writeFileSync(
      join(folder, "code/nested/b.js"),
      'Moralis.Cloud.define("word", ({ log }) => { log.info("the word is said"); return word; });',
    );
    env = { PURSE_DATA_DIR: join(folder, "data"), PURSE_CLOUD: join(folder, "main.js") };
    expect((await run("save-cloud-code", "--moralisCloudfolder", join(folder, "code"))).code).toBe(0);
    purse = await hostPurse({ devChain: true, env: { PURSE_CLOUD: join(folder, "main.js") } });
    hand = await createChainClient(purse);
    Object.assign(env, { PURSE_APP_ID: purse.appId, PURSE_MASTER_KEY: purse.masterKey });
    Object.assign(env, { PURSE_PORT: String(purse.port) });
  });
  afterAll(async () => {
    await purse?.remove();
    rmSync(folder, { recursive: true });
  });

  const run = (...args: string[]) => purseCommand(args, env);
  const word = async () => (await rest(purse, "POST", "/functions/word", {})).body.result;

  it("save-cloud-code joins the files of a folder, which share variables", async () => {
    expect(await word()).toBe("hello");
    const { output } = await run("get-cloud-code");
    expect(output).toContain('const word = "hello"');
  });

  it("save-cloud-code does not overwrite files that it has not written", async () => {
    const out = join(folder, "own.js");
    writeFileSync(out, "// my own");
    const source = join(folder, "code");
    expect(await run("save-cloud-code", "--moralisCloudfolder", source, "--out", out)).toMatchObject({
      code: 1,
      output: expect.stringContaining("choose another file"),
    });
    expect(readFileSync(out, "utf8")).toBe("// my own");
    expect((await run("save-cloud-code")).code).toBe(1);
  });

  it("watch-cloud-folder saves each change, which the server loads", async () => {
    const abort = new AbortController();
    const saved: string[] = [];
    const args = ["watch-cloud-folder", "--moralisCloudfolder", join(folder, "code"), "--autoSave", "1"];
    const old = ["--moralisApiKey", "k", "--moralisApiSecret", "s", "--moralisSubdomain", "x.usemoralis.com"];
    const print = (text: string) => void saved.push(text);
    const watching = purseCommand([...args, ...old], env, { print, signal: abort.signal });
    await expect.poll(() => saved.length).toBe(1);
    writeFileSync(join(folder, "code/a.js"), 'const word = "goodbye";');
    await expect.poll(word, { timeout: 10_000 }).toBe("goodbye");
    abort.abort();
    expect((await watching).code).toBe(0);
  });

  it("get-logs shows earlier and new logs of cloud code", async () => {
    await word();
    const { output } = await run("get-logs", "--once");
    expect(output).toContain("the word is said");
    const abort = new AbortController();
    const lines: string[] = [];
    const print = (text: string) => void lines.push(text);
    const following = purseCommand(["get-logs"], env, { print, signal: abort.signal });
    const count = () => lines.filter((line) => line.includes("the word is said")).length;
    await expect.poll(count).toBeGreaterThan(0);
    const before = count();
    await word();
    await expect.poll(count).toBe(before + 1);
    abort.abort();
    expect((await following).code).toBe(0);
    const url = "http://127.0.0.1:1/server";
    expect((await run("get-logs", "--server", url)).output).toContain(`No server responds at ${url}`);
  });

  it("add-contract stores the events of a contract", async () => {
    const file = join(folder, "Token.json");
    writeFileSync(file, JSON.stringify({ abi: erc20Abi }));
    const args = ["add-contract", "--abiPath", file, "--address", hand.token, "--chain", "0x539"];
    const table = ["--tableName", "Added", "--sync_historical"];
    const { output } = await run(...args, ...table);
    expect(output).toContain("--topic is missing");
    expect((await run(...args, ...table, "--topic", "Transfer")).code).toBe(0);
    const count = async () => {
      const { body } = await rest(purse, "GET", "/classes/Added?count=1&limit=0");
      return Number(body.count);
    };
    await expect.poll(count, { timeout: 20_000 }).toBeGreaterThan(0);
  });

  it("for the hosted service explain the alternative", async () => {
    for (const command of ["deploy", "undeploy", "create-server", "update-server"]) {
      expect(await run(command)).toMatchObject({
        code: 1,
        output: expect.stringContaining("hosted service"),
      });
    }
    expect((await run("connect-local-devchain", "--chain", "goerli")).code).toBe(1);
    expect(existsSync(join(folder, "main.js"))).toBe(true);
  });
});
