import { AsyncLocalStorage } from "node:async_hooks";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { ByteBudget } from "./byteBudget.ts";

export interface RequestScopeOptions {
  /** Sender of the request, such as its IP address; worker threads are shared fairly among groups. */
  group: string;
  budget: ByteBudget;
  /** Maximum bytes that may be read for one response. */
  maxAnswerBytes: number;
}

/** The resources of one HTTP request; released when the response has ended or the connection is closed. */
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

  /** Bytes that may still be read for the response. */
  get bytesLeft(): number {
    return Math.max(0, this.#maxAnswerBytes - this.#bytes);
  }

  /** Counts bytes that were read for the response until the request has ended. Throws 116. */
  charge(bytes: number): void {
    if (bytes > this.bytesLeft) throw responseTooLarge(this.#maxAnswerBytes);
    if (this.#isClosed) return;
    this.#bytes += bytes;
    this.#budget.charge(bytes, this.group);
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
    if (this.#bytes > 0) this.#budget.release(this.#bytes, this.group);
    this.#isAborted = !hasResponded;
    if (this.#isAborted) this.#controller?.abort();
  }
}

export function responseTooLarge(maxBytes: number): ProtocolError {
  const megabytes = Math.max(1, Math.round(maxBytes / 1024 ** 2));
  return new ProtocolError(
    ErrorCode.OBJECT_TOO_LARGE,
    `The response would be larger than ${megabytes} MB: request fewer objects at a time, with limit and skip`,
  );
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
