import type { JsonObject } from "@purse/protocol";
import { storedUser, storeUser } from "../identity.ts";
import type { AnyObject } from "../object/AnyObject.ts";
import { objects } from "../object/registry.ts";

/** What is asked of a user that is kept. */
export interface KeptUser extends AnyObject {
  getSessionToken(): string | undefined;
  _toFullJSON(): JsonObject;
}

/** The instance that stands for the stored user, as long as the stored user stays the same. */
let current: { json: JsonObject; user: AnyObject } | undefined;

/** The instance for the stored user's JSON: the same one as long as nothing changes. */
export function userFor(json: JsonObject | null): AnyObject | null {
  if (!json) return null;
  if (current?.json !== json) {
    current = { json, user: objects().fromJSON({ ...json, className: "_User" }) };
  }
  return current.user;
}

/** Keeps the user in the storage, as the one who is signed in. */
export async function persist(user: KeptUser): Promise<void> {
  const sessionToken = user.getSessionToken() ?? storedUser()?.sessionToken;
  const { __type: _, ...json } = user._toFullJSON();
  const stored: JsonObject = { ...json, className: "_User" };
  if (typeof sessionToken === "string") stored.sessionToken = sessionToken;
  current = { json: stored, user };
  await storeUser(stored);
}

export async function clearCurrent(): Promise<void> {
  current = undefined;
  await storeUser(null);
}
