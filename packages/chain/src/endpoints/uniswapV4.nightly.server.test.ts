import type { DevChain } from "@purse/devchain";
import {
  type Address,
  createPublicClient,
  encodeFunctionData,
  http,
  pad,
  parseAbi,
  parseAbiItem,
  parseEther,
  zeroAddress,
} from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CreateIndexed, indexBeforehand } from "../../test/indexBeforehand.ts";
import { DATABASES } from "../../test/indexDatabase.ts";
import { objectOf, rowsOf } from "../../test/jsonResponses.ts";
import { startTestChain } from "../../test/startTestChain.ts";
import { localMarket, type TestChain } from "../../test/testChain.ts";
import { startService, type TestService } from "../../test/testService.ts";
import { deployUniswapV4, type PoolKey, poolIdOf, type UniswapV4 } from "../../test/testUniswapV4.ts";

/** Compares prices of Uniswap v4's own pools with the manager's storage and logs. */

const mintAbi = parseAbi(["function mint(address to, uint256 amount)"]);
const SWAP = parseAbiItem(
  "event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)",
);
const Q96 = 2n ** 96n;
const WIDE: readonly [number, number] = [-887_220, 887_220];

let devChain: DevChain;
let chain: TestChain;
let createIndexed: CreateIndexed;
let v4: UniswapV4;
/** Native coin and token; dollar and wrapped coin; token and dollar, with another fee. */
let coinPool: PoolKey;
let dollarPool: PoolKey;
/** Like the first, at another price and with a hook that is called for donations only. */
let hookedPool: PoolKey;
const ends: (() => Promise<unknown>)[] = [];
const lower = (text: string) => text.toLowerCase();
const client = () => createPublicClient({ transport: http(chain.url), cacheTime: 0 });

function keyOf(a: Address, b: Address, fee: number, tickSpacing: number): PoolKey {
  const [currency0, currency1] = lower(a) < lower(b) ? [a, b] : [b, a];
  return { currency0, currency1, fee, tickSpacing, hooks: zeroAddress };
}

beforeAll(async () => {
  ({ devChain, chain } = await startTestChain(ends));
  createIndexed = await indexBeforehand(chain, ends, DATABASES, { market: localMarket(devChain) });
  const dollar = devChain.contracts.dollar.address;
  const args = [chain.account(0), 10n ** 12n] as const;
  await chain.send(0, dollar, encodeFunctionData({ abi: mintAbi, functionName: "mint", args }));
  v4 = await deployUniswapV4(chain, [chain.token, dollar]);
  coinPool = keyOf(zeroAddress, chain.token, 3_000, 60);
  // 2,500 tokens per coin.
  await v4.createPool(coinPool, 50n * Q96, WIDE, parseEther("1000"), parseEther("100"));
  dollarPool = keyOf(zeroAddress, dollar, 500, 10);
  // 2,000 dollars per coin: the root of 2000e6 / 1e18.
  const root = BigInt(Math.round(Math.sqrt(2_000e6 / 1e18) * 2 ** 96));
  await v4.createPool(dollarPool, root, [-887_270, 887_270], 2n * 10n ** 15n, parseEther("100"));
  hookedPool = { ...coinPool, hooks: pad("0x20", { size: 20 }) };
  await v4.createPool(hookedPool, Q96, WIDE, parseEther("200"), parseEther("250"));
  await v4.swap(9, coinPool, true, parseEther("2"));
  await v4.swap(9, coinPool, false, parseEther("1000"));
  await v4.swap(9, coinPool, true, parseEther("1"));
}, 120_000);
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const priceOf = (sqrtPrice: bigint) => (Number(sqrtPrice) / 2 ** 96) ** 2;

describe.each(DATABASES)("with the index on %s", (name) => {
  let service: TestService;
  beforeAll(async () => {
    const location = await createIndexed(name, ends);
    const local = localMarket(devChain);
    const v4Exchange = { name: "Uniswap v4", kind: "v4", factory: v4.manager } as const;
    const market = { ...local, exchanges: [...(local.exchanges ?? []), v4Exchange] };
    service = await startService({ id: chain.chainId, rpcUrls: [chain.url], market }, location);
    ends.push(() => service.stop());
    const head = await chain.head();
    await service.waitFor(({ state, indexed }) => state === "following" && (indexed ?? 0) >= head);
  });

  it("returns the price of a pool with the native coin as it is in the manager's storage", async () => {
    const [token, coin] = [chain.token, devChain.contracts.market.weth.address];
    const answer = objectOf(await service.run("getTokenPrice", { address: token, exchange: "uniswapv4" }));
    const tokensPerCoin = priceOf(await v4.sqrtPrice(poolIdOf(coinPool)));
    expect(answer).toMatchObject({ exchangeName: "Uniswap v4", exchangeAddress: lower(v4.manager) });
    expect((Number(objectOf(answer.nativePrice).value) / 1e18) * tokensPerCoin).toBeCloseTo(1, 12);
    const dollars = objectOf(await service.run("getTokenPrice", { address: coin, exchange: "uniswapv4" }));
    const expected = priceOf(await v4.sqrtPrice(poolIdOf(dollarPool))) * 1e12;
    expect(Number(dollars.usdPrice) / expected).toBeCloseTo(1, 12);
  });

  it("returns the price at a block", async () => {
    const [first] = await swaps();
    const to_block = Number(first?.blockNumber);
    const params = { address: chain.token, exchange: "uniswapv4", to_block };
    const answer = objectOf(await service.run("getTokenPrice", params));
    const then = priceOf(await v4.sqrtPrice(poolIdOf(coinPool), first?.blockNumber));
    expect((Number(objectOf(answer.nativePrice).value) / 1e18) * then).toBeCloseTo(1, 12);
  });

  it("counts as liquidity what the pool has around its price", async () => {
    const [price] = rowsOf(
      await service.run("getMultipleTokenPrices", {
        tokens: [{ token_address: chain.token, exchange: "uniswapv4" }],
      }),
    );
    // The coins between the price and the end of the ticks that are read: 1.2 to 2.2 words of 256 ticks of 60.
    const sqrtPrice = Number(await v4.sqrtPrice(poolIdOf(coinPool))) / 2 ** 96;
    const tick = Math.floor(Math.log(sqrtPrice ** 2) / Math.log(1.0001));
    const end = 1.0001 ** (((Math.floor(Math.floor(tick / 60) / 256) + 2) * 256 * 60) / 2);
    const coins = 1_000 * (1 / sqrtPrice - 1 / end);
    const coinPrice = objectOf(
      await service.run("getTokenPrice", { address: devChain.contracts.market.weth.address }),
    );
    expect(price).toMatchObject({ pairAddress: poolIdOf(coinPool), noPriceReason: null });
    expect(Number(price?.pairTotalLiquidityUsd) / (coins * Number(coinPrice.usdPrice))).toBeCloseTo(1, 4);
  });

  it("returns the id of the pool of two tokens as their pair", async () => {
    const params = { token0_address: chain.token, token1_address: devChain.contracts.market.weth.address };
    const pair = objectOf(await service.run("getPairAddress", { ...params, exchange: "Uniswap v4" }));
    expect(pair).toMatchObject({
      pairAddress: poolIdOf(coinPool),
      token0: { symbol: "WETH" },
      token1: { symbol: "PURSE" },
    });
  });

  it("returns the price history of a pool by its id", async () => {
    const pair_address = poolIdOf(coinPool);
    const page = objectOf(
      await service.run("getPairCandlesticks", { pair_address, timeframe: "1d", currency: "native" }),
    );
    const trades = await swaps();
    const prices = trades.map(({ args }) => 1 / priceOf(args.sqrtPriceX96));
    const volume = trades.reduce((sum, { args }) => sum + Math.abs(Number(args.amount0)) / 1e18, 0);
    expect(page).toMatchObject({ pairAddress: pair_address, tokenAddress: lower(chain.token) });
    expect(rowsOf(page)).toEqual([
      {
        timestamp: expect.any(String),
        open: expect.closeTo(prices[0] ?? 0, 15),
        high: expect.closeTo(Math.max(...prices), 15),
        low: expect.closeTo(Math.min(...prices), 15),
        close: expect.closeTo(prices.at(-1) ?? 0, 15),
        volume: expect.closeTo(volume, 9),
        trades: 3,
      },
    ]);
  });

  it("returns the history of a pool with hooks, which determines no prices", async () => {
    const pair_address = poolIdOf(hookedPool);
    const page = objectOf(await service.run("getPairCandlesticks", { pair_address }));
    expect(page).toMatchObject({ pairAddress: pair_address, result: [] });
    const prices = rowsOf(
      await service.run("getMultipleTokenPrices", { tokens: [{ token_address: chain.token }] }),
    );
    expect(prices[0]?.pairAddress).not.toBe(pair_address);
  });

  it("returns the amounts around the price as the reserves of a pool", async () => {
    const reserves = objectOf(await service.run("getPairReserves", { pair_address: poolIdOf(coinPool) }));
    const liquidity = parseEther("1000");
    const sqrtPrice = await v4.sqrtPrice(poolIdOf(coinPool));
    expect(BigInt(String(reserves.reserve0))).toBeGreaterThan(0n);
    expect(BigInt(String(reserves.reserve0))).toBeLessThan((liquidity * Q96) / sqrtPrice);
    expect(BigInt(String(reserves.reserve1))).toBeLessThan((liquidity * sqrtPrice) / Q96);
  });

  it("rejects ids of pools that do not exist", async () => {
    const pair_address = `0x${"12".repeat(32)}`;
    for (const endpoint of ["getPairCandlesticks", "getPairReserves"])
      await expect(service.run(endpoint, { pair_address })).rejects.toMatchObject({ status: 404 });
    await expect(service.run("getPairCandlesticks", { pair_address: "0x12" })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("40 or 64 hexadecimal digits"),
    });
  });

  it("calls a trade a swap in the history of a wallet", async () => {
    const [, sale] = await swaps();
    const history = rowsOf(await service.run("getWalletHistory", { address: chain.account(9) }));
    expect(history.find(({ hash }) => hash === sale?.transactionHash)).toMatchObject({
      category: "token swap",
      summary: expect.stringMatching(/^Swapped 1000 PURSE/),
    });
  });
});

async function swaps() {
  const range = { address: v4.manager, fromBlock: 0n, strict: true } as const;
  return client().getLogs({ ...range, event: SWAP, args: { id: poolIdOf(coinPool) } });
}
