import type { Transferable, Worker } from "node:worker_threads";
import { WorkerOverloadedError, WorkerTimeoutError, WorkerUnavailableError } from "./errors.ts";
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
  /** Rebuilds what the worker's `serializeError` made of an error. */
  deserializeError?(error: SerializedError): Error;
}

export interface CallOptions {
  /** How long the request may run once it has begun, in ms. */
  timeoutMs?: number;
  transfer?: readonly Transferable[];
}

interface Call<Response> {
  request: unknown;
  options: CallOptions;
  resolve(response: Response): void;
  reject(error: Error): void;
  waiting: NodeJS.Timeout | undefined;
}

interface Slot<Response> {
  worker: SupervisedWorker<ResponseMessage<Response>>;
  call: Call<Response> | undefined;
  callId: number;
  deadline: NodeJS.Timeout | undefined;
}

/**
 * Requests to a few worker threads, one at a time for each. Every request ends: answered, refused because the queue
 * is full or it waited too long, or timed out, which ends the worker that ran it and starts another.
 */
export class WorkerPool<Request, Response> {
  readonly #options: WorkerPoolOptions;
  readonly #slots: Slot<Response>[] = [];
  #queue: Call<Response>[] = [];
  #isStopped = false;

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
   * Rejects with what the worker threw, or with WorkerOverloadedError, WorkerTimeoutError, WorkerExitedError or
   * WorkerUnavailableError.
   */
  call(request: Request, options: CallOptions = {}): Promise<Response> {
    const { name, maxQueued, maxWaitMs, size } = this.#options;
    if (this.#isStopped) return Promise.reject(new WorkerUnavailableError(`${name} is stopped`));
    return new Promise((resolve, reject) => {
      const call: Call<Response> = { request, options, resolve, reject, waiting: undefined };
      const idle = this.#slots.find((slot) => !slot.call && slot.worker.state === "ready");
      if (idle) return this.#run(idle, call);
      if (this.#slots.length >= size && this.#slots.every(({ worker }) => worker.state === "failed")) {
        return reject(new WorkerUnavailableError(`${name} keeps failing`));
      }
      if (this.#queue.length >= maxQueued) {
        return reject(new WorkerOverloadedError(`${name}: ${maxQueued} requests wait already`));
      }
      call.waiting = setTimeout(() => {
        this.#queue = this.#queue.filter((each) => each !== call);
        reject(new WorkerOverloadedError(`${name}: no worker was free within ${maxWaitMs} ms`));
      }, maxWaitMs);
      this.#queue.push(call);
      if (this.#slots.length < size) this.#grow();
    });
  }

  /** Refuses what waits and ends the workers. Resolves when their threads are gone. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const error = new WorkerUnavailableError(`${this.#options.name} is stopped`);
    for (const call of this.#queue.splice(0)) {
      clearTimeout(call.waiting);
      call.reject(error);
    }
    for (const slot of this.#slots) this.#settle(slot)?.reject(error);
    await Promise.all(this.#slots.map(({ worker }) => worker.stop()));
  }

  #grow(): void {
    this.#addSlot().catch((error: unknown) => {
      this.#options.log.error("another worker could not be started", {
        worker: this.#options.name,
        error: String(error),
      });
    });
  }

  async #addSlot(): Promise<void> {
    const { name, spawn, log, restart } = this.#options;
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
    const next = slot.worker.state === "ready" && !slot.call ? this.#queue.shift() : undefined;
    if (next) this.#run(slot, next);
  }

  #receive(slot: Slot<Response>, answer: ResponseMessage<Response>): void {
    if (answer.id !== slot.callId) return;
    const call = this.#settle(slot);
    if ("response" in answer) call?.resolve(answer.response);
    else call?.reject(this.#options.deserializeError?.(answer.error) ?? new Error(answer.error.message));
    this.#runNext(slot);
  }

  #lose(slot: Slot<Response>, error: Error): void {
    this.#settle(slot)?.reject(error);
    const { size, name } = this.#options;
    if (this.#slots.length < size || this.#slots.some(({ worker }) => worker.state !== "failed")) return;
    for (const call of this.#queue.splice(0)) {
      clearTimeout(call.waiting);
      call.reject(new WorkerUnavailableError(`${name} keeps failing`));
    }
  }

  #settle(slot: Slot<Response>): Call<Response> | undefined {
    clearTimeout(slot.deadline);
    const { call } = slot;
    slot.call = undefined;
    return call;
  }
}
