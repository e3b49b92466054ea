import type { ChainConfig } from "../model/chainConfig.ts";
import type { ChainStatus } from "../model/chainStatus.ts";
import type { Logger } from "../model/logger.ts";
import type { BlockIdentity } from "../model/rows.ts";
import type { TokenMetadataReading } from "../model/tokens.ts";
import type { FetchedContent } from "../nft/fetchContent.ts";
import type { MetadataRefresh } from "../nft/metadataRefresh.ts";
import type { IndexLocation } from "../store/indexLocation.ts";
import type { IndexedRange } from "./scope.ts";

/** A chain to index, and where its index is stored. */
export interface LocatedChain {
  config: ChainConfig;
  location: IndexLocation;
}

/** Start data of the worker. */
export interface IndexerWorkerData {
  chains: LocatedChain[];
  /** Whether this process may become the one that indexes. */
  canIndex: boolean;
  pollMs: number;
  /** Delay before failed metadata is read again, in ms. */
  retryMs: number;
  /** Whether the times of each written range are reported. */
  reportsRanges: boolean;
  /** Whether an earlier thread of this process has been ready. */
  isRestart: boolean;
}

/** An idempotent command for the worker, which confirms it with `done`. */
export type Command =
  | { kind: "watch"; chainId: number; addresses: string[] }
  | { kind: "saveTokenMetadata"; chainId: number; reading: TokenMetadataReading }
  | { kind: "refreshMetadata"; chainId: number; refresh: MetadataRefresh };

export type HostMessage =
  | { kind: "stop" }
  | { kind: "command"; id: number; command: Command }
  | { kind: "fetched"; id: number; content: FetchedContent };

export type WorkerMessage =
  | { kind: "stopped" }
  | { kind: "status"; status: ChainStatus }
  /** The history of addresses has been extended. */
  | { kind: "history"; chainId: number; addresses: string[] }
  /** The final block that the nodes of the chain must have. */
  | { kind: "final"; chainId: number; block: BlockIdentity }
  | { kind: "indexed"; range: IndexedRange }
  /** A command has been executed. */
  | { kind: "done"; id: number }
  /** Content is fetched by the main thread, which has the restrictions on outbound requests. */
  | { kind: "fetch"; id: number; uri: string; maxBytes: number; deadlineMs: number }
  | { kind: "log"; level: keyof Logger; message: string; fields: Record<string, unknown> | undefined };
