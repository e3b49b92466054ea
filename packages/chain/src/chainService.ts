import type { JsonValue } from "@purse/protocol";
import type { RestartPolicy, WorkerHealth } from "@purse/workers";
import type { Route } from "./endpoints/route.ts";
import type { UploadFolder } from "./endpoints/storage.ts";
import type { BlockReader } from "./events/blockReader.ts";
import type { ChainEventReader } from "./events/chainEvents.ts";
import type { IndexedRange } from "./indexer/scope.ts";
import type { ChainConfig } from "./model/chainConfig.ts";
import type { ChainStatus } from "./model/chainStatus.ts";
import type { Logger } from "./model/logger.ts";
import type { FetchContent } from "./nft/fetchContent.ts";
import type { ContractCall } from "./node/chainNode.ts";
import type { ReadLimits } from "./store/indexReader.ts";

/** A token; with `tokenId`, one id of a collection (EIP-721, EIP-1155). */
export interface TokenReference {
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
  /** State of the indexer worker; undefined if no chain is indexed. */
  indexer(): WorkerHealth | undefined;
  /** Subscribes to changes of a chain's status. Returns a function that unsubscribes. */
  onStatus(listener: (status: ChainStatus) => void): () => void;
  /** Adds addresses to an index that covers known wallets only, and polls the chain's node immediately. */
  watch(chainId: number, addresses: string[]): void;
  /** Returns the number of watched wallets and up to `limit` of them; wallets with unfinished history come first. */
  watchedWallets(
    chainId: number,
    limit: number,
  ): Promise<{ count: number; results: { address: string; percent: number }[] }>;
  /**
   * Returns the JSON text of an NFT's metadata for the endpoint parameters `chain`, `address` and `token_id`;
   * undefined if the index has none. Rejects with ProtocolError 142.
   */
  readNftMetadata(params: Record<string, unknown>): Promise<string | undefined>;
  /** Returns the id (EIP-155) of the chain that a client selects. Throws ProtocolError 142. */
  resolveChainId(selector: unknown): number;
  /** Returns a reader of the events of a configured chain. `onStatus` reports when there may be new ones. */
  eventReader(chainId: number): ChainEventReader;
  /** Returns a reader of whole blocks of a configured chain. */
  blockReader(chainId: number): BlockReader;
  /**
   * Returns the total balance of owners (lower-case hex) in the token's smallest unit, computed from indexed
   * transfers. undefined if the index is not at the head.
   */
  getBalance(chainId: number, holding: TokenReference, owners: string[]): Promise<bigint | undefined>;
  /**
   * Executes a call on a chain's latest state; undefined if the contract reverts. Intended for untrusted contracts:
   * results are limited to 64 KiB and other requests do not wait for them. Rejects with Error if no node responds
   * before `signal` aborts, or if the result is larger.
   */
  call(chainId: number, call: ContractCall, signal: AbortSignal): Promise<string | undefined>;
  /** Calls a JSON-RPC method of a chain's node, for trusted callers. Rejects with ProtocolError 141. */
  request(chainId: number, method: string, params: JsonValue[]): Promise<JsonValue>;
  /** Opens the index and starts indexing; does not wait for nodes. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface ChainServiceConfig {
  chains: ChainConfig[];
  /**
   * Where indexes are stored: a directory with one file per chain, or a PostgreSQL database with one schema per
   * chain. With `clickHouseUrl`, transactions, logs, transfers and sales are in ClickHouse instead. `removalBlocks` are
   * the blocks whose events are removed together, if old ones are; 1,000 by default.
   */
  database: { clickHouseUrl?: string } & (
    | { kind: "sqlite"; folder: string; removalBlocks?: number }
    /**
     * `connections` are those of all chains for requests. With `directUrl`, `url` may be that of a pooler.
     * `partitionBlocks` applies to chains without their own.
     */
    | { kind: "postgres"; url: string; connections: number; directUrl?: string; partitionBlocks?: number }
  );
  log: Logger;
  /** Whether this process may index; otherwise another one has to, with the same PostgreSQL. True by default. */
  canIndex?: boolean;
  /** Adds files to IPFS as one directory; returns the address of each. Without it, uploads are unavailable. */
  uploadFolder?: UploadFolder;
  /** Fetches the metadata of NFTs. Without it, only on-chain metadata is read. */
  fetchContent?: FetchContent;
  /**
   * Allowed origins of gateways for names that are resolved off-chain (EIP-3668); `*` allows all public ones. Without
   * them, such names do not resolve.
   */
  nameGateways?: readonly string[];
  /** Poll interval for the next block at the head, in ms. */
  pollMs?: number;
  /** Limits of one read of an index. */
  readLimits?: ReadLimits;
  /**
   * Signs cursors; the same for all processes that share an index, and after restarts. Random by default.
   */
  cursorKey?: Uint8Array;
  /** When and how often the indexer is restarted after it exits. */
  restart?: RestartPolicy;
  /** Called with each range of blocks that has been written, with the times of its steps. */
  onIndexed?: (range: IndexedRange) => void;
  /** The module of the indexer worker. Tests replace it with one that they can crash. */
  indexerModule?: URL;
  /** Delay before failed metadata is read again, in ms; grows with each attempt. */
  retryMs?: number;
  /** How long requests after the start wait for the first blocks to be indexed, in ms. */
  firstSyncMs?: number;
}
