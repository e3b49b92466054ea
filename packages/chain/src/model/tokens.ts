/** Name, symbol and decimals of a token; null if the contract does not provide them. */
export interface TokenMetadata {
  address: string;
  standard: number;
  name: string | null;
  symbol: string | null;
  decimals: number | null;
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
