import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import type { Exchange, Market } from "../model/chainConfig.ts";
import { exchangesNamed, marketOf } from "../prices/knownMarkets.ts";
import { findPools, type Pool, type PoolPlace, pairOf, readPools, readReserves } from "../prices/pools.ts";
import { NoPrice, type TokenPrice, tokenPrice } from "../prices/tokenPrice.ts";
import { asked, type ChainOf, type FollowedChain, notFound } from "./chainContext.ts";
import { metadataObject } from "./erc20.ts";
import { blockBounds } from "./lists.ts";
import { invalid } from "./parameters.ts";
import { routeOf } from "./routes.ts";
import { knownTokens } from "./tokenMetadata.ts";

/** 10^78 is more than a uint256 holds: of such a token there is no whole one. */
const MAX_DECIMALS = 77;

/** What tokens cost on decentralised exchanges, and what their pools hold. */
export function defiRoutes(chainOf: ChainOf) {
  return [
    routeOf("getTokenPrice", async ({ chain: selector, address, exchange, to_block }) => {
      const chain = chainOf(selector);
      const market = marketOf(chain.config);
      const exchanges =
        exchange === undefined ? tradedOn(chain, market) : exchangesOf(chain, market, exchange);
      const price = await priceOf(chain, { token: address, market, exchanges, to_block });
      return {
        nativePrice: { value: price.native.toString(), decimals: 18, ...market.coin },
        usdPrice: price.usd,
        exchangeAddress: price.exchange.factory,
        exchangeName: price.exchange.name,
        symbol: price.symbol,
      };
    }),
    routeOf("getPairAddress", async ({ chain: selector, exchange, ...parameters }) => {
      const chain = chainOf(selector);
      const { token0_address: one, token1_address: other } = parameters;
      if (one === other) throw invalid("token0_address and token1_address must be two tokens");
      const exchanges = exchangesOf(chain, marketOf(chain.config), exchange);
      const block = await blockAt(chain, parameters);
      const { address, tokens } = await asked(chain, block, () =>
        pairAt(chain, exchanges, pairOf(one, other), block),
      );
      const facts = await knownTokens(chain, [...tokens], 20);
      return {
        token0: metadataObject(tokens[0], facts.get(tokens[0])),
        token1: metadataObject(tokens[1], facts.get(tokens[1])),
        pairAddress: address,
      };
    }),
    routeOf("getPairReserves", async ({ chain: selector, pair_address, ...parameters }) => {
      const chain = chainOf(selector);
      const block = await blockAt(chain, parameters);
      const reserves = await asked(chain, block, async () =>
        readReserves(chain.node, pair_address, block ?? (await chain.node.headNumber())),
      );
      if (!reserves) throw notFound(`${pair_address} is not a pair of an exchange`);
      const [reserve0, reserve1] = reserves;
      return { reserve0: reserve0.toString(), reserve1: reserve1.toString() } satisfies JsonObject;
    }),
  ];
}

async function priceOf(
  chain: FollowedChain,
  question: { token: string; market: Market; exchanges: Exchange[]; to_block: number | undefined },
): Promise<TokenPrice & { symbol: string | null }> {
  const { token, market, exchanges, to_block } = question;
  const facts = await knownTokens(chain, [...new Set([token, ...market.stables])], 20);
  const decimals = new Map<string, number>();
  for (const each of facts.values()) if (each.decimals !== null) decimals.set(each.address, each.decimals);
  const own = decimals.get(token);
  if (own === undefined) throw notFound(`${token} has no price: it does not tell how many decimals it has`);
  if (own > MAX_DECIMALS)
    throw notFound(`${token} has no price: with ${own} decimals there can be no whole one of it`);
  try {
    const price = await asked(chain, to_block, async () => {
      const block = to_block ?? (await chain.node.headNumber());
      return tokenPrice(chain.node, { token, decimals, market, exchanges, block });
    });
    return { ...price, symbol: facts.get(token)?.symbol ?? null };
  } catch (error) {
    if (error instanceof NoPrice) throw notFound(`${token} ${error.message}`);
    throw error;
  }
}

/** The pool of two tokens; where there are several, of different fees, the one that holds most of the second. */
async function pairAt(
  { node }: FollowedChain,
  exchanges: readonly Exchange[],
  tokens: readonly [string, string],
  to_block: number | undefined,
): Promise<Pool | PoolPlace> {
  const block = to_block ?? (await node.headNumber());
  const places = await findPools(node, exchanges, [tokens], block);
  const [first] = places;
  if (!first) throw notFound(`${tokens.join(" and ")} have no pair on this exchange`);
  if (places.length === 1) return first;
  const pools = await readPools(node, places, block);
  return (
    pools.reduce<Pool | undefined>((best, pool) => {
      return best && best.depth[1] >= pool.depth[1] ? best : pool;
    }, undefined) ?? first
  );
}

/** The block that a caller means; undefined for the newest. */
async function blockAt(
  chain: FollowedChain,
  { to_block, to_date }: { to_block?: number | undefined; to_date?: number | undefined },
): Promise<number | undefined> {
  if (to_block !== undefined || to_date === undefined) return to_block;
  const { toBlock } = await blockBounds(chain, { to_date });
  if (toBlock === undefined || toBlock < 0) throw notFound("there was no block yet at to_date");
  return toBlock;
}

/** Throws ProtocolError with HTTP 501 where no exchange of the chain is known. */
function tradedOn(chain: FollowedChain, { exchanges }: Market): Exchange[] {
  if (exchanges.length > 0) return [...exchanges];
  throw new ProtocolError(
    ErrorCode.COMMAND_UNAVAILABLE,
    `no exchange is known on chain "${chain.config.name}": chains.${chain.config.name}.exchanges names them`,
    501,
  );
}

/** The exchanges of a name. Throws ProtocolError 142 that says which there are. */
function exchangesOf(chain: FollowedChain, market: Market, name: string): Exchange[] {
  const all = tradedOn(chain, market);
  const found = exchangesNamed(all, name);
  if (found.length > 0) return found;
  const names = all.map((each) => each.name).join(", ");
  throw invalid(`exchange must be one of those on chain "${chain.config.name}": ${names}`);
}
