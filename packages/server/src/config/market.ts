import type { Exchange, Market, Marketplace } from "@purse/chain";
import type { JsonObject } from "@purse/protocol";
import { isJsonObject } from "@purse/protocol";

const KEYS = ["coin", "wrappedNative", "stables", "exchanges", "marketplaces", "minimumLiquidity"] as const;

/**
 * Parses the exchanges and marketplaces in `chains.NAME` of the config file; undefined if there are none. Throws Error
 * that says what is invalid.
 */
export function parseMarket(name: string, chain: Record<string, unknown>): Partial<Market> | undefined {
  if (KEYS.every((key) => chain[key] === undefined)) return undefined;
  const at = (key: string) => `"chains.${name}.${key}" of the config file`;
  const market: Partial<Market> = {};
  if (chain.coin !== undefined) {
    const { name: coin, symbol } = parseObject(chain.coin, at("coin"), ["name", "symbol"]);
    market.coin = { name: parseText(coin, at("coin.name")), symbol: parseText(symbol, at("coin.symbol")) };
  }
  if (chain.wrappedNative !== undefined)
    market.wrappedNative = parseAddress(chain.wrappedNative, at("wrappedNative"));
  if (chain.stables !== undefined)
    market.stables = parseList(chain.stables, at("stables")).map((each) => parseAddress(each, at("stables")));
  if (chain.exchanges !== undefined)
    market.exchanges = parseList(chain.exchanges, at("exchanges")).map((each) =>
      parseExchange(each, at("exchanges")),
    );
  if (chain.marketplaces !== undefined)
    market.marketplaces = parseList(chain.marketplaces, at("marketplaces")).map((each) =>
      parseMarketplace(each, at("marketplaces")),
    );
  if (chain.minimumLiquidity !== undefined) {
    const dollars = chain.minimumLiquidity;
    if (typeof dollars !== "number" || !(dollars >= 0 && dollars < Number.POSITIVE_INFINITY))
      throw new Error(`${at("minimumLiquidity")} must be a number of dollars, 0 or more`);
    market.minimumLiquidity = dollars;
  }
  return market;
}

function parseExchange(value: unknown, where: string): Exchange {
  const { name, kind, factory, feeTiers } = parseObject(value, where, [
    "name",
    "kind",
    "factory",
    "feeTiers",
  ]);
  if (kind !== "v2" && kind !== "v3") throw new Error(`${where}: kind must be v2 or v3`);
  const found: Exchange = {
    name: parseText(name, `${where}: name`),
    kind,
    factory: parseAddress(factory, `${where}: factory`),
  };
  if (feeTiers === undefined) return found;
  const fees = parseList(feeTiers, `${where}: feeTiers`).map((fee) => {
    // A uint24 in the contract.
    if (typeof fee === "number" && Number.isInteger(fee) && fee >= 0 && fee < 2 ** 24) return fee;
    throw new Error(`${where}: feeTiers must be whole numbers, in millionths`);
  });
  return { ...found, feeTiers: fees };
}

function parseMarketplace(value: unknown, where: string): Marketplace {
  const { name, address: contract } = parseObject(value, where, ["name", "address"]);
  if (name !== "opensea" && name !== "looksrare")
    throw new Error(`${where}: name must be opensea or looksrare`);
  return { name, address: parseAddress(contract, `${where}: address`) };
}

function parseObject(value: unknown, where: string, keys: readonly string[]): JsonObject {
  if (!isJsonObject(value) || Object.keys(value).some((key) => !keys.includes(key)))
    throw new Error(`${where} must be an object with ${keys.join(", ")}`);
  return value;
}

function parseList(value: unknown, where: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new Error(`${where} must be a list`);
}

function parseAddress(value: unknown, where: string): string {
  if (typeof value === "string" && /^0x[0-9a-f]{40}$/i.test(value)) return value.toLowerCase();
  throw new Error(`${where} must be an address: 0x and 40 hexadecimal digits`);
}

function parseText(value: unknown, where: string): string {
  if (typeof value === "string" && value.trim() !== "" && value.length <= 100) return value;
  throw new Error(`${where} must be a string of 1 to 100 characters`);
}
