import type { ChainConfig } from "../model/chainConfig.ts";
import type { ChainStatus } from "../model/chainStatus.ts";
import type { Logger } from "../model/logger.ts";
import type { TokenFacts } from "../model/tokens.ts";
import type { FetchedContent } from "../nft/fetchContent.ts";
import type { MetadataRefresh } from "../nft/metadataRefresh.ts";
import type { IndexLocation } from "../store/indexLocation.ts";

/** What the thread that follows chains begins with. */
export interface ThreadData {
  chains: { config: ChainConfig; place: IndexLocation }[];
  pollMs: number;
  /** Before the second look at metadata that could not be read, in ms. */
  retryMs: number;
}

/** Work for the thread that can be done twice; it answers `done` when it is. */
export type Command =
  | { kind: "watch"; chainId: number; addresses: string[] }
  | { kind: "learn"; chainId: number; tokens: TokenFacts[] }
  | { kind: "reread"; chainId: number; reread: MetadataRefresh };

export type ToThread =
  | { kind: "stop" }
  | { kind: "command"; id: number; command: Command }
  | { kind: "fetched"; id: number; content: FetchedContent };

export type FromThread =
  | { kind: "stopped" }
  | { kind: "status"; status: ChainStatus }
  /** More of the history of some addresses is in the index. */
  | { kind: "history"; chainId: number; addresses: string[] }
  /** A command has been carried out. */
  | { kind: "done"; id: number }
  /** Only the main thread has the way to the content of URIs. */
  | { kind: "fetch"; id: number; uri: string; maxBytes: number; deadlineMs: number }
  | { kind: "log"; level: keyof Logger; message: string; fields: Record<string, unknown> | undefined };
