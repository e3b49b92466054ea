import type { NftTransferRow } from "../model/rows.ts";

/** An NFT that has moved. */
export interface NftSighting extends Pick<NftTransferRow, "token" | "tokenId" | "standard"> {
  /** Of the first transfer. */
  position: number;
}

/** The tokens of some transfers, each once. */
export function nftSightings(transfers: readonly NftTransferRow[]): NftSighting[] {
  const seen = new Map<string, NftSighting>();
  for (const { token, tokenId, standard, position } of transfers) {
    const before = seen.get(token + tokenId);
    if (!before || before.position > position) {
      seen.set(token + tokenId, { token, tokenId, standard, position });
    }
  }
  return [...seen.values()];
}
