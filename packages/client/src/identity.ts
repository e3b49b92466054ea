import { isJsonObject, type JsonObject } from "@purse/protocol";
import { type Connection, connection } from "./connection.ts";
import { storageKey } from "./storage.ts";

/*
 * Who this client is: the installation and the signed-in user as kept in the storage. It knows no
 * objects, so that the transport can ask it for the session token.
 */

interface Identity {
  installationId?: string;
  /** null: known that nobody is signed in; undefined: not read yet. */
  user?: JsonObject | null;
}

let identities = new WeakMap<Connection["storage"], Map<string, Identity>>();
const listeners = new Set<() => void>();

function identityOf({ storage, applicationId }: Connection): Identity {
  let ofStorage = identities.get(storage);
  if (!ofStorage) {
    ofStorage = new Map();
    identities.set(storage, ofStorage);
  }
  let identity = ofStorage.get(applicationId);
  if (!identity) {
    identity = {};
    ofStorage.set(applicationId, identity);
  }
  return identity;
}

/** A UUID v4 that stays the same for one storage and application. */
export async function installationId(from: Connection = connection()): Promise<string> {
  const identity = identityOf(from);
  if (identity.installationId) return identity.installationId;
  const key = storageKey(from.applicationId, "installationId");
  const known = await from.storage.area.getItem(key);
  // Another call may have been quicker while this one waited for the storage.
  identity.installationId ??= known || uuid();
  if (identity.installationId !== known) await from.storage.area.setItem(key, identity.installationId);
  return identity.installationId;
}

/** UUID v4; written out because `crypto.randomUUID` is missing on plain-http pages. */
export function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The signed-in user as kept, with `sessionToken`; null for nobody; undefined when only an async storage knows. */
export function storedUser(from: Connection = connection()): JsonObject | null | undefined {
  if (!from.keepsCurrentUser) return null;
  const identity = identityOf(from);
  if (identity.user !== undefined) return identity.user;
  if (from.storage.kind === "async") return undefined;
  identity.user = parseUser(from.storage.area.getItem(userKey(from)));
  return identity.user;
}

/** Like `storedUser`, but waits for the storage. */
export async function loadStoredUser(from: Connection = connection()): Promise<JsonObject | null> {
  const known = storedUser(from);
  if (known !== undefined) return known;
  const text = await from.storage.area.getItem(userKey(from));
  const identity = identityOf(from);
  identity.user ??= parseUser(text);
  return identity.user;
}

/** Keeps or, with null, forgets the signed-in user, at once in memory and then in the storage. */
export async function storeUser(user: JsonObject | null, from: Connection = connection()): Promise<void> {
  identityOf(from).user = user;
  for (const listener of [...listeners]) listener();
  if (user) await from.storage.area.setItem(userKey(from), JSON.stringify(user));
  else await from.storage.area.removeItem(userKey(from));
}

/** Calls back whenever somebody signs in or out, or the signed-in user changes. Returns the way to stop it. */
export function onCurrentUser(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Forgets what is in memory, so that it is read from the storages again. */
export function forgetIdentities(): void {
  identities = new WeakMap();
  for (const listener of [...listeners]) listener();
}

/** Reads the signed-in user from the storage again, since another tab has changed it. */
export function rereadUser(from: Connection): void {
  identityOf(from).user = undefined;
  for (const listener of [...listeners]) listener();
}

function userKey(from: Connection): string {
  return storageKey(from.applicationId, "currentUser");
}

function parseUser(text: string | null): JsonObject | null {
  if (!text) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    // A damaged record means nobody is signed in; it is replaced at the next sign-in.
    return null;
  }
}
