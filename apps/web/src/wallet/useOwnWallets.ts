import { useMoralis } from "@purse/react";
import { useMemo } from "react";

/** The wallets of the user, lower-case hex: the connected one, the primary one, and the others that are linked. */
export function useOwnWallets(): readonly string[] {
  const { account, user } = useMoralis();
  const primary: unknown = user?.get("ethAddress");
  const linked: unknown = user?.get("accounts");
  const key = ownWallets([account, primary, ...(Array.isArray(linked) ? linked : [])]).join();
  return useMemo(() => (key === "" ? [] : key.split(",")), [key]);
}

/** The EVM addresses among values of a user, each once. */
export function ownWallets(values: readonly unknown[]): string[] {
  const addresses = values.flatMap((each) =>
    typeof each === "string" && /^0x[0-9a-f]{40}$/i.test(each) ? [each.toLowerCase()] : [],
  );
  return [...new Set(addresses)];
}
