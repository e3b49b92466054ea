import { type ChainConfig, chainPresetOf, type Market, marketOf } from "@purse/chain";
import type { DevChain } from "@purse/devchain";
import type { JsonObject } from "@purse/protocol";
import type { Config } from "@purse/server";

const ETHER = { name: "Ether", symbol: "ETH", decimals: 18 };

/** What the server knows about the local chain, which may run in another process. */
export type LocalChain = Omit<DevChain, "pid" | "stop">;

/** The names of the local chain in legacy clients. */
const LOCAL_NAMES = ["local devchain", "ganache", "hardhat", "dev"];
/** The default chain of legacy clients: the local chain replaces it while no node is configured for it. */
const ETH_NAMES = ["eth", "mainnet", "0x1"];

/** The chains that the data API indexes: the configured ones, and the local one, with what is configured for its id. */
export function chainsFor(
  { chains }: Pick<Config, "chains">,
  devChain: LocalChain | undefined,
): ChainConfig[] {
  if (!devChain) return chains;
  const others = chains.filter(({ id }) => id !== devChain.chainId);
  const configured = chains.find(({ id }) => id === devChain.chainId);
  const actsAsEth = !others.some(({ id }) => id === 1);
  const ownNames = configured ? [configured.name, ...configured.aliases] : [];
  const local: ChainConfig = {
    ...configured,
    id: devChain.chainId,
    name: "localdevchain",
    aliases: [...new Set([...LOCAL_NAMES, ...(actsAsEth ? ETH_NAMES : []), ...ownNames])],
    rpcUrls: [devChain.url],
    market: withConfigured(localMarket(devChain), configured?.market),
    names: { ens: devChain.names.registry, unstoppable: devChain.names.reader, ...configured?.names },
  };
  return [local, ...others];
}

/** The markets of the local chain. */
function localMarket({ contracts: { market, dollar } }: LocalChain): Partial<Market> {
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

/** The local markets and those that the configuration adds for the id of the local chain. */
function withConfigured(local: Partial<Market>, configured: Partial<Market> = {}): Partial<Market> {
  const { stables = [], exchanges = [], marketplaces = [] } = local;
  return {
    ...local,
    ...configured,
    stables: [...stables, ...(configured.stables ?? [])],
    exchanges: [...exchanges, ...(configured.exchanges ?? [])],
    marketplaces: [...marketplaces, ...(configured.marketplaces ?? [])],
  };
}

/** The public part of the password policy: the rules that errors mention, without the pattern. */
export function passwordRulesOf(
  policy: Pick<
    Config["passwordPolicy"],
    "minLength" | "isStrong" | "validationError" | "doNotAllowUsername" | "maxPasswordHistory"
  >,
) {
  return {
    minLength: policy.minLength,
    description: policy.isStrong ? policy.validationError : null,
    excludesUsername: policy.doNotAllowUsername,
    history: policy.maxPasswordHistory,
  };
}

/** The app's configuration at `/config.json`. It contains no node URLs but the local one, because they may contain keys. */
export function appConfig(config: Config, devChain: LocalChain | undefined): JsonObject {
  const development = config.environment === "development";
  return {
    development,
    listsClasses: config.allowClientClassList,
    passwordEndsSessions: config.revokeSessionOnPasswordReset,
    passwordRules: passwordRulesOf(config.passwordPolicy),
    chains: chainsFor(config, devChain).map((chain) => {
      const { id, name } = chain;
      return {
        id,
        hexId: `0x${id.toString(16)}`,
        name,
        title: chainPresetOf(id)?.title ?? name,
        rpcUrl: id === devChain?.chainId ? devChain.url : null,
        nativeCurrency: chainPresetOf(id)?.coin ?? ETHER,
        wrappedNative: marketOf(chain).wrappedNative ?? null,
      };
    }),
    devWallets:
      development && devChain
        ? devChain.accounts.map(({ address, privateKey }) => ({ address, privateKey }))
        : [],
  };
}
