import { isJsonObject, type JsonObject } from "@purse/protocol";
import { connection } from "../connection.ts";
import { loadStoredUser, storedUser, storeUser } from "../identity.ts";
import type { AnyObject } from "../object/AnyObject.ts";
import { objects } from "../object/registry.ts";
import { request } from "../transport.ts";

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

/** Signs a user in, where this process keeps one. An anonymous user before it is deleted: nobody can come back to it. */
export async function makeCurrent<T extends KeptUser>(user: T): Promise<T> {
  if (!connection().keepsCurrentUser) return user;
  const before = await loadStoredUser();
  if (before && before.objectId !== user.id && isAnonymous(before)) await destroyStored(before);
  await persist(user);
  return user;
}

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

export function isAnonymous({ authData }: { authData?: unknown }): boolean {
  return isJsonObject(authData) && Boolean(authData.anonymous);
}

/** Deletes the account of a stored user on the server. */
export async function destroyStored({ objectId, sessionToken }: JsonObject): Promise<void> {
  const options = typeof sessionToken === "string" ? { sessionToken } : {};
  await request("DELETE", `classes/_User/${encodeURIComponent(String(objectId))}`, {}, options);
}
