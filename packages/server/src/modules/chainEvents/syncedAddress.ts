import { createHash } from "node:crypto";
import type { JsonValue } from "@purse/protocol";

/** An address whose transactions, transfers and balances are stored as objects. */
export interface SyncedAddress {
  /** Of the classes, such as `Eth`. */
  prefix: string;
  chainId: number;
  /** Lower-case hex with 0x. */
  address: string;
  /** Whether what happened before is included. */
  isHistorical: boolean;
}

/** Returns the id of an address on a chain; it does not depend on whether its history is included. */
export function syncedAddressId({ prefix, chainId, address }: Omit<SyncedAddress, "isHistorical">): string {
  return shortDigest([prefix, chainId, address]);
}

/** Returns an object id that is derived from a value. */
export function shortDigest(value: JsonValue): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 24);
}

/** Returns the class of the kind of rows, such as `EthTransactions`. */
export function syncClass(
  { prefix }: Pick<SyncedAddress, "prefix">,
  kind: "Transactions" | "TokenTransfers" | "NFTTransfers" | "Balance" | "TokenBalance" | "NFTOwners",
): string {
  return `${prefix}${kind}`;
}
