/** Where the client keeps what outlives the page: the face of the browser's localStorage. */
export interface SyncStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
  /** The local datastore needs the list of keys, in this way or in that of localStorage. */
  getAllKeys?(): readonly string[];
  readonly length?: number;
  key?(index: number): string | null;
}

/** The same with promises, as React Native's AsyncStorage has it. */
export interface AsyncStorage {
  getItem(key: string): Promise<string | null>;
  setItem(key: string, value: string): Promise<unknown>;
  removeItem(key: string): Promise<unknown>;
  getAllKeys?(): Promise<readonly string[]>;
}

/** `immediate` can be read without waiting; only then does `User.current()` work. */
export type StorageArea =
  | { readonly kind: "immediate"; readonly area: SyncStorage }
  | { readonly kind: "async"; readonly area: AsyncStorage };

/** Forgets everything with the process or page. */
export function memoryStorage(): StorageArea {
  const items = new Map<string, string>();
  const area: SyncStorage = {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
    getAllKeys: () => [...items.keys()],
  };
  return { kind: "immediate", area };
}

/** A storage that answers at once, as localStorage. */
export function syncStorage(area: SyncStorage): StorageArea {
  return { kind: "immediate", area };
}

/** A storage that answers later, as React Native's: `User.currentAsync()` takes the place of `User.current()` with it. */
export function asyncStorage(area: AsyncStorage): StorageArea {
  return { kind: "async", area };
}

/** Whether this runs in a page; Node has a `localStorage` too, which a server must not share among callers. */
export function inBrowser(): boolean {
  return typeof document !== "undefined" && typeof window !== "undefined";
}

/**
 * Whether this process serves one person, as pages, their workers and React Native apps do and servers do not. Some
 * servers run their code in what looks like a worker too, but call themselves by their own names.
 */
export function servesOnePerson(): boolean {
  if (inBrowser()) return true;
  if (typeof navigator === "undefined") return false;
  return (
    navigator.product === "ReactNative" ||
    ("WorkerGlobalScope" in globalThis && /^Mozilla\//.test(navigator.userAgent))
  );
}

/** All keys of a storage, those of others included. Throws where it cannot tell. */
export async function storageKeys({ area }: StorageArea): Promise<readonly string[]> {
  if (area.getAllKeys) return area.getAllKeys();
  if ("key" in area && area.key && area.length !== undefined) {
    const key = area.key.bind(area);
    return Array.from({ length: area.length }, (_, index) => key(index)).filter((name) => name !== null);
  }
  throw new Error("The local datastore needs a storage with getAllKeys");
}

/**
 * What must not fail because of a full or blocked storage: whoever calls goes on with what it has in
 * memory, and the person at the console is told.
 */
export async function tolerating<T>(task: () => T | Promise<T>, otherwise: T): Promise<T> {
  try {
    return await task();
  } catch (error) {
    console.warn("Moralis: the storage refuses; what it should keep lasts as long as the page.", error);
    return otherwise;
  }
}

/** localStorage in a page where it is allowed (private windows may refuse it), memory elsewhere. */
export function defaultStorage(): StorageArea {
  shared ??= pageStorage();
  return shared;
}

let shared: StorageArea | undefined;

function pageStorage(): StorageArea {
  if (!inBrowser()) return memoryStorage();
  try {
    const probe = "Parse/probe";
    localStorage.setItem(probe, probe);
    localStorage.removeItem(probe);
    return syncStorage(localStorage);
  } catch {
    return memoryStorage();
  }
}

/** The key of a value that belongs to one application. */
export function storageKey(applicationId: string, name: string): string {
  return `Parse/${applicationId}/${name}`;
}
