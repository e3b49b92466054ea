import { AsyncLocalStorage } from "node:async_hooks";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { ByteBudget } from "./byteBudget.ts";

export interface RequestScopeOptions {
  /** Whom the request comes from; worker threads are shared fairly among groups. */
  group: string;
  budget: ByteBudget;
  /** Bytes that may be read for one answer. */
  maxAnswerBytes: number;
}

/** What the server holds and does for one HTTP request; ends with its connection. */
export class RequestScope {
  readonly group: string;
  readonly #budget: ByteBudget;
  readonly #maxAnswerBytes: number;
  #bytes = 0;
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

  /** Aborted when the client of a request that changes nothing goes away; undefined for all other requests. */
  get signal(): AbortSignal | undefined {
    if (!this.#isCancelable) return undefined;
    this.#controller ??= new AbortController();
    if (this.#isAborted) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Says that the request changes nothing: nobody misses it when its client goes away. */
  makeCancelable(): void {
    this.#isCancelable = true;
  }

  /** How many bytes may still be read for the answer. */
  get bytesLeft(): number {
    return Math.max(0, this.#maxAnswerBytes - this.#bytes);
  }

  /** Counts bytes that were read for the answer, and holds them until the request has ended. Throws 116. */
  charge(bytes: number): void {
    if (bytes > this.bytesLeft) throw answerTooLarge(this.#maxAnswerBytes);
    if (this.#isClosed) return;
    this.#bytes += bytes;
    this.#budget.charge(bytes, this.group);
  }

  /** Resolves when no other large read of the request is under way, with what ends this one. */
  async startLargeRead(): Promise<() => void> {
    const before = this.#largeReads;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#largeReads = promise;
    await before;
    return resolve;
  }

  /** `isAnswered`: the whole answer was sent. */
  close(isAnswered: boolean): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#bytes > 0) this.#budget.release(this.#bytes, this.group);
    this.#isAborted = !isAnswered;
    if (this.#isAborted) this.#controller?.abort();
  }
}

export function answerTooLarge(maxBytes: number): ProtocolError {
  const megabytes = Math.max(1, Math.round(maxBytes / 1024 ** 2));
  return new ProtocolError(
    ErrorCode.OBJECT_TOO_LARGE,
    `The answer would be larger than ${megabytes} MB: ask for fewer objects at a time, with limit and skip`,
  );
}

const storage = new AsyncLocalStorage<RequestScope>();

/** Runs what is done for a request; `currentScope` finds it from everything that is called. */
export function runInScope<T>(scope: RequestScope, work: () => T): T {
  return storage.run(scope, work);
}

/** The request that the caller works for; undefined where it works for none, or for one that has ended. */
export function currentScope(): RequestScope | undefined {
  const scope = storage.getStore();
  return scope?.isClosed ? undefined : scope;
}
