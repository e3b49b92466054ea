type Listener<Args extends unknown[]> = (...args: Args) => void;

/** Listeners by event. `on` and `once` answer the way to stop listening. */
export class Emitter<Events extends Record<keyof Events, unknown[]>> {
  readonly #listeners = new Map<keyof Events, Set<Listener<never>>>();

  on<E extends keyof Events>(event: E, listener: Listener<Events[E]>): () => void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener));
    return () => this.off(event, listener);
  }

  once<E extends keyof Events>(event: E, listener: Listener<Events[E]>): () => void {
    const stop = this.on(event, (...args) => {
      stop();
      listener(...args);
    });
    return stop;
  }

  off<E extends keyof Events>(event: E, listener: Listener<Events[E]>): void {
    this.#listeners.get(event)?.delete(listener);
  }

  removeAll(event?: keyof Events): void {
    if (event === undefined) this.#listeners.clear();
    else this.#listeners.delete(event);
  }

  emit<E extends keyof Events>(event: E, ...args: Events[E]): void {
    for (const listener of [...(this.#listeners.get(event) ?? [])])
      (listener as Listener<Events[E]>)(...args);
  }
}
