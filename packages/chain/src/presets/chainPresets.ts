import { CHAIN_FACTS, type ChainFacts } from "./chainFacts.ts";

/** A well-known chain. */
export interface ChainPreset {
  /** EIP-155. */
  id: number;
  /** Name in settings and requests, in lower case with spaces. */
  name: string;
  /** Further names in requests. */
  aliases: readonly string[];
  /** Display name. */
  title: string;
  /** The native coin. */
  coin: ChainFacts["coin"];
  /** URL of the block explorer, without a trailing slash. */
  explorer: string | undefined;
  /** Address of Multicall3, in lower case. */
  multicall3: string | undefined;
  isTestnet: boolean;
  /**
   * Number of blocks, including its own, after which a block is final on nodes without the tag `finalized`; undefined
   * for local chains.
   */
  confirmations: number | undefined;
}

/** Two epochs of proof of stake, as on Ethereum. */
const EPOCHS = 64;
/** A majority of the validators of the BNB chain, and of chains with its consensus. */
const VALIDATORS = 15;
/** A block is accepted once, without forks: Avalanche, Tendermint, QBFT, HyperBFT. */
const INSTANT = 1;
/** Twenty minutes of blocks of two seconds, in which the batch of a rollup becomes final on Ethereum. */
const ROLLUP = 600;
const ETHER = { name: "Ether", symbol: "ETH", decimals: 18 };

/** The chains of the Moralis API of any time: id, names, and confirmations. */
const CHAINS: readonly [
  id: number,
  name: string,
  aliases: readonly string[],
  confirmations: number | undefined,
][] = [
  [1, "eth", ["mainnet", "ethereum"], EPOCHS],
  [3, "ropsten", ["testnet"], EPOCHS],
  [4, "rinkeby", [], EPOCHS],
  [5, "goerli", [], EPOCHS],
  [42, "kovan", [], EPOCHS],
  [11_155_111, "sepolia", ["eth testnet"], EPOCHS],
  [17_000, "holesky", [], EPOCHS],
  [560_048, "hoodi", [], EPOCHS],
  [137, "polygon", ["matic"], 256],
  [80_002, "polygon amoy", ["amoy"], 256],
  [80_001, "mumbai", ["matic testnet", "polygon testnet"], 256],
  [56, "bsc", ["binance", "binance smart chain"], VALIDATORS],
  [97, "bsc testnet", ["binance testnet", "binance smart chain testnet"], VALIDATORS],
  [42_161, "arbitrum", ["arbitrum one"], 4_800],
  [421_614, "arbitrum sepolia", ["arbitrum testnet"], 4_800],
  [8_453, "base", [], ROLLUP],
  [84_532, "base sepolia", [], ROLLUP],
  [10, "optimism", ["op mainnet"], ROLLUP],
  [11_155_420, "optimism sepolia", ["op sepolia"], ROLLUP],
  [59_144, "linea", [], ROLLUP],
  [59_141, "linea sepolia", [], ROLLUP],
  [43_114, "avalanche", ["avax"], INSTANT],
  [43_113, "avalanche testnet", ["avax testnet", "fuji", "avalanche fuji"], INSTANT],
  [250, "fantom", ["ftm"], INSTANT],
  [4_002, "fantom testnet", ["ftm testnet"], INSTANT],
  [25, "cronos", [], INSTANT],
  [338, "cronos testnet", [], INSTANT],
  [11_297_108_109, "palm", [], INSTANT],
  [100, "gnosis", ["xdai"], 48],
  [10_200, "gnosis testnet", ["chiado", "gnosis chiado"], 48],
  [88_888, "chiliz", ["chz"], VALIDATORS],
  [88_882, "chiliz testnet", ["spicy"], VALIDATORS],
  [1_284, "moonbeam", [], 20],
  [1_285, "moonriver", [], 20],
  [1_287, "moonbase", ["moonbase alpha"], 20],
  [747, "flow", [], INSTANT],
  [545, "flow testnet", [], INSTANT],
  [2_020, "ronin", [], VALIDATORS],
  [202_601, "ronin testnet", ["saigon"], VALIDATORS],
  [1_135, "lisk", [], ROLLUP],
  [4_202, "lisk sepolia", [], ROLLUP],
  [369, "pulse", ["pulsechain"], EPOCHS],
  [1_329, "sei", [], INSTANT],
  [1_328, "sei testnet", [], INSTANT],
  [143, "monad", [], 3],
  [999, "hyperevm", ["hyperliquid"], INSTANT],
  [1_337, "localdevchain", ["ganache", "hardhat", "local devchain", "dev"], undefined],
];

export const CHAIN_PRESETS: readonly ChainPreset[] = CHAINS.map(([id, name, aliases, confirmations]) => {
  const facts = CHAIN_FACTS[id];
  return {
    id,
    name,
    aliases,
    title: facts?.title ?? name,
    coin: facts?.coin ?? ETHER,
    explorer: facts?.explorer,
    multicall3: facts?.multicall3,
    isTestnet: facts?.isTestnet ?? true,
    confirmations,
  };
});

const BY_ID: ReadonlyMap<number, ChainPreset> = new Map(CHAIN_PRESETS.map((preset) => [preset.id, preset]));
const BY_NAME: ReadonlyMap<string, ChainPreset> = new Map(
  CHAIN_PRESETS.flatMap((preset) => namesOf(preset).map((name) => [name, preset])),
);

export function chainPresetOf(id: number): ChainPreset | undefined {
  return BY_ID.get(id);
}

/** Finds a chain by name (in any spelling) or by id in hex or decimal. */
export function findChainPreset(selector: string): ChainPreset | undefined {
  return BY_NAME.get(normalizeChainName(selector));
}

/** Names are compared in lower case, with spaces instead of underscores and hyphens. */
export function normalizeChainName(name: string): string {
  const words = name.trim().toLowerCase().replaceAll(/[_-]/g, " ");
  // Ids that clients pad to whole bytes: `0x0539`.
  return words.replace(/^(0x)?0+(?=[\da-f]+$)/, "$1");
}

function namesOf({ id, name, aliases }: ChainPreset): string[] {
  return [name, ...aliases, `0x${id.toString(16)}`, String(id)].map(normalizeChainName);
}
