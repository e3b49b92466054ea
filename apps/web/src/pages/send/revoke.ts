/** An approval as in the URL. */
export interface Revocation {
  kind: "erc20" | "nft" | "nft_collection";
  token: string;
  /** Decimal; null except for one NFT. */
  tokenId: string | null;
  spender: string;
}

const APPROVE = "0x095ea7b3";
const SET_APPROVAL_FOR_ALL = "0xa22cb465";

/** Parses the search parameters of a revocation; undefined if they are invalid. */
export function parseRevocation(
  kind: Revocation["kind"],
  asset: string | undefined,
  spender: string | undefined,
): Revocation | undefined {
  const [, token, tokenId = null] = /^(0x[0-9a-f]{40})(?:\/(\d{1,78}))?$/i.exec(asset ?? "") ?? [];
  if (token === undefined || !/^0x[0-9a-f]{40}$/i.test(spender ?? "")) return undefined;
  if ((kind === "nft") !== (tokenId !== null)) return undefined;
  return { kind, token: token.toLowerCase(), tokenId, spender: (spender ?? "").toLowerCase() };
}

/** The call that revokes an approval: an allowance of 0, no operator, or the null address for one NFT. */
export function revokeCall({ kind, token, tokenId, spender }: Revocation): {
  to: string;
  data: string;
  value: bigint;
} {
  const data =
    kind === "nft"
      ? APPROVE + word(0n) + word(BigInt(tokenId ?? 0))
      : (kind === "erc20" ? APPROVE : SET_APPROVAL_FOR_ALL) + word(BigInt(spender)) + word(0n);
  return { to: token, data, value: 0n };
}

function word(value: bigint): string {
  return value.toString(16).padStart(64, "0");
}
