/** A token's name, symbol and decimals, as far as its contract tells. */
export interface TokenFacts {
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

/** A token and its id as one text. */
export function keyText({ token, tokenId }: NftKey): string {
  return token + tokenId;
}
