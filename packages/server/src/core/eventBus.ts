import { EventEmitter } from "node:events";

/** The events that modules publish, by name. The module that publishes an event adds it by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: each module adds its events.
export interface ServerEvents {}

/** Notifies modules of higher layers of events in lower ones. */
export class EventBus {
  readonly #emitter = new EventEmitter();
  readonly #onError: (error: unknown, activity: string) => void;

  constructor(onError: (error: unknown, activity: string) => void) {
    this.#onError = onError;
    this.#emitter.setMaxListeners(0);
  }

  /**
   * Calls a listener with every event of a name, in the order of their subscription. An error of one is reported and
   * does not affect the others. Returns a function that unsubscribes.
   */
  on<Name extends keyof ServerEvents>(name: Name, listener: (event: ServerEvents[Name]) => void): () => void {
    const onEvent = (event: ServerEvents[Name]) => {
      try {
        listener(event);
      } catch (error) {
        this.#onError(error, `a listener of ${name}`);
      }
    };
    this.#emitter.on(name, onEvent);
    return () => this.#emitter.off(name, onEvent);
  }

  emit<Name extends keyof ServerEvents>(name: Name, event: ServerEvents[Name]): void {
    this.#emitter.emit(name, event);
  }
}
