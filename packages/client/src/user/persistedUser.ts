import type { JsonObject } from "@purse/protocol";
import { connection } from "../connection.ts";
import type { AnyObject } from "../object/AnyObject.ts";
import { withStorageFallback } from "../storage.ts";
import { setStoredUser, storedUser, userKey } from "../storedUser.ts";
import { setUserFor, userFor } from "./currentUser.ts";

/** The part of a user that is needed to store it. */
export interface PersistedUser extends AnyObject {
  getSessionToken(): string | undefined;
  _toFullJSON(): JsonObject;
}

/** Stores the user as the signed-in one. */
export async function persist(user: PersistedUser): Promise<void> {
  const { __type: _, ...json } = user._toFullJSON();
  const stored: JsonObject = { ...json, className: "_User" };
  const { objectId, sessionToken } = storedUser() ?? {};
  if (objectId === user.id && sessionToken !== undefined) stored.sessionToken ??= sessionToken;
  await storeUser(stored, user);
}

/** Stores changes of the signed-in user, made by an instance that may know only some of the fields. */
export async function persistChanges(user: PersistedUser): Promise<void> {
  const before = storedUser();
  const current = userFor(before ?? null);
  if (!current || current === user) return persist(user);
  const { __type, className, ...json } = user._toFullJSON();
  current._finishFetch(json);
  await storeUser({ ...before, ...json }, current);
}

/** Clears the current user, and the session of its instance. */
export async function clearCurrent(): Promise<void> {
  userFor(storedUser() ?? null)?._forget("sessionToken");
  await storeUser(null);
}

/** Sets the user in memory, then in the storage. Throws if it must be encrypted and there is no secret. */
async function storeUser(json: JsonObject | null, user?: AnyObject): Promise<void> {
  const conn = connection();
  const { area } = conn.storage;
  const plaintext = json && JSON.stringify(json);
  const text = plaintext && (conn.userCipher?.encrypt(plaintext, conn.secret) ?? plaintext);
  if (json && user) setUserFor(json, user);
  setStoredUser(json, conn);
  const key = userKey(conn);
  await withStorageFallback<unknown>(
    () => (text ? area.setItem(key, text) : area.removeItem(key)),
    undefined,
  );
}
