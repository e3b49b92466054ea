import type { User } from "@purse/client";

/** Whether the connected wallet belongs to none of the accounts with which the user can sign in by wallet. */
export function isOtherAccount(user: Pick<User, "get"> | null, account: string | null): boolean {
  if (!user || account === null) return false;
  const linked: unknown = user.get("accounts");
  const own = [user.get("ethAddress"), ...(Array.isArray(linked) ? linked : [])].filter(
    (each) => typeof each === "string" && each !== "",
  );
  return own.length > 0 && !own.some((each) => each.toLowerCase() === account.toLowerCase());
}
