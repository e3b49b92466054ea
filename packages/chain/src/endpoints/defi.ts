import type { Exchange, Market } from "../model/chainConfig.ts";
import { invalid, notFound, notSupported } from "../model/requestErrors.ts";
import type { TokenMetadata } from "../model/tokens.ts";
import { readReserves } from "../prices/exchanges/uniswap.ts";
import { findExchanges, marketOf } from "../prices/knownMarkets.ts";
import { type Pool, type PoolReference, pairOf } from "../prices/pool.ts";
import { findPools, findPoolsById, readPools } from "../prices/pools.ts";
import { PriceUnavailableError } from "../prices/tokenPrice.ts";
import { type ChainContext, type SelectChain, withNodeErrors } from "./chainContext.ts";
import { erc20Labels, tokenMetadataToJson } from "./erc20.ts";
import { blockBounds } from "./pagination.ts";
import {
  type PriceWithChange,
  percentChange,
  poolContextOf,
  readPrices,
  readPricesWithChange,
} from "./prices.ts";
import type { Handlers } from "./routes.ts";
import { loadTokenMetadata } from "./tokenMetadata.ts";

/** Prices of tokens on decentralized exchanges, and reserves of their pools. */
export function defiHandlers(selectChain: SelectChain) {
  return {
    getTokenPrice: async ({ chain: selector, address, exchange, to_block }) => {
      const chain = selectChain(selector);
      const market = marketOf(chain.config);
      const exchanges =
        exchange === undefined ? requireExchanges(chain, market) : resolveExchanges(chain, market, exchange);
      const { prices } = await readPrices(chain, { tokens: [address], exchanges, to_block });
      const price = prices.get(address);
      if (!price || price instanceof PriceUnavailableError) throw notFound(`${address} ${price?.message}`);
      const metadata = await loadTokenMetadata(chain, [address], 20);
      return {
        nativePrice: nativePriceOf(market, price),
        usdPrice: price.usd,
        exchangeAddress: price.exchange.factory,
        exchangeName: price.exchange.name,
        symbol: metadata.get(address)?.symbol ?? null,
      };
    },
    getMultipleTokenPrices: async ({ chain: selector, tokens }) => {
      const chain = selectChain(selector);
      const market = marketOf(chain.config);
      const requests = tokens.map(({ token_address, exchange, to_block }) => ({
        token_address,
        to_block,
        exchange,
        exchanges:
          exchange === undefined
            ? requireExchanges(chain, market)
            : resolveExchanges(chain, market, exchange),
      }));
      // Tokens with the same exchanges and block are read together.
      const groups = Map.groupBy(requests, ({ exchange, to_block }) => JSON.stringify([exchange, to_block]));
      const found = new Map<unknown, Awaited<ReturnType<typeof readPricesWithChange>>>();
      for (const group of groups.values()) {
        const [first] = group;
        if (!first) continue;
        const query = { ...first, tokens: [...new Set(group.map(({ token_address }) => token_address))] };
        const prices = await readPricesWithChange(chain, query);
        for (const request of group) found.set(request, prices);
      }
      const metadata = await loadTokenMetadata(
        chain,
        [...new Set(tokens.map((each) => each.token_address))],
        20,
      );
      return requests.map((request) => {
        const { prices, block } = found.get(request) ?? { prices: new Map(), block: 0 };
        const { token_address: token } = request;
        return priceToJson(chain, token, prices.get(token), metadata.get(token), block);
      });
    },
    getPairAddress: async ({ chain: selector, exchange, ...parameters }) => {
      const chain = selectChain(selector);
      const { token0_address: token0, token1_address: token1 } = parameters;
      if (token0 === token1) throw invalid("token0_address and token1_address must be different tokens");
      const exchanges = resolveExchanges(chain, marketOf(chain.config), exchange);
      const block = await resolveBlock(chain, parameters);
      const { address, tokens } = await withNodeErrors(chain, block, () =>
        findPair(chain, exchanges, pairOf(token0, token1), block),
      );
      const metadata = await loadTokenMetadata(chain, [...tokens], 20);
      return {
        token0: tokenMetadataToJson(chain, tokens[0], metadata.get(tokens[0])),
        token1: tokenMetadataToJson(chain, tokens[1], metadata.get(tokens[1])),
        pairAddress: address,
      };
    },
    getPairReserves: async ({ chain: selector, pair_address, ...parameters }) => {
      const chain = selectChain(selector);
      const block = await resolveBlock(chain, parameters);
      const reserves = await withNodeErrors(chain, block, async () =>
        reservesOf(chain, pair_address, block ?? (await chain.node.getBlockNumber())),
      );
      if (!reserves) throw notFound(`${pair_address} is not a pair of an exchange`);
      const [reserve0, reserve1] = reserves;
      return { reserve0: reserve0.toString(), reserve1: reserve1.toString() };
    },
  } satisfies Partial<Handlers>;
}

/** With the address of the wrapped coin, as Moralis has it. */
function nativePriceOf({ coin, wrappedNative }: Market, { native }: { native: bigint }) {
  return { value: native.toString(), decimals: 18, ...coin, address: wrappedNative ?? null };
}

function priceToJson(
  chain: ChainContext,
  token: string,
  found: PriceWithChange | PriceUnavailableError | undefined,
  metadata: TokenMetadata | undefined,
  block: number,
) {
  const market = marketOf(chain.config);
  const { logo, possible_spam, verified_contract } = erc20Labels(chain, token, metadata);
  const price = found instanceof PriceUnavailableError ? undefined : found;
  const change = price ? percentChange(price.usd, price.usdDayBefore) : null;
  return {
    tokenAddress: token,
    tokenName: metadata?.name ?? "",
    tokenSymbol: metadata?.symbol ?? "",
    tokenLogo: logo,
    tokenDecimals: typeof metadata?.decimals === "number" ? String(metadata.decimals) : null,
    possibleSpam: possible_spam,
    verifiedContract: verified_contract,
    nativePrice: price ? nativePriceOf(market, price) : null,
    usdPrice: price?.usd ?? null,
    usdPriceFormatted: price ? String(price.usd) : null,
    "24hrPercentChange": change === null ? null : String(change),
    usdPrice24hr: price?.usdDayBefore ?? null,
    exchangeName: price?.exchange.name ?? null,
    exchangeAddress: price?.exchange.factory ?? null,
    pairAddress: price?.route.pool.address ?? null,
    pairTotalLiquidityUsd: price ? price.route.liquidity.toFixed(2) : null,
    blockNumber: String(block),
    noPriceReason: found instanceof PriceUnavailableError ? `${token} ${found.message}` : null,
  };
}

/** The reserves of a pair of any exchange; undefined if there is no such pair. */
async function reservesOf(chain: ChainContext, id: string, block: number) {
  const isAddress = id.length === 42;
  const reserves = isAddress ? await readReserves(chain.node, id, block) : undefined;
  if (reserves) return reserves;
  const context = poolContextOf(chain, block);
  const pools = await findPoolsById(context, marketOf(chain.config).exchanges, id);
  if (pools.length > 1) throw notFound(`${id} has more than two tokens`);
  return (await readPools(context, pools))[0]?.depth;
}

/** The pool of two tokens. Of several with different fees, the one with the most of the second token. */
async function findPair(
  chain: ChainContext,
  exchanges: readonly Exchange[],
  tokens: readonly [string, string],
  to_block: number | undefined,
): Promise<Pool | PoolReference> {
  const context = poolContextOf(chain, to_block ?? (await chain.node.getBlockNumber()));
  const references = await findPools(context, exchanges, [tokens]);
  const [first] = references;
  if (!first) throw notFound(`${tokens.join(" and ")} have no pair on this exchange`);
  if (references.length === 1) return first;
  const pools = await readPools(context, references);
  return (
    pools.reduce<Pool | undefined>((best, pool) => {
      return best && best.depth[1] >= pool.depth[1] ? best : pool;
    }, undefined) ?? first
  );
}

/** The requested block; undefined for the latest. */
async function resolveBlock(
  chain: ChainContext,
  { to_block, to_date }: { to_block?: number | undefined; to_date?: number | undefined },
): Promise<number | undefined> {
  if (to_block !== undefined || to_date === undefined) return to_block;
  const { toBlock } = await blockBounds(chain, { to_date });
  if (toBlock === undefined || toBlock < 0) throw notFound("there is no block before to_date");
  return toBlock;
}

/** Throws ProtocolError with HTTP 501 if no exchange of the chain is known. */
export function requireExchanges(chain: ChainContext, { exchanges }: Market): Exchange[] {
  if (exchanges.length > 0) return [...exchanges];
  throw notSupported(
    `no exchange is configured for chain "${chain.config.name}": set chains.${chain.config.name}.exchanges`,
  );
}

/** Finds exchanges by name. Throws ProtocolError 142 that lists the available ones. */
function resolveExchanges(chain: ChainContext, market: Market, name: string): Exchange[] {
  const all = requireExchanges(chain, market);
  const found = findExchanges(all, name);
  if (found.length > 0) return found;
  const names = all.map((each) => each.name).join(", ");
  throw invalid(`exchange must be one of those on chain "${chain.config.name}": ${names}`);
}
