import type { Transferable, Worker } from "node:worker_threads";
import {
  WorkerAbortedError,
  WorkerOverloadedError,
  WorkerTimeoutError,
  WorkerUnavailableError,
} from "./errors.ts";
import type { RequestMessage, ResponseMessage, SerializedError } from "./messages.ts";
import {
  type RestartPolicy,
  SupervisedWorker,
  type WorkerHealth,
  type WorkerLogger,
} from "./supervisedWorker.ts";

export interface WorkerPoolOptions {
  /** Name of the pool in logs and health reports. */
  name: string;
  spawn(): Worker;
  /** Maximum number of workers; each handles one request at a time. */
  size: number;
  /** Number of workers that start with the pool and are kept (default 1); others start on demand. */
  minSize?: number;
  /** How long the other workers are kept without a request, in ms (default one minute). */
  idleTimeoutMs?: number;
  /** How long a request is queued before another worker starts for it, in ms (default 0); the first starts at once. */
  growAfterMs?: number;
  /** Maximum number of queued requests. */
  maxQueued: number;
  /** Maximum time in the queue, in ms. */
  maxWaitMs: number;
  /** Default timeout of requests, in ms. */
  timeoutMs: number;
  logger: WorkerLogger;
  restart?: RestartPolicy;
  /** Called when a worker of the pool has failed too often and is not restarted. */
  onFailed?(error: Error): void;
  /** Converts the result of the worker's `serializeError` to an error. */
  deserializeError?(error: SerializedError): Error;
}

export interface CallOptions {
  /** Timeout of the request after it has started, in ms. */
  timeoutMs?: number;
  transfer?: readonly Transferable[];
  /** Rejects with WorkerAbortedError when aborted; a request that has started continues in the background. */
  signal?: AbortSignal;
  /**
   * Group of the request. Workers are shared fairly among groups: if the queue is full, the group with the most queued
   * requests loses its newest one.
   */
  group?: string;
}

interface Call<Response> {
  request: unknown;
  options: CallOptions;
  resolve(response: Response): void;
  reject(error: Error): void;
  queueTimer: NodeJS.Timeout | undefined;
  /** By `performance.now()`. */
  enqueuedAt: number;
  onAbort: (() => void) | undefined;
}

interface Slot<Response> {
  worker: SupervisedWorker<ResponseMessage<Response>>;
  call: Call<Response> | undefined;
  callId: number;
  deadline: NodeJS.Timeout | undefined;
  idleTimer: NodeJS.Timeout | undefined;
}

const DEFAULT_MIN_SIZE = 1;
const DEFAULT_IDLE_TIMEOUT_MS = 60_000;

/** Larger than any number of calls. */
const MAX_CALL_NUMBER = 2 ** 40;

/**
 * A pool of worker threads, each handling one request at a time. Every request completes: with a response, rejected
 * because the queue is full or its wait was too long, or timed out, in which case its worker is replaced.
 */
export class WorkerPool<Request, Response> {
  readonly #options: WorkerPoolOptions;
  readonly #slots: Slot<Response>[] = [];
  #queue: Call<Response>[] = [];
  #isStopped = false;
  #growTimer: NodeJS.Timeout | undefined;
  /** Idle workers that are being stopped. */
  readonly #retiring = new Set<Promise<void>>();
  /** Number of the last call of each queued group. */
  readonly #lastServed = new Map<string | undefined, number>();
  #callCount = 0;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /** Starts `minSize` workers (default 1). Rejects if one fails to start. */
  async start(): Promise<void> {
    const count = Math.min(this.#options.size, this.#minSize);
    await Promise.all(Array.from({ length: count }, () => this.#addSlot()));
  }

  /** Number of queued requests. */
  get queued(): number {
    return this.#queue.length;
  }

  get running(): number {
    return this.#slots.filter(({ call }) => call).length;
  }

  health(): WorkerHealth[] {
    return this.#slots.map(({ worker }) => worker.health());
  }

  /**
   * Rejects with the error of the worker, or with WorkerOverloadedError, WorkerTimeoutError, WorkerExitedError,
   * WorkerAbortedError or WorkerUnavailableError.
   */
  call(request: Request, options: CallOptions = {}): Promise<Response> {
    const { name, maxWaitMs, size } = this.#options;
    const { signal } = options;
    if (this.#isStopped) return Promise.reject(new WorkerUnavailableError(`${name} is stopped`));
    if (signal?.aborted) return Promise.reject(this.#abortError());
    return new Promise((resolve, reject) => {
      const call: Call<Response> = {
        request,
        options,
        resolve,
        reject,
        queueTimer: undefined,
        enqueuedAt: performance.now(),
        onAbort: undefined,
      };
      if (signal) {
        call.onAbort = () => this.#abort(call);
        signal.addEventListener("abort", call.onAbort, { once: true });
      }
      const idle = this.#slots.find((slot) => !slot.call && slot.worker.state === "ready");
      if (idle) return this.#run(idle, call);
      if (this.#slots.length >= size && this.#slots.every(({ worker }) => worker.state === "failed")) {
        return this.#reject(call, new WorkerUnavailableError(`${name} keeps failing`));
      }
      if (!this.#canEnqueue(call)) return;
      call.queueTimer = setTimeout(() => {
        this.#dequeue(call);
        this.#reject(call, new WorkerOverloadedError(`${name}: no worker was free within ${maxWaitMs} ms`));
      }, maxWaitMs);
      this.#queue.push(call);
      if (this.#slots.length < size) this.#growOnDemand();
    });
  }

  /** Rejects all requests and terminates the workers. Resolves when their threads have exited. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#growTimer);
    const error = new WorkerUnavailableError(`${this.#options.name} is stopped`);
    for (const call of this.#queue.splice(0)) this.#reject(call, error);
    for (const slot of this.#slots) this.#settle(slot)?.reject(error);
    for (const { idleTimer } of this.#slots) clearTimeout(idleTimer);
    await Promise.all([...this.#slots.map(({ worker }) => worker.stop()), ...this.#retiring]);
  }

  get #minSize(): number {
    return this.#options.minSize ?? DEFAULT_MIN_SIZE;
  }

  #growOnDemand(): void {
    const { growAfterMs = 0 } = this.#options;
    if (growAfterMs === 0 || this.#slots.length === 0) {
      this.#grow();
      return;
    }
    // Responses that arrived while the event loop was blocked are handled first.
    this.#growTimer ??= setTimeout(() => setImmediate(() => this.#growIfWaiting(growAfterMs)), growAfterMs);
  }

  #growIfWaiting(growAfterMs: number): void {
    this.#growTimer = undefined;
    if (this.#isStopped) return;
    const isWaiting = this.#queue.some(({ enqueuedAt }) => performance.now() - enqueuedAt >= growAfterMs);
    if (isWaiting && this.#slots.length < this.#options.size) this.#grow();
    else if (this.#queue.length > 0) this.#growOnDemand();
  }

  #grow(): void {
    this.#addSlot().catch((error: unknown) => {
      if (this.#isStopped) return;
      this.#options.logger.error("another worker could not be started", {
        worker: this.#options.name,
        error: String(error),
      });
    });
  }

  async #addSlot(): Promise<void> {
    const { name, spawn, logger, restart, onFailed } = this.#options;
    const slot: Slot<Response> = {
      call: undefined,
      callId: 0,
      deadline: undefined,
      idleTimer: undefined,
      worker: new SupervisedWorker<ResponseMessage<Response>>({
        name: `${name} ${this.#nextNumber()}`,
        spawn,
        logger,
        ...(restart && { restart }),
        onMessage: (response) => this.#receive(slot, response),
        onReady: () => this.#runNext(slot),
        onLost: (error) => this.#handleLostWorker(slot, error),
        ...(onFailed && { onFailed }),
      }),
    };
    this.#slots.push(slot);
    try {
      await slot.worker.start();
    } catch (error) {
      this.#slots.splice(this.#slots.indexOf(slot), 1);
      throw error;
    }
  }

  /** The lowest number that no worker has in its name. */
  #nextNumber(): number {
    const names = new Set(this.#slots.map(({ worker }) => worker.health().name));
    let number = 1;
    while (names.has(`${this.#options.name} ${number}`)) number += 1;
    return number;
  }

  #run(slot: Slot<Response>, call: Call<Response>): void {
    clearTimeout(slot.idleTimer);
    clearTimeout(call.queueTimer);
    const timeoutMs = call.options.timeoutMs ?? this.#options.timeoutMs;
    slot.call = call;
    slot.callId += 1;
    slot.deadline = setTimeout(() => {
      this.#settle(slot)?.reject(
        new WorkerTimeoutError(`${this.#options.name}: no result within ${timeoutMs} ms`),
      );
      slot.worker.replace(`a request ran longer than ${timeoutMs} ms`);
    }, timeoutMs);
    const message: RequestMessage<unknown> = { id: slot.callId, request: call.request };
    try {
      slot.worker.post(message, call.options.transfer);
    } catch (error) {
      this.#settle(slot)?.reject(error instanceof Error ? error : new Error(String(error)));
      this.#runNext(slot);
    }
  }

  #runNext(slot: Slot<Response>): void {
    if (slot.worker.state !== "ready" || slot.call) return;
    const next = this.#pickNext();
    if (!next) {
      this.#retireWhenIdle(slot);
      return;
    }
    this.#dequeue(next);
    this.#run(slot, next);
  }

  /** Stops a worker that stays idle, unless it is one of those that are kept: each takes several megabytes. */
  #retireWhenIdle(slot: Slot<Response>): void {
    clearTimeout(slot.idleTimer);
    slot.idleTimer = setTimeout(() => {
      const ready = this.#slots.filter(({ worker }) => worker.state === "ready");
      if (slot.call || !ready.includes(slot) || ready.length <= this.#minSize) return;
      this.#slots.splice(this.#slots.indexOf(slot), 1);
      const stopped = slot.worker.stop().finally(() => this.#retiring.delete(stopped));
      this.#retiring.add(stopped);
    }, this.#options.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS).unref();
  }

  /**
   * Picks the first call of the group with the fewest running calls; among those, of the group that was served least
   * recently.
   */
  #pickNext(): Call<Response> | undefined {
    if (this.#queue.length < 2) {
      this.#lastServed.clear();
      return this.#queue[0];
    }
    const running = new Map<string | undefined, number>();
    for (const { call } of this.#slots) {
      if (call) running.set(call.options.group, (running.get(call.options.group) ?? 0) + 1);
    }
    const rank = ({ options: { group } }: Call<Response>) =>
      (running.get(group) ?? 0) * MAX_CALL_NUMBER + (this.#lastServed.get(group) ?? 0);
    const next = this.#queue.reduce((a, b) => (rank(b) < rank(a) ? b : a));
    this.#lastServed.set(next.options.group, ++this.#callCount);
    return next;
  }

  /**
   * Whether a call may be queued. If the queue is full, the newest call of the group with the most queued calls is
   * rejected, which may be this call.
   */
  #canEnqueue(call: Call<Response>): boolean {
    const { name, maxQueued } = this.#options;
    if (this.#queue.length < maxQueued) return true;
    const queueTimer = new Map<string | undefined, number>();
    for (const { options } of this.#queue)
      queueTimer.set(options.group, (queueTimer.get(options.group) ?? 0) + 1);
    const own = queueTimer.get(call.options.group) ?? 0;
    const [largestGroup, count] = [...queueTimer].reduce(
      (a, b) => (b[1] > a[1] ? b : a),
      [call.options.group, own],
    );
    const evicted =
      count > own + 1 ? this.#queue.findLast(({ options }) => options.group === largestGroup) : undefined;
    const error = new WorkerOverloadedError(`${name}: ${maxQueued} requests are already queued`);
    this.#reject(evicted ?? call, error);
    if (!evicted) return false;
    this.#dequeue(evicted);
    return true;
  }

  #dequeue(call: Call<Response>): void {
    clearTimeout(call.queueTimer);
    this.#queue = this.#queue.filter((each) => each !== call);
  }

  /** Rejects an aborted call. A running request continues until its timeout. */
  #abort(call: Call<Response>): void {
    this.#dequeue(call);
    this.#reject(call, this.#abortError());
  }

  #abortError(): WorkerAbortedError {
    return new WorkerAbortedError(`${this.#options.name}: the request was aborted`);
  }

  #reject(call: Call<Response>, error: Error): void {
    clearTimeout(call.queueTimer);
    this.#removeAbortListener(call);
    call.reject(error);
  }

  #removeAbortListener({ options, onAbort }: Call<Response>): void {
    if (onAbort) options.signal?.removeEventListener("abort", onAbort);
  }

  #receive(slot: Slot<Response>, response: ResponseMessage<Response>): void {
    if (response.id !== slot.callId) return;
    slot.worker.markHealthy();
    const call = this.#settle(slot);
    if ("response" in response) call?.resolve(response.response);
    else call?.reject(this.#options.deserializeError?.(response.error) ?? new Error(response.error.message));
    this.#runNext(slot);
  }

  #handleLostWorker(slot: Slot<Response>, cause: Error): void {
    this.#settle(slot)?.reject(cause);
    const { size, name } = this.#options;
    if (this.#slots.length < size || this.#slots.some(({ worker }) => worker.state !== "failed")) return;
    const error = new WorkerUnavailableError(`${name} keeps failing`);
    for (const call of this.#queue.splice(0)) this.#reject(call, error);
  }

  #settle(slot: Slot<Response>): Call<Response> | undefined {
    clearTimeout(slot.deadline);
    const { call } = slot;
    slot.call = undefined;
    if (call) this.#removeAbortListener(call);
    return call;
  }
}
