import { toBytes } from "../model/hexBytes.ts";
import { positionOf } from "../model/rows.ts";
import { addressTopicBytes } from "./erc20Balances.ts";
import type { SqlValue } from "./indexReader.ts";

/** Options of a list, which is in descending order by default. */
export interface ListOptions {
  /** Both ends included. */
  fromBlock?: number | undefined;
  toBlock?: number | undefined;
  /** Only rows after this position in list order. */
  after?: IndexPosition | undefined;
  /** Ascending order. */
  ascending?: boolean;
  offset: number;
  limit: number;
}

/** Position of a log or transaction, with the index in a batch. */
export interface IndexPosition {
  position: number;
  part: number;
}

/** Transfers of a wallet, a collection, one of its tokens, or all. */
export type NftTransferSelection =
  | { wallet: string; direction: "both" | "to" | "from" }
  | { token: string; tokenId?: string }
  | Record<string, never>;

export interface UnionBranch {
  where: string;
  values: SqlValue[];
}

export function blockBoundsCondition({ fromBlock, toBlock }: ListOptions): {
  text: string;
  values: SqlValue[];
} {
  const values: SqlValue[] = [];
  let text = "";
  if (fromBlock !== undefined) {
    text += " AND position >= ?";
    values.push(positionOf(fromBlock, 0));
  }
  if (toBlock !== undefined) {
    text += " AND position < ?";
    values.push(positionOf(toBlock + 1, 0));
  }
  return { text, values };
}

export function cursorCondition(
  { after, ascending }: ListOptions,
  isBatched: boolean,
): { text: string; values: SqlValue[] } {
  if (!after) return { text: "", values: [] };
  const operator = ascending ? ">" : "<";
  if (!isBatched) return { text: ` AND position ${operator} ?`, values: [after.position] };
  return { text: ` AND (position, part) ${operator} (?, ?)`, values: [after.position, after.part] };
}

export function erc20TokenBranch(token: string): UnionBranch {
  return { where: "address = ? AND erc20 = 1", values: [toBytes(token)] };
}

export function erc20WalletBranches(wallet: string): UnionBranch[] {
  const topic = addressTopicBytes(wallet);
  return [
    { where: "erc20 = 1 AND topic1 = ?", values: [topic] },
    { where: "erc20 = 1 AND topic2 = ? AND topic1 <> ?", values: [topic, topic] },
  ];
}

export function nftBranches(selection: NftTransferSelection): UnionBranch[] {
  if ("token" in selection && selection.token !== undefined) {
    const values = [toBytes(selection.token), ...(selection.tokenId ? [toBytes(selection.tokenId)] : [])];
    return [{ where: selection.tokenId ? "token = ? AND token_id = ?" : "token = ?", values }];
  }
  if (!("wallet" in selection) || selection.wallet === undefined) return [{ where: "TRUE", values: [] }];
  const addressBytes = toBytes(selection.wallet);
  const from: UnionBranch = { where: "from_address = ?", values: [addressBytes] };
  if (selection.direction === "from") return [from];
  if (selection.direction === "to") return [{ where: "to_address = ?", values: [addressBytes] }];
  return [from, { where: "to_address = ? AND from_address <> ?", values: [addressBytes, addressBytes] }];
}
