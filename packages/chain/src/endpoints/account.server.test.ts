import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import type { Hex } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type CreateIndexed, indexBeforehand } from "../../test/indexBeforehand.ts";
import { createTempFolder } from "../../test/indexDatabase.ts";
import { proxyNode } from "../../test/proxyNode.ts";
import { startTestChain } from "../../test/startTestChain.ts";
import type { TestChain } from "../../test/testChain.ts";
import { startService, type TestService } from "../../test/testService.ts";

let chain: TestChain;
let service: TestService;
let createIndexed: CreateIndexed;
const folders: string[] = [];
const chainEnds: (() => Promise<unknown>)[] = [];
const ends: (() => Promise<unknown>)[] = [];

/** A database with the index of the initial chain. */
const indexed = (removals: (() => Promise<unknown>)[]) => createIndexed("SQLite", removals);

async function folder(): Promise<string> {
  const path = await createTempFolder();
  folders.push(path);
  return path;
}

beforeAll(async () => {
  ({ chain } = await startTestChain(chainEnds));
  createIndexed = await indexBeforehand(chain, chainEnds, ["SQLite"]);
  service = await startService({ id: chain.chainId, rpcUrls: [chain.url] }, await indexed(chainEnds));
  await atHead();
});

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

afterAll(async () => {
  await service?.stop();
  for (const end of chainEnds.reverse()) await end();
  for (const each of folders) await rm(each, { recursive: true, force: true });
});

async function atHead(): Promise<void> {
  const head = await chain.head();
  await service.waitFor(({ state, indexed }) => state === "following" && indexed === head);
}

function listOf(value: JsonValue | undefined): JsonObject[] {
  if (!Array.isArray(value)) throw new Error(`${JSON.stringify(value)} is not a list`);
  return value.filter((each) => isJsonObject(each));
}

async function page(params: Record<string, unknown>): Promise<JsonObject & { result: JsonObject[] }> {
  const answer = await service.run("getTokenTransfers", { address: chain.account(1), ...params });
  if (!isJsonObject(answer)) throw new Error("the page is not an object");
  return { ...answer, result: listOf(answer.result) };
}

const keys = (rows: JsonObject[]) =>
  rows.map((row) => `${row.block_number} ${row.transaction_hash} ${row.from_address} ${row.to_address}`);

describe("getNativeBalance", () => {
  it("returns the balance of the node in wei", {
    tags: ["7.data.endpoint.address-balance", "7.data.default-chain"],
  }, async () => {
    const address = chain.account(1);
    const wei = String(await chain.balance(address));
    expect(await service.run("getNativeBalance", { address })).toEqual({ balance: wei });
    const mixed = `0x${address.slice(2).toUpperCase()}`;
    expect(await service.run("getNativeBalance", { address: mixed, chain: "0x539" })).toEqual({
      balance: wei,
    });
  });

  it("returns the value at a block", async () => {
    const address = chain.account(1);
    const before = await service.run("getNativeBalance", { address, to_block: 0 });
    expect(before).toEqual({ balance: "10000000000000000000000" });
  });

  it("names the latest block if the requested one does not exist", async () => {
    const methods = service.run("getNativeBalance", { address: chain.account(1), to_block: 1_000_000 });
    await expect(methods).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(
        /^block 1000000 does not exist yet: the latest block of the chain is \d+$/,
      ),
    });
  });
});

describe("getTokenTransfers", () => {
  it("returns the transfers in the node's logs, latest first", {
    tags: ["7.data.endpoint.address-erc20-transfers"],
  }, async () => {
    const address = chain.account(1);
    const own = (await chain.transfers()).filter((line) => line.includes(address)).reverse();
    const { result, total } = await page({});
    const token = result.filter((row) => row.address === chain.token);
    expect(
      token.map(
        (row) => `${row.block_number} ${row.block_hash} ${row.from_address} ${row.to_address} ${row.value}`,
      ),
    ).toEqual(own.map((line) => line.replace(/^(\d+) \d+/, "$1")));
    expect(total).toBe(result.length);
    expect(result[0]?.block_timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
  });

  it("pages by cursor without duplicates or gaps while blocks are added", async () => {
    const before = keys((await page({})).result);
    const seen: string[] = [];
    let pages = 0;
    let cursor: JsonValue | undefined = "";
    do {
      const next = await page({ limit: 3, cursor });
      expect(next).toMatchObject({ page: pages, page_size: 3 });
      seen.push(...keys(next.result));
      cursor = next.cursor;
      pages += 1;
      await chain.transfer(0, chain.account(1), BigInt(pages));
      await atHead();
    } while (cursor !== "");
    expect(seen).toEqual(before);
    expect((await page({})).total).toBe(before.length + pages);
  });

  it("returns the same pages by offset as by cursor", async () => {
    const all = await page({});
    expect(all).toMatchObject({ page: 0, page_size: 500, cursor: "" });
    expect((await page({ limit: "4", offset: "4" })).result).toEqual(all.result.slice(4, 8));
    expect((await page({ limit: 4, offset: 4 })).page).toBe(1);
  });

  it("respects block and time bounds", async () => {
    const { result } = await page({});
    const [middle] = result.slice(Math.floor(result.length / 2));
    const block = Number(middle?.block_number);
    const upTo = await page({ to_block: block });
    expect(upTo.result).toEqual(result.filter((row) => Number(row.block_number) <= block));
    expect((await page({ from_block: block, to_block: block })).result).toContainEqual(middle);
    const ms = Date.parse(String(middle?.block_timestamp));
    for (const date of [middle?.block_timestamp, ms, String(ms), ms / 1000]) {
      expect((await page({ from_date: date, to_date: date })).result).toContainEqual(middle);
      expect((await page({ from_date: date, to_date: date })).total).toBeLessThan(result.length);
    }
  });

  it("counts a self-transfer once", async () => {
    const before = await page({});
    const sender = chain.account(1);
    await chain.transfer(1, sender, 5n);
    await atHead();
    const after = await page({});
    expect(after.total).toBe(Number(before.total) + 1);
    expect(after.result[0]).toMatchObject({ from_address: sender, to_address: sender, value: "5" });
  });

  it.each([
    [{ address: "0x12" }, "address must be an address"],
    [{ address: ["0x12"] }, "address must be an address"],
    [{ limit: 0 }, "limit must be at least 1"],
    [{ limit: "many" }, "limit must be a non-negative integer"],
    [{ offset: -1 }, "offset must be a non-negative integer"],
    [{ from_block: 1.5 }, "from_block must be a non-negative integer"],
    [{ to_block: { $gt: 1 } }, "to_block must be a non-negative integer"],
    [{ from_date: "yesteryear" }, "from_date must be a date"],
    [{ cursor: "MS4yLjM7IERST1A" }, "cursor is invalid"],
    [{ cursor: { a: 1 } }, "cursor is invalid"],
    [{ chain: "moon" }, 'chain "moon" is unknown'],
  ])("rejects %j with a readable message", async (params, message) => {
    await expect(page(params)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(message),
    });
  });

  it("responds right after the start, when the first blocks are indexed", async () => {
    const fresh = await startService({ id: 1337, rpcUrls: [chain.url] }, await folder(), {
      firstSyncMs: 60_000,
    });
    ends.push(() => fresh.stop());
    expect(await fresh.run("getTokenTransfers", { address: chain.account(1) })).toEqual(await page({}));
  });

  it("names the missing path parameter", { tags: ["5.data.path-parameter-required"] }, async () => {
    const methods = service.run("getTokenTransfers", {});
    await expect(methods).rejects.toMatchObject({
      status: 400,
      message: "required param address not provided",
    });
  });

  it('names the setting of "0x1", "1", "MAINNET" and "eth" by the common name of the chain', async () => {
    const config = { id: 56, rpcUrls: [chain.url], name: "bsc", aliases: [] };
    const alone = await startService(config, await folder());
    ends.push(() => alone.stop());
    for (const name of ["0x1", "1", "MAINNET", "eth"])
      await expect(
        alone.run("getTokenTransfers", { chain: name, address: chain.account(1) }),
      ).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining("PURSE_CHAIN_ETH_RPC_URL"),
      });
  });

  it.each(["syncing", "unreachable"])(
    "while %s returns available rows, but no empty list if it may be incomplete",
    async (during) => {
      const node = await proxyNode(chain.url, ({ method, params: [number] }) =>
        method === "eth_getBlockByNumber" && Number(number) > 10 ? { result: null } : undefined,
      );
      const partly = await startService({ id: 1337, rpcUrls: [node.url] }, await folder());
      ends.push(
        () => node.stop(),
        () => partly.stop(),
      );
      await partly.waitFor(({ indexed, state }) => indexed === 10 && state === during);
      const some = await partly.run("getTokenTransfers", { address: chain.account(1) });
      expect(some).toMatchObject({ total: expect.any(Number), indexed_to_block: "10" });
      expect(await page({})).not.toHaveProperty("indexed_to_block");
      const stranger = "0x00000000000000000000000000000000000000e1";
      const unknown = partly.run("getTokenTransfers", { address: stranger });
      await expect(unknown).rejects.toMatchObject({ status: 503 });
      const known = await partly.run("getTokenTransfers", { address: stranger, to_block: 10 });
      expect(known).toMatchObject({ total: 0, result: [] });
    },
  );
});

describe("getTokenBalances", () => {
  it("returns the tokens of a wallet with the balances of their contracts", {
    tags: ["7.data.endpoint.address-erc20"],
  }, async () => {
    const address = chain.account(2);
    const balance = String(await chain.tokenBalance(address));
    expect(await service.run("getTokenBalances", { address })).toEqual([
      {
        token_address: chain.token,
        name: "Purse Token",
        symbol: "PURSE",
        logo: null,
        possible_spam: false,
        verified_contract: false,
        thumbnail: null,
        decimals: 18,
        balance,
      },
    ]);
  });

  it("omits zero balances, and accepts a filter in all formats of clients", async () => {
    const stranger = "0x00000000000000000000000000000000000000e1";
    expect(await service.run("getTokenBalances", { address: stranger })).toEqual([]);
    const address = chain.account(2);
    for (const filter of [
      chain.token,
      [chain.token],
      `${chain.token},${chain.token}`,
      [chain.token, stranger],
    ]) {
      const tokens = listOf(await service.run("getTokenBalances", { address, token_addresses: filter }));
      expect(tokens.map((token) => token.token_address)).toEqual([chain.token]);
    }
  });

  it("does not report a zero balance for a token whose contract call failed", async () => {
    let busy = true;
    const node = await proxyNode(chain.url, ({ method }) =>
      busy && method === "eth_call" ? { error: { code: -32005, message: "rate limit exceeded" } } : undefined,
    );
    const limited = await startService({ id: 1337, rpcUrls: [node.url] }, await indexed(ends));
    ends.push(
      () => node.stop(),
      () => limited.stop(),
    );
    await limited.waitFor(({ state }) => state === "following");
    const methods = limited.run("getTokenBalances", { address: chain.account(2) });
    await expect(methods).rejects.toMatchObject({ status: 503 });
    busy = false;
    const [token] = listOf(await limited.run("getTokenBalances", { address: chain.account(2) }));
    expect(token).toMatchObject({ symbol: "PURSE" });
  });

  it("sends single calls to a node that does not support batches", async () => {
    const node = await proxyNode(
      chain.url,
      () => undefined,
      (calls, response) => {
        if (calls.length > 1)
          response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}');
        return calls.length > 1;
      },
    );
    const single = await startService({ id: 1337, rpcUrls: [node.url] }, await indexed(ends));
    ends.push(
      () => node.stop(),
      () => single.stop(),
    );
    await single.waitFor(({ state }) => state === "following");
    expect(listOf(await single.run("getTokenBalances", { address: chain.account(2) }))).toHaveLength(1);
  });

  describe.each(["without Multicall3", "with Multicall3"])("%s", (way) => {
    beforeAll(async () => {
      if (way.startsWith("without")) return;
      const { contractAddress } = await chain.create(multicall3());
      const code = await chain.rpc("eth_getCode", [contractAddress ?? "", "latest"]);
      await chain.rpc("anvil_setCode", ["0xca11bde05977b3631167028862be2a173976ca11", code]);
    });

    it("reads all balances at one block", async () => {
      const wallet = `0x${(way.length + 0xdef000).toString(16).padStart(40, "0")}` as const;
      for (let i = 0; i < 5; i++) await token(wallet, "5f5ffd");
      const methods: { method: string; params: JsonValue[] }[] = [];
      const node = await proxyNode(chain.url, ({ method, params }) => {
        methods.push({ method, params });
        return undefined;
      });
      const watched = await startService({ id: 1337, rpcUrls: [node.url] }, await indexed(ends));
      ends.push(
        () => node.stop(),
        () => watched.stop(),
      );
      const head = await chain.head();
      await watched.waitFor(({ state, indexed }) => state === "following" && indexed === head);
      expect(listOf(await watched.run("getTokenBalances", { address: wallet }))).toHaveLength(5);
      const calls = methods.filter(
        ({ method, params }) => method === "eth_call" && JSON.stringify(params).includes(wallet.slice(2)),
      );
      // Without Multicall3: the call of it, then each individually.
      expect(calls).toHaveLength(way.startsWith("without") ? 1 + 5 : 1);
      expect(new Set(calls.map(({ params }) => params[1])).size).toBe(1);
    });

    it("is not affected by hostile tokens", async () => {
      // A new wallet for each call, which holds only these tokens.
      const wallet = `0x${randomBytes(20).toString("hex")}` as const;
      const hostile = {
        "a name that reverts": await token(wallet, "5f5ffd"),
        "a name that burns all gas": await token(wallet, "5b600e56"),
        "a name of a megabyte": await token(wallet, "6210c8e05ff3"),
        "a bytes32 name": await token(wallet, `7f${"4d4b52".padEnd(64, "0")}5f5260205ff3`),
        "no code at all": await token(wallet, undefined, ""),
        "a balance that reverts": await token(wallet, undefined, "5f5ffd"),
        "a balance that burns all gas": await token(wallet, undefined, "5b5f56"),
        "a balance of a megabyte": await token(wallet, undefined, "6210c8e05ff3"),
      };
      await chain.transfer(0, wallet, 123n);
      await atHead();

      const answer = listOf(await service.run("getTokenBalances", { address: wallet }));
      const byAddress = new Map(answer.map((row) => [row.token_address, row]));
      expect(byAddress.get(chain.token)).toMatchObject({ symbol: "PURSE", balance: "123" });
      expect(byAddress.get(hostile["a name that reverts"])).toMatchObject({
        name: "",
        symbol: "",
        decimals: null,
        balance: "5",
      });
      expect(byAddress.get(hostile["a name that burns all gas"])).toMatchObject({ name: "", balance: "5" });
      expect(byAddress.get(hostile["a name of a megabyte"])).toMatchObject({ balance: "5" });
      expect(byAddress.get(hostile["a bytes32 name"])).toMatchObject({
        name: "MKR",
        symbol: "MKR",
        balance: "5",
      });
      expect(answer).toHaveLength(5);
    });
  });

  /**
   * Deploys a token that logs a transfer to the wallet in its constructor, returns a balance of 5 to everyone, and
   * runs the given code (hex, at offset 14) for all other calls; or runs only `instead` for all calls.
   */
  async function token(wallet: Hex, other: string | undefined, instead?: string): Promise<string> {
    const topic = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
    const log = `60055f5273${wallet.slice(2)}5f7f${topic}60205fa3`;
    const jump = (14 + (other ?? "").length / 2).toString(16).padStart(2, "0");
    const code = instead ?? `5f3560e01c6370a082311460${jump}57${other}5b60055f5260205ff3`;
    // The constructor logs the transfer and returns the code: the indexer never sees the token without it.
    const hex = (n: number) => n.toString(16).padStart(4, "0");
    const returnCode = `61${hex(code.length / 2)}8061${hex(log.length / 2 + 11)}5f395ff3`;
    const { contractAddress } = await chain.create(`0x${log}${returnCode}${code}`);
    return String(contractAddress).toLowerCase();
  }
});

/** Creation code of the deployed Multicall3, from viem. */
function multicall3(): Hex {
  const viem = dirname(createRequire(import.meta.url).resolve("viem/package.json"));
  const source = readFileSync(join(viem, "constants/contracts.ts"), "utf8");
  const code = /multicall3Bytecode =\s*'0x([0-9a-f]+)'/.exec(source)?.[1];
  if (!code) throw new Error("viem has no Multicall3");
  return `0x${code}`;
}

describe("endpoints about the service", () => {
  it("returns the version", { tags: ["7.data.endpoint.web3-version"] }, async () => {
    expect(await service.run("web3ApiVersion", {})).toEqual({ version: expect.stringMatching(/^\d+\.\d+/) });
  });

  it("returns a weight for each endpoint", { tags: ["7.data.endpoint.info-endpoint-weights"] }, async () => {
    const weights = listOf(await service.run("endpointWeights", {}));
    expect(weights.map(({ endpoint }) => endpoint).sort()).toEqual(
      service.service.routes.map(({ functionName }) => functionName).sort(),
    );
  });

  it("logs at the start which chain replaces eth", () => {
    expect(service.log.lines.join("\n")).toMatch(/localdevchain.*"eth"/);
  });
});
