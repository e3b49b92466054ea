import type { NftKey } from "../model/tokens.ts";

/** What to refresh: one NFT's URI and metadata, its metadata only, or a whole collection. */
export type MetadataRefresh = { nft: NftKey; target: "uri" | "metadata" } | { collection: string };
