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
  type WorkerLog,
} from "./supervisedWorker.ts";

export interface WorkerPoolOptions {
  /** Names the pool in logs and health reports. */
  name: string;
  spawn(): Worker;
  /** Workers at most; each runs one request at a time. */
  size: number;
  /** Workers that are started with the pool; further ones start when requests wait. */
  minSize?: number;
  /** Requests that may wait for a worker. */
  maxQueued: number;
  /** How long a request may wait for a worker, in ms. */
  maxWaitMs: number;
  /** How long a request may run where it says nothing else, in ms. */
  timeoutMs: number;
  log: WorkerLog;
  restart?: RestartPolicy;
  /** A worker of the pool has ended too often and is not restarted any more. */
  onFailed?(error: Error): void;
  /** Rebuilds what the worker's `serializeError` made of an error. */
  deserializeError?(error: SerializedError): Error;
}

export interface CallOptions {
  /** How long the request may run once it has begun, in ms. */
  timeoutMs?: number;
  transfer?: readonly Transferable[];
  /** Rejects with WorkerAbortedError once aborted; what has begun runs on, within its deadline. */
  signal?: AbortSignal;
  /**
   * Who makes the request. Workers are shared fairly among groups: where the queue is full, the group with the most
   * waiting requests loses its newest one.
   */
  group?: string;
}

interface Call<Response> {
  request: unknown;
  options: CallOptions;
  resolve(response: Response): void;
  reject(error: Error): void;
  waiting: NodeJS.Timeout | undefined;
  onAbort: (() => void) | undefined;
}

interface Slot<Response> {
  worker: SupervisedWorker<ResponseMessage<Response>>;
  call: Call<Response> | undefined;
  callId: number;
  deadline: NodeJS.Timeout | undefined;
}

/** More calls than a pool serves while some wait. */
const SERVED_MAX = 2 ** 40;

/**
 * Requests to a few worker threads, one at a time for each. Every request ends: answered, refused because the queue
 * is full or it waited too long, or timed out, which ends the worker that ran it and starts another.
 */
export class WorkerPool<Request, Response> {
  readonly #options: WorkerPoolOptions;
  readonly #slots: Slot<Response>[] = [];
  #queue: Call<Response>[] = [];
  #isStopped = false;
  /** When each group of those that wait was served last, by the number of the call. */
  readonly #servedAt = new Map<string | undefined, number>();
  #served = 0;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /** Starts `minSize` workers (default 1). Rejects when one cannot be started. */
  async start(): Promise<void> {
    const count = Math.min(this.#options.size, this.#options.minSize ?? 1);
    await Promise.all(Array.from({ length: count }, () => this.#addSlot()));
  }

  /** Requests that wait for a worker. */
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
   * Rejects with what the worker threw, or with WorkerOverloadedError, WorkerTimeoutError, WorkerExitedError,
   * WorkerAbortedError or WorkerUnavailableError.
   */
  call(request: Request, options: CallOptions = {}): Promise<Response> {
    const { name, maxWaitMs, size } = this.#options;
    const { signal } = options;
    if (this.#isStopped) return Promise.reject(new WorkerUnavailableError(`${name} is stopped`));
    if (signal?.aborted) return Promise.reject(this.#aborted());
    return new Promise((resolve, reject) => {
      const call: Call<Response> = {
        request,
        options,
        resolve,
        reject,
        waiting: undefined,
        onAbort: undefined,
      };
      if (signal) {
        call.onAbort = () => this.#abandon(call);
        signal.addEventListener("abort", call.onAbort, { once: true });
      }
      const idle = this.#slots.find((slot) => !slot.call && slot.worker.state === "ready");
      if (idle) return this.#run(idle, call);
      if (this.#slots.length >= size && this.#slots.every(({ worker }) => worker.state === "failed")) {
        return this.#refuse(call, new WorkerUnavailableError(`${name} keeps failing`));
      }
      if (!this.#makeRoomFor(call)) return;
      call.waiting = setTimeout(() => {
        this.#dequeue(call);
        this.#refuse(call, new WorkerOverloadedError(`${name}: no worker was free within ${maxWaitMs} ms`));
      }, maxWaitMs);
      this.#queue.push(call);
      if (this.#slots.length < size) this.#grow();
    });
  }

  /** Refuses what waits and ends the workers. Resolves when their threads are gone. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const error = new WorkerUnavailableError(`${this.#options.name} is stopped`);
    for (const call of this.#queue.splice(0)) this.#refuse(call, error);
    for (const slot of this.#slots) this.#settle(slot)?.reject(error);
    await Promise.all(this.#slots.map(({ worker }) => worker.stop()));
  }

  #grow(): void {
    this.#addSlot().catch((error: unknown) => {
      if (this.#isStopped) return;
      this.#options.log.error("another worker could not be started", {
        worker: this.#options.name,
        error: String(error),
      });
    });
  }

  async #addSlot(): Promise<void> {
    const { name, spawn, log, restart, onFailed } = this.#options;
    const slot: Slot<Response> = {
      call: undefined,
      callId: 0,
      deadline: undefined,
      worker: new SupervisedWorker<ResponseMessage<Response>>({
        name: `${name} ${this.#slots.length + 1}`,
        spawn,
        log,
        ...(restart && { restart }),
        onMessage: (answer) => this.#receive(slot, answer),
        onReady: () => this.#runNext(slot),
        onLost: (error) => this.#lose(slot, error),
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

  #run(slot: Slot<Response>, call: Call<Response>): void {
    clearTimeout(call.waiting);
    const timeoutMs = call.options.timeoutMs ?? this.#options.timeoutMs;
    slot.call = call;
    slot.callId += 1;
    slot.deadline = setTimeout(() => {
      this.#settle(slot)?.reject(
        new WorkerTimeoutError(`${this.#options.name}: not done within ${timeoutMs} ms`),
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
    const next = this.#next();
    if (!next) return;
    this.#dequeue(next);
    this.#run(slot, next);
  }

  /** The first call of the group for which the fewest workers are at work; of those, of the one not served for longest. */
  #next(): Call<Response> | undefined {
    if (this.#queue.length < 2) {
      this.#servedAt.clear();
      return this.#queue[0];
    }
    const running = new Map<string | undefined, number>();
    for (const { call } of this.#slots) {
      if (call) running.set(call.options.group, (running.get(call.options.group) ?? 0) + 1);
    }
    const rank = ({ options: { group } }: Call<Response>) =>
      (running.get(group) ?? 0) * SERVED_MAX + (this.#servedAt.get(group) ?? 0);
    const next = this.#queue.reduce((a, b) => (rank(b) < rank(a) ? b : a));
    this.#servedAt.set(next.options.group, ++this.#served);
    return next;
  }

  /** Whether a call may wait. Where the queue is full, the group that waits most gives way, which may be its own. */
  #makeRoomFor(call: Call<Response>): boolean {
    const { name, maxQueued } = this.#options;
    if (this.#queue.length < maxQueued) return true;
    const waiting = new Map<string | undefined, number>();
    for (const { options } of this.#queue) waiting.set(options.group, (waiting.get(options.group) ?? 0) + 1);
    const own = waiting.get(call.options.group) ?? 0;
    const [most, count] = [...waiting].reduce((a, b) => (b[1] > a[1] ? b : a), [call.options.group, own]);
    const loser = count > own + 1 ? this.#queue.findLast(({ options }) => options.group === most) : undefined;
    const error = new WorkerOverloadedError(`${name}: ${maxQueued} requests wait already`);
    this.#refuse(loser ?? call, error);
    if (!loser) return false;
    this.#dequeue(loser);
    return true;
  }

  #dequeue(call: Call<Response>): void {
    clearTimeout(call.waiting);
    this.#queue = this.#queue.filter((each) => each !== call);
  }

  /** Nobody waits for the call any more. What runs is left to its deadline. */
  #abandon(call: Call<Response>): void {
    this.#dequeue(call);
    this.#refuse(call, this.#aborted());
  }

  #aborted(): WorkerAbortedError {
    return new WorkerAbortedError(`${this.#options.name}: the request was given up`);
  }

  #refuse(call: Call<Response>, error: Error): void {
    clearTimeout(call.waiting);
    this.#forgetSignal(call);
    call.reject(error);
  }

  #forgetSignal({ options, onAbort }: Call<Response>): void {
    if (onAbort) options.signal?.removeEventListener("abort", onAbort);
  }

  #receive(slot: Slot<Response>, answer: ResponseMessage<Response>): void {
    if (answer.id !== slot.callId) return;
    slot.worker.markHealthy();
    const call = this.#settle(slot);
    if ("response" in answer) call?.resolve(answer.response);
    else call?.reject(this.#options.deserializeError?.(answer.error) ?? new Error(answer.error.message));
    this.#runNext(slot);
  }

  #lose(slot: Slot<Response>, cause: Error): void {
    this.#settle(slot)?.reject(cause);
    const { size, name } = this.#options;
    if (this.#slots.length < size || this.#slots.some(({ worker }) => worker.state !== "failed")) return;
    const error = new WorkerUnavailableError(`${name} keeps failing`);
    for (const call of this.#queue.splice(0)) this.#refuse(call, error);
  }

  #settle(slot: Slot<Response>): Call<Response> | undefined {
    clearTimeout(slot.deadline);
    const { call } = slot;
    slot.call = undefined;
    if (call) this.#forgetSignal(call);
    return call;
  }
}
