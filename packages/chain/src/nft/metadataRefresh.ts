import type { NftKey } from "../model/tokens.ts";

/** What is to be read again: one NFT's URI and metadata, the latter alone, or everything of a collection. */
export type MetadataRefresh = { nft: NftKey; what: "uri" | "metadata" } | { collection: string };
