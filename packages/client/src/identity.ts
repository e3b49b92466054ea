import { isJsonObject, type JsonObject } from "@purse/protocol";
import { type Connection, connection } from "./connection.ts";
import { createListeners } from "./listeners.ts";
import { storageKey, tolerating } from "./storage.ts";

/*
 * Who this client is: the installation id and the stored user. It does not know ParseObject,
 * so the transport can read the session token from it.
 */

interface Identity {
  installationId?: string;
  /** null: nobody is signed in; undefined: not read yet. */
  user?: JsonObject | null;
  /** The connection that could not decrypt the user's record; another one may have the secret. */
  unreadable?: Connection;
}

let identities = new WeakMap<Connection["storage"], Record<string, Identity>>();
const listeners = /* @__PURE__ */ createListeners();

function identityOf({ storage, applicationId }: Connection): Identity {
  const ofStorage = identities.get(storage) ?? {};
  identities.set(storage, ofStorage);
  ofStorage[applicationId] ??= {};
  return ofStorage[applicationId];
}

/** A UUID v4 that is stable for a storage and application. */
export async function installationId(from: Connection = connection()): Promise<string> {
  const identity = identityOf(from);
  if (identity.installationId) return identity.installationId;
  const key = storageKey(from.applicationId, "installationId");
  const known = await tolerating(() => from.storage.area.getItem(key), null);
  // A concurrent call may have set the id while this one waited for the storage.
  const id = identity.installationId ?? (known || uuid());
  identity.installationId = id;
  if (id !== known) await tolerating(() => from.storage.area.setItem(key, id), undefined);
  return id;
}

/** UUID v4; written out because `crypto.randomUUID` is missing on plain-http pages. */
export function uuid(): string {
  const random = crypto.getRandomValues(new Uint8Array(36));
  // The version is 4; of the four possible variants always "a" is used.
  return "xxxxxxxx-xxxx-4xxx-axxx-xxxxxxxxxxxx".replace(/x/g, (_, at) =>
    ((random[at] ?? 0) & 15).toString(16),
  );
}

/** The stored user with `sessionToken`; null if nobody is signed in; undefined while an async storage was not read. */
export function storedUser(from: Connection = connection()): JsonObject | null | undefined {
  if (!from.keepsCurrentUser) return null;
  const { storage } = from;
  const known = knownUser(from);
  if (known !== undefined || storage.kind === "async") return known;
  return readUser(() => storage.area.getItem(userKey(from)), from);
}

/** Like `storedUser`, but waits for the storage. */
export async function loadStoredUser(from: Connection = connection()): Promise<JsonObject | null> {
  const known = storedUser(from);
  if (known !== undefined) return known;
  const text = await tolerating(() => from.storage.area.getItem(userKey(from)), null);
  return knownUser(from) ?? readUser(() => text, from);
}

/** Sets the signed-in user in memory; null for nobody. */
export function setStoredUser(user: JsonObject | null, from: Connection): void {
  const identity = identityOf(from);
  identity.user = user;
  delete identity.unreadable;
  listeners.call();
}

/** Calls back whenever somebody signs in or out, or the signed-in user changes. Returns a function that unsubscribes. */
export function onCurrentUser(listener: () => void): () => void {
  return listeners.add(listener);
}

/** Clears the memory, so that the identity is read from the storage again. */
export function forgetIdentities(): void {
  identities = new WeakMap();
  listeners.call();
}

/** Reads the signed-in user from the storage again after another tab has changed it. */
export function rereadUser(from: Connection): void {
  identityOf(from).user = undefined;
  listeners.call();
}

export function userKey(from: Connection): string {
  return storageKey(from.applicationId, "currentUser");
}

/** undefined while the storage has not been read. */
function knownUser(from: Connection): JsonObject | null | undefined {
  const { user, unreadable = from } = identityOf(from);
  return unreadable === from ? user : undefined;
}

/** Accepts unencrypted records too, so that encryption can be turned on later. */
function readUser(read: () => string | null, from: Connection): JsonObject | null {
  const identity = identityOf(from);
  delete identity.unreadable;
  identity.user = null;
  try {
    const text = read() ?? "{}";
    const json = text.startsWith("{") ? text : from.userCipher?.open(text, from.secret);
    const value: unknown = JSON.parse(String(json));
    if (isJsonObject(value) && value.objectId) identity.user = value;
  } catch (error) {
    // Nobody is signed in then; the next sign-in replaces the record.
    console.warn("Moralis: the stored user is unreadable. Is it encrypted?", error);
    identity.unreadable = from;
  }
  return identity.user;
}
