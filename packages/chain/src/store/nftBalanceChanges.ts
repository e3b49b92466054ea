import { type NftTransferRow, NULL_ADDRESS } from "../model/rows.ts";

/** What transfers add to what somebody holds of a token; below zero for what was given away. */
export interface NftSum {
  token: string;
  tokenId: string;
  owner: string;
  standard: number;
  amount: bigint;
}

/**
 * Adds transfers up by token, id and owner; `sign` -1 takes them back. Nobody holds what was not yet minted or has
 * been burnt.
 */
export function nftSums(transfers: Iterable<NftTransferRow>, sign: 1 | -1): NftSum[] {
  const sums = new Map<string, NftSum>();
  const add = (transfer: NftTransferRow, owner: string, amount: bigint) => {
    if (owner === NULL_ADDRESS) return;
    const { token, tokenId, standard } = transfer;
    const key = token + tokenId + owner;
    const sum = sums.get(key);
    if (sum) sum.amount += amount;
    else sums.set(key, { token, tokenId, owner, standard, amount });
  };
  for (const transfer of transfers) {
    const amount = BigInt(transfer.amount) * BigInt(sign);
    add(transfer, transfer.from, -amount);
    add(transfer, transfer.to, amount);
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0n);
}
