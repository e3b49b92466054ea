/** A chain to follow. */
export interface ChainConfig {
  /** EIP-155. */
  id: number;
  name: string;
  /** Other names that clients may call it by, any case. */
  aliases: string[];
  /** Nodes of the same chain; the first that answers is used. */
  rpcUrls: string[];
  /** The first block to index; 0 where it is not given. */
  startBlock?: number;
  /**
   * chain (where it is not given): every block, with all transactions and logs. wallets: the tokens that known
   * addresses move; their history is read when they are first asked about.
   */
  scope?: "chain" | "wallets";
  /** What prices, pairs and trades are read from; what is known of the chain's id where it is not given. */
  market?: Partial<Market>;
  /** Contracts by which names are resolved, where they are not those of ENS and Unstoppable Domains that all know. */
  names?: { ens?: string; unstoppable?: string };
}

/** What is traded on a chain, and where. Addresses in any case. */
export interface Market {
  /** The chain's own coin; it has 18 decimals. */
  coin: { name: string; symbol: string };
  /** The coin as an ERC-20 token. */
  wrappedNative: string | undefined;
  /** Tokens that are worth a dollar each. */
  stables: readonly string[];
  exchanges: readonly Exchange[];
  marketplaces: readonly Marketplace[];
  /** How much a pool must hold of what a token is paid with for its price to count, in dollars. */
  minimumLiquidity: number;
}

export interface Exchange {
  /** As people write it, such as `Uniswap v2`; found by its letters and digits, in any case. */
  name: string;
  /** How its pools work: as those of Uniswap's second or third version. */
  kind: "v2" | "v3";
  factory: string;
  /** Of its pools, in millionths (kind v3); Uniswap's where it is not given. */
  feeTiers?: readonly number[] | undefined;
}

export interface Marketplace {
  /** Says how its sales are told: Seaport's OrderFulfilled, or TakerBid and TakerAsk of LooksRare's second version. */
  name: "opensea" | "looksrare";
  address: string;
}
