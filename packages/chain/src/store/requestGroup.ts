import { AsyncLocalStorage } from "node:async_hooks";

const storage = new AsyncLocalStorage<string>();

/**
 * Runs work for somebody, such as a client's address: reads of indexes are shared fairly among groups, so that one that
 * asks for much delays itself before others.
 */
export function runInGroup<T>(group: string, work: () => T): T {
  return storage.run(group, work);
}

/** For whom the current work is; undefined for the server's own. */
export function currentGroup(): string | undefined {
  return storage.getStore();
}
