import { isJsonObject } from "@purse/protocol";
import type { ChangeListener } from "../objects/change.ts";

/** Tells of the addresses that users have linked, whenever they change. */
export function watchLinkedWallets(
  onChange: (listener: ChangeListener) => () => void,
  watch: (addresses: string[]) => void,
): void {
  onChange(({ className, before, after }) => {
    if (className !== "_User" || after === null) return;
    const known = accountsOf(before);
    const added = accountsOf(after).filter((address) => !known.includes(address));
    if (added.length > 0) watch(added);
  });
}

function accountsOf(user: string | null): string[] {
  const object: unknown = user === null ? {} : JSON.parse(user);
  const accounts: unknown = isJsonObject(object) ? object.accounts : [];
  return Array.isArray(accounts)
    ? accounts.filter((each) => typeof each === "string" && /^0x[0-9a-f]{40}$/.test(each))
    : [];
}
