import { ErrorCode, type Moralis } from "@purse/client";
import type { Point } from "@purse/ui";
import { fiatValue } from "../../money/fiat.ts";
import { lastBlockAt } from "../../query/lastBlock.ts";
import { type Asset, type Price, readPrices } from "../../wallet/holdings.ts";

type Web3API = typeof Moralis.Web3API;

export const SPANS = { day: 1, week: 7, month: 30, year: 365 } as const;
export type Span = keyof typeof SPANS;

export interface ValueHistory {
  points: Point[];
  /** Number of points skipped because a price was missing. */
  gaps: number;
}

const POINT_COUNT = 10;
/** Only the most valuable tokens are included, to limit requests. */
const MAX_TOKENS = 5;
const DAY_MS = 86_400_000;

/**
 * Reads what the priced assets of a chain were worth at several times before its latest block, at the prices of that time.
 * Balances and prices stay until a later block changes them. Rejects if a request fails; points without prices or archive
 * data are gaps, and there are none before the first block.
 */
export async function readValueHistory(
  api: Web3API,
  address: string,
  assets: readonly Asset[],
  span: Span,
  options: { signal?: AbortSignal } = {},
): Promise<ValueHistory> {
  const [first] = assets;
  if (!first) return { points: [], gaps: 0 };
  const { chain } = first;
  const atDate = (date: number) =>
    api.native.getDateToBlock({ chain: chain.hexId, date: new Date(date).toISOString() }, options);
  const head = await atDate(Date.now());
  const headMs = head.timestamp * 1000;
  const from = headMs - SPANS[span] * DAY_MS;
  const times = Array.from(
    { length: POINT_COUNT },
    (_, i) => Math.floor((from + ((headMs - from) * i) / (POINT_COUNT - 1)) / 1000) * 1000,
  );
  const found = await Promise.all(
    times.map(async (at) => ({ at, block: await lastBlockAt(at / 1000, (date) => atDate(date.getTime())) })),
  );
  const samples = found.flatMap(({ at, block }) => (block === undefined ? [] : [{ at, block }]));
  const blocks = [...new Set(samples.map(({ block }) => block))];
  const topAssets = assets
    .filter(({ usdPrice }) => usdPrice !== null)
    .sort((a, b) => currentValue(b) - currentValue(a))
    .filter(({ address: token }, i) => token === null || i < MAX_TOKENS);
  const tokens = topAssets.flatMap((asset) => (asset.address ? [asset.address] : []));
  const points: Point[] = [];
  let gaps = 0;
  const priceResults = await readPrices(
    blocks.flatMap((block) => tokens.map((token) => ({ token, block }))),
    chain,
    options,
  );
  if (priceResults.some(({ hasFailed }) => hasFailed))
    throw new Error("Historical prices could not be loaded.");
  const all = priceResults.map(({ price }) => price);
  const values = await Promise.all(
    blocks.map((block, i) =>
      valueAt(block, all.slice(i * tokens.length, (i + 1) * tokens.length)).catch((error: unknown) => {
        if (Object(error).code === ErrorCode.VALIDATION_ERROR) return undefined;
        throw error;
      }),
    ),
  );
  for (const { at, block } of samples) {
    const value = values[blocks.indexOf(block)];
    if (value === undefined) gaps++;
    else points.push({ at, value });
  }
  return { points, gaps };

  async function valueAt(block: number, prices: readonly (Price | null)[]): Promise<number | undefined> {
    const params = { address, chain: chain.hexId, to_block: block };
    const [native, balances] = await Promise.all([
      api.account.getNativeBalance(params, options),
      tokens.length > 0 ? api.account.getTokenBalances({ ...params, token_addresses: tokens }, options) : [],
    ]);
    const nativeUsd = prices.find((price) => price !== null)?.nativeUsd ?? null;
    let sum = 0;
    for (const asset of topAssets) {
      const at = asset.address === null ? -1 : tokens.indexOf(asset.address);
      const price = asset.address === null ? nativeUsd : (prices[at]?.usd ?? null);
      const balance =
        asset.address === null
          ? BigInt(native.balance)
          : BigInt(balances.find((row) => row.token_address === asset.address)?.balance ?? 0);
      if (balance === 0n) continue;
      if (price === null) return undefined;
      sum += fiatValue(balance, asset.decimals, price);
    }
    return sum;
  }
}

function currentValue({ balance, decimals, usdPrice }: Asset): number {
  return fiatValue(balance, decimals, usdPrice ?? 0);
}
