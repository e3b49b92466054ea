/**
 * Puts messages to another thread together: what comes up in one turn of the event loop goes in one
 * copy and wakes the other thread once.
 */
export class Outbox<M> {
  readonly #post: (messages: M[]) => void;
  #messages: M[] = [];

  constructor(post: (messages: M[]) => void) {
    this.#post = post;
  }

  put(message: M): void {
    this.#messages.push(message);
    if (this.#messages.length === 1) setImmediate(() => this.flush());
  }

  /** For what must not wait: code that never ends keeps the event loop from its next turn. */
  flush(): void {
    if (this.#messages.length === 0) return;
    const messages = this.#messages;
    this.#messages = [];
    this.#post(messages);
  }
}
