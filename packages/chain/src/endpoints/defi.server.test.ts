import type { DevChain } from "@purse/devchain";
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
import { type CreateIndexed, indexBeforehand } from "../../test/indexBeforehand.ts";
import { DATABASES } from "../../test/indexDatabase.ts";
import { startTestChain } from "../../test/startTestChain.ts";
import { localMarket, type TestChain } from "../../test/testChain.ts";
import { startService, type TestService } from "../../test/testService.ts";

/** Compares prices and pairs with what viem reads from Uniswap's contracts. */

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
let createIndexed: CreateIndexed;
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  ({ devChain, chain } = await startTestChain(ends));
  createIndexed = await indexBeforehand(chain, ends, DATABASES, { market: localMarket(devChain) });
});
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const client = () => createPublicClient({ transport: http(chain.url), cacheTime: 0 });

async function start(name: (typeof DATABASES)[number], minimumLiquidity?: number): Promise<TestService> {
  const location = await createIndexed(name, ends);
  const market = { ...localMarket(devChain), ...(minimumLiquidity && { minimumLiquidity }) };
  const started = await startService({ id: chain.chainId, rpcUrls: [chain.url], market }, location);
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

/** Price of a unit of a token in units of the other, in a v2 pool. */
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
    await service.waitFor(({ state }) => state === "following");
  });

  async function query(functionName: string, params: Record<string, unknown>): Promise<JsonObject> {
    const answer = await service.run(functionName, params);
    if (!isJsonObject(answer)) throw new Error("the answer is not an object");
    return answer;
  }

  async function price(address: Address, params: Record<string, unknown> = {}) {
    const answer = await query("getTokenPrice", { address, ...params });
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
    it("returns the price of the most liquid pool, in native coins and in dollars", {
      tags: ["7.data.endpoint.erc20-price"],
    }, async () => {
      const { token, dollar, coin, v2 } = contracts();
      const dollars = (await v3Price(coin, dollar, 3_000)) * 1e12;
      const coins = await v2Price(token, coin);
      const answer = await price(token);
      expect(answer).toMatchObject({
        nativePrice: {
          value: expect.stringMatching(/^\d+$/),
          decimals: 18,
          name: "Ether",
          symbol: "ETH",
          address: coin,
        },
        exchangeAddress: v2.factory.address,
        exchangeName: "Uniswap v2",
        symbol: "PURSE",
      });
      expect(answer.coins / coins).toBeCloseTo(1, 12);
      expect(answer.usd / (coins * dollars)).toBeCloseTo(1, 12);
    });

    it("returns the price on an exchange given by name in any spelling or by factory", async () => {
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

    it("returns prices of the native coin and of a stablecoin", async () => {
      const { coin, dollar } = contracts();
      expect(await query("getTokenPrice", { address: coin })).toMatchObject({
        nativePrice: { value: "1000000000000000000" },
        usdPrice: expect.closeTo((await v3Price(coin, dollar, 3_000)) * 1e12, 6),
      });
      const v2 = await price(coin, { exchange: "uniswapv2" });
      expect(v2.usd / ((await v2Price(coin, dollar)) * 1e12)).toBeCloseTo(1, 12);
      expect((await price(dollar)).usd).toBe(1);
    });

    it("returns the value at a block", async () => {
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

    it("returns 404 if there is no pool, not enough liquidity or no whole unit", async () => {
      const { legacy, point, hostileToken, token } = contracts();
      const getPrice = (address: string, params = {}) => service.run("getTokenPrice", { address, ...params });
      await expect(getPrice(legacy.address)).rejects.toMatchObject({
        status: 404,
        message: expect.stringContaining("no pool trades it"),
      });
      await expect(getPrice(point.address)).rejects.toMatchObject({
        status: 404,
        message: expect.stringContaining("liquidity of 0.02 dollars"),
      });
      await expect(getPrice(hostileToken.address)).rejects.toMatchObject({
        status: 404,
        message: expect.stringContaining("with 255 decimals a whole unit exceeds uint256"),
      });
      await expect(getPrice(chain.account(1))).rejects.toMatchObject({
        status: 404,
        message: expect.stringContaining("does not return decimals"),
      });
      await expect(getPrice(token, { to_block: 20 })).rejects.toMatchObject({ status: 404 });
    });

    it("rejects invalid input with a readable message", async () => {
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

    it("ignores pools below the configured liquidity", async () => {
      const strict = await start(name, 30_000);
      await expect(strict.run("getTokenPrice", { address: contracts().token })).rejects.toMatchObject({
        status: 404,
        message: expect.stringContaining("below the minimum of 30000"),
      });
      const tooStrict = await start(name, 10_000_000);
      await expect(tooStrict.run("getTokenPrice", { address: contracts().token })).rejects.toMatchObject({
        status: 404,
        message: expect.stringContaining("has no price in dollars"),
      });
    });
  });

  describe("getPairReserves", () => {
    it("returns the reserves at a block or time", { tags: ["7.data.endpoint.pair-reserves"] }, async () => {
      const { token, coin, dollar } = contracts();
      const pair_address = await v2Pair(token, coin);
      const [reserve0, reserve1] = [await read(pair_address, "getReserves")].flat().map(String);
      expect(await query("getPairReserves", { pair_address })).toEqual({ reserve0, reserve1 });

      const number = (await client().getBlockNumber()) - 8n;
      const then = [await read(pair_address, "getReserves", number)].flat().map(String);
      const past = { reserve0: then[0], reserve1: then[1] };
      expect(await query("getPairReserves", { pair_address, to_block: Number(number) })).toEqual(past);
      const { timestamp } = await client().getBlock({ blockNumber: number });
      const to_date = new Date(Number(timestamp) * 1000).toISOString();
      expect(await query("getPairReserves", { pair_address, to_date })).toEqual(past);

      const pool = await v3Pool(dollar, coin, 3_000);
      const parties = [dollar, coin].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
      const balances = await Promise.all(
        parties.map((address) =>
          client().readContract({ address, abi: uniswap, functionName: "balanceOf", args: [pool] }),
        ),
      );
      expect(await query("getPairReserves", { pair_address: pool })).toEqual({
        reserve0: String(balances[0]),
        reserve1: String(balances[1]),
      });
    });

    it("returns 404 if there is no pair, or was none at the block", async () => {
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
    it("returns the pair and its tokens in the pair's order, for either order of the parameters", {
      tags: ["7.data.endpoint.pair-address"],
    }, async () => {
      const { token, coin, dollar } = contracts();
      const pairAddress = (await v2Pair(token, coin)).toLowerCase();
      const first = String(await read(await v2Pair(token, coin), "token0")).toLowerCase();
      for (const [token0, token1] of [
        [token, coin],
        [coin, token],
      ]) {
        const params = { token0_address: token0, token1_address: token1, exchange: "uniswapv2" };
        const answer = await query("getPairAddress", params);
        expect(answer).toMatchObject({ pairAddress, token0: { address: first } });
        expect(answer).toHaveProperty(first === coin ? "token0.symbol" : "token1.symbol", "WETH");
        expect(answer).toHaveProperty(first === coin ? "token1.decimals" : "token0.decimals", "18");
      }
      const params = { token0_address: coin, token1_address: dollar, exchange: "uniswapv3" };
      expect(await query("getPairAddress", params)).toMatchObject({
        pairAddress: (await v3Pool(dollar, coin, 3_000)).toLowerCase(),
      });
    });

    it("returns 404 for a missing pair, and rejects invalid parameters", async () => {
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
