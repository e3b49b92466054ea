import { isJsonObject, type JsonObject } from "@purse/protocol";
import { type Connection, connection } from "./connection.ts";
import { createListeners } from "./listeners.ts";
import { storageKey, tolerating } from "./storage.ts";

/*
 * Who this client is: the installation and the signed-in user as kept in the storage. It knows no
 * objects, so that the transport can ask it for the session token.
 */

interface Identity {
  installationId?: string;
  /** null: known that nobody is signed in; undefined: not read yet. */
  user?: JsonObject | null;
  /** The connection that could not read the user's record; another one may have the secret. */
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

/** A UUID v4 that stays the same for one storage and application. */
export async function installationId(from: Connection = connection()): Promise<string> {
  const identity = identityOf(from);
  if (identity.installationId) return identity.installationId;
  const key = storageKey(from.applicationId, "installationId");
  const known = await tolerating(() => from.storage.area.getItem(key), null);
  // Another call may have been quicker while this one waited for the storage.
  const id = identity.installationId ?? (known || uuid());
  identity.installationId = id;
  if (id !== known) await tolerating(() => from.storage.area.setItem(key, id), undefined);
  return id;
}

/** UUID v4; written out because `crypto.randomUUID` is missing on plain-http pages. */
export function uuid(): string {
  const random = crypto.getRandomValues(new Uint8Array(36));
  // Behind the version, 4, the variant, of which there are four: here always a.
  return "xxxxxxxx-xxxx-4xxx-axxx-xxxxxxxxxxxx".replace(/x/g, (_, at) =>
    ((random[at] ?? 0) & 15).toString(16),
  );
}

/** The signed-in user as kept, with `sessionToken`; null for nobody; undefined when only an async storage knows. */
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

/** Who is signed in as of now, in memory; null for nobody. */
export function setStoredUser(user: JsonObject | null, from: Connection): void {
  const identity = identityOf(from);
  identity.user = user;
  delete identity.unreadable;
  listeners.call();
}

/** Calls back whenever somebody signs in or out, or the signed-in user changes. Returns the way to stop it. */
export function onCurrentUser(listener: () => void): () => void {
  return listeners.add(listener);
}

/** Forgets what is in memory, so that it is read from the storages again. */
export function forgetIdentities(): void {
  identities = new WeakMap();
  listeners.call();
}

/** Reads the signed-in user from the storage again, since another tab has changed it. */
export function rereadUser(from: Connection): void {
  identityOf(from).user = undefined;
  listeners.call();
}

export function userKey(from: Connection): string {
  return storageKey(from.applicationId, "currentUser");
}

/** undefined while the storage was not read. */
function knownUser(from: Connection): JsonObject | null | undefined {
  const { user, unreadable = from } = identityOf(from);
  return unreadable === from ? user : undefined;
}

/** A record in clear is read too, so that encryption can be turned on later. */
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
    // Nobody is signed in then, and the record is replaced at the next sign-in.
    console.warn("Moralis: the stored user is unreadable. Is it encrypted?", error);
    identity.unreadable = from;
  }
  return identity.user;
}
