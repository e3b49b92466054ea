/** Number of invocations that a thread may have been offered and not begun. */
const SLOTS = 64;
/** IDs of invocations are 1 to this, and start again. */
const MAX_ID = 2 ** 31 - 1;

/** Places in the shared memory; the slots follow. */
const PROGRESS = 0;
const CURRENT = 1;
const FIRST_SLOT = 2;

/**
 * Memory that the server shares with a thread of the cloud code, which both read and write at any time, even while the
 * code blocks the thread. It decides which invocations have begun: an offered one is either begun by the thread or
 * withdrawn by the server, never both.
 */
export class InvocationSlots {
  readonly buffer: SharedArrayBuffer;
  readonly #values: Int32Array;

  constructor(buffer = new SharedArrayBuffer((FIRST_SLOT + SLOTS) * Int32Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#values = new Int32Array(buffer);
  }

  static nextId(id: number): number {
    return (id % MAX_ID) + 1;
  }

  /** Changes with every step of the thread: unless it has no work, it is blocked while this stays the same. */
  get progress(): number {
    return Atomics.load(this.#values, PROGRESS);
  }

  /** The invocation in whose code the thread is; 0 if that is none or not known, as in a timer. */
  get current(): number {
    return Atomics.load(this.#values, CURRENT);
  }

  /** For the thread: names the invocation whose code runs next. */
  setCurrent(id: number): void {
    Atomics.store(this.#values, CURRENT, id);
    this.advance();
  }

  /** For the thread: shows that it is not blocked. */
  advance(): void {
    Atomics.add(this.#values, PROGRESS, 1);
  }

  /** For the server: returns false if the thread has no free slot. IDs are offered in their order. */
  offer(id: number): boolean {
    return Atomics.compareExchange(this.#values, slotOf(id), 0, id) === 0;
  }

  /** For the server: whether an invocation was neither begun nor withdrawn. */
  isOffered(id: number): boolean {
    return Atomics.load(this.#values, slotOf(id)) === id;
  }

  /** For the thread: returns false if the server has withdrawn the invocation, which must not run then. */
  begin(id: number): boolean {
    return this.#free(id);
  }

  /** For the server: returns false if the thread has begun the invocation. */
  withdraw(id: number): boolean {
    return this.#free(id);
  }

  #free(id: number): boolean {
    return Atomics.compareExchange(this.#values, slotOf(id), id, 0) === id;
  }
}

function slotOf(id: number): number {
  return FIRST_SLOT + (id % SLOTS);
}
