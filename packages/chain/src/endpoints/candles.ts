import { invalid, notFound } from "../model/requestErrors.ts";
import { blockOf, positionOf, type RawLog } from "../model/rows.ts";
import { candlesOf, startOfInterval, type Trade } from "../prices/candles.ts";
import { type Fraction, toNumber } from "../prices/fraction.ts";
import { marketOf } from "../prices/knownMarkets.ts";
import { logSourceOf, type PoolReference } from "../prices/pool.ts";
import { PRICE_TOPICS, priceAfter, SWAP_TOPICS, tradedAmounts } from "../prices/poolEvents.ts";
import { findPoolsById } from "../prices/pools.ts";
import { PriceUnavailableError } from "../prices/tokenPrice.ts";
import type { LogSource } from "../store/poolLogs.ts";
import {
  type ChainContext,
  requireSynced,
  type SelectChain,
  selectFullIndex,
  withNodeErrors,
} from "./chainContext.ts";
import { requireExchanges } from "./defi.ts";
import { keptFields } from "./eventRetention.ts";
import { mapInSlices } from "./mapInSlices.ts";
import { isoTime, pageFields } from "./pagination.ts";
import { loadDecimals, poolContextOf, readPrices } from "./prices.ts";
import type { Handlers } from "./routes.ts";
import type { EndpointParameters } from "./table.ts";

const COIN_DECIMALS = 18;
/** Logs per read, and max logs per page. */
const BATCH_SIZE = 5_000;
const MAX_LOGS = 50_000;

type CandleParameters = Omit<EndpointParameters["getPairCandlesticks"], "chain" | "pair_address">;

/** Price histories from the indexed trades of pools. */
export function candleHandlers(selectChain: SelectChain) {
  return {
    getPairCandlesticks: async ({ chain: selector, pair_address, ...parameters }) => {
      const chain = await selectFullIndex(selectChain, selector, "price histories");
      const pool = await findPool(chain, pair_address);
      return candlePage(chain, pool, baseToken(chain, pool), parameters);
    },
    getTokenCandlesticks: async ({ chain: selector, address, ...parameters }) => {
      const chain = await selectFullIndex(selectChain, selector, "price histories");
      const exchanges = requireExchanges(chain, marketOf(chain.config));
      const { prices } = await readPrices(chain, { tokens: [address], exchanges });
      const price = prices.get(address);
      if (!price || price instanceof PriceUnavailableError) throw notFound(`${address} ${price?.message}`);
      return candlePage(chain, price.route.pool, address, parameters);
    },
  } satisfies Partial<Handlers>;
}

/** The pool with an address or id, if it belongs to one of the chain's exchanges; the pair with the best quote token. */
async function findPool(chain: ChainContext, id: string): Promise<PoolReference> {
  const exchanges = requireExchanges(chain, marketOf(chain.config));
  const pools = await withNodeErrors(chain, undefined, async () =>
    findPoolsById(poolContextOf(chain, await chain.node.getBlockNumber()), exchanges, id),
  );
  const quoteRank = ({ tokens }: PoolReference) =>
    Math.max(...tokens.map((token) => moneyRank(chain, token)));
  const [pool] = pools.sort((a, b) => quoteRank(b) - quoteRank(a));
  if (!pool) throw notFound(`${id} is not a pair of an exchange of chain "${chain.config.name}"`);
  return pool;
}

/** The token whose price is the price of the pair: not the one that serves as money. */
function baseToken(chain: ChainContext, { tokens: [first, second] }: PoolReference): string {
  return moneyRank(chain, first) > moneyRank(chain, second) ? second : first;
}

function moneyRank(chain: ChainContext, token: string): number {
  const { wrappedNative, stables } = marketOf(chain.config);
  return stables.includes(token) ? 2 : token === wrappedNative ? 1 : 0;
}

async function candlePage(
  chain: ChainContext,
  pool: PoolReference,
  token: string,
  { timeframe, currency, from_date, to_date, limit, cursor }: CandleParameters,
) {
  const quote = pool.tokens[0] === token ? pool.tokens[1] : pool.tokens[0];
  const { wrappedNative: coin, stables } = marketOf(chain.config);
  if (quote !== coin && !stables.includes(quote))
    throw notFound(
      `${pool.address} has no price history: it trades neither the native coin nor a stablecoin`,
    );
  requireSynced(chain);
  const end = await endPosition(chain, cursor ? Number(cursor.parts[0]) - 1 : to_date);
  const start = await startPosition(chain, from_date);
  const decimals = await loadDecimals(chain, [token, quote]);
  const [digits, quoteDigits] = [decimals.get(token), quote === coin ? COIN_DECIMALS : decimals.get(quote)];
  if (digits === undefined || quoteDigits === undefined)
    throw notFound(`${token} has no price: its contract does not return decimals`);
  const convert = await loadConversion(chain, { quote, currency, start, end });
  const { kind } = pool.exchange;
  const source = logSourceOf(pool, [...new Set([...PRICE_TOPICS[kind], ...SWAP_TOPICS[kind]])]);
  const enough = (logs: readonly RawLog[], times: ReadonlyMap<number, number>) =>
    new Set(logs.map((log) => startOfInterval(timeOf(log, times), timeframe))).size > limit + 1;
  const { logs, times, isCut } = await readLogs(chain, source, start, end, enough);
  const trades = await tradesOf(logs, pool, token, (price, amount, log) => {
    const rate = convert.rateAt(log.position);
    return rate === undefined
      ? undefined
      : {
          time: timeOf(log, times),
          price: toNumber(scaled(price, digits, quoteDigits)) * rate,
          volume: toNumber({ n: amount, d: 10n ** BigInt(quoteDigits) }) * rate,
        };
  });
  const all = candlesOf(trades, timeframe);
  // The oldest interval can be incomplete.
  const isPartial = isCut || convert.isCut;
  const complete = isPartial ? all.slice(0, -1) : all;
  if (complete.length === 0 && isPartial)
    throw invalid("timeframe is too long: an interval has more trades than can be read, use a shorter one");
  const shown = complete.slice(0, limit);
  const last = isPartial || complete.length > limit ? shown.at(-1) : undefined;
  return {
    ...pageFields({ limit, cursor }, last && [last.start]),
    pairAddress: pool.address,
    tokenAddress: token,
    timeframe,
    currency,
    ...(await keptFields(chain)),
    result: shown.map(({ start: at, ...candle }) => ({ timestamp: isoTime(at), ...candle })),
  };
}

/** The first position after a time in seconds; after the index by default. */
async function endPosition(chain: ChainContext, time: number | undefined): Promise<number> {
  if (time === undefined) return Number.MAX_SAFE_INTEGER;
  const block = await chain.store.blockBefore(time);
  return block ? positionOf(block.number + 1, 0) : 0;
}

async function startPosition(chain: ChainContext, time: number | undefined): Promise<number> {
  if (time === undefined) return 0;
  const block = await chain.store.blockAfter(time);
  return block ? positionOf(block.number, 0) : Number.MAX_SAFE_INTEGER;
}

interface Logs {
  /** In ascending order. */
  logs: RawLog[];
  /** Times of their blocks by number, in seconds since the epoch. */
  times: Map<number, number>;
  /** Whether there are older logs in the range. */
  isCut: boolean;
}

/** Reads logs backwards until there are enough. */
async function readLogs(
  chain: ChainContext,
  source: LogSource,
  start: number,
  end: number,
  isEnough: (logs: readonly RawLog[], times: ReadonlyMap<number, number>) => boolean,
): Promise<Logs> {
  const logs: RawLog[] = [];
  const times = new Map<number, number>();
  let before = end;
  while (logs.length < MAX_LOGS) {
    const batch = await chain.store.poolLogs.inRange(source, start, before, BATCH_SIZE);
    const blocks = await chain.store.blocks(batch.map(({ position }) => blockOf(position)));
    for (const { number, timestamp } of blocks.values()) times.set(number, timestamp);
    for (const log of batch) logs.push(log);
    before = batch.at(-1)?.position ?? start;
    if (batch.length < BATCH_SIZE) return { logs: logs.reverse(), times, isCut: false };
    if (isEnough(logs, times)) break;
  }
  return { logs: logs.reverse(), times, isCut: true };
}

function timeOf({ position }: RawLog, times: ReadonlyMap<number, number>): number {
  return times.get(blockOf(position)) ?? 0;
}

/**
 * The trades in logs of a pool in ascending order. In v2 pools, the reserves after a trade are logged before it.
 * `convert` gets the price of a unit of the token in units of the other, and the traded units of the other.
 */
async function tradesOf(
  logs: readonly RawLog[],
  pool: PoolReference,
  token: string,
  convert: (price: Fraction, amount: bigint, log: RawLog) => Trade | undefined,
): Promise<Trade[]> {
  const isFirst = pool.tokens[0] === token;
  let price: Fraction | undefined;
  const trades = await mapInSlices(logs, (log) => {
    price = priceAfter(log, pool) ?? price;
    const amounts = tradedAmounts(log, pool);
    if (!amounts || !price) return undefined;
    const inQuote = isFirst ? price : { n: price.d, d: price.n };
    return convert(inQuote, amounts[isFirst ? 1 : 0], log);
  });
  return trades.filter((trade) => trade !== undefined);
}

/** Converts a price between units to one between whole tokens. */
function scaled({ n, d }: Fraction, digits: number, quoteDigits: number): Fraction {
  return { n: n * 10n ** BigInt(digits), d: d * 10n ** BigInt(quoteDigits) };
}

/** Value of one whole quote token in the requested currency, by position. */
interface Conversion {
  rateAt(position: number): number | undefined;
  isCut: boolean;
}

/** Loads the rates between the native coin and the dollar, if the quote token and the currency differ in that. */
async function loadConversion(
  chain: ChainContext,
  { quote, currency, start, end }: { quote: string; currency: "usd" | "native"; start: number; end: number },
): Promise<Conversion> {
  const { wrappedNative: coin, exchanges } = marketOf(chain.config);
  const isCoin = quote === coin;
  if (coin === undefined || isCoin === (currency === "native")) return { rateAt: () => 1, isCut: false };
  const { prices } = await readPrices(chain, { tokens: [coin], exchanges });
  const price = prices.get(coin);
  if (!price || price instanceof PriceUnavailableError) throw notFound(`${coin} ${price?.message}`);
  const { coinPool } = price.route;
  const source = logSourceOf(coinPool, PRICE_TOPICS[coinPool.exchange.kind]);
  const stable = coinPool.tokens[0] === coin ? coinPool.tokens[1] : coinPool.tokens[0];
  const digits = (await loadDecimals(chain, [stable])).get(stable) ?? 0;
  const { logs, isCut } = await readLogs(chain, source, start, end, () => false);
  const [earlier = []] = isCut ? [] : await chain.store.poolLogs.latestBefore([source], blockOf(start));
  const rates = [...earlier.toReversed(), ...logs].flatMap((log) => {
    const units = priceAfter(log, coinPool);
    if (!units) return [];
    const inStable = coinPool.tokens[0] === coin ? units : { n: units.d, d: units.n };
    const dollars = toNumber(scaled(inStable, COIN_DECIMALS, digits));
    return [{ position: log.position, rate: isCoin ? dollars : 1 / dollars }];
  });
  return { rateAt: (position) => latestAt(rates, position)?.rate, isCut };
}

/** The last item at or before a position, by binary search. */
function latestAt<Item extends { position: number }>(
  items: readonly Item[],
  position: number,
): Item | undefined {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((items[middle]?.position ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  return items[low - 1];
}
