import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { Exchange, Market } from "../model/chainConfig.ts";
import { findExchanges, marketOf } from "../prices/knownMarkets.ts";
import {
  findPools,
  type Pool,
  type PoolReference,
  pairOf,
  readPools,
  readReserves,
} from "../prices/pools.ts";
import { PriceUnavailableError, type TokenPrice, tokenPrice } from "../prices/tokenPrice.ts";
import { type ChainContext, notFound, type SelectChain, withNodeErrors } from "./chainContext.ts";
import { tokenMetadataToJson } from "./erc20.ts";
import { blockBounds } from "./lists.ts";
import { invalid } from "./parameters.ts";
import type { Handlers } from "./routes.ts";
import { loadTokenMetadata } from "./tokenMetadata.ts";

/** 10^78 exceeds uint256: a token with more decimals has no whole unit. */
const MAX_DECIMALS = 77;

/** Prices of tokens on decentralized exchanges, and reserves of their pools. */
export function defiHandlers(selectChain: SelectChain) {
  return {
    getTokenPrice: async ({ chain: selector, address, exchange, to_block }) => {
      const chain = selectChain(selector);
      const market = marketOf(chain.config);
      const exchanges =
        exchange === undefined ? requireExchanges(chain, market) : resolveExchanges(chain, market, exchange);
      const price = await getPrice(chain, { token: address, market, exchanges, to_block });
      return {
        nativePrice: { value: price.native.toString(), decimals: 18, ...market.coin },
        usdPrice: price.usd,
        exchangeAddress: price.exchange.factory,
        exchangeName: price.exchange.name,
        symbol: price.symbol,
      };
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
        token0: tokenMetadataToJson(tokens[0], metadata.get(tokens[0])),
        token1: tokenMetadataToJson(tokens[1], metadata.get(tokens[1])),
        pairAddress: address,
      };
    },
    getPairReserves: async ({ chain: selector, pair_address, ...parameters }) => {
      const chain = selectChain(selector);
      const block = await resolveBlock(chain, parameters);
      const reserves = await withNodeErrors(chain, block, async () =>
        readReserves(chain.node, pair_address, block ?? (await chain.node.getBlockNumber())),
      );
      if (!reserves) throw notFound(`${pair_address} is not a pair of an exchange`);
      const [reserve0, reserve1] = reserves;
      return { reserve0: reserve0.toString(), reserve1: reserve1.toString() };
    },
  } satisfies Partial<Handlers>;
}

async function getPrice(
  chain: ChainContext,
  query: { token: string; market: Market; exchanges: Exchange[]; to_block: number | undefined },
): Promise<TokenPrice & { symbol: string | null }> {
  const { token, market, exchanges, to_block } = query;
  const metadata = await loadTokenMetadata(chain, [...new Set([token, ...market.stables])], 20);
  const decimals = new Map<string, number>();
  for (const each of metadata.values()) if (each.decimals !== null) decimals.set(each.address, each.decimals);
  const tokenDecimals = decimals.get(token);
  if (tokenDecimals === undefined)
    throw notFound(`${token} has no price: its contract does not return decimals`);
  if (tokenDecimals > MAX_DECIMALS)
    throw notFound(`${token} has no price: with ${tokenDecimals} decimals a whole unit exceeds uint256`);
  try {
    const price = await withNodeErrors(chain, to_block, async () => {
      const block = to_block ?? (await chain.node.getBlockNumber());
      return tokenPrice(chain.node, { token, decimals, market, exchanges, block });
    });
    return { ...price, symbol: metadata.get(token)?.symbol ?? null };
  } catch (error) {
    if (error instanceof PriceUnavailableError) throw notFound(`${token} ${error.message}`);
    throw error;
  }
}

/** The pool of two tokens. Of several with different fees, the one with the most of the second token. */
async function findPair(
  { node }: ChainContext,
  exchanges: readonly Exchange[],
  tokens: readonly [string, string],
  to_block: number | undefined,
): Promise<Pool | PoolReference> {
  const block = to_block ?? (await node.getBlockNumber());
  const references = await findPools(node, exchanges, [tokens], block);
  const [first] = references;
  if (!first) throw notFound(`${tokens.join(" and ")} have no pair on this exchange`);
  if (references.length === 1) return first;
  const pools = await readPools(node, references, block);
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
function requireExchanges(chain: ChainContext, { exchanges }: Market): Exchange[] {
  if (exchanges.length > 0) return [...exchanges];
  throw new ProtocolError(
    ErrorCode.COMMAND_UNAVAILABLE,
    `no exchange is configured for chain "${chain.config.name}": set chains.${chain.config.name}.exchanges`,
    501,
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
