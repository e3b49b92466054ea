import type { ChainConfig, Market } from "@purse/chain";
import type { DevChain } from "@purse/devchain";
import type { JsonObject } from "@purse/protocol";
import type { Config } from "@purse/server";

interface Currency {
  name: string;
  symbol: string;
}

const ETHER: Currency = { name: "Ether", symbol: "ETH" };

/** What people pay with on chains whose currency is not ether, by chain id. */
const CURRENCIES: ReadonlyMap<number, Currency> = new Map([
  [56, { name: "BNB", symbol: "BNB" }],
  [97, { name: "BNB", symbol: "tBNB" }],
  [137, { name: "POL", symbol: "POL" }],
  [80_001, { name: "MATIC", symbol: "MATIC" }],
  [250, { name: "Fantom", symbol: "FTM" }],
  [43_113, { name: "Avalanche", symbol: "AVAX" }],
  [43_114, { name: "Avalanche", symbol: "AVAX" }],
]);

/** The names that old clients have for their local chain. */
const LOCAL_NAMES = ["local devchain", "ganache", "hardhat", "dev"];
/** The default chain of old clients: the local chain stands in for it while there is no node for it. */
const ETH_NAMES = ["eth", "mainnet", "0x1"];

/** The chains that the data service follows: those that are configured, and the local one. */
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

/** What is traded on the local chain, and where. */
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

/** What the app is told at `/config.json`. Nodes other than the local one stay behind the server, with their keys. */
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
