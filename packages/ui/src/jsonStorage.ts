/** Reads a value from the browser's storage; undefined if there is none, or if it is not JSON. */
export function loadJson(storage: Pick<Storage, "getItem">, key: string): unknown {
  try {
    return JSON.parse(storage.getItem(key) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/** Reads a list, whose items are not validated; empty if there is none. */
export function loadList<Item>(storage: Pick<Storage, "getItem">, key: string): Item[] {
  const list = loadJson(storage, key);
  return Array.isArray(list) ? list : [];
}

/** Stores a value. If the storage is full, the value lasts until the page is closed. */
export function saveJson(storage: Pick<Storage, "setItem">, key: string, value: unknown): void {
  try {
    storage.setItem(key, JSON.stringify(value));
  } catch {
    // Nothing depends on it.
  }
}
