import type { DevChain } from "@purse/devchain";
import type { JsonObject, JsonValue } from "@purse/protocol";
import {
  type Address,
  createPublicClient,
  encodeFunctionData,
  formatEther,
  formatUnits,
  http,
  maxUint256,
  parseAbi,
  parseAbiItem,
  parseEther,
} from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CreateIndexed, indexBeforehand } from "../../test/indexBeforehand.ts";
import { createDatabase, DATABASES } from "../../test/indexDatabase.ts";
import { objectOf, rowsOf } from "../../test/jsonResponses.ts";
import { startTestChain } from "../../test/startTestChain.ts";
import { localMarket, type TestChain } from "../../test/testChain.ts";
import { createRecordingLogger, startService, type TestService } from "../../test/testService.ts";
import { createChainService } from "../createChainService.ts";

/** Compares values, price changes and price histories with what viem reads from Uniswap's contracts. */

const uniswap = parseAbi([
  "function getPair(address, address) view returns (address)",
  "function getPool(address, address, uint24) view returns (address)",
  "function getReserves() view returns (uint112, uint112, uint32)",
  "function slot0() view returns (uint160 sqrtPriceX96, int24, uint16, uint16, uint16, uint8, bool)",
  "function swapExactETHForTokens(uint256, address[], address, uint256) payable",
]);
const SYNC = parseAbiItem("event Sync(uint112 reserve0, uint112 reserve1)");
const SWAP = parseAbiItem(
  "event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)",
);
const DAY = 86_400;
const NATIVE = `0x${"ee".repeat(20)}`;

let devChain: DevChain;
let chain: TestChain;
let createIndexed: CreateIndexed;
const ends: (() => Promise<unknown>)[] = [];

const client = () => createPublicClient({ transport: http(chain.url), cacheTime: 0 });
const lower = (address: string) => address.toLowerCase();

beforeAll(async () => {
  ({ devChain, chain } = await startTestChain(ends));
  createIndexed = await indexBeforehand(chain, ends, DATABASES, { market: localMarket(devChain) });
  // The price changes now, more than a day after the history.
  for (const ether of ["0.5", "0.25"]) await buyTokens(parseEther(ether));
});
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function buyTokens(value: bigint) {
  const { weth, v2 } = devChain.contracts.market;
  const args = [0n, [weth.address, chain.token], chain.account(9), maxUint256] as const;
  const data = encodeFunctionData({ abi: uniswap, functionName: "swapExactETHForTokens", args });
  return chain.send(9, v2.router.address, data, value);
}

function v2Pair(a: Address, b: Address): Promise<Address> {
  const address = devChain.contracts.market.v2.factory.address;
  return client().readContract({ address, abi: uniswap, functionName: "getPair", args: [a, b] });
}

/** Price of a unit of a token in units of the other in their v2 pool. */
async function v2Price(token: Address, other: Address, blockNumber: bigint): Promise<number> {
  const address = await v2Pair(token, other);
  const [first, second] = await client().readContract({
    address,
    abi: uniswap,
    functionName: "getReserves",
    blockNumber,
  });
  const price = Number(second) / Number(first);
  return lower(token) < lower(other) ? price : 1 / price;
}

/** Dollars per native coin in the v3 pool. */
async function coinDollars(blockNumber: bigint): Promise<number> {
  const { market, dollar } = devChain.contracts;
  const { factory } = market.v3;
  const address = await client().readContract({
    address: factory.address,
    abi: uniswap,
    functionName: "getPool",
    args: [market.weth.address, dollar.address, 3_000],
  });
  const [sqrtPrice] = await client().readContract({
    address,
    abi: uniswap,
    functionName: "slot0",
    blockNumber,
  });
  const price = (Number(sqrtPrice) / 2 ** 96) ** 2;
  return (lower(market.weth.address) < lower(dollar.address) ? price : 1 / price) * 1e12;
}

/** Dollars per token. */
async function tokenDollars(blockNumber: bigint): Promise<number> {
  const inCoins = await v2Price(chain.token, devChain.contracts.market.weth.address, blockNumber);
  return inCoins * (await coinDollars(blockNumber));
}

/** The latest block, and the last one that is at least a day older. */
async function blocks(): Promise<{ now: bigint; dayBefore: bigint }> {
  const latest = await client().getBlock();
  for (let number = latest.number; number > 0n; number--) {
    const { timestamp } = await client().getBlock({ blockNumber: number });
    if (timestamp <= latest.timestamp - BigInt(DAY)) return { now: latest.number, dayBefore: number };
  }
  throw new Error("the chain is younger than a day");
}

describe.each(DATABASES)("with the index on %s", (name) => {
  let service: TestService;
  beforeAll(async () => {
    const location = await createIndexed(name, ends);
    const market = localMarket(devChain);
    const labels = { verified: [chain.token], spam: [devChain.contracts.point.address] };
    service = await startService({ id: chain.chainId, rpcUrls: [chain.url], market, labels }, location);
    ends.push(() => service.stop());
    const head = await chain.head();
    await service.waitFor(({ state, indexed }) => state === "following" && (indexed ?? 0) >= head);
  });

  describe("getMultipleTokenPrices", () => {
    it("returns the prices of tokens and how they changed within 24 hours", async () => {
      const { now, dayBefore } = await blocks();
      const { market } = devChain.contracts;
      const [token, coin] = rowsOf(
        await service.run("getMultipleTokenPrices", {
          tokens: [{ token_address: chain.token }, { token_address: market.weth.address }],
        }),
      );
      const [usd, before] = [await tokenDollars(now), await tokenDollars(dayBefore)];
      expect(usd).toBeGreaterThan(before * 1.05);
      expect(token).toMatchObject({
        tokenAddress: lower(chain.token),
        tokenSymbol: "PURSE",
        tokenDecimals: "18",
        exchangeName: "Uniswap v2",
        pairAddress: lower(await v2Pair(chain.token, market.weth.address)),
        blockNumber: String(now),
        noPriceReason: null,
      });
      expect(Number(token?.usdPrice) / usd).toBeCloseTo(1, 12);
      expect(Number(token?.usdPrice24hr) / before).toBeCloseTo(1, 12);
      expect(Number(token?.["24hrPercentChange"])).toBeCloseTo((usd / before - 1) * 100, 9);
      expect(Number(coin?.usdPrice24hr) / (await coinDollars(dayBefore))).toBeCloseTo(1, 12);
    });

    it("returns the same price as getTokenPrice, at a block and on an exchange too", async () => {
      const { dayBefore } = await blocks();
      const to_block = Number(dayBefore);
      const prices = rowsOf(
        await service.run("getMultipleTokenPrices", {
          tokens: [
            { token_address: chain.token },
            { token_address: chain.token, to_block },
            { token_address: chain.token, exchange: "uniswapv3" },
          ],
        }),
      );
      const single = await Promise.all(
        [{}, { to_block }, { exchange: "uniswapv3" }].map((options) =>
          service.run("getTokenPrice", { address: chain.token, ...options }),
        ),
      );
      const usdOf = (each: JsonValue) => objectOf(each).usdPrice;
      expect(prices.map(usdOf)).toEqual(single.map(usdOf));
    });

    it("returns the reason for a token without a price, and the prices of the others", async () => {
      const { legacy } = devChain.contracts;
      const [none, found] = rowsOf(
        await service.run("getMultipleTokenPrices", {
          tokens: [{ token_address: legacy.address }, { token_address: chain.token }],
        }),
      );
      expect(none).toMatchObject({
        usdPrice: null,
        nativePrice: null,
        noPriceReason: `${lower(legacy.address)} has no price: no pool trades it for the native coin or a stablecoin`,
      });
      expect(found?.usdPrice).toBeGreaterThan(0);
    });

    it.each([
      [undefined, "param tokens is required!"],
      [[], 'tokens must be a list of 1 to 100 tokens: [{"token_address", "exchange", "to_block"}]'],
      [[{ token_address: "0x1" }], "tokens must be an address: 0x and 40 hexadecimal digits"],
    ])("rejects the tokens %j", async (tokens, message) => {
      await expect(service.run("getMultipleTokenPrices", { tokens })).rejects.toMatchObject({
        status: 400,
        message,
      });
    });
  });

  describe("getWalletTokenBalancesPrice", () => {
    it("returns native and token balances with their value, the most valuable first", async () => {
      const { now, dayBefore } = await blocks();
      const wallet = chain.account(9);
      const rows = rowsOf(await service.run("getWalletTokenBalancesPrice", { address: wallet }));
      const native = rows.find(({ native_token }) => native_token);
      const balance = await chain.balance(wallet);
      const coin = await coinDollars(now);
      expect(native).toMatchObject({
        chain: "0x539",
        token_address: NATIVE,
        symbol: "ETH",
        balance: balance.toString(),
        balance_formatted: formatEther(balance),
      });
      expect(Number(native?.usd_value) / (Number(formatEther(balance)) * coin)).toBeCloseTo(1, 9);
      const token = rows.find(({ token_address }) => token_address === lower(chain.token));
      const [price, before] = [await tokenDollars(now), await tokenDollars(dayBefore)];
      const amount = Number(formatEther(await chain.tokenBalance(wallet)));
      expect(Number(token?.usd_value) / (amount * price)).toBeCloseTo(1, 9);
      expect(token?.usd_value_24hr_usd_change).toBeCloseTo(amount * (price - before), 6);
      const values = rows.map(({ usd_value }) => Number(usd_value ?? -1));
      expect(values).toEqual(values.toSorted((a, b) => b - a));
      const share = rows.reduce((sum, each) => sum + Number(each.portfolio_percentage ?? 0), 0);
      expect(share).toBeCloseTo(100, 9);
    });

    it("returns all tokens of getTokenBalances, also those without a price", async () => {
      const wallet = chain.account(8);
      const balances = rowsOf(await service.run("getTokenBalances", { address: wallet }));
      const page = await service.run("getWalletTokenBalancesPrice", {
        address: wallet,
        exclude_native: "true",
      });
      const keys = (rows: JsonObject[]) =>
        rows.map(({ token_address, balance }) => `${token_address} ${balance}`).sort();
      expect(keys(rowsOf(page))).toEqual(keys(balances));
      expect(rowsOf(page).some(({ no_price_reason }) => no_price_reason !== null)).toBe(true);
    });

    it("marks spam and verified contracts, and omits them on request, also from the net worth", async () => {
      const address = chain.account(8);
      const { point } = devChain.contracts;
      const read = async (filter: JsonObject = {}) =>
        rowsOf(await service.run("getWalletTokenBalancesPrice", { address, ...filter }));
      const all = await read();
      const labelOf = (token: string) => {
        const row = all.find(({ token_address }) => token_address === lower(token));
        return { spam: row?.possible_spam, verified: row?.verified_contract };
      };
      expect(labelOf(point.address)).toEqual({ spam: true, verified: false });
      expect(labelOf(chain.token)).toEqual({ spam: false, verified: true });
      expect(await read({ exclude_spam: true })).toHaveLength(all.length - 1);
      const verified = await read({ exclude_unverified_contracts: true });
      expect(verified.map(({ token_address }) => token_address).toSorted()).toEqual(
        [NATIVE, lower(chain.token)].toSorted(),
      );
      const worth = await service.run("getWalletNetWorth", { address, exclude_unverified_contracts: true });
      const sum = verified.reduce((total, { usd_value }) => total + Number(usd_value), 0);
      expect(Number(objectOf(worth).total_networth_usd)).toBeCloseTo(sum, 1);
      const [price] = rowsOf(
        await service.run("getMultipleTokenPrices", { tokens: [{ token_address: point.address }] }),
      );
      expect(price).toMatchObject({ possibleSpam: true, verifiedContract: false });
      expect(await service.run("searchTokens", { query: point.address })).toMatchObject([
        { possible_spam: true },
      ]);
    });

    it("pages through the same rows", async () => {
      const address = chain.account(8);
      const all = rowsOf(await service.run("getWalletTokenBalancesPrice", { address }));
      const pages: JsonObject[] = [];
      let cursor: JsonValue | undefined = "";
      do {
        const page: JsonObject = objectOf(
          await service.run("getWalletTokenBalancesPrice", { address, limit: 2, cursor }),
        );
        expect(page.total).toBe(all.length);
        pages.push(...rowsOf(page));
        cursor = page.cursor;
      } while (cursor);
      expect(pages).toEqual(all);
    });
  });

  describe("getWalletNetWorth", () => {
    it("returns the sum of the values and their change within 24 hours", async () => {
      const address = chain.account(9);
      const rows = rowsOf(await service.run("getWalletTokenBalancesPrice", { address, chains: ["all"] }));
      const sum = (field: string) => rows.reduce((total, row) => total + Number(row[field] ?? 0), 0);
      const answer = objectOf(await service.run("getWalletNetWorth", { address }));
      const [only] = rowsOf(answer.chains);
      expect(answer).toMatchObject({
        total_networth_usd: sum("usd_value").toFixed(2),
        total_networth_24hr_usd_change: sum("usd_value_24hr_usd_change").toFixed(2),
        unavailable_chains: [],
      });
      expect(only).toMatchObject({
        chain: "0x539",
        native_balance: (await chain.balance(address)).toString(),
        networth_usd: answer.total_networth_usd,
      });
    });

    it("rejects unknown chains", async () => {
      const address = chain.account(9);
      await expect(
        service.run("getWalletNetWorth", { address, chains: ["eth", "nowhere"] }),
      ).rejects.toMatchObject({ status: 400, message: expect.stringContaining('"nowhere" is unknown') });
    });
  });

  describe("getPairCandlesticks", () => {
    const pair = () => v2Pair(chain.token, devChain.contracts.market.weth.address);

    /** The trades of the v2 pool as the node has them, with the price in native coins. */
    async function trades() {
      const address = await pair();
      const range = { address, fromBlock: 0n, strict: true } as const;
      const [swaps, syncs] = await Promise.all([
        client().getLogs({ ...range, event: SWAP }),
        client().getLogs({ ...range, event: SYNC }),
      ]);
      const isFirst = lower(chain.token) < lower(devChain.contracts.market.weth.address);
      return Promise.all(
        swaps.map(async ({ blockNumber, logIndex, args }) => {
          const sync = syncs.find(
            (each) => each.blockNumber === blockNumber && each.logIndex === logIndex - 1,
          );
          const [first, second] = [Number(sync?.args.reserve0), Number(sync?.args.reserve1)];
          const amounts = isFirst ? [args.amount1In, args.amount1Out] : [args.amount0In, args.amount0Out];
          const { timestamp } = await client().getBlock({ blockNumber });
          return {
            time: Number(timestamp),
            blockNumber,
            price: isFirst ? second / first : first / second,
            volume: Math.max(...amounts.map((amount) => Number(formatUnits(amount, 18)))),
          };
        }),
      );
    }

    it("returns prices and volume in native coins by interval, latest first", async () => {
      const page = objectOf(
        await service.run("getPairCandlesticks", {
          pair_address: await pair(),
          timeframe: "1d",
          currency: "native",
        }),
      );
      const byDay = Map.groupBy(await trades(), ({ time }) => Math.floor(time / DAY) * DAY);
      const expected = [...byDay]
        .sort(([a], [b]) => b - a)
        .map(([day, rows]) => ({
          timestamp: new Date(day * 1000).toISOString(),
          open: expect.closeTo(rows[0]?.price ?? 0, 12),
          high: expect.closeTo(Math.max(...rows.map(({ price }) => price)), 12),
          low: expect.closeTo(Math.min(...rows.map(({ price }) => price)), 12),
          close: expect.closeTo(rows.at(-1)?.price ?? 0, 12),
          volume: expect.closeTo(
            rows.reduce((sum, { volume }) => sum + volume, 0),
            9,
          ),
          trades: rows.length,
        }));
      expect(expected.length).toBeGreaterThan(1);
      expect(rowsOf(page)).toEqual(expected);
      expect(page).toMatchObject({ tokenAddress: lower(chain.token), timeframe: "1d", currency: "native" });
    });

    it("converts to dollars with the price of the coin at each trade", async () => {
      const [latest] = rowsOf(await service.run("getPairCandlesticks", { pair_address: await pair() }));
      const last = (await trades()).at(-1);
      const usd = (last?.price ?? 0) * (await coinDollars(last?.blockNumber ?? 0n));
      expect(Number(latest?.close) / usd).toBeCloseTo(1, 9);
    });

    it("pages through the same intervals, and is the history of the token as well", async () => {
      const pair_address = await pair();
      const all = rowsOf(await service.run("getPairCandlesticks", { pair_address, timeframe: "4h" }));
      const rows: JsonObject[] = [];
      let cursor: JsonValue | undefined = "";
      do {
        const page: JsonObject = objectOf(
          await service.run("getPairCandlesticks", { pair_address, timeframe: "4h", limit: 1, cursor }),
        );
        rows.push(...rowsOf(page));
        cursor = page.cursor;
      } while (cursor);
      expect(rows).toEqual(all);
      const ofToken = await service.run("getTokenCandlesticks", { address: chain.token, timeframe: "4h" });
      expect(rowsOf(ofToken)).toEqual(all);
    });

    it("returns the intervals within a range of dates", async () => {
      const pair_address = await pair();
      const all = rowsOf(await service.run("getPairCandlesticks", { pair_address, timeframe: "1d" }));
      const before = await service.run("getPairCandlesticks", {
        pair_address,
        timeframe: "1d",
        to_date: "2025-12-31T00:00:00Z",
      });
      expect(rowsOf(before)).toEqual(all.slice(1));
    });

    it("rejects addresses that no exchange created, and unknown intervals", async () => {
      await expect(service.run("getPairCandlesticks", { pair_address: chain.token })).rejects.toMatchObject({
        status: 404,
        message: `${lower(chain.token)} is not a pair of an exchange of chain "localdevchain"`,
      });
      await expect(
        service.run("getPairCandlesticks", { pair_address: await pair(), timeframe: "2h" }),
      ).rejects.toMatchObject({ status: 400, message: expect.stringContaining("timeframe must be one of") });
    });
  });

  describe("getWalletStats and getWalletActiveChains", () => {
    it("count what the lists return", async () => {
      const address = chain.account(2);
      const total = async (list: string) => String(objectOf(await service.run(list, { address })).total);
      const nfts = rowsOf(await service.run("getNFTs", { address }));
      expect(await service.run("getWalletStats", { address })).toEqual({
        nfts: String(nfts.length),
        collections: String(new Set(nfts.map(({ token_address }) => token_address)).size),
        transactions: { total: await total("getTransactions") },
        nft_transfers: { total: await total("getNFTTransfers") },
        token_transfers: { total: await total("getTokenTransfers") },
      });
    });

    it("return the first and the last transaction of a wallet", async () => {
      const address = chain.account(2);
      const list = rowsOf(await service.run("getTransactions", { address }));
      const edge = (row: JsonObject | undefined) => ({
        block_timestamp: row?.block_timestamp,
        block_number: row?.block_number,
        transaction_hash: row?.hash,
      });
      expect(await service.run("getWalletActiveChains", { address })).toEqual({
        address: lower(address),
        active_chains: [
          {
            chain: "localdevchain",
            chain_id: "0x539",
            first_transaction: edge(list.at(-1)),
            last_transaction: edge(list[0]),
          },
        ],
        unavailable_chains: [],
      });
    });

    it("return null for a wallet without transactions", async () => {
      const address = `0x${"34".repeat(20)}`;
      const answer = objectOf(await service.run("getWalletActiveChains", { address }));
      expect(rowsOf(answer.active_chains)).toMatchObject([
        { first_transaction: null, last_transaction: null },
      ]);
    });
  });
});

describe("with a chain whose node does not respond", () => {
  it("returns the values of the other chains, and why this one is missing", async () => {
    const { location, remove } = await createDatabase("SQLite");
    ends.push(remove);
    const config = { id: chain.chainId, name: "localdevchain", aliases: ["eth"], rpcUrls: [chain.url] };
    const service = createChainService({
      chains: [
        { ...config, market: localMarket(devChain) },
        { id: 77, name: "silent", aliases: [], rpcUrls: ["http://127.0.0.1:9"] },
      ],
      database: location,
      log: createRecordingLogger(),
      pollMs: 20,
    });
    await service.start();
    ends.push(() => service.stop());
    const netWorth = service.routes.find(({ functionName }) => functionName === "getWalletNetWorth");
    await expect
      .poll(() => service.status().find((each) => each.chain === chain.chainId)?.state, { timeout: 30_000 })
      .toBe("following");
    const answer = objectOf(await netWorth?.run({ address: chain.account(9) }));
    expect(rowsOf(answer.chains)).toMatchObject([{ chain: "0x539" }]);
    expect(rowsOf(answer.unavailable_chains)).toEqual([
      { chain: "0x4d", message: expect.stringContaining("none of its nodes responds") },
    ]);
  });
});
