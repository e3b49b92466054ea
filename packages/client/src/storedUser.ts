import { isJsonObject, type JsonObject } from "@purse/protocol";
import { type Connection, connection } from "./connection.ts";
import { createListeners } from "./listeners.ts";
import { storageKey, withStorageFallback } from "./storage.ts";

/*
 * The stored user, and the installation id beside it in memory. This file does not know ParseObject,
 * so the transport can read the session token from it.
 */

interface Identity {
  installationId?: string;
  /** null if no user is signed in; undefined if it was not read yet. */
  user?: JsonObject | null;
  /** The connection that could not decrypt the user's record; another one may have the secret. */
  unreadable?: Connection;
}

let identities = new WeakMap<Connection["storage"], Record<string, Identity>>();
const listeners = /* @__PURE__ */ createListeners();

/** What is known of this client in memory, for a storage and application. */
export function identityOf({ storage, applicationId }: Connection): Identity {
  const byApplication = identities.get(storage) ?? {};
  identities.set(storage, byApplication);
  byApplication[applicationId] ??= {};
  return byApplication[applicationId];
}

/**
 * The stored user with `sessionToken`; null if no user is signed in; undefined until an async storage has been read.
 */
export function storedUser(conn: Connection = connection()): JsonObject | null | undefined {
  if (!conn.tracksCurrentUser) return null;
  const { storage } = conn;
  const known = cachedUser(conn);
  if (known !== undefined || storage.kind === "async") return known;
  return readUser(() => storage.area.getItem(userKey(conn)), conn);
}

/** Like `storedUser`, but waits for the storage. */
export async function loadStoredUser(conn: Connection = connection()): Promise<JsonObject | null> {
  const known = storedUser(conn);
  if (known !== undefined) return known;
  const text = await withStorageFallback(() => conn.storage.area.getItem(userKey(conn)), null);
  return cachedUser(conn) ?? readUser(() => text, conn);
}

/** Sets the signed-in user in memory; null for none. */
export function setStoredUser(user: JsonObject | null, conn: Connection): void {
  const identity = identityOf(conn);
  identity.user = user;
  delete identity.unreadable;
  listeners.call();
}

/** Calls back whenever a user signs in or out, or the signed-in user changes. Returns a function that unsubscribes. */
export function onCurrentUser(listener: () => void): () => void {
  return listeners.add(listener);
}

/** Clears the memory, so that the identity is read from the storage again. */
export function resetIdentities(): void {
  identities = new WeakMap();
  listeners.call();
}

/** Reads the signed-in user from the storage again after another tab has changed it. */
export function reloadUser(conn: Connection): void {
  identityOf(conn).user = undefined;
  listeners.call();
}

export function userKey(conn: Connection): string {
  return storageKey(conn.applicationId, "currentUser");
}

/** undefined while the storage has not been read. */
function cachedUser(conn: Connection): JsonObject | null | undefined {
  const { user, unreadable = conn } = identityOf(conn);
  return unreadable === conn ? user : undefined;
}

/** Accepts unencrypted records too, so that encryption can be turned on later. */
function readUser(read: () => string | null, conn: Connection): JsonObject | null {
  const identity = identityOf(conn);
  delete identity.unreadable;
  identity.user = null;
  try {
    const text = read() ?? "{}";
    const json = text.startsWith("{") ? text : conn.userCipher?.decrypt(text, conn.secret);
    const value: unknown = JSON.parse(String(json));
    if (isJsonObject(value) && value.objectId) identity.user = value;
  } catch (error) {
    // The user is signed out then; the next sign-in replaces the record.
    console.warn("Moralis: the stored user is unreadable. Is it encrypted?", error);
    identity.unreadable = conn;
  }
  return identity.user;
}
