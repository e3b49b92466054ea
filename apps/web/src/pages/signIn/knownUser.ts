import type { User } from "@purse/client";

/** A user whose session has ended, with what proves that the same user signs in again. */
export interface KnownUser {
  id: string;
  username: string;
  /** Addresses of EVM wallets, lower-case hex. */
  accounts: readonly string[];
  /** The address of the Solana wallet in base58, if one is linked. */
  solanaAccount: string | undefined;
}

export function knownUserOf(user: User): KnownUser {
  const linked: unknown = user.get("accounts");
  const accounts = [user.get("ethAddress"), ...(Array.isArray(linked) ? linked : [])];
  return {
    id: user.id ?? "",
    username: user.getUsername() ?? "",
    accounts: accounts.flatMap((each: unknown) => (typeof each === "string" ? [each.toLowerCase()] : [])),
    solanaAccount: solanaAccountOf(user.get("authData")),
  };
}

function solanaAccountOf(authData: unknown): string | undefined {
  const { moralisSol }: { moralisSol?: unknown } = Object(authData);
  const { id }: { id?: unknown } = Object(moralisSol);
  return typeof id === "string" ? id : undefined;
}
