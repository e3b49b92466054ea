import type { NftKey } from "../model/tokens.ts";
import { keyText } from "../model/tokens.ts";
import type { KnownMetadata } from "../store/nftMetadata.ts";
import type { FollowedChain } from "./chainContext.ts";

/** How the ids of tokens are written. */
export type Format = "decimal" | "hex";

/** Characters of metadata in one page: what is longer is on the next one. */
const MAX_PAGE = 8 * 1024 * 1024;

/**
 * The first rows of what was found, as many as are wanted and their metadata fits in; one in any case. `last` is the
 * last of them where there are more.
 */
export async function fittingPage<Row extends NftKey>(
  chain: FollowedChain,
  found: readonly Row[],
  limit: number,
): Promise<{ rows: Row[]; last: Row | undefined }> {
  const lengths = await chain.store.metadata.lengths(found);
  let length = 0;
  const end = found.findIndex((row, i) => {
    length += lengths.get(keyText(row)) ?? 0;
    return i > 0 && length > MAX_PAGE;
  });
  const rows = found.slice(0, Math.min(limit, end < 0 ? limit : end));
  return { rows, last: found.length > rows.length ? rows.at(-1) : undefined };
}

export function metadataFields(known: KnownMetadata | undefined) {
  return {
    token_uri: known?.uri ?? null,
    metadata: known?.metadata ?? null,
    synced_at: known?.syncedAt ? new Date(known.syncedAt).toISOString() : null,
  };
}

export function contractType(standard: number): string {
  return standard === 721 ? "ERC721" : "ERC1155";
}

/** The 32 bytes of a token's id. */
export function idBytes(id: bigint): string {
  return `0x${id.toString(16).padStart(64, "0")}`;
}

export function idText(bytes: string, format: Format): string {
  const id = BigInt(bytes);
  return format === "hex" ? `0x${id.toString(16)}` : id.toString();
}
