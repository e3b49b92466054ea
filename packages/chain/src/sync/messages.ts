import type { FetchedContent } from "../nft/fetchedContent.ts";
import type { IndexPlace } from "../store/database.ts";
import type { TokenFacts } from "../store/indexWriter.ts";
import type { NftKey } from "../store/nftMetadata.ts";
import type { ChainConfig, ChainStatus, Log } from "../types.ts";

/** What the thread that follows chains begins with. */
export interface ThreadData {
  chains: { config: ChainConfig; place: IndexPlace }[];
  pollMs: number;
  /** Before the second look at metadata that could not be read, in ms. */
  retryMs: number;
}

/** What is to be read again: one NFT's URI and metadata, the latter alone, or everything of a collection. */
export type Reread = { nft: NftKey; what: "uri" | "metadata" } | { collection: string };

/** Work for the thread that can be done twice; it answers `done` when it is. */
export type Command =
  | { kind: "watch"; chainId: number; addresses: string[] }
  | { kind: "learn"; chainId: number; tokens: TokenFacts[] }
  | { kind: "reread"; chainId: number; reread: Reread };

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
  | { kind: "log"; level: keyof Log; message: string; fields: Record<string, unknown> | undefined };
