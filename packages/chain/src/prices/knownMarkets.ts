import type { ChainConfig, Exchange, Market } from "../model/chainConfig.ts";
import { chainPresetOf } from "../presets/chainPresets.ts";
import { curveAndBalancer } from "../presets/curveAndBalancer.ts";
import { marketplacesOf } from "../presets/marketplaces.ts";
import { MARKETS } from "../presets/markets.ts";

const ETHER = { name: "Ether", symbol: "ETH" };
/** In US dollars: prices of smaller pools are too easy to manipulate. */
const MINIMUM_LIQUIDITY = 1_000;

/** The market of a chain: known values, overridden by the configuration. Addresses in lower case. */
export function marketOf({ id, market: configured = {} }: ChainConfig): Market {
  const known = MARKETS[id];
  const market: Market = {
    coin: coinOf(id),
    wrappedNative: undefined,
    stables: [],
    marketplaces: marketplacesOf(id),
    minimumLiquidity: MINIMUM_LIQUIDITY,
    ...known,
    exchanges: [...(known?.exchanges ?? []), ...curveAndBalancer(id)],
    ...configured,
  };
  return {
    ...market,
    wrappedNative: market.wrappedNative?.toLowerCase(),
    stables: market.stables.map((address) => address.toLowerCase()),
    exchanges: market.exchanges.map(({ pools, ...each }) => ({
      ...each,
      factory: each.factory.toLowerCase(),
      ...(pools && { pools: pools.map((pool) => pool.toLowerCase()) }),
    })),
    marketplaces: market.marketplaces.map((each) => ({ ...each, address: each.address.toLowerCase() })),
  };
}

/** Finds exchanges by name or factory address. */
export function findExchanges(exchanges: readonly Exchange[], name: string): Exchange[] {
  const normalized = normalizeName(name);
  return exchanges.filter(
    (each) => normalizeName(each.name) === normalized || each.factory === name.trim().toLowerCase(),
  );
}

function normalizeName(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

function coinOf(id: number): Market["coin"] {
  const { name, symbol } = chainPresetOf(id)?.coin ?? ETHER;
  return { name, symbol };
}
