import type { NftTransferRow } from "../model/rows.ts";

/** An NFT found in a transfer. */
export interface DiscoveredNft extends Pick<NftTransferRow, "token" | "tokenId" | "standard"> {
  /** Position of the first transfer. */
  position: number;
}

/** The distinct tokens of transfers. */
export function discoverNfts(transfers: readonly NftTransferRow[]): DiscoveredNft[] {
  const discovered = new Map<string, DiscoveredNft>();
  for (const { token, tokenId, standard, position } of transfers) {
    const previous = discovered.get(token + tokenId);
    if (!previous || previous.position > position) {
      discovered.set(token + tokenId, { token, tokenId, standard, position });
    }
  }
  return [...discovered.values()];
}
