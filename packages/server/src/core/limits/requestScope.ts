import { AsyncLocalStorage } from "node:async_hooks";
import { type AnswerMemory, AnswerSize } from "./answerSize.ts";
import type { ByteBudget } from "./byteBudget.ts";

export interface RequestScopeOptions {
  /** Sender of the request, such as its IP address; worker threads are shared fairly among groups. */
  group: string;
  budget: ByteBudget;
  /** Maximum bytes that may be read for one response, and that it may have. */
  maxAnswerBytes: number;
}

/** Reservations below this size, in bytes, do not wait. */
const SMALL_RESERVATION = 256 * 1024;

/** The resources of one HTTP request; released when the response has ended or the connection is closed. */
export class RequestScope implements AnswerMemory {
  readonly group: string;
  readonly #budget: ByteBudget;
  readonly #maxAnswerBytes: number;
  #read: AnswerSize | undefined;
  #answer: AnswerSize | undefined;
  /** Bytes of the budget that it holds: for what was read or for the answer, whichever is more. */
  #held = 0;
  /** Why there was no memory for it. */
  #rejection: unknown;
  #largeReads: Promise<void> = Promise.resolve();
  #controller: AbortController | undefined;
  #isCancelable = false;
  #isClosed = false;
  #isAborted = false;

  constructor({ group, budget, maxAnswerBytes }: RequestScopeOptions) {
    this.group = group;
    this.#budget = budget;
    this.#maxAnswerBytes = maxAnswerBytes;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Aborted when the client of a cancelable request disconnects; undefined for all other requests. */
  get signal(): AbortSignal | undefined {
    if (!this.#isCancelable) return undefined;
    this.#controller ??= new AbortController();
    if (this.#isAborted) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Makes the request cancelable: it changes nothing and may be aborted when its client disconnects. */
  makeCancelable(): void {
    this.#isCancelable = true;
  }

  /** What is put into the response. */
  get answer(): AnswerSize {
    this.#answer ??= new AnswerSize(this.#maxAnswerBytes, this);
    return this.#answer;
  }

  /** Bytes that may still be read for the response. */
  get bytesLeft(): number {
    return this.#read?.bytesLeft ?? this.#maxAnswerBytes;
  }

  /** Counts bytes that were read for the response until the request has ended. Throws 116. */
  charge(bytes: number): void {
    this.#read ??= new AnswerSize(this.#maxAnswerBytes, this);
    this.#read.charge(bytes);
  }

  hold(bytes: number): void {
    const more = bytes - this.#held;
    if (more <= 0 || this.#isClosed) return;
    this.#held = bytes;
    this.#budget.charge(more, this.group);
  }

  async reserve(bytes: number): Promise<void> {
    const more = bytes - this.#held;
    if (more <= SMALL_RESERVATION || this.#isClosed) return;
    await this.reserveFor(more);
    if (this.#isClosed) this.#budget.release(more, this.group);
    else this.#held += more;
  }

  /**
   * Reserves memory besides what it holds. Rejects with 124 (HTTP 503), and then at once for whatever else it wants: each
   * request of a batch would wait otherwise, while the batch holds what others wait for.
   */
  async reserveFor(bytes: number): Promise<void> {
    if (this.#rejection) throw this.#rejection;
    try {
      await this.#budget.reserve(bytes, this.group, { held: this.#held, signal: this.signal });
    } catch (error) {
      this.#rejection ??= error;
      throw error;
    }
  }

  /** Resolves when no other large read of the request is in progress, with a function that ends this one. */
  async startLargeRead(): Promise<() => void> {
    const before = this.#largeReads;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#largeReads = promise;
    await before;
    return resolve;
  }

  /** Releases the resources. `hasResponded`: the complete response was sent. */
  close(hasResponded: boolean): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#held > 0) this.#budget.release(this.#held, this.group);
    this.#isAborted = !hasResponded;
    if (this.#isAborted) this.#controller?.abort();
  }
}

const storage = new AsyncLocalStorage<RequestScope>();

/** Runs work in the scope of a request, which `currentScope` returns in everything that is called. */
export function runInScope<T>(scope: RequestScope, work: () => T): T {
  return storage.run(scope, work);
}

/** The scope of the current request; undefined outside of requests, and after the request has ended. */
export function currentScope(): RequestScope | undefined {
  const scope = storage.getStore();
  return scope?.isClosed ? undefined : scope;
}

/** The size of the current request's answer. Outside of requests, each answer has one of its own. */
export function currentAnswer(maxBytes: number): AnswerSize {
  return currentScope()?.answer ?? new AnswerSize(maxBytes);
}
