import { useSyncExternalStore } from "use-sync-external-store/shim";

/** An observable value; snapshots are immutable. */
export class Store<T extends object> {
  #value: T;
  readonly #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = Object.freeze(value);
  }

  readonly get = (): T => this.#value;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  set(patch: Partial<T>): void {
    this.#value = Object.freeze({ ...this.#value, ...patch });
    for (const listener of [...this.#listeners]) listener();
  }
}

export function useStore<T extends object>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get, store.get);
}
