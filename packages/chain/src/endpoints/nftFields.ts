import type { NftKey } from "../model/tokens.ts";
import { nftKeyString } from "../model/tokens.ts";
import type { MetadataRecord } from "../store/nftMetadata.ts";
import type { ChainContext } from "./chainContext.ts";
import { firstKeptBlock } from "./eventRetention.ts";

/** Format of token ids. */
export type TokenIdFormat = "decimal" | "hex";

/** Max characters of metadata per page; further rows are on the next page. */
const MAX_PAGE_CHARACTERS = 2 * 1024 * 1024;

/** Returns the first rows whose metadata fits into a page, at least one. `last` is the last row if there are more. */
export async function limitPageSize<Row extends NftKey>(
  chain: ChainContext,
  found: readonly Row[],
  limit: number,
): Promise<{ rows: Row[]; last: Row | undefined }> {
  const lengths = await chain.store.metadata.lengths(found);
  let length = 0;
  const end = found.findIndex((row, i) => {
    length += lengths.get(nftKeyString(row)) ?? 0;
    return i > 0 && length > MAX_PAGE_CHARACTERS;
  });
  const rows = found.slice(0, Math.min(limit, end < 0 ? limit : end));
  return { rows, last: found.length > rows.length ? rows.at(-1) : undefined };
}

/** The standard of a collection with transfers; undefined for other contracts. */
export async function collectionStandard(chain: ChainContext, token: string): Promise<number | undefined> {
  const { rows } = await chain.store.nftTransfers({ token }, { offset: 0, limit: 1, ascending: true });
  const [first] = rows;
  if (first || (await firstKeptBlock(chain)) === undefined) return first?.standard;
  const standard = (await chain.store.tokens.metadata([token])).get(token)?.standard;
  return standard === 721 || standard === 1155 ? standard : undefined;
}

export function metadataToFields(record: MetadataRecord | undefined) {
  return {
    token_uri: record?.uri ?? null,
    metadata: record?.metadata ?? null,
    synced_at: record?.syncedAt ? new Date(record.syncedAt).toISOString() : null,
  };
}

export function contractType(standard: number): string {
  return standard === 721 ? "ERC721" : "ERC1155";
}

export function formatTokenId(bytes: string, format: TokenIdFormat): string {
  const id = BigInt(bytes);
  return format === "hex" ? `0x${id.toString(16)}` : id.toString();
}
