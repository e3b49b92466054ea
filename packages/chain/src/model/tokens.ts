/** Name, symbol and decimals of a token; null if the contract does not provide them. */
export interface TokenMetadata {
  address: string;
  standard: number;
  name: string | null;
  symbol: string | null;
  decimals: number | null;
}

/** Metadata of tokens with the block up to which it was read at most, and the time (s since the epoch). */
export interface TokenMetadataReading {
  tokens: TokenMetadata[];
  block: number;
  readAt: number;
}

/** The form of a symbol or name in searches: trimmed and in lower case, by the rules of Unicode on each database. */
export function searchKey(text: string | null): string | null {
  return text === null ? null : text.normalize("NFC").trim().toLowerCase();
}

export interface NftKey {
  token: string;
  /** 32 bytes. */
  tokenId: string;
}

/** Map key of a token id. */
export function nftKeyString({ token, tokenId }: NftKey): string {
  return token + tokenId;
}
