import type { ChainConfig, Market } from "@purse/chain";
import type { DevChain } from "@purse/devchain";
import type { JsonObject } from "@purse/protocol";
import type { Config } from "@purse/server";

interface Currency {
  name: string;
  symbol: string;
}

const ETHER: Currency = { name: "Ether", symbol: "ETH" };

/** Native currencies other than ether, by chain id. */
const CURRENCIES: ReadonlyMap<number, Currency> = new Map([
  [56, { name: "BNB", symbol: "BNB" }],
  [97, { name: "BNB", symbol: "tBNB" }],
  [137, { name: "POL", symbol: "POL" }],
  [80_001, { name: "MATIC", symbol: "MATIC" }],
  [250, { name: "Fantom", symbol: "FTM" }],
  [43_113, { name: "Avalanche", symbol: "AVAX" }],
  [43_114, { name: "Avalanche", symbol: "AVAX" }],
]);

/** The names of the local chain in legacy clients. */
const LOCAL_NAMES = ["local devchain", "ganache", "hardhat", "dev"];
/** The default chain of legacy clients: the local chain replaces it while no node is configured for it. */
const ETH_NAMES = ["eth", "mainnet", "0x1"];

/** The chains that the data service indexes: the configured ones, and the local one. */
export function chainsFor({ chains }: Config, devChain: DevChain | undefined): ChainConfig[] {
  if (!devChain) return chains;
  const others = chains.filter(({ id }) => id !== devChain.chainId);
  const actsAsEth = !others.some(({ id }) => id === 1);
  const local: ChainConfig = {
    id: devChain.chainId,
    name: "localdevchain",
    aliases: actsAsEth ? [...LOCAL_NAMES, ...ETH_NAMES] : LOCAL_NAMES,
    rpcUrls: [devChain.url],
    market: localMarket(devChain),
    names: { ens: devChain.names.registry, unstoppable: devChain.names.reader },
  };
  return [local, ...others];
}

/** The markets of the local chain. */
function localMarket({ contracts: { market, dollar } }: DevChain): Partial<Market> {
  return {
    wrappedNative: market.weth.address,
    stables: [dollar.address],
    exchanges: [
      { name: "Uniswap v2", kind: "v2", factory: market.v2.factory.address },
      { name: "Uniswap v3", kind: "v3", factory: market.v3.factory.address },
    ],
    marketplaces: [
      { name: "opensea", address: market.marketplace.address },
      { name: "looksrare", address: market.bazaar.address },
    ],
  };
}

/** The app's configuration at `/config.json`. It contains no node URLs but the local one, because they may contain keys. */
export function appConfig(config: Config, devChain: DevChain | undefined): JsonObject {
  const development = config.environment === "development";
  return {
    development,
    listsClasses: config.allowClientClassList,
    passwordEndsSessions: config.revokeSessionOnPasswordReset,
    chains: chainsFor(config, devChain).map(({ id, name }) => ({
      id,
      hexId: `0x${id.toString(16)}`,
      name,
      rpcUrl: id === devChain?.chainId ? devChain.url : null,
      nativeCurrency: { ...(CURRENCIES.get(id) ?? ETHER), decimals: 18 },
    })),
    devWallets:
      development && devChain
        ? devChain.accounts.map(({ address, privateKey }) => ({ address, privateKey }))
        : [],
  };
}
