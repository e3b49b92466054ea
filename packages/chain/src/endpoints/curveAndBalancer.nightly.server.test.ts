import { type ContractName, type DevChain, readArtifact } from "@purse/devchain";
import {
  type Abi,
  type Address,
  createPublicClient,
  encodeDeployData,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  maxUint256,
  pad,
  parseAbi,
  parseAbiItem,
  parseEther,
  parseUnits,
  zeroAddress,
} from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CreateIndexed, indexBeforehand } from "../../test/indexBeforehand.ts";
import { DATABASES } from "../../test/indexDatabase.ts";
import { objectOf, rowsOf } from "../../test/jsonResponses.ts";
import { startTestChain } from "../../test/startTestChain.ts";
import { localMarket, type TestChain } from "../../test/testChain.ts";
import { startService, type TestService } from "../../test/testService.ts";

/** Compares prices of pools with the functions and events of Curve and Balancer with their balances and logs. */

const mintAbi = parseAbi(["function mint(address to, uint256 amount)"]);
const stableAbi = parseAbi(["function exchange(int128 i, int128 j, uint256 dx, uint256 minimum)"]);
const cryptoAbi = parseAbi(["function exchange(uint256 i, uint256 j, uint256 dx, uint256 minimum)"]);
const CRYPTO_EXCHANGE = parseAbiItem(
  "event TokenExchange(address indexed buyer, uint256 sold_id, uint256 tokens_sold, uint256 bought_id, uint256 tokens_bought, uint256 fee, uint256 packed_price_scale)",
);

let devChain: DevChain;
let chain: TestChain;
let createIndexed: CreateIndexed;
let registry: Address;
/** Two coins; three coins. */
let stablePool: Address;
let cryptoPool: Address;
let vault: Address;
let weightedPool: Hex;
let otherPool: Address;
let swapHash: Hex;
const ends: (() => Promise<unknown>)[] = [];
const lower = (text: string) => text.toLowerCase();
const client = () => createPublicClient({ transport: http(chain.url), cacheTime: 0 });

function tokens() {
  const { dollar, market } = devChain.contracts;
  return { token: chain.token, dollar: dollar.address, coin: market.weth.address };
}

async function create(name: ContractName, args: readonly unknown[]): Promise<Address> {
  const { abi, bytecode } = readArtifact(name);
  return (await chain.create(encodeDeployData({ abi, bytecode, args }))).contractAddress ?? zeroAddress;
}

async function call(name: ContractName, to: Address, functionName: string, args: readonly unknown[]) {
  const { abi }: { abi: Abi } = readArtifact(name);
  return chain.send(0, to, encodeFunctionData({ abi, functionName, args }));
}

const approve = (token: Address, spender: Address) => {
  const args = [spender, maxUint256] as const;
  return chain.send(0, token, encodeFunctionData({ abi: erc20Abi, functionName: "approve", args }));
};
const give = (token: Address, to: Address, amount: bigint) => {
  const args = [to, amount] as const;
  return chain.send(0, token, encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args }));
};
const exchangeStable = (i: bigint, j: bigint, amount: bigint) =>
  chain.send(0, stablePool, encodeFunctionData({ abi: stableAbi, args: [i, j, amount, 0n] }));
const exchangeCrypto = (i: bigint, j: bigint, amount: bigint) =>
  chain.send(0, cryptoPool, encodeFunctionData({ abi: cryptoAbi, args: [i, j, amount, 0n] }));

beforeAll(async () => {
  ({ devChain, chain } = await startTestChain(ends));
  createIndexed = await indexBeforehand(chain, ends, DATABASES, { market: localMarket(devChain) });
  const { token, dollar, coin } = tokens();
  const mint = [chain.account(0), parseUnits("1000000", 6)] as const;
  await chain.send(0, dollar, encodeFunctionData({ abi: mintAbi, functionName: "mint", args: mint }));
  await chain.send(0, coin, "0xd0e30db0", parseEther("200"));

  registry = await create("CurveRegistry", []);
  stablePool = await create("CurvePool", [[token, dollar], false]);
  cryptoPool = await create("CurvePool", [[dollar, coin, token], true]);
  await call("CurveRegistry", registry, "add", [stablePool, [token, dollar]]);
  // Found for the coin, too, which it trades within another pool only.
  const metaPool = await create("CurvePool", [[token, stablePool], false]);
  await call("CurveRegistry", registry, "add", [metaPool, [token, coin, dollar]]);
  for (const each of [token, dollar, coin])
    for (const spender of [stablePool, cryptoPool]) await approve(each, spender);
  await give(token, stablePool, parseEther("20000"));
  await give(dollar, stablePool, parseUnits("21000", 6));
  await give(dollar, cryptoPool, parseUnits("100000", 6));
  await give(coin, cryptoPool, parseEther("50"));
  await give(token, cryptoPool, parseEther("90000"));
  swapHash = (await exchangeStable(0n, 1n, parseEther("100"))).transactionHash;
  await exchangeStable(1n, 0n, parseUnits("500", 6));
  await exchangeCrypto(1n, 0n, parseEther("1"));
  await exchangeCrypto(0n, 1n, parseUnits("4000", 6));
  // Another pair of the same pool, and a trade that is too small for a price.
  await exchangeCrypto(2n, 0n, parseEther("5"));
  await exchangeCrypto(1n, 0n, 3n);

  vault = await create("BalancerVault", []);
  for (const each of [token, dollar, coin]) await approve(each, vault);
  const weights = [parseEther("0.8"), parseEther("0.2")];
  const weighted = await create("BalancerPool", [weights]);
  weightedPool = `0x${lower(weighted).slice(2)}000200000000000000000007`;
  const amounts = [parseEther("40000"), parseEther("5")];
  await call("BalancerVault", vault, "register", [weightedPool, [token, coin], amounts]);
  otherPool = await create("BalancerVault", []);
  const dollars = [parseEther("1000"), parseUnits("3000", 6)];
  await call("BalancerVault", vault, "register", [pad(otherPool), [token, dollar], dollars]);
  const v2Trade = [weightedPool, coin, token, parseEther("0.1"), parseEther("190")];
  await call("BalancerVault", vault, "swapV2", v2Trade);
  const v3Trade = [otherPool, dollar, token, parseUnits("110", 6), parseEther("100")];
  await call("BalancerVault", vault, "swapV3", v3Trade);
  // All trades are more than a day old.
  await chain.rpc("evm_increaseTime", [90_000]);
  await chain.mine(1);
}, 180_000);
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const unitsOf = (token: Address, owner: Address) =>
  client().readContract({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [owner] });
const balanceOf = async (token: Address, owner: Address) => Number(await unitsOf(token, owner));

describe.each(DATABASES)("with the index on %s", (name) => {
  let service: TestService;
  beforeAll(async () => {
    const location = await createIndexed(name, ends);
    const local = localMarket(devChain);
    const exchanges = [
      ...(local.exchanges ?? []),
      // The second pool is in no registry.
      { name: "Curve", kind: "curve", factory: registry, pools: [cryptoPool] },
      { name: "Balancer v2", kind: "balancer-v2", factory: vault, pools: [weightedPool] },
      { name: "Balancer v3", kind: "balancer-v3", factory: vault, pools: [otherPool] },
    ] as const;
    const market = { ...local, exchanges };
    service = await startService({ id: chain.chainId, rpcUrls: [chain.url], market }, location);
    ends.push(() => service.stop());
    const head = await chain.head();
    await service.waitFor(({ state, indexed }) => state === "following" && (indexed ?? 0) >= head);
  });

  async function priceOf(address: Address, exchange: string) {
    const [price] = rowsOf(
      await service.run("getMultipleTokenPrices", { tokens: [{ token_address: address, exchange }] }),
    );
    return price ?? {};
  }

  it("returns the prices of Curve pools without their fees", async () => {
    const { token, dollar, coin } = tokens();
    const ofToken = await priceOf(token, "curve");
    const ofCoin = await priceOf(coin, "curve");
    // The pool with the most dollars.
    const inCrypto = ((await balanceOf(dollar, cryptoPool)) / (await balanceOf(token, cryptoPool))) * 1e12;
    expect(ofToken).toMatchObject({ exchangeName: "Curve", pairAddress: lower(cryptoPool) });
    expect(Number(ofToken.usdPrice) / inCrypto).toBeCloseTo(1, 7);
    const coinPrice = ((await balanceOf(dollar, cryptoPool)) / (await balanceOf(coin, cryptoPool))) * 1e12;
    expect(Number(ofCoin.usdPrice) / coinPrice).toBeCloseTo(1, 7);
    expect(ofCoin.pairTotalLiquidityUsd).toBe(
      (((await balanceOf(coin, cryptoPool)) / 1e18) * Number(ofCoin.usdPrice)).toFixed(2),
    );
  });

  it("returns the pair of two coins, and omits pools that have a coin within another pool only", async () => {
    const { token, dollar } = tokens();
    const params = { token0_address: dollar, token1_address: token, exchange: "curve" };
    expect(await service.run("getPairAddress", params)).toMatchObject({
      pairAddress: expect.toBeOneOf([lower(stablePool), lower(cryptoPool)]),
    });
    expect(await service.run("getPairReserves", { pair_address: stablePool })).toEqual({
      reserve0: String(await unitsOf(token, stablePool)),
      reserve1: String(await unitsOf(dollar, stablePool)),
    });
    await expect(service.run("getPairReserves", { pair_address: cryptoPool })).rejects.toMatchObject({
      status: 404,
      message: `${lower(cryptoPool)} has more than two tokens`,
    });
  });

  it("returns the price history of a pair of a Curve pool from its trades", async () => {
    const logs = await client().getLogs({
      address: cryptoPool,
      event: CRYPTO_EXCHANGE,
      fromBlock: 0n,
      strict: true,
    });
    const trades = logs.flatMap(({ args }) => {
      const ids = [args.sold_id, args.bought_id].sort();
      if (ids.join() !== "0,1") return [];
      const isSold = args.sold_id === 1n;
      const coins = Number(isSold ? args.tokens_sold : args.tokens_bought) / 1e18;
      const dollars = Number(isSold ? args.tokens_bought : args.tokens_sold) / 1e6;
      return [{ price: dollars / coins, dollars }];
    });
    expect(trades).toHaveLength(3);
    const [first, second] = trades;
    const page = objectOf(
      await service.run("getPairCandlesticks", { pair_address: cryptoPool, timeframe: "1w" }),
    );
    expect(page).toMatchObject({ tokenAddress: lower(tokens().coin), pairAddress: lower(cryptoPool) });
    const volume = trades.reduce((sum, { dollars }) => sum + dollars, 0);
    expect(rowsOf(page)).toEqual([
      {
        timestamp: expect.any(String),
        open: expect.closeTo(first?.price ?? 0, 6),
        high: expect.closeTo(Math.max(first?.price ?? 0, second?.price ?? 0), 6),
        low: expect.closeTo(Math.min(first?.price ?? 0, second?.price ?? 0), 6),
        close: expect.closeTo(second?.price ?? 0, 6),
        volume: expect.closeTo(volume, 6),
        trades: 3,
      },
    ]);
  });

  it("returns the price a day before from the last trade of the pair, if others and tiny ones followed", async () => {
    const price = await priceOf(tokens().coin, "curve");
    const [candle] = rowsOf(
      await service.run("getPairCandlesticks", { pair_address: cryptoPool, timeframe: "1w" }),
    );
    expect(price.usdPrice24hr).toBeCloseTo(Number(candle?.close), 6);
    expect(Number(price["24hrPercentChange"])).toBeCloseTo(
      (Number(price.usdPrice) / Number(candle?.close) - 1) * 100,
      6,
    );
  });

  it("returns the price of a weighted Balancer pool by its balances and weights", async () => {
    const { token } = tokens();
    const price = await priceOf(token, "balancerv2");
    const coins = (5 + 0.1) / 0.2 / ((40_000 - 190) / 0.8);
    expect(price).toMatchObject({ exchangeName: "Balancer v2", pairAddress: weightedPool });
    expect(Number(objectOf(price.nativePrice).value) / 1e18 / coins).toBeCloseTo(1, 12);
  });

  it("returns the price of the last trade of other Balancer pools", async () => {
    const { token } = tokens();
    const price = await priceOf(token, "balancerv3");
    expect(price).toMatchObject({
      exchangeName: "Balancer v3",
      pairAddress: lower(otherPool),
      usdPrice: expect.closeTo(1.1, 12),
      pairTotalLiquidityUsd: "3110.00",
    });
    const [candle] = rowsOf(await service.run("getPairCandlesticks", { pair_address: otherPool }));
    expect(candle).toMatchObject({
      open: expect.closeTo(1.1, 12),
      volume: expect.closeTo(110, 9),
      trades: 1,
    });
    const [inCoins] = rowsOf(
      await service.run("getPairCandlesticks", { pair_address: weightedPool, currency: "native" }),
    );
    expect(inCoins).toMatchObject({ close: expect.closeTo(0.1 / 190, 12), trades: 1 });
  });

  it("rejects pools that no configured exchange has", async () => {
    const stranger = await create("CurvePool", [[tokens().token, tokens().dollar], false]);
    for (const pair_address of [stranger, pad("0x77")])
      await expect(service.run("getPairCandlesticks", { pair_address })).rejects.toMatchObject({
        status: 404,
      });
  });

  it("calls a trade a swap in the history of a wallet", async () => {
    const history = rowsOf(await service.run("getWalletHistory", { address: chain.account(0), limit: 100 }));
    expect(history.find(({ hash }) => hash === swapHash)).toMatchObject({
      category: "token swap",
      summary: expect.stringMatching(/^Swapped 100 PURSE for .* pUSD$/),
    });
  });
});
