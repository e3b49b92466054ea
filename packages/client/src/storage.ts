/** Persistent storage with the interface of the browser's localStorage. */
export interface SyncStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
  /** The local datastore needs the list of keys, by this method or as localStorage provides it. */
  getAllKeys?(): readonly string[];
  readonly length?: number;
  key?(index: number): string | null;
}

/** The same with promises, as React Native's AsyncStorage. */
export interface AsyncStorage {
  getItem(key: string): Promise<string | null>;
  setItem(key: string, value: string): Promise<unknown>;
  removeItem(key: string): Promise<unknown>;
  getAllKeys?(): Promise<readonly string[]>;
}

/** `User.current()` needs a `sync` storage. */
export type StorageArea =
  | { readonly kind: "sync"; readonly area: SyncStorage }
  | { readonly kind: "async"; readonly area: AsyncStorage };

/** A storage that lives as long as the process or page. */
export function memoryStorage(): StorageArea {
  const items = new Map<string, string>();
  const area: SyncStorage = {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
    getAllKeys: () => [...items.keys()],
  };
  return { kind: "sync", area };
}

/** Wraps a synchronous storage, as localStorage. */
export function syncStorage(area: SyncStorage): StorageArea {
  return { kind: "sync", area };
}

/** Wraps an asynchronous storage, as React Native's. It needs `User.currentAsync()` instead of `User.current()`. */
export function asyncStorage(area: AsyncStorage): StorageArea {
  return { kind: "async", area };
}

/** Whether this runs in a page; Node also has a `localStorage`, which a server must not share among callers. */
export function inBrowser(): boolean {
  return typeof document !== "undefined" && typeof window !== "undefined";
}

/**
 * Whether this process serves a single user: pages, their workers and React Native apps, but not servers. Some
 * server runtimes also look like a worker, but have a user agent of their own.
 */
export function isSingleUserProcess(): boolean {
  if (inBrowser()) return true;
  if (typeof navigator === "undefined") return false;
  return (
    navigator.product === "ReactNative" ||
    ("WorkerGlobalScope" in globalThis && /^Mozilla\//.test(navigator.userAgent))
  );
}

/** All keys of a storage, including foreign ones. Throws if it cannot list them. */
export async function storageKeys({ area }: StorageArea): Promise<readonly string[]> {
  if (area.getAllKeys) return area.getAllKeys();
  if ("key" in area && area.key && area.length !== undefined) {
    const key = area.key.bind(area);
    return Array.from({ length: area.length }, (_, index) => key(index)).filter((name) => name !== null);
  }
  throw new Error("The local datastore needs a storage with getAllKeys");
}

/**
 * Runs a task that must not fail because of a full or blocked storage: logs a warning and returns
 * the fallback instead.
 */
export async function withStorageFallback<T>(task: () => T | Promise<T>, fallback: T): Promise<T> {
  try {
    return await task();
  } catch (error) {
    console.warn("Moralis: there is no storage; data is kept until the page is closed.", error);
    return fallback;
  }
}

/** localStorage in pages that allow it (private windows may not), memory elsewhere. */
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

/** The storage key of an application's value. */
export function storageKey(applicationId: string, name: string): string {
  return `Parse/${applicationId}/${name}`;
}
