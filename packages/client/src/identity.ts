import { isJsonObject, type JsonObject } from "@purse/protocol";
import { type Connection, connection } from "./connection.ts";
import { storageKey, tolerating, toleratingNow } from "./storage.ts";

/*
 * Who this client is: the installation and the signed-in user as kept in the storage. It knows no
 * objects, so that the transport can ask it for the session token.
 */

interface Identity {
  installationId?: string;
  /** null: known that nobody is signed in; undefined: not read yet. */
  user?: JsonObject | null;
  /** With what the user's record could not be read; something else may. */
  unreadable?: Pick<Connection, "userCipher" | "secret">;
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
  const known = await tolerating(() => from.storage.area.getItem(key), null);
  // Another call may have been quicker while this one waited for the storage.
  const id = identity.installationId ?? (known || uuid());
  identity.installationId = id;
  if (id !== known) await tolerating(() => from.storage.area.setItem(key, id), undefined);
  return id;
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
  const known = knownUser(from);
  if (known !== undefined) return known;
  const { storage } = from;
  if (storage.kind === "async") return undefined;
  return readUser(
    toleratingNow(() => storage.area.getItem(userKey(from)), null),
    from,
  );
}

/** Like `storedUser`, but waits for the storage. */
export async function loadStoredUser(from: Connection = connection()): Promise<JsonObject | null> {
  const known = storedUser(from);
  if (known !== undefined) return known;
  const text = await tolerating(() => from.storage.area.getItem(userKey(from)), null);
  return knownUser(from) ?? readUser(text, from);
}

/**
 * Keeps or, with null, forgets the signed-in user, at once in memory and then in the storage.
 * Throws when the user is to be encrypted and there is no secret.
 */
export async function storeUser(user: JsonObject | null, from: Connection = connection()): Promise<void> {
  const { area } = from.storage;
  const text = user && sealed(JSON.stringify(user), from);
  const identity = identityOf(from);
  identity.user = user;
  delete identity.unreadable;
  for (const listener of [...listeners]) listener();
  const key = userKey(from);
  await tolerating<unknown>(() => (text ? area.setItem(key, text) : area.removeItem(key)), undefined);
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

function sealed(text: string, { userCipher, secret }: Connection): string {
  if (!userCipher) return text;
  if (secret) return userCipher.seal(text, secret);
  throw new Error("Moralis.secret must be set before a user can be encrypted");
}

/** undefined while the storage was not read, or not with what the connection has now. */
function knownUser(from: Connection): JsonObject | null | undefined {
  const { user, unreadable } = identityOf(from);
  const mayBeReadable =
    unreadable && (unreadable.userCipher !== from.userCipher || unreadable.secret !== from.secret);
  return mayBeReadable ? undefined : user;
}

function readUser(text: string | null, from: Connection): JsonObject | null {
  const identity = identityOf(from);
  delete identity.unreadable;
  identity.user = null;
  if (!text) return null;
  try {
    const value: unknown = JSON.parse(opened(text, from));
    if (isJsonObject(value)) identity.user = value;
  } catch (error) {
    // Nobody is signed in then, and the record is replaced at the next sign-in.
    console.warn("Moralis: the signed-in user could not be read from the storage.", error);
    identity.unreadable = { userCipher: from.userCipher, secret: from.secret };
  }
  return identity.user;
}

/** A record in clear is read too, so that encryption can be turned on later. */
function opened(text: string, { userCipher, secret }: Connection): string {
  if (text.startsWith("{")) return text;
  if (userCipher && secret) return userCipher.open(text, secret);
  throw new Error("It is encrypted: enableEncryptedUser() and the secret are missing.");
}
