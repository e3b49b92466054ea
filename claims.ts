import { isPointer, type JsonObject } from "@purse/protocol";
import { CLAIM, foldName } from "../accounts/parts.ts";

export interface HeldClaim {
  scope: string;
  value: string;
  owner: string;
}

/** The scopes whose claims are made anew from the objects that hold them; the others travel as they are. */
export const REBUILT_SCOPES: ReadonlySet<string> = new Set([
  CLAIM.username,
  CLAIM.email,
  CLAIM.role,
  CLAIM.address,
]);

/** What an object holds that only one may hold: names, e-mail addresses, wallets. */
export function claimsOf(className: string, object: JsonObject): HeldClaim[] {
  const owner = String(object.objectId);
  const held: HeldClaim[] = [];
  const hold = (scope: string, value: JsonObject[string] | undefined, by = owner) => {
    if (typeof value === "string" && value !== "") held.push({ scope, value, owner: by });
  };
  switch (className) {
    case "_User":
      hold(CLAIM.username, typeof object.username === "string" ? foldName(object.username) : undefined);
      hold(CLAIM.email, typeof object.email === "string" ? foldName(object.email) : undefined);
      break;
    case "_Role":
      hold(CLAIM.role, object.name);
      break;
    case "_EthAddress":
      if (isPointer(object.user)) hold(CLAIM.address, owner, object.user.objectId);
      break;
  }
  return held;
}
