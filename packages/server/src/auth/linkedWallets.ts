import { isJsonObject } from "@purse/protocol";
import type { EventBus } from "../core/eventBus.ts";

/** Calls `onLinked` with the addresses that a user has newly linked. */
export function onWalletsLinked(events: EventBus, onLinked: (addresses: string[]) => void): void {
  events.on("objects.changed", ({ className, before, after }) => {
    if (className !== "_User" || after === null) return;
    const previous = walletAddressesOf(before);
    const added = walletAddressesOf(after).filter((address) => !previous.includes(address));
    if (added.length > 0) onLinked(added);
  });
}

function walletAddressesOf(user: string | null): string[] {
  const object: unknown = user === null ? {} : JSON.parse(user);
  const accounts: unknown = isJsonObject(object) ? object.accounts : [];
  return Array.isArray(accounts)
    ? accounts.filter((each) => typeof each === "string" && /^0x[0-9a-f]{40}$/.test(each))
    : [];
}
