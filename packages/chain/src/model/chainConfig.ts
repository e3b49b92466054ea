/** A chain to index. */
export interface ChainConfig {
  /** EIP-155. */
  id: number;
  name: string;
  /** Additional names for clients; case-insensitive. */
  aliases: string[];
  /** RPC nodes of the chain, in order of preference. */
  rpcUrls: string[];
  /** First block to index; default 0. */
  startBlock?: number;
  /**
   * chain (default): every block with all transactions and logs. wallets: token transfers of known addresses; their
   * history is indexed on the first query.
   */
  scope?: "chain" | "wallets";
  /** Sources of prices, pairs and trades; defaults to the known market of the chain id. */
  market?: Partial<Market>;
  /** Contracts for name resolution that replace the well-known ones of ENS and Unstoppable Domains. */
  names?: { ens?: string; unstoppable?: string };
}

/** Tokens and markets of a chain. Addresses are case-insensitive. */
export interface Market {
  /** The native coin; it has 18 decimals. */
  coin: { name: string; symbol: string };
  /** ERC-20 contract of the wrapped native coin. */
  wrappedNative: string | undefined;
  /** Stablecoins that are pegged to the US dollar. */
  stables: readonly string[];
  exchanges: readonly Exchange[];
  marketplaces: readonly Marketplace[];
  /** Min liquidity of a pool for its price to count, in US dollars. */
  minimumLiquidity: number;
}

export interface Exchange {
  /** Display name such as `Uniswap v2`; matched by letters and digits, case-insensitively. */
  name: string;
  /** Pool type: Uniswap v2 or v3. */
  kind: "v2" | "v3";
  factory: string;
  /** Fee tiers in millionths (v3 only); defaults to Uniswap's. */
  feeTiers?: readonly number[] | undefined;
}

export interface Marketplace {
  /** Determines the sale events: Seaport's OrderFulfilled, or TakerBid and TakerAsk of LooksRare v2. */
  name: "opensea" | "looksrare";
  address: string;
}
