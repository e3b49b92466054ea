import type { JsonObject } from "@purse/protocol";
import { type PendingWrite, setField, setValueOf } from "../data/objects/pendingWrite.ts";
import { UNIQUE_KEYS } from "./uniqueKeys.ts";
import type { Wallets } from "./wallets.ts";

/** Sets the addresses of a new user, or removes those that the client sent. */
export function setAddresses(
  pending: PendingWrite,
  accounts: string[],
  ethAddress: string | undefined,
): void {
  delete pending.operations.accounts;
  delete pending.operations.ethAddress;
  if (ethAddress === undefined) return;
  setField(pending, "accounts", accounts);
  setField(pending, "ethAddress", ethAddress);
}

/**
 * Sets the addresses of a user to the linked ones. Clients can only choose which of them is the current one. Returns
 * whether the write contained addresses.
 */
export async function deriveAddresses(
  pending: PendingWrite,
  original: JsonObject,
  wallets: Wallets,
): Promise<boolean> {
  const isLinkingWallet = pending.additionalWrites.some(
    (write) => write.kind === "reserveUnique" && write.scope === UNIQUE_KEYS.address,
  );
  const { operations } = pending;
  if (isLinkingWallet || !("accounts" in operations || "ethAddress" in operations)) return false;
  const accounts = await wallets.addressesOf(pending.objectId, original.accounts);
  const requested = setValueOf(pending, "ethAddress");
  const chosen = typeof requested === "string" ? requested.toLowerCase() : original.ethAddress;
  const current = accounts.find((address) => address === chosen) ?? accounts[0];
  if ("accounts" in operations) setField(pending, "accounts", accounts);
  operations.ethAddress = current === undefined ? { op: "Delete" } : { op: "Set", value: current };
  return true;
}
