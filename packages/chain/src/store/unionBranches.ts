import { toBytes } from "../model/hexBytes.ts";
import { positionOf } from "../model/rows.ts";
import { topicBytes } from "./erc20Balances.ts";
import type { SqlValue } from "./indexReader.ts";

/** Which part of a list is wanted; lists go from the newest to the oldest. */
export interface Window {
  /** Both ends included. */
  fromBlock?: number | undefined;
  toBlock?: number | undefined;
  /** Only what comes after (is older than) this place. */
  after?: Place | undefined;
  /** From the oldest to the newest instead. */
  ascending?: boolean;
  offset: number;
  limit: number;
}

/** A log's or transaction's position, and the part of a batch. */
export interface Place {
  position: number;
  part: number;
}

/** Whose transfers: a wallet's, a collection's, one token's of it, or everybody's. */
export type NftSelection =
  | { wallet: string; direction: "both" | "to" | "from" }
  | { token: string; tokenId?: string }
  | Record<string, never>;

export interface Arm {
  where: string;
  values: SqlValue[];
}

export function boundsOf({ fromBlock, toBlock }: Window): { text: string; values: SqlValue[] } {
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

export function seekOf(
  { after, ascending }: Window,
  hasParts: boolean,
): { text: string; values: SqlValue[] } {
  if (!after) return { text: "", values: [] };
  const than = ascending ? ">" : "<";
  if (!hasParts) return { text: ` AND position ${than} ?`, values: [after.position] };
  return { text: ` AND (position, part) ${than} (?, ?)`, values: [after.position, after.part] };
}

export function erc20OfToken(token: string): Arm {
  return { where: "address = ? AND erc20 = 1", values: [toBytes(token)] };
}

export function erc20OfWallet(wallet: string): Arm[] {
  const own = topicBytes(wallet);
  return [
    { where: "erc20 = 1 AND topic1 = ?", values: [own] },
    { where: "erc20 = 1 AND topic2 = ? AND topic1 <> ?", values: [own, own] },
  ];
}

export function nftArms(of: NftSelection): Arm[] {
  if ("token" in of && of.token !== undefined) {
    const values = [toBytes(of.token), ...(of.tokenId ? [toBytes(of.tokenId)] : [])];
    return [{ where: of.tokenId ? "token = ? AND token_id = ?" : "token = ?", values }];
  }
  if (!("wallet" in of) || of.wallet === undefined) return [{ where: "TRUE", values: [] }];
  const own = toBytes(of.wallet);
  const from: Arm = { where: "from_address = ?", values: [own] };
  if (of.direction === "from") return [from];
  if (of.direction === "to") return [{ where: "to_address = ?", values: [own] }];
  return [from, { where: "to_address = ? AND from_address <> ?", values: [own, own] }];
}
