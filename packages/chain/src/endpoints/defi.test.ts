import { rm } from "node:fs/promises";
import { type DevChain, startDevChain } from "@purse/devchain";
import { isJsonObject, type JsonObject } from "@purse/protocol";
import {
  type Address,
  createPublicClient,
  encodeFunctionData,
  http,
  maxUint256,
  parseAbi,
  parseEther,
} from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  begunFolder,
  DATABASES,
  localMarket,
  newDatabase,
  startService,
  type TestChain,
  type TestService,
  testChain,
} from "../testing/testChain.ts";

/** Prices and pairs, beside what viem reads of Uniswap's contracts. */

const uniswap = parseAbi([
  "function getPair(address, address) view returns (address)",
  "function getPool(address, address, uint24) view returns (address)",
  "function getReserves() view returns (uint112, uint112, uint32)",
  "function slot0() view returns (uint160 sqrtPriceX96, int24, uint16, uint16, uint16, uint8, bool)",
  "function token0() view returns (address)",
  "function balanceOf(address) view returns (uint256)",
  "function swapExactETHForTokens(uint256, address[], address, uint256) payable",
]);

let devChain: DevChain;
let chain: TestChain;
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const dataDir = await begunFolder();
  ends.push(() => rm(dataDir, { recursive: true, force: true }));
  devChain = await startDevChain({ port: 0, dataDir });
  ends.push(() => devChain.stop());
  chain = testChain(devChain);
}, 60_000);
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const client = () => createPublicClient({ transport: http(chain.url), cacheTime: 0 });

async function start(name: (typeof DATABASES)[number], minimumLiquidity?: number): Promise<TestService> {
  const { place, remove } = await newDatabase(name);
  ends.push(remove);
  const market = { ...localMarket(devChain), ...(minimumLiquidity && { minimumLiquidity }) };
  const started = await startService({ id: chain.chainId, rpcUrls: [chain.url], market }, place);
  ends.push(() => started.stop());
  return started;
}

function read(address: Address, functionName: "getReserves" | "slot0" | "token0", blockNumber?: bigint) {
  return client().readContract({ address, abi: uniswap, functionName, ...(blockNumber && { blockNumber }) });
}

const v2Pair = (a: Address, b: Address) =>
  client().readContract({
    address: devChain.contracts.market.v2.factory.address,
    abi: uniswap,
    functionName: "getPair",
    args: [a, b],
  });
const v3Pool = (a: Address, b: Address, fee: number) =>
  client().readContract({
    address: devChain.contracts.market.v3.factory.address,
    abi: uniswap,
    functionName: "getPool",
    args: [a, b, fee],
  });

/** What a unit of a token costs in units of the other, in a pool of the second version. */
async function v2Price(token: Address, other: Address, blockNumber?: bigint): Promise<number> {
  const reserves = await read(await v2Pair(token, other), "getReserves", blockNumber);
  if (!Array.isArray(reserves)) throw new Error("there are no reserves");
  const [first, second] = reserves.map(Number);
  const price = Number(second) / Number(first);
  return token.toLowerCase() < other.toLowerCase() ? price : 1 / price;
}

async function v3Price(token: Address, other: Address, fee: number): Promise<number> {
  const slot = await read(await v3Pool(token, other, fee), "slot0");
  if (!Array.isArray(slot)) throw new Error("there is no price");
  const price = (Number(slot[0]) / 2 ** 96) ** 2;
  return token.toLowerCase() < other.toLowerCase() ? price : 1 / price;
}

describe.each(DATABASES)("with the index on %s", (name) => {
  let service: TestService;
  beforeAll(async () => {
    service = await start(name);
    await service.until(({ state }) => state === "following");
  }, 60_000);

  async function ask(functionName: string, params: Record<string, unknown>): Promise<JsonObject> {
    const answer = await service.run(functionName, params);
    if (!isJsonObject(answer)) throw new Error("the answer is not an object");
    return answer;
  }

  async function price(address: Address, params: Record<string, unknown> = {}) {
    const answer = await ask("getTokenPrice", { address, ...params });
    const native = isJsonObject(answer.nativePrice) ? answer.nativePrice : {};
    return { ...answer, coins: Number(native.value) / 1e18, usd: Number(answer.usdPrice) };
  }

  const contracts = () => {
    const { token, dollar, point, legacy, market } = devChain.contracts;
    return {
      ...market,
      token: token.address,
      dollar: dollar.address,
      point,
      legacy,
      coin: market.weth.address,
    };
  };

  describe("getTokenPrice", () => {
    it("[7.data.endpoint.erc20-price] answers by the pool that holds most, in coins and in dollars", async () => {
      const { token, dollar, coin, v2 } = contracts();
      const dollars = (await v3Price(coin, dollar, 3_000)) * 1e12;
      const coins = await v2Price(token, coin);
      const answer = await price(token);
      expect(answer).toMatchObject({
        nativePrice: { value: expect.stringMatching(/^\d+$/), decimals: 18, name: "Ether", symbol: "ETH" },
        exchangeAddress: v2.factory.address,
        exchangeName: "Uniswap v2",
        symbol: "PURSE",
      });
      expect(answer.coins / coins).toBeCloseTo(1, 12);
      expect(answer.usd / (coins * dollars)).toBeCloseTo(1, 12);
    });

    it("answers by the exchange that is asked for, by its name in any spelling or its factory", async () => {
      const { token, dollar, v3 } = contracts();
      const dollars = (await v3Price(token, dollar, 500)) * 1e12;
      for (const exchange of [
        "uniswapv3",
        "Uniswap V3",
        "uniswap-v3",
        v3.factory.address.toUpperCase().replace("0X", "0x"),
      ]) {
        const answer = await price(token, { exchange });
        expect(answer).toMatchObject({ exchangeName: "Uniswap v3", exchangeAddress: v3.factory.address });
        expect(answer.usd / dollars).toBeCloseTo(1, 12);
      }
    });

    it("knows the coin itself, and a stable token by what it is paid with", async () => {
      const { coin, dollar } = contracts();
      expect(await ask("getTokenPrice", { address: coin })).toMatchObject({
        nativePrice: { value: "1000000000000000000" },
        usdPrice: expect.closeTo((await v3Price(coin, dollar, 3_000)) * 1e12, 6),
      });
      const v2 = await price(coin, { exchange: "uniswapv2" });
      expect(v2.usd / ((await v2Price(coin, dollar)) * 1e12)).toBeCloseTo(1, 12);
      expect((await price(dollar)).usd).toBe(1);
    });

    it("answers what it was at a block", async () => {
      const { token, coin, v2 } = contracts();
      const before = await client().getBlockNumber();
      const then = await price(token);
      const path = [coin, token];
      const args = [0n, path, chain.account(9), maxUint256] as const;
      await chain.send(
        9,
        v2.router.address,
        encodeFunctionData({ abi: uniswap, functionName: "swapExactETHForTokens", args }),
        parseEther("1"),
      );
      const now = await price(token);
      expect(now.coins / (await v2Price(token, coin))).toBeCloseTo(1, 12);
      expect(now.coins).toBeGreaterThan(then.coins * 1.1);
      const past = await price(token, { to_block: Number(before) });
      expect(past).toEqual(then);
      expect(past.coins / (await v2Price(token, coin, before))).toBeCloseTo(1, 12);
    });

    it("is honest where no pool is, or too little in it, or no whole token can be", async () => {
      const { legacy, point, liar, token } = contracts();
      const refusal = (address: string, params = {}) => service.run("getTokenPrice", { address, ...params });
      await expect(refusal(legacy.address)).rejects.toMatchObject({
        status: 404,
        message: expect.stringContaining("no pool trades it"),
      });
      await expect(refusal(point.address)).rejects.toMatchObject({
        status: 404,
        message: expect.stringContaining("the best of its pools holds 0.02 dollars"),
      });
      await expect(refusal(liar.address)).rejects.toMatchObject({
        status: 404,
        message: expect.stringContaining("with 255 decimals there can be no whole one"),
      });
      await expect(refusal(chain.account(1))).rejects.toMatchObject({
        status: 404,
        message: expect.stringContaining("does not tell how many decimals"),
      });
      await expect(refusal(token, { to_block: 20 })).rejects.toMatchObject({ status: 404 });
    });

    it("refuses bad input in words", async () => {
      const { token } = contracts();
      await expect(service.run("getTokenPrice", { address: token, exchange: "nope" })).rejects.toMatchObject({
        code: 142,
        status: 400,
        message: expect.stringContaining("Uniswap v2, Uniswap v3"),
      });
      await expect(service.run("getTokenPrice", { address: "0x1" })).rejects.toMatchObject({ status: 400 });
      await expect(service.run("getTokenPrice", { address: token, to_block: 10 ** 9 })).rejects.toMatchObject(
        {
          status: 400,
        },
      );
      await expect(service.run("getTokenPrice", { address: token, to_block: "x" })).rejects.toMatchObject({
        status: 400,
      });
    });

    it("counts no pool that holds less than the operator says", async () => {
      const strict = await start(name, 30_000);
      await expect(strict.run("getTokenPrice", { address: contracts().token })).rejects.toMatchObject({
        status: 404,
        message: expect.stringContaining("30000 are the least that counts"),
      });
      const tooStrict = await start(name, 10_000_000);
      await expect(tooStrict.run("getTokenPrice", { address: contracts().token })).rejects.toMatchObject({
        status: 404,
        message: expect.stringContaining("has no price in dollars"),
      });
    });
  });

  describe("getPairReserves", () => {
    it("[7.data.endpoint.pair-reserves] answers what the pair holds, at a block or a time", async () => {
      const { token, coin, dollar } = contracts();
      const pair_address = await v2Pair(token, coin);
      const [reserve0, reserve1] = [await read(pair_address, "getReserves")].flat().map(String);
      expect(await ask("getPairReserves", { pair_address })).toEqual({ reserve0, reserve1 });

      const number = (await client().getBlockNumber()) - 8n;
      const then = [await read(pair_address, "getReserves", number)].flat().map(String);
      const past = { reserve0: then[0], reserve1: then[1] };
      expect(await ask("getPairReserves", { pair_address, to_block: Number(number) })).toEqual(past);
      const { timestamp } = await client().getBlock({ blockNumber: number });
      const to_date = new Date(Number(timestamp) * 1000).toISOString();
      expect(await ask("getPairReserves", { pair_address, to_date })).toEqual(past);

      const pool = await v3Pool(dollar, coin, 3_000);
      const sides = [dollar, coin].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
      const held = await Promise.all(
        sides.map((address) =>
          client().readContract({ address, abi: uniswap, functionName: "balanceOf", args: [pool] }),
        ),
      );
      expect(await ask("getPairReserves", { pair_address: pool })).toEqual({
        reserve0: String(held[0]),
        reserve1: String(held[1]),
      });
    });

    it("says where there is no pair, or was none yet", async () => {
      const { token, coin } = contracts();
      const wrong = [token, chain.account(1), `0x${"0".repeat(40)}`];
      for (const pair_address of wrong) {
        await expect(service.run("getPairReserves", { pair_address })).rejects.toMatchObject({ status: 404 });
      }
      const pair_address = await v2Pair(token, coin);
      for (const moment of [{ to_block: 3 }, { to_date: "2001-01-01" }]) {
        await expect(service.run("getPairReserves", { pair_address, ...moment })).rejects.toMatchObject({
          status: 404,
        });
      }
    });
  });

  describe("getPairAddress", () => {
    it("[7.data.endpoint.pair-address] answers the pair and its tokens in their order, whichever comes first", async () => {
      const { token, coin, dollar } = contracts();
      const pairAddress = (await v2Pair(token, coin)).toLowerCase();
      const first = String(await read(await v2Pair(token, coin), "token0")).toLowerCase();
      for (const [one, other] of [
        [token, coin],
        [coin, token],
      ]) {
        const params = { token0_address: one, token1_address: other, exchange: "uniswapv2" };
        const answer = await ask("getPairAddress", params);
        expect(answer).toMatchObject({ pairAddress, token0: { address: first } });
        expect(answer).toHaveProperty(first === coin ? "token0.symbol" : "token1.symbol", "WETH");
        expect(answer).toHaveProperty(first === coin ? "token1.decimals" : "token0.decimals", "18");
      }
      const params = { token0_address: coin, token1_address: dollar, exchange: "uniswapv3" };
      expect(await ask("getPairAddress", params)).toMatchObject({
        pairAddress: (await v3Pool(dollar, coin, 3_000)).toLowerCase(),
      });
    });

    it("says where there is none, and what is wrong with the question", async () => {
      const { token, coin, legacy } = contracts();
      const refused = (params: Record<string, unknown>) =>
        service.run("getPairAddress", {
          token0_address: token,
          token1_address: coin,
          exchange: "uniswapv2",
          ...params,
        });
      await expect(refused({ token1_address: legacy.address })).rejects.toMatchObject({ status: 404 });
      await expect(refused({ to_block: 5 })).rejects.toMatchObject({ status: 404 });
      await expect(refused({ token1_address: token })).rejects.toMatchObject({ status: 400 });
      await expect(refused({ exchange: "sushiswapv2" })).rejects.toMatchObject({ status: 400 });
      await expect(refused({ exchange: undefined })).rejects.toMatchObject({ status: 400 });
    });
  });
});
