/** Where the client keeps what outlives the page: the face of the browser's localStorage. */
export interface SyncStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** The same with promises, as React Native's AsyncStorage has it. */
export interface AsyncStorage {
  getItem(key: string): Promise<string | null>;
  setItem(key: string, value: string): Promise<void>;
  removeItem(key: string): Promise<void>;
}

/** `immediate` can be read without waiting; only then does `User.current()` work. */
export type Storage =
  | { readonly kind: "immediate"; readonly area: SyncStorage }
  | { readonly kind: "async"; readonly area: AsyncStorage };

/** Forgets everything with the process or page. */
export function memoryStorage(): Storage {
  const items = new Map<string, string>();
  const area: SyncStorage = {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  };
  return { kind: "immediate", area };
}

export function syncStorage(area: SyncStorage): Storage {
  return { kind: "immediate", area };
}

export function asyncStorage(area: AsyncStorage): Storage {
  return { kind: "async", area };
}

/** Whether this runs in a page; Node has a `localStorage` too, which a server must not share among callers. */
export function inBrowser(): boolean {
  return typeof document !== "undefined" && typeof window !== "undefined";
}

/** Whether this process serves one person, as pages and React Native apps do and servers do not. */
export function servesOnePerson(): boolean {
  return inBrowser() || (typeof navigator !== "undefined" && navigator.product === "ReactNative");
}

/** localStorage in a page where it is allowed (private windows may refuse it), memory elsewhere. */
export function defaultStorage(): Storage {
  shared ??= pageStorage();
  return shared;
}

let shared: Storage | undefined;

function pageStorage(): Storage {
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
