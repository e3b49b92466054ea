import type { JsonValue } from "@purse/protocol";
import { type Address, parseAbi, toEventSelector } from "viem";
import { expect } from "vitest";
import { lower, word } from "./nodeHistory.ts";
import { allRows, fieldsOf, type Questioner, type Questions } from "./randomQuestions.ts";
import { type TestUniswap, V3_FEE } from "./testUniswap.ts";

const abi = parseAbi([
  "function getPair(address, address) view returns (address)",
  "function getPool(address, address, uint24) view returns (address)",
  "function getReserves() view returns (uint112, uint112, uint32)",
  "function slot0() view returns (uint160 sqrtPriceX96, int24, uint16, uint16, uint16, uint8, bool)",
  "function balanceOf(address) view returns (uint256)",
]);
const SYNC = toEventSelector("Sync(uint112,uint112)");
const SWAP_V2 = toEventSelector("Swap(address,uint256,uint256,uint256,uint256,address)");
const SWAP_V3 = toEventSelector("Swap(address,address,int256,int256,uint160,uint128,int24)");
const DAY = 86_400;
const SECONDS = { "1min": 60, "1h": 3_600, "1d": DAY } as const;
const NATIVE = `0x${"ee".repeat(20)}`;

/** The pools of a test chain: a token and the wrapped coin in v2, a stablecoin and the coin in v2 and, larger, in v3. */
export interface TestMarket {
  uniswap: TestUniswap;
  token: Address;
  /** A stablecoin with 6 decimals. */
  dollar: Address;
  coin: Address;
  /** The first block with all pools. */
  since: number;
}

/** A trade of the truth: the price of a whole token in whole units of the other, and the traded amount of the other. */
interface Trade {
  time: number;
  price: number;
  volume: number;
}

/** Questions about prices, pools and what wallets are worth. */
export function marketQuestions(asker: Questioner, market: TestMarket): Questions {
  const { choice, node, accounts, tokens, run } = asker;
  const { uniswap, token, dollar, coin, since } = market;
  const isBefore = (a: Address, b: Address) => lower(a) < lower(b);
  const at = (block: number) => ({ abi, blockNumber: BigInt(block) }) as const;

  const pairOf = (a: Address, b: Address) =>
    node.client.readContract({ address: uniswap.v2.factory, abi, functionName: "getPair", args: [a, b] });
  const poolOf = (a: Address, b: Address) =>
    node.client.readContract({
      address: uniswap.v3.factory,
      abi,
      functionName: "getPool",
      args: [a, b, V3_FEE],
    });

  /** Units of the coin per unit of a token in their v2 pool. */
  async function coinsV2(of: Address, block: number): Promise<number> {
    const address = await pairOf(of, coin);
    const [first, second] = await node.client.readContract({
      address,
      functionName: "getReserves",
      ...at(block),
    });
    return isBefore(of, coin) ? Number(second) / Number(first) : Number(first) / Number(second);
  }

  /** Dollars per coin in the v3 pool, both whole. */
  async function dollarsPerCoin(block: number): Promise<number> {
    const address = await poolOf(dollar, coin);
    const [root] = await node.client.readContract({ address, functionName: "slot0", ...at(block) });
    return dollarsOf(root);
  }
  function dollarsOf(root: bigint): number {
    const price = (Number(root) / 2 ** 96) ** 2;
    return (isBefore(coin, dollar) ? price : 1 / price) * 1e12;
  }

  /** Coins and dollars of a whole token; only in v2 pools if so requested. */
  async function priceOf(of: Address, block: number, onV2 = false) {
    const dollars = await dollarsPerCoin(block);
    if (of === coin) {
      const onPair = onV2 ? 1 / ((await coinsV2(dollar, block)) * 1e-12) : dollars;
      return { coins: 1, usd: onPair };
    }
    const coins =
      of === token
        ? await coinsV2(token, block)
        : onV2
          ? (await coinsV2(dollar, block)) * 1e-12
          : 1 / dollars;
    return { coins, usd: coins * dollars };
  }

  /** The last block that is a day older than the head, if the pools existed by then. */
  function dayBefore(): number | undefined {
    const time = node.timeOf(node.head) - DAY;
    const block = node.blocks.findLastIndex(({ timestamp }) => Number(timestamp) <= time);
    return block >= since ? block : undefined;
  }

  /** The trades of the v2 pool of the token, or of the v3 pool of the dollar, in ascending order. */
  async function tradesOf(pool: Address, isV2: boolean): Promise<Trade[]> {
    const trades: Trade[] = [];
    let price = 0;
    for (const { address, topics, data, blockNumber } of node.logs) {
      if (lower(address) !== lower(pool)) continue;
      const time = node.timeOf(Number(blockNumber));
      if (data.length < 130) continue;
      const [a, b] = [word(data, 0), word(data, 1)];
      if (topics[0] === SYNC) price = isBefore(token, coin) ? Number(b) / Number(a) : Number(a) / Number(b);
      if (topics[0] === SWAP_V2 && isV2) {
        const other = isBefore(token, coin) ? [b, word(data, 3)] : [a, word(data, 2)];
        trades.push({ time, price, volume: Math.max(...other.map(Number)) / 1e18 });
      }
      if (topics[0] === SWAP_V3) {
        const amount = BigInt.asIntN(256, isBefore(dollar, coin) ? a : b);
        const volume = Math.abs(Number(amount)) / 1e6;
        trades.push({ time, price: dollarsOf(word(data, 2)), volume });
      }
    }
    return trades;
  }

  return {
    async "the price of a token at a block"() {
      const address = choice.of([token, dollar, coin]);
      const block = since + choice.below(node.head + 1 - since);
      const onV2 = choice.isTrue(0.3);
      const params = { address, to_block: block, ...(onV2 && { exchange: "uniswapv2" }) };
      const { nativePrice, usdPrice } = await fieldsOf(asker, "getTokenPrice", params);
      const { coins, usd } = await priceOf(address, block, onV2);
      expectClose(Number(Object(nativePrice).value) / 1e18, coins);
      expectClose(usdPrice, usd);
    },
    async "the prices of several tokens and their changes within a day"() {
      const selected = [token, dollar, coin].filter(() => choice.isTrue(0.7));
      if (selected.length === 0) selected.push(token);
      const answer = await run("getMultipleTokenPrices", {
        tokens: selected.map((token_address) => ({ token_address })),
      });
      const before = dayBefore();
      for (const [i, address] of selected.entries()) {
        const { usdPrice, usdPrice24hr, tokenAddress } = Object(Array.isArray(answer) ? answer[i] : null);
        expect(tokenAddress).toBe(lower(address));
        expectClose(usdPrice, (await priceOf(address, node.head)).usd);
        if (before === undefined) expect(usdPrice24hr).toBeNull();
        else expectClose(usdPrice24hr, (await priceOf(address, before)).usd);
      }
    },
    async "the pair of two tokens"() {
      const [other, exchange, address] = choice.of([
        [token, "uniswapv2", await pairOf(token, coin)],
        [dollar, "uniswapv3", await poolOf(dollar, coin)],
        [dollar, uniswap.v2.factory, await pairOf(coin, dollar)],
      ] as const);
      const [token0_address, token1_address] = choice.isTrue() ? [other, coin] : [coin, other];
      const answer = await fieldsOf(asker, "getPairAddress", { token0_address, token1_address, exchange });
      expect(answer.pairAddress).toBe(lower(address));
    },
    async "the reserves of a pair at a block"() {
      const pair_address = await pairOf(choice.of([token, dollar]), coin);
      const to_block = since + choice.below(node.head + 1 - since);
      const [reserve0, reserve1] = await node.client.readContract({
        address: pair_address,
        functionName: "getReserves",
        ...at(to_block),
      });
      expect(await run("getPairReserves", { pair_address, to_block })).toEqual({
        reserve0: String(reserve0),
        reserve1: String(reserve1),
      });
    },
    async "the price history of a pool"() {
      const isV2 = choice.isTrue();
      const pool = isV2 ? await pairOf(token, coin) : await poolOf(dollar, coin);
      const timeframe = choice.of(["1min", "1h", "1d"] as const);
      const params = { timeframe, currency: isV2 ? "native" : "usd" };
      const [name, of] = choice.of([
        ["getPairCandlesticks", { pair_address: pool }],
        ["getTokenCandlesticks", { address: isV2 ? token : coin }],
      ] as const);
      const rows = await allRows(asker, name, { ...of, ...params });
      const trades = await tradesOf(pool, isV2);
      const starts = Map.groupBy(
        trades,
        ({ time }) => Math.floor(time / SECONDS[timeframe]) * SECONDS[timeframe],
      );
      expect(rows.map(({ timestamp }) => Date.parse(String(timestamp)) / 1_000)).toEqual(
        [...starts.keys()].reverse(),
      );
      for (const [i, within] of [...starts.values()].reverse().entries()) {
        const row = rows[i] ?? {};
        const prices = within.map(({ price }) => price);
        expect(row.trades).toBe(within.length);
        expectClose(row.open, prices.at(0) ?? 0);
        expectClose(row.close, prices.at(-1) ?? 0);
        expectClose(row.high, Math.max(...prices));
        expectClose(row.low, Math.min(...prices));
        expectClose(
          row.volume,
          within.reduce((sum, { volume }) => sum + volume, 0),
        );
      }
    },
    async "the tokens of a wallet with their values, and what they are worth"() {
      const address = choice.of(accounts);
      const rows = await allRows(asker, "getWalletTokenBalancesPrice", { address });
      const byToken = new Map(rows.map((row) => [row.token_address, row]));
      expect(byToken.size).toBe(rows.length);
      const native = await node.client.getBalance({ address });
      expect(byToken.get(NATIVE)?.balance).toBe(String(native));
      for (const each of tokens) {
        const args = [address] as const;
        const balance = await node.client
          .readContract({ address: each, abi, functionName: "balanceOf", args })
          .catch(() => 0n);
        const row = byToken.get(lower(each));
        expect(row?.balance ?? "0", `${each} of ${address}`).toBe(String(balance));
        if (!row || row.usd_price === null) continue;
        const { usd } = await priceOf(each, node.head);
        expectClose(row.usd_price, usd);
        expectClose(row.usd_value, (Number(balance) / 10 ** Number(row.decimals)) * usd);
      }
      const values = rows.map(({ usd_value }) => Number(usd_value ?? 0));
      expect(values).toEqual(values.toSorted((a, b) => b - a));
      const worth = await fieldsOf(asker, "getWalletNetWorth", { address });
      const sum = values.reduce((total, value) => total + value, 0);
      expect(Math.abs(Number(worth.total_networth_usd) - sum)).toBeLessThan(0.011);
    },
  };
}

/** Amounts of whole units are rounded. */
function expectClose(answer: JsonValue | undefined, truth: number): void {
  expect(typeof answer, `${JSON.stringify(answer)} instead of ${truth}`).toBe("number");
  expect(Math.abs(Number(answer) - truth), `${answer} instead of ${truth}`).toBeLessThanOrEqual(
    Math.abs(truth) * 1e-9 + 1e-18,
  );
}
