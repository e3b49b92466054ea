import { type NftTransferRow, NULL_ADDRESS } from "../model/rows.ts";

/** Change of a token balance; negative for outgoing amounts. */
export interface NftBalanceChange {
  token: string;
  tokenId: string;
  owner: string;
  standard: number;
  amount: bigint;
}

/**
 * Sums up transfers by token, id and owner; `sign` -1 reverts them. The null address, which mints and burns, is no
 * owner.
 */
export function nftBalanceChanges(transfers: Iterable<NftTransferRow>, sign: 1 | -1): NftBalanceChange[] {
  const changes = new Map<string, NftBalanceChange>();
  const add = (transfer: NftTransferRow, owner: string, amount: bigint) => {
    if (owner === NULL_ADDRESS) return;
    const { token, tokenId, standard } = transfer;
    const key = token + tokenId + owner;
    const change = changes.get(key);
    if (change) {
      change.amount += amount;
      // The last transfer decides, whichever transfers are added together.
      change.standard = standard;
    } else changes.set(key, { token, tokenId, owner, standard, amount });
  };
  for (const transfer of transfers) {
    const amount = BigInt(transfer.amount) * BigInt(sign);
    add(transfer, transfer.from, -amount);
    add(transfer, transfer.to, amount);
  }
  return [...changes.values()].filter(({ amount }) => amount !== 0n);
}

/**
 * Whether the owners of ERC-721 tokens are known from their last transfers, by the definition of the index: an index of
 * known wallets does not contain all transfers.
 */
export function hasAllTransfers(definition: string | undefined): boolean {
  const { scope }: { scope?: string } = definition === undefined ? {} : JSON.parse(definition);
  return scope === "chain";
}

/** The ERC-721 tokens of transfers, each once. */
export function touchedErc721(transfers: readonly NftTransferRow[]): { token: string; tokenId: string }[] {
  const tokens = new Map(
    transfers
      .filter(({ standard }) => standard === 721)
      .map(({ token, tokenId }) => [token + tokenId, { token, tokenId }] as const),
  );
  return [...tokens.values()];
}

/** By token and id. The rows are in log order. */
export function lastReceivers(transfers: readonly NftTransferRow[]): ReadonlyMap<string, string> {
  const sorted = transfers.toSorted((a, b) => a.position - b.position || a.part - b.part);
  return new Map(sorted.map(({ token, tokenId, to }) => [token + tokenId, to]));
}
