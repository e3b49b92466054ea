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
  /**
   * Whether the transfers and creations of contracts are indexed, which requires nodes that trace blocks. Only with the
   * scope `chain`.
   */
  traces?: boolean;
  /**
   * Whether the nodes may replace final blocks, as those of a test chain do that is started anew; by default only on the
   * chains of a developer's machine (1337, 31337).
   */
  resets?: boolean;
  /** Whether blocks are verified by the roots of their transactions and receipts, where they are those of Ethereum; default. */
  verifyRoots?: boolean;
  /**
   * The age of the latest block, in s, from which on the chain counts as standing still; 0 for never. By default, it
   * follows from the times of the latest blocks, and is 0 on chains that may be reset.
   */
  stalledSeconds?: number;
  /** Where its index is stored, if not in the database of the other indexes. */
  database?: IndexDatabase;
  /**
   * Blocks of a partition of the events, in PostgreSQL; for an index with others, a new one is built beside it. Without
   * it, an index keeps its partitions, and a new one has none.
   */
  partitionBlocks?: number;
  /** How many blocks to keep the events of, in an index in SQLite or with partitions; all of them by default. */
  keepBlocks?: number;
  /** How many days to keep the events of, at least those of 10,000 blocks. With `keepBlocks`, what either keeps. */
  keepDays?: number;
  /** Sources of prices, pairs and trades; defaults to the known market of the chain id. */
  market?: Partial<Market>;
  /** EntryPoint contracts of user operations; defaults to the well-known ones. */
  entryPoints?: readonly EntryPoint[];
  /** Lists that label token contracts. */
  labels?: Labels;
  /** Contracts for name resolution that replace the well-known ones of ENS and Unstoppable Domains. */
  names?: { ens?: string; unstoppable?: string };
}

/** A PostgreSQL database for indexes. */
export interface IndexDatabase {
  url: string;
  /** Without a pooler; if it is set, `url` may be that of a pooler in transaction mode. */
  directUrl?: string;
  /** Maximum number of connections for requests, which all chains of the database share. */
  connections: number;
}

/** Versions of the EntryPoint contract (ERC-4337), which differ in the encoding of user operations. */
export const ENTRY_POINT_VERSIONS = ["0.6", "0.7", "0.8"] as const;

export interface EntryPoint {
  version: (typeof ENTRY_POINT_VERSIONS)[number];
  address: string;
}

/** The operator's lists of token contracts, and repositories of sources. Addresses are case-insensitive. */
export interface Labels {
  /** Paths or URLs of token lists (https://tokenlists.org), whose tokens are verified and have logos. */
  tokenLists?: readonly string[];
  spam?: readonly string[];
  verified?: readonly string[];
  /** Folders or URLs with verified sources of contracts, in the layout of Sourcify's repository. */
  sources?: readonly string[];
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

/**
 * Kinds of exchanges: Uniswap v2, v3 and v4, Curve, the vaults of Balancer v2 and v3, and their forks. In the order of
 * the documentation.
 */
export const EXCHANGE_KINDS = ["v2", "v3", "v4", "curve", "balancer-v2", "balancer-v3"] as const;

export interface Exchange {
  /** Display name such as `Uniswap v2`; matched by letters and digits, case-insensitively. */
  name: string;
  kind: (typeof EXCHANGE_KINDS)[number];
  /** The factory (v2, v3), the pool manager (v4), the meta registry or a factory (Curve), or the vault (Balancer). */
  factory: string;
  /** Fee tiers in millionths (v3 and v4 only); defaults to Uniswap's. */
  feeTiers?: readonly number[] | undefined;
  /**
   * Pools that count in addition to those of the registry (Curve), or the only ones that count for prices (Balancer):
   * addresses, or ids of 32 bytes (Balancer v2).
   */
  pools?: readonly string[] | undefined;
}

/** Names of marketplaces: opensea is Seaport and Wyvern. */
export const MARKETPLACE_NAMES = ["opensea", "looksrare", "blur", "x2y2", "sudoswap", "0xprotocol"] as const;

export interface Marketplace {
  name: (typeof MARKETPLACE_NAMES)[number];
  /** The contract that logs the sales; for sudoswap, the factory whose pairs log them. */
  address: string;
}
