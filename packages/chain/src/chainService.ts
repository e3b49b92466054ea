import type { RestartPolicy, WorkerHealth } from "@purse/workers";
import type { Route } from "./endpoints/route.ts";
import type { UploadFolder } from "./endpoints/storage.ts";
import type { ChainFeed } from "./events/chainEvents.ts";
import type { ChainConfig } from "./model/chainConfig.ts";
import type { ChainStatus } from "./model/chainStatus.ts";
import type { Logger } from "./model/logger.ts";
import type { AskGateway } from "./names/offchainLookup.ts";
import type { FetchContent } from "./nft/fetchContent.ts";
import type { ContractCall } from "./node/chainNode.ts";
import type { ReadLimits } from "./store/indexReader.ts";

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
  log: Logger;
  /** Puts files into IPFS, as one folder; answers where each can be fetched. Without it nothing can be put there. */
  uploadFolder?: UploadFolder;
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
