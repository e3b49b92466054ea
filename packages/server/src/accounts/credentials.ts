import { ErrorCode, isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import { newObjectId } from "../objects/objectId.ts";
import type { Store, Write } from "../store/store.ts";
import { CLAIM } from "./parts.ts";

/** Kept with what a provider said, but nothing that somebody could come back with, or only a second factor. */
const NO_WAY_IN: readonly string[] = ["moralisEth", "anonymous", "mfa"];

/**
 * The steps that make a removal of one of a user's ways in fail (CLAIM.credentials taken) where another removal has
 * happened since: else two at once could each leave the other's as the last one. To be called before reading what
 * ways there are.
 */
export async function credentialsTurn(store: Store, userId: string): Promise<Write[]> {
  const claim = { scope: CLAIM.credentials, value: userId };
  const present = await store.ownerOf(claim.scope, claim.value);
  return [
    ...(present === undefined ? [] : [{ kind: "release" as const, ...claim, owner: present }]),
    { kind: "claim", ...claim, owner: newObjectId() },
  ];
}

/** The answer to a removal that another one has overtaken. */
export function credentialsChanged(): ProtocolError {
  return new ProtocolError(
    ErrorCode.DUPLICATE_REQUEST,
    "Another way into the account was removed at the same time: try again.",
  );
}

/** Whether the secret of a user holds a password, or a provider to sign in with, beside wallets. */
export function hasWayInWithoutWallet(secret: JsonObject): boolean {
  if (secret.passwordHash !== undefined) return true;
  const { authData } = secret;
  return isJsonObject(authData) && Object.keys(authData).some((provider) => !NO_WAY_IN.includes(provider));
}
