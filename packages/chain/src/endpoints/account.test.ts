import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type DevChain, startDevChain } from "@purse/devchain";
import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import type { Hex } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  begunFolder,
  newFolder,
  proxyNode,
  startService,
  type TestChain,
  type TestService,
  testChain,
} from "../testing/testChain.ts";

let devChain: DevChain;
let chain: TestChain;
let service: TestService;
const folders: string[] = [];
const ends: (() => Promise<unknown>)[] = [];

async function folder(): Promise<string> {
  const path = await newFolder();
  folders.push(path);
  return path;
}

beforeAll(async () => {
  const dataDir = await begunFolder();
  folders.push(dataDir);
  devChain = await startDevChain({ port: 0, dataDir });
  chain = testChain(devChain);
  service = await startService({ id: chain.chainId, rpcUrls: [chain.url] }, await folder());
  await atHead();
}, 60_000);

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

afterAll(async () => {
  await service?.stop();
  await devChain?.stop();
  for (const each of folders) await rm(each, { recursive: true, force: true });
});

async function atHead(): Promise<void> {
  const head = await chain.head();
  await service.until(({ state, indexed }) => state === "following" && indexed === head);
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
  it("[7.data.endpoint.address-balance] [7.data.default-chain] answers wei as the node has them", async () => {
    const address = chain.account(1);
    const wei = String(await chain.balance(address));
    expect(await service.run("getNativeBalance", { address })).toEqual({ balance: wei });
    const mixed = `0x${address.slice(2).toUpperCase()}`;
    expect(await service.run("getNativeBalance", { address: mixed, chain: "0x539" })).toEqual({
      balance: wei,
    });
  });

  it("answers what it was at a block", async () => {
    const address = chain.account(1);
    const before = await service.run("getNativeBalance", { address, to_block: 0 });
    expect(before).toEqual({ balance: "10000000000000000000000" });
  });

  it("says of a block that is not there that the node cannot answer", async () => {
    const asked = service.run("getNativeBalance", { address: chain.account(1), to_block: 1_000_000 });
    await expect(asked).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("cannot answer"),
    });
  });
});

describe("getTokenTransfers", () => {
  it("[7.data.endpoint.address-erc20-transfers] answers what the node's logs say, newest first", async () => {
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

  it("pages by cursor without doubles or gaps while blocks arrive", async () => {
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

  it("pages by offset like by cursor", async () => {
    const all = await page({});
    expect(all).toMatchObject({ page: 0, page_size: 500, cursor: "" });
    expect((await page({ limit: "4", offset: "4" })).result).toEqual(all.result.slice(4, 8));
    expect((await page({ limit: 4, offset: 4 })).page).toBe(1);
  });

  it("keeps to the blocks and the times that are asked for", async () => {
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

  it("counts a transfer to oneself once", async () => {
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
    [{ limit: "many" }, "limit must be a non-negative whole number"],
    [{ offset: -1 }, "offset must be a non-negative whole number"],
    [{ from_block: 1.5 }, "from_block must be a non-negative whole number"],
    [{ to_block: { $gt: 1 } }, "to_block must be a non-negative whole number"],
    [{ from_date: "yesteryear" }, "from_date must be a date"],
    [{ cursor: "MS4yLjM7IERST1A" }, "cursor is not one that this server has given"],
    [{ cursor: { a: 1 } }, "cursor is not one that this server has given"],
    [{ chain: "moon" }, 'chain "moon" is not a chain'],
  ])("refuses %j in words", async (params, message) => {
    await expect(page(params)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(message),
    });
  });

  it("answers at once after the start, when the first blocks are in", async () => {
    const fresh = await startService({ id: 1337, rpcUrls: [chain.url] }, await folder());
    ends.push(() => fresh.stop());
    expect(await fresh.run("getTokenTransfers", { address: chain.account(1) })).toEqual(await page({}));
  });

  it("[5.data.path-parameter-required] names the path parameter that is missing", async () => {
    const asked = service.run("getTokenTransfers", {});
    await expect(asked).rejects.toMatchObject({
      status: 400,
      message: "required param address not provided",
    });
  });

  it.each(["0x1", "1", "MAINNET", "eth"])("names the setting of %j by its usual name", async (name) => {
    const alone = await startService(
      { id: 56, rpcUrls: [chain.url], name: "bsc", aliases: [] },
      await folder(),
    );
    ends.push(() => alone.stop());
    const asked = alone.run("getTokenTransfers", { chain: name, address: chain.account(1) });
    await expect(asked).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining("PURSE_CHAIN_ETH_RPC_URL"),
    });
  });

  it.each(["syncing", "unreachable"])(
    "while %s answers what it has, but nothing only where that is known",
    async (during) => {
      const node = await proxyNode(chain.url, ({ method, params: [number] }) =>
        method === "eth_getBlockByNumber" && Number(number) > 10 ? { result: null } : undefined,
      );
      const partly = await startService({ id: 1337, rpcUrls: [node.url] }, await folder());
      ends.push(
        () => node.stop(),
        () => partly.stop(),
      );
      await partly.until(({ indexed, state }) => indexed === 10 && state === during);
      const some = await partly.run("getTokenTransfers", { address: chain.account(1) });
      expect(some).toMatchObject({ total: expect.any(Number) });
      const stranger = "0x00000000000000000000000000000000000000e1";
      const unknown = partly.run("getTokenTransfers", { address: stranger });
      await expect(unknown).rejects.toMatchObject({ status: 503 });
      const known = await partly.run("getTokenTransfers", { address: stranger, to_block: 10 });
      expect(known).toMatchObject({ total: 0, result: [] });
    },
  );
});

describe("getTokenBalances", () => {
  it("[7.data.endpoint.address-erc20] answers the tokens that a wallet holds as their contracts say", async () => {
    const address = chain.account(2);
    const balance = String(await chain.tokenBalance(address));
    expect(await service.run("getTokenBalances", { address })).toEqual([
      {
        token_address: chain.token,
        name: "Purse Token",
        symbol: "PURSE",
        logo: null,
        thumbnail: null,
        decimals: 18,
        balance,
      },
    ]);
  });

  it("leaves out what has been spent, and takes a filter in every form that clients have", async () => {
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

  it("does not say of a token whose contract could not be asked that there is none", async () => {
    let busy = true;
    const node = await proxyNode(chain.url, ({ method }) =>
      busy && method === "eth_call" ? { error: { code: -32005, message: "rate limit exceeded" } } : undefined,
    );
    const limited = await startService({ id: 1337, rpcUrls: [node.url] }, await folder());
    ends.push(
      () => node.stop(),
      () => limited.stop(),
    );
    await limited.until(({ state }) => state === "following");
    const asked = limited.run("getTokenBalances", { address: chain.account(2) });
    await expect(asked).rejects.toMatchObject({ status: 503 });
    busy = false;
    const [token] = listOf(await limited.run("getTokenBalances", { address: chain.account(2) }));
    expect(token).toMatchObject({ symbol: "PURSE" });
  });

  it("asks a node that takes no batches call by call", async () => {
    const node = await proxyNode(
      chain.url,
      () => undefined,
      (calls, response) => {
        if (calls.length > 1)
          response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}');
        return calls.length > 1;
      },
    );
    const single = await startService({ id: 1337, rpcUrls: [node.url] }, await folder());
    ends.push(
      () => node.stop(),
      () => single.stop(),
    );
    await single.until(({ state }) => state === "following");
    expect(listOf(await single.run("getTokenBalances", { address: chain.account(2) }))).toHaveLength(1);
  });

  describe.each(["without Multicall3", "with Multicall3"])("%s", (way) => {
    beforeAll(async () => {
      if (way.startsWith("without")) return;
      const { contractAddress } = await chain.create(multicall3());
      const code = await chain.rpc("eth_getCode", [contractAddress ?? "", "latest"]);
      await chain.rpc("anvil_setCode", ["0xca11bde05977b3631167028862be2a173976ca11", code]);
    });

    it("asks for all balances at one block", async () => {
      const wallet = `0x${(way.length + 0xdef000).toString(16).padStart(40, "0")}` as const;
      for (let i = 0; i < 5; i++) await token(wallet, "5f5ffd");
      const asked: { method: string; params: JsonValue[] }[] = [];
      const node = await proxyNode(chain.url, ({ method, params }) => {
        asked.push({ method, params });
        return undefined;
      });
      const watched = await startService({ id: 1337, rpcUrls: [node.url] }, await folder());
      ends.push(
        () => node.stop(),
        () => watched.stop(),
      );
      const head = await chain.head();
      await watched.until(({ state, indexed }) => state === "following" && indexed === head);
      expect(listOf(await watched.run("getTokenBalances", { address: wallet }))).toHaveLength(5);
      const calls = asked.filter(
        ({ method, params }) => method === "eth_call" && JSON.stringify(params).includes(wallet.slice(2)),
      );
      // Without Multicall3: the question for it, then each by itself.
      expect(calls).toHaveLength(way.startsWith("without") ? 1 + 5 : 1);
      expect(new Set(calls.map(({ params }) => params[1])).size).toBe(1);
    });

    it("takes no harm from hostile tokens", async () => {
      // A wallet of its own each time that it is asked: it is to have these tokens alone.
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
        decimals: 0,
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
   * Deploys a token that tells of a transfer to the wallet when it is made, has 5 units for whoever asks, and runs the
   * given code (hex, at offset 14) for every other question; or runs only `instead`, for every question.
   */
  async function token(wallet: Hex, other: string | undefined, instead?: string): Promise<string> {
    const topic = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
    const log = `60055f5273${wallet.slice(2)}5f7f${topic}60205fa3`;
    const { contractAddress } = await chain.create(`0x${log}5f5ff3`);
    const address = String(contractAddress).toLowerCase();
    const jump = (14 + (other ?? "").length / 2).toString(16).padStart(2, "0");
    const code = instead ?? `5f3560e01c6370a082311460${jump}57${other}5b60055f5260205ff3`;
    await chain.rpc("anvil_setCode", [address, `0x${code}`]);
    return address;
  }
});

/** The creation code of the real Multicall3, which viem carries. */
function multicall3(): Hex {
  const viem = dirname(createRequire(import.meta.url).resolve("viem/package.json"));
  const source = readFileSync(join(viem, "constants/contracts.ts"), "utf8");
  const code = /multicall3Bytecode =\s*'0x([0-9a-f]+)'/.exec(source)?.[1];
  if (!code) throw new Error("viem has no Multicall3");
  return `0x${code}`;
}

describe("what the service says of itself", () => {
  it("[7.data.endpoint.web3-version] tells its version", async () => {
    expect(await service.run("web3ApiVersion", {})).toEqual({ version: expect.stringMatching(/^\d+\.\d+/) });
  });

  it("[7.data.endpoint.info-endpoint-weights] tells a weight for each endpoint that there is", async () => {
    const weights = listOf(await service.run("endpointWeights", {}));
    expect(weights.map(({ endpoint }) => endpoint).sort()).toEqual(
      service.service.routes.map(({ functionName }) => functionName).sort(),
    );
  });

  it("says at the start which chain stands in for eth", () => {
    expect(service.log.lines.join("\n")).toMatch(/localdevchain.*"eth"/);
  });
});
