type Listener<Args extends unknown[]> = (...args: Args) => void;

/** More listeners of one event are reported as a possible leak, as in Node's EventEmitter. */
const MAX_LISTENERS = 10;

/** Listeners by event. `on` and `once` return a function that unsubscribes. */
export class Emitter<Events extends Record<keyof Events, unknown[]>> {
  readonly #listeners = new Map<keyof Events, Map<Listener<never>, Listener<never>>>();
  readonly #warned: Set<keyof Events>;
  #limit = MAX_LISTENERS;

  /** `unlimited` are events that may have any number of listeners. */
  constructor(unlimited: readonly (keyof Events)[] = []) {
    this.#warned = new Set(unlimited);
  }

  /** How many listeners an event may have before a warning is logged; 0 for any number. */
  setMaxListeners(limit: number): void {
    this.#limit = limit;
  }

  getMaxListeners(): number {
    return this.#limit;
  }

  on<E extends keyof Events>(event: E, listener: Listener<Events[E]>): () => void {
    return this.#add(event, listener, listener);
  }

  once<E extends keyof Events>(event: E, listener: Listener<Events[E]>): () => void {
    return this.#add(event, listener, (...args: Events[E]) => {
      this.off(event, listener);
      listener(...args);
    });
  }

  off<E extends keyof Events>(event: E, listener: Listener<Events[E]>): void {
    this.#listeners.get(event)?.delete(listener);
  }

  removeAll(event?: keyof Events): void {
    if (event === undefined) this.#listeners.clear();
    else this.#listeners.delete(event);
  }

  listenerCount(event: keyof Events): number {
    return this.#listeners.get(event)?.size ?? 0;
  }

  /** Calls every listener; an exception in one affects neither the others nor the emitter. */
  emit<E extends keyof Events>(event: E, ...args: Events[E]): void {
    for (const listener of [...(this.#listeners.get(event)?.values() ?? [])]) {
      try {
        (listener as Listener<Events[E]>)(...args);
      } catch (error) {
        rethrowAsync(error);
      }
    }
  }

  #add<E extends keyof Events>(
    event: E,
    listener: Listener<Events[E]>,
    callback: Listener<Events[E]>,
  ): () => void {
    const listeners = this.#listeners.get(event) ?? new Map();
    this.#listeners.set(event, listeners.set(listener, callback));
    if (this.#limit > 0 && listeners.size > this.#limit && !this.#warned.has(event)) {
      this.#warned.add(event);
      console.warn(`Possible memory leak: ${listeners.size} listeners of ${String(event)}`);
    }
    return () => this.off(event, listener);
  }
}

/** Reports an error of a listener as an uncaught error. */
function rethrowAsync(error: unknown): void {
  setTimeout(() => {
    throw error;
  });
}
