/**
 * Batches messages to another thread: all messages of one turn of the event loop are posted together, which copies them
 * once and wakes the other thread once.
 */
export class MessageBatcher<M> {
  readonly #post: (messages: M[]) => void;
  #messages: M[] = [];

  constructor(post: (messages: M[]) => void) {
    this.#post = post;
  }

  get isEmpty(): boolean {
    return this.#messages.length === 0;
  }

  add(message: M): void {
    this.#messages.push(message);
    if (this.#messages.length === 1) setImmediate(() => this.flush());
  }

  /** For messages that must not wait: code that blocks the event loop would delay them. */
  flush(): void {
    if (this.#messages.length === 0) return;
    const messages = this.#messages;
    this.#messages = [];
    this.#post(messages);
  }
}
