import { AsyncLocalStorage } from "node:async_hooks";

const storage = new AsyncLocalStorage<string>();

/**
 * Runs work for a client such as an IP address. Index reads are scheduled fairly among groups, so that a client with
 * many reads delays mainly itself.
 */
export function runInGroup<T>(group: string, work: () => T): T {
  return storage.run(group, work);
}

/** The group of the current work; undefined for the server's own. */
export function currentGroup(): string | undefined {
  return storage.getStore();
}
