import { ErrorCode, isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import { newObjectId } from "../data/objects/objectId.ts";
import type { Store, Write } from "../database/store.ts";
import { UNIQUE_KEYS } from "./uniqueKeys.ts";

/** Keys of `authData` that a user cannot sign in with, other than wallets: anonymous IDs and second factors. */
const NOT_SIGN_IN_PROVIDERS: readonly string[] = ["moralisEth", "anonymous", "mfa"];

/**
 * Returns the writes that make the removal of a sign-in method fail with a conflict on UNIQUE_KEYS.credentials if
 * another one was removed concurrently; otherwise two removals could leave the account without any. Call it before
 * reading which sign-in methods exist.
 */
export async function lockCredentials(store: Store, userId: string): Promise<Write[]> {
  const uniqueKey = { scope: UNIQUE_KEYS.credentials, value: userId };
  const currentOwner = await store.getUniqueOwner(uniqueKey.scope, uniqueKey.value);
  return [
    ...(currentOwner === undefined
      ? []
      : [{ kind: "releaseUnique" as const, ...uniqueKey, owner: currentOwner }]),
    { kind: "reserveUnique", ...uniqueKey, owner: newObjectId() },
  ];
}

/** The error for a removal that conflicts with another one. */
export function credentialsConflictError(): ProtocolError {
  return new ProtocolError(
    ErrorCode.DUPLICATE_REQUEST,
    "Another sign-in method was removed at the same time. Try again.",
  );
}

/** Whether a user can sign in with a password or a provider, judging by their secret; wallets are not considered. */
export function hasSignInWithoutWallet(secret: JsonObject): boolean {
  if (secret.passwordHash !== undefined) return true;
  const { authData } = secret;
  return (
    isJsonObject(authData) &&
    Object.keys(authData).some((provider) => !NOT_SIGN_IN_PROVIDERS.includes(provider))
  );
}
