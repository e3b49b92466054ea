import type { JsonValue } from "@purse/protocol";
import type { RestartPolicy, WorkerHealth } from "@purse/workers";
import type { ChainFeed } from "./feed/feed.ts";
import type { AskGateway } from "./names/offchainLookup.ts";
import type { FetchContent } from "./nft/fetchedContent.ts";
import type { ContractCall } from "./node/chainNode.ts";
import type { NodeHealth } from "./node/rpc.ts";
import type { ReadLimits } from "./store/indexReader.ts";

export type { ContractCall, NodeHealth };

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

/** Takes what happens; fields are written as they are. */
export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** One endpoint: served below `/api/v2` and, under its function's name, as a server function. */
export interface Route {
  method: "GET" | "POST" | "PUT";
  /** With named segments: `/:address/erc20`. */
  path: string;
  functionName: string;
  /** Under which later clients call it. */
  otherNames: readonly string[];
  /** HTTP status of an answer. */
  status: number;
  /** The parameter that the whole body of a request is; undefined where its properties are parameters. */
  wholeBody: string | undefined;
  /** Takes path, query and body parameters in one object. Rejects with ProtocolError, which has an HTTP status. */
  run(params: Record<string, unknown>): Promise<JsonValue>;
  /** The same, with the HTTP status that this answer has. */
  answer(params: Record<string, unknown>): Promise<{ status: number; body: JsonValue }>;
}

export interface ChainStatus {
  /** EIP-155. */
  chain: number;
  name: string;
  scope: "chain" | "wallets";
  /**
   * syncing: catching up; following: at the head; unreachable: no node answers;
   * refused: the node is of another chain, or tells things that cannot be; stopped: the indexer has ended too often and
   * is not restarted.
   */
  state: "syncing" | "following" | "unreachable" | "refused" | "stopped";
  /** The first block that is wanted. */
  start: number;
  /** The node's newest block; null until it has answered. */
  head: number | null;
  /** The newest block that the network holds for safe, and for final; null where the node does not tell. */
  safe: number | null;
  finalized: number | null;
  /** The newest block in the index; null before the first. */
  indexed: number | null;
  /** Blocks between the two. */
  lag: number | null;
  /** How much of the chain is indexed, 0 to 100; null until the head is known. */
  percent: number | null;
  /** Of the last ten seconds. */
  blocksPerSecond: number;
  /** Until the head is reached at this speed, in s; null where that cannot be told. */
  etaSeconds: number | null;
  nodes: NodeHealth[];
  error?: string;
}

/** A token of which somebody may hold some; with an id, one piece or kind of it (EIP-721, EIP-1155). */
export interface Holding {
  /** Lower-case hex with 0x. */
  token: string;
  standard: "ERC20" | "ERC721" | "ERC1155";
  /** Decimal. */
  tokenId?: string;
}

export interface ChainService {
  /** In match order. */
  routes: Route[];
  status(): ChainStatus[];
  /** How the thread that indexes fares; undefined where no chain is indexed. */
  indexer(): WorkerHealth | undefined;
  /** Told of every change of a chain's status. Returns the way to be told no longer. */
  onStatus(listener: (status: ChainStatus) => void): () => void;
  /** Has the index of a chain hold what addresses do, where it does not hold everything. */
  watch(chainId: number, addresses: string[]): void;
  /** How many addresses an index of known wallets follows, and some of them: those that are still being read first. */
  knownWallets(
    chainId: number,
    most: number,
  ): Promise<{ count: number; results: { address: string; percent: number }[] }>;
  /**
   * The text of an NFT's metadata (a JSON object), by the parameters `chain`, `address` and `token_id` of endpoints;
   * undefined where the index has none. Rejects with ProtocolError 142.
   */
  metadataText(params: Record<string, unknown>): Promise<string | undefined>;
  /** The id (EIP-155) of the chain that a client's selector means. Throws ProtocolError 142. */
  chainIdOf(selector: unknown): number;
  /** Reads the index of a configured chain on and on; `onStatus` tells when there may be more. */
  feed(chainId: number): ChainFeed;
  /**
   * How much of a token owners (lower-case hex) hold together, in its smallest unit, by the transfers in the index.
   * undefined where the index is not at the head, and so nobody knows.
   */
  held(chainId: number, holding: Holding, owners: string[]): Promise<bigint | undefined>;
  /**
   * Runs a call on a chain's newest state, of which nothing stays; undefined where it fails in the contract. For
   * contracts that nobody vouches for: answers are small (64 KiB) and other work does not wait for them. Rejects
   * with Error where no node answers before `signal` ends it, or the answer is larger.
   */
  call(chainId: number, call: ContractCall, signal: AbortSignal): Promise<string | undefined>;
  /** Opens the index and begins to follow; does not wait for nodes. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface ChainServiceConfig {
  chains: ChainConfig[];
  /** Where the index is kept: a folder with a file for each chain, or a PostgreSQL with a schema for each. */
  database: { kind: "sqlite"; folder: string } | { kind: "postgres"; url: string; connections: number };
  log: Log;
  /** Puts files into IPFS, as one folder; answers where each can be fetched. Without it nothing can be put there. */
  uploadFolder?: (files: { path: string; content: JsonValue }[]) => Promise<{ path: string }[]>;
  /** Fetches the metadata of NFTs. Without it only what is on the chain itself is read. */
  fetchContent?: FetchContent;
  /** Asks the gateways of names that are resolved outside of chains (EIP-3668). Without it such names have no address. */
  askGateway?: AskGateway;
  /** How long to wait for the next block at the head, in ms. */
  pollMs?: number;
  /** What one read of an index may cost. */
  readLimits?: ReadLimits;
  /** When the indexer is restarted after it has ended, and how often. */
  restart?: RestartPolicy;
  /** The module that runs in the indexer's thread; another one for tests that end it. */
  indexerModule?: URL;
  /** How long to wait before metadata that could not be read is looked at again, in ms; then longer and longer. */
  retryMs?: number;
}
