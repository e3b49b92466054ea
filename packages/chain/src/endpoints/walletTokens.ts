import { ProtocolError } from "@purse/protocol";
import { formatUnits } from "viem";
import { getBalances } from "../node/tokens.ts";
import { marketOf } from "../prices/knownMarkets.ts";
import { PriceUnavailableError } from "../prices/tokenPrice.ts";
import { type ChainContext, type SelectChain, withNodeErrors } from "./chainContext.ts";
import { erc20Labels, receivedTokens } from "./erc20.ts";
import { pageFields } from "./pagination.ts";
import { type PriceWithChange, percentChange, readPricesWithChange } from "./prices.ts";
import { type Handlers, withIndexErrors } from "./routes.ts";
import { loadTokenMetadata } from "./tokenMetadata.ts";

/** The address that stands for the native coin, as in the Moralis API. */
const NATIVE_ADDRESS = `0x${"ee".repeat(20)}`;
const COIN_DECIMALS = 18;
/** Tokens per chain whose price is read. */
const MAX_PRICES = 200;

/** A balance of a wallet with its price. */
interface Asset {
  chain: ChainContext;
  /** NATIVE_ADDRESS for the native coin. */
  address: string;
  name: string;
  symbol: string;
  decimals: number | null;
  balance: bigint;
  price: PriceWithChange | PriceUnavailableError;
  label: ReturnType<typeof erc20Labels>;
}

/** Which tokens of a wallet count. */
interface AssetFilter {
  token_addresses?: string[] | undefined;
  exclude_spam: boolean;
  exclude_unverified_contracts: boolean;
}

export interface UnavailableChain {
  chain: string;
  message: string;
}

/** Balances of wallets with prices, and what they are worth together. */
export function walletTokenHandlers(selectChain: SelectChain, contexts: readonly ChainContext[]) {
  return {
    getWalletTokenBalancesPrice: async ({ chain, chains, address, ...options }) => {
      const selected = chains ? selectChains(selectChain, contexts, chains) : [selectChain(chain)];
      const read = (each: ChainContext) => readAssets(each, address, options);
      const { results, unavailable } = chains
        ? await readEach(selected, read)
        : { results: await Promise.all(selected.map(read)), unavailable: [] };
      const assets = results
        .flat()
        .filter((asset) => options.exclude_native === "false" || asset.address !== NATIVE_ADDRESS)
        .sort(byValue);
      const { limit, cursor } = options;
      const start = Number(cursor?.parts[0] ?? 0);
      const total = assets.reduce((sum, asset) => sum + (usdValueOf(asset) ?? 0), 0);
      const end = start + limit;
      return {
        total: assets.length,
        ...pageFields(options, end < assets.length ? [end] : undefined),
        unavailable_chains: unavailable,
        result: assets.slice(start, end).map((asset) => assetToJson(asset, total)),
      };
    },
    getWalletNetWorth: async ({ address, chains, ...filter }) => {
      const selected = selectChains(selectChain, contexts, chains);
      const { results, unavailable } = await readEach(selected, async (chain) => ({
        chain,
        assets: await readAssets(chain, address, filter),
      }));
      const all = results.flatMap(({ assets }) => assets);
      const change = changeOf(all);
      const before = all.reduce((sum, asset) => sum + (valueDayBefore(asset) ?? 0), 0);
      return {
        total_networth_usd: dollars(sumOf(all)),
        total_networth_24hr_usd_change: change === null ? null : dollars(change),
        total_networth_24hr_percent_change: change === null || before === 0 ? null : (change / before) * 100,
        chains: results.map(({ chain, assets }) => chainNetWorth(chain, assets)),
        unavailable_chains: unavailable,
      };
    },
  } satisfies Partial<Handlers>;
}

/** The chains that a client selects; all if it selects none or `all`. */
export function selectChains(
  selectChain: SelectChain,
  contexts: readonly ChainContext[],
  selectors: readonly string[] | undefined,
): ChainContext[] {
  if (!selectors || selectors.some((each) => each.trim().toLowerCase() === "all")) return [...contexts];
  return [...new Set(selectors.map(selectChain))];
}

/** Reads several chains; those that fail are listed with the reason. Rejects with its error if all fail. */
export async function readEach<Result>(
  chains: readonly ChainContext[],
  read: (chain: ChainContext) => Promise<Result>,
): Promise<{ results: Result[]; unavailable: UnavailableChain[] }> {
  const settled = await Promise.allSettled(chains.map((chain) => withIndexErrors(read(chain))));
  const results: Result[] = [];
  const unavailable: UnavailableChain[] = [];
  for (const [i, outcome] of settled.entries()) {
    if (outcome.status === "fulfilled") {
      results.push(outcome.value);
      continue;
    }
    const { reason }: { reason: unknown } = outcome;
    if (!(reason instanceof ProtocolError) || settled.every(({ status }) => status === "rejected"))
      throw reason;
    unavailable.push({ chain: chainIdOf(chains[i]), message: reason.message });
  }
  return { results, unavailable };
}

export function chainIdOf(chain: ChainContext | undefined): string {
  return `0x${(chain?.config.id ?? 0).toString(16)}`;
}

/** Reads the native balance and the token balances of a wallet at one block, with prices. */
async function readAssets(chain: ChainContext, wallet: string, filter: AssetFilter): Promise<Asset[]> {
  const { coin, wrappedNative, exchanges } = marketOf(chain.config);
  const tokens = filter.token_addresses ?? (await receivedTokens(chain, wallet));
  const { block, native, balances } = await withNodeErrors(chain, undefined, async () => {
    const block = await chain.node.getBlockNumber();
    const [native, balances] = await Promise.all([
      chain.node.getBalance(wallet, block),
      getBalances(chain.node, wallet, tokens, block),
    ]);
    return { block, native, balances };
  });
  const found = tokens.flatMap((token, i) => {
    const balance = balances[i] ?? 0n;
    return balance > 0n ? [{ token, balance }] : [];
  });
  const metadata = await loadTokenMetadata(
    chain,
    found.map(({ token }) => token),
    20,
  );
  const owned = found
    .map((each) => ({ ...each, label: erc20Labels(chain, each.token, metadata.get(each.token)) }))
    .filter(({ label }) => isCounted(label, filter));
  const priced = [...new Set([wrappedNative ?? [], owned.map(({ token }) => token)].flat(2))].slice(
    0,
    MAX_PRICES,
  );
  const { prices } = await readPricesWithChange(chain, { tokens: priced, exchanges, to_block: block });
  const noCoinPrice = new PriceUnavailableError(
    "has no price: the wrapped coin of this chain is not configured",
  );
  const notRead = new PriceUnavailableError(
    `has no price: the wallet has more than ${MAX_PRICES} tokens, specify some in token_addresses`,
  );
  return [
    {
      chain,
      address: NATIVE_ADDRESS,
      ...coin,
      decimals: COIN_DECIMALS,
      balance: native,
      price: (wrappedNative === undefined ? undefined : prices.get(wrappedNative)) ?? noCoinPrice,
      label: { logo: null, possible_spam: false, verified_contract: true },
    },
    ...owned.map(({ token, balance, label }) => {
      const { name, symbol, decimals } = metadata.get(token) ?? {};
      return {
        chain,
        address: token,
        name: name ?? "",
        symbol: symbol ?? "",
        decimals: decimals ?? null,
        balance,
        price: prices.get(token) ?? notRead,
        label,
      };
    }),
  ];
}

function isCounted(
  { possible_spam, verified_contract }: Asset["label"],
  { exclude_spam, exclude_unverified_contracts }: AssetFilter,
): boolean {
  return !(exclude_spam && possible_spam) && (verified_contract || !exclude_unverified_contracts);
}

/** In US dollars; undefined without a price. */
function usdValueOf({ price, ...asset }: Asset): number | undefined {
  return price instanceof PriceUnavailableError ? undefined : amountOf(asset) * price.usd;
}

/** What the balance was worth 24 hours before, in US dollars. */
function valueDayBefore({ price, ...asset }: Asset): number | undefined {
  if (price instanceof PriceUnavailableError || price.usdDayBefore === undefined) return undefined;
  return amountOf(asset) * price.usdDayBefore;
}

function amountOf({ balance, decimals }: Pick<Asset, "balance" | "decimals">): number {
  return Number(formatUnits(balance, decimals ?? 0));
}

function sumOf(assets: readonly Asset[]): number {
  return assets.reduce((sum, asset) => sum + (usdValueOf(asset) ?? 0), 0);
}

/** How the prices of the assets changed their value within 24 hours; null if nothing is known. */
function changeOf(assets: readonly Asset[]): number | null {
  const changes = assets.flatMap((asset) => {
    const before = valueDayBefore(asset);
    return before === undefined ? [] : [(usdValueOf(asset) ?? 0) - before];
  });
  return changes.length === 0 ? null : changes.reduce((sum, each) => sum + each, 0);
}

/** The most valuable first, those without a price last. */
function byValue(a: Asset, b: Asset): number {
  const [first, second] = [usdValueOf(a) ?? -1, usdValueOf(b) ?? -1];
  if (first !== second) return second - first;
  if (a.chain !== b.chain) return a.chain.config.id - b.chain.config.id;
  return a.address < b.address ? -1 : 1;
}

function dollars(value: number): string {
  return value.toFixed(2);
}

function chainNetWorth(chain: ChainContext, assets: readonly Asset[]) {
  const native = assets.filter(({ address }) => address === NATIVE_ADDRESS);
  const tokens = assets.filter(({ address }) => address !== NATIVE_ADDRESS);
  const balance = native[0]?.balance ?? 0n;
  const nativeValue = native[0] && usdValueOf(native[0]);
  const priced = tokens.filter((asset) => usdValueOf(asset) !== undefined).length;
  const change = changeOf(assets);
  return {
    chain: chainIdOf(chain),
    native_balance: balance.toString(),
    native_balance_formatted: formatUnits(balance, COIN_DECIMALS),
    native_balance_usd: nativeValue === undefined ? null : dollars(nativeValue),
    token_balance_usd: dollars(sumOf(tokens)),
    networth_usd: dollars(sumOf(assets)),
    networth_24hr_usd_change: change === null ? null : dollars(change),
    priced_tokens: priced,
    unpriced_tokens: tokens.length - priced,
  };
}

function assetToJson(asset: Asset, total: number) {
  const { price, balance, decimals } = asset;
  const value = usdValueOf(asset);
  const before = valueDayBefore(asset);
  const found = price instanceof PriceUnavailableError ? undefined : price;
  return {
    chain: chainIdOf(asset.chain),
    token_address: asset.address,
    name: asset.name,
    symbol: asset.symbol,
    ...asset.label,
    thumbnail: null,
    decimals,
    balance: balance.toString(),
    balance_formatted: formatUnits(balance, decimals ?? 0),
    native_token: asset.address === NATIVE_ADDRESS,
    usd_price: found?.usd ?? null,
    usd_price_24hr_percent_change: found ? percentChange(found.usd, found.usdDayBefore) : null,
    usd_price_24hr_usd_change: found?.usdDayBefore === undefined ? null : found.usd - found.usdDayBefore,
    usd_value: value ?? null,
    usd_value_24hr_usd_change: value === undefined || before === undefined ? null : value - before,
    portfolio_percentage: value === undefined || total === 0 ? null : (value / total) * 100,
    no_price_reason: price instanceof PriceUnavailableError ? price.message : null,
  };
}
