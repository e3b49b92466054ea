import { Worker } from "node:worker_threads";
import { ErrorCode, isRecord, type JsonValue, ProtocolError } from "@purse/protocol";
import type { Logger } from "../core/logger.ts";
import { OutcomeUnknownError } from "../core/outcomeUnknownError.ts";
import { trace } from "../core/tracing/tracing.ts";
import { findBlockingInvocation } from "./blockingInvocation.ts";
import type { CloudCall } from "./cloudCall.ts";
import { InvocationSlots } from "./invocationSlots.ts";
import { MessageBatcher } from "./messageBatcher.ts";
import {
  type Definitions,
  type HostMessage,
  type HostRequest,
  NO_DEFINITIONS,
  type WorkerMessage,
  type WorkerStartData,
} from "./workerMessages.ts";

export interface CloudWorkerDependencies {
  startData: Omit<WorkerStartData, "slots">;
  /** Memory limit of the code's objects, in MiB. */
  memoryMb: number;
  /** How long one invocation may block the thread, in ms of its processor time. */
  blockedMs: number;
  /** Handles a request of the code to the server. */
  handleHostRequest(hostRequest: HostRequest, depth: number): Promise<JsonValue>;
  /** Called with each change of the definitions, in order; first when the code has been loaded. */
  onDefined(definitions: Definitions): void;
  /** Called with the files of the code, whether or not it could be loaded. */
  onFiles(files: string[]): void;
  /** Called after messages of the thread: it may have begun invocations and take further ones. */
  onProgress(): void;
  /** Called when the worker exited by itself; the invocations that had begun have been rejected. */
  onExit(exit: WorkerExit): void;
  logger: Logger;
}

export interface WorkerExit {
  reason: string;
  /** The call whose code ended the thread, if that is known. */
  culprit: CloudCall | undefined;
  /** Calls that the thread has not begun. */
  unbegun: CloudCall[];
}

/** How often threads that have invocations are checked, in ms. */
export const TICK_MS = 50;
/** Number of ticks without progress after which a thread counts as stalled. */
const STALLED_TICKS = 2;
/**
 * A thread whose processor time is below `blockedMs`, or not known, is ended after so many times of it all the same: it
 * may sleep, wait for a lock, or be in native code, in which it does not tell its time.
 */
const WALL_FACTOR = 4;
const UNKNOWN_WALL_FACTOR = 2;
/** Number of ticks for which code has to run at a stretch to count as what exhausted the memory. */
const EXHAUSTING_TICKS = 20;
/** Maximum number of invocations that a thread has been offered and not begun. */
const MAX_WINDOW = 64;

let createdWorkers = 0;

/** A worker thread with the cloud code. */
export class CloudWorker {
  readonly #dependencies: CloudWorkerDependencies;
  readonly #name = `cloud-code-${++createdWorkers}`;
  readonly #worker: Worker;
  readonly #slots = new InvocationSlots();
  readonly #batcher: MessageBatcher<HostMessage>;
  /** Calls that were offered or have begun, by the ID of their invocation. */
  readonly #pending = new Map<number, CloudCall>();
  /** IDs of invocations that may not have begun, in order, with the tick at which they were offered. */
  readonly #offered = new Map<number, number>();
  readonly #ready = Promise.withResolvers<void>();
  #definitions: Definitions = NO_DEFINITIONS;
  #defined: ReadonlySet<string> = new Set();
  #lastId = 0;
  /** How many invocations the thread may be offered at once: one after it was slow, and more while it is not. */
  #window = MAX_WINDOW;
  #ticks = 0;
  #progress = -1;
  /** Number of consecutive ticks without progress. */
  #ticksBlocked = 0;
  /** Processor time of the thread, in ms: when it was first found without progress, and now. */
  #cpuMs: { before: number; now: number } | undefined;
  #isEnding = false;
  #isOutOfMemory = false;
  #exitReason: string | undefined;
  #culprit: CloudCall | undefined;

  constructor(dependencies: CloudWorkerDependencies) {
    this.#dependencies = dependencies;
    const workerData: WorkerStartData = { ...dependencies.startData, slots: this.#slots.buffer };
    this.#worker = new Worker(new URL("./worker.ts", import.meta.url), {
      workerData,
      name: this.#name,
      resourceLimits: { maxOldGenerationSizeMb: dependencies.memoryMb },
    });
    this.#worker.unref();
    this.#batcher = new MessageBatcher((messages) => this.#worker.postMessage(messages));
    this.#worker.on("message", (messages: WorkerMessage[]) => {
      for (const message of messages) this.#receive(message);
      dependencies.onProgress();
    });
    this.#worker.on("error", (error) => {
      this.#exitReason ??= error instanceof Error ? error.message : String(error);
      this.#isOutOfMemory = isRecord(error) && error.code === "ERR_WORKER_OUT_OF_MEMORY";
      if (error instanceof Error)
        dependencies.logger.error("the cloud code's thread failed", { error: error.stack });
    });
    this.#worker.on("exit", () => this.#onWorkerExit());
    this.#ready.promise.catch(() => undefined);
  }

  /** Resolves when the code has been loaded. Rejects if it cannot be loaded. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  get definitions(): Definitions {
    return this.#definitions;
  }

  /** Whether it blocked for too long and is being ended. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  get isIdle(): boolean {
    return this.#pending.size === 0;
  }

  /** Whether it has made no progress for a while: an invocation blocks it, or its code waits for the processor. */
  get isStalled(): boolean {
    return this.#ticksBlocked >= STALLED_TICKS;
  }

  /** The name of what stalls the thread, if that is known. */
  get stalledBy(): string | undefined {
    return this.isStalled ? this.#pending.get(this.#slots.current)?.name : undefined;
  }

  /** Whether it may be offered an invocation. */
  get hasCapacity(): boolean {
    return !this.isStalled && !this.#isEnding && this.#exitReason === undefined && !this.#isWindowFull();
  }

  /** Whether its code has defined what an invocation executes. */
  defines(definition: string): boolean {
    return this.#defined.has(definition);
  }

  /** Offers an invocation to the thread. Returns false if it has no capacity. */
  offer(call: CloudCall): boolean {
    const id = InvocationSlots.nextId(this.#lastId);
    if (!this.#slots.offer(id)) return false;
    this.#lastId = id;
    this.#pending.set(id, call);
    this.#offered.set(id, this.#ticks);
    const { depth, traceHeaders, invocation } = call;
    this.#batcher.add({ kind: "invoke", id, depth, ...traceHeaders, invocation });
    return true;
  }

  /** Withdraws an offered call. Returns false if it has begun, or is not here. */
  withdraw(call: CloudCall): boolean {
    for (const id of this.#offered.keys())
      if (this.#pending.get(id) === call) return this.#withdraw(id) !== undefined;
    return false;
  }

  /** Withdraws all calls that have not begun, and returns them in their order. */
  withdrawAll(): CloudCall[] {
    return [...this.#offered.keys()].flatMap((id) => this.#withdraw(id) ?? []);
  }

  /** Checks whether the thread is blocked, and ends it if so. Returns the calls that it did not begin in time. */
  tick(): CloudCall[] {
    this.#ticks += 1;
    this.#watch();
    this.#forgetBegun();
    const [oldest] = this.#offered.values();
    if (oldest === undefined || (!this.isStalled && oldest > this.#ticks - STALLED_TICKS)) return [];
    this.#window = 1;
    return this.withdrawAll();
  }

  /** Terminates the worker. */
  async stop(reason: string): Promise<void> {
    this.#exitReason ??= reason;
    await this.#worker.terminate();
  }

  #receive(message: WorkerMessage): void {
    switch (message.kind) {
      case "files":
        this.#dependencies.onFiles(message.files);
        break;
      case "ready":
        // Called here and not when the promise settles, because the next message may define more.
        this.#define(message.definitions);
        this.#ready.resolve();
        break;
      case "loadFailed":
        this.#ready.reject(new LoadError(message.error, message.location));
        void this.stop("the cloud code cannot be loaded");
        break;
      case "definitions":
        this.#define(message.definitions);
        break;
      case "result":
        this.#settle(message.id)?.resolve(message.result);
        break;
      case "error": {
        const { code, message: errorMessage, status } = message.error;
        this.#settle(message.id)?.refuse(new ProtocolError(code, errorMessage, status));
        break;
      }
      case "hostRequest":
        void this.#handleHostRequest(message);
        break;
      case "log":
        this.#dependencies.logger[message.level](message.message, message.fields);
        break;
      case "begun":
    }
  }

  #define(definitions: Definitions): void {
    const { functions, jobs, triggers } = definitions;
    this.#definitions = definitions;
    this.#defined = new Set([
      ...functions.map((name) => `function ${name}`),
      ...jobs.map((name) => `job ${name}`),
      ...triggers,
    ]);
    this.#dependencies.onDefined(definitions);
  }

  #settle(id: number): CloudCall | undefined {
    const call = this.#pending.get(id);
    this.#pending.delete(id);
    this.#offered.delete(id);
    return call;
  }

  async #handleHostRequest({
    id,
    depth,
    traceparent,
    hostRequest,
  }: Extract<WorkerMessage, { kind: "hostRequest" }>): Promise<void> {
    try {
      const value = await trace(
        `cloud ${hostRequest.kind}`,
        () => this.#dependencies.handleHostRequest(hostRequest, depth),
        () => ({ parent: traceparent }),
      );
      this.#post({ kind: "hostResponse", id, value });
    } catch (error) {
      const remoteError =
        error instanceof ProtocolError
          ? { code: error.code, message: error.toJSON().error }
          : { code: ErrorCode.INTERNAL_SERVER_ERROR, message: "Internal server error." };
      if (!(error instanceof ProtocolError)) {
        this.#dependencies.logger.error("a request of the cloud code failed", { error });
      }
      this.#post({ kind: "hostError", id, error: remoteError });
    }
  }

  #isWindowFull(): boolean {
    this.#forgetBegun();
    return this.#offered.size >= this.#window;
  }

  /** Forgets that invocations were offered that have begun. */
  #forgetBegun(): void {
    if (this.#offered.size === 0) return;
    for (const id of this.#offered.keys()) {
      if (this.#slots.isOffered(id)) return;
      this.#offered.delete(id);
    }
    this.#window = Math.min(this.#window * 2, MAX_WINDOW);
  }

  #withdraw(id: number): CloudCall | undefined {
    if (!this.#slots.withdraw(id)) return undefined;
    return this.#settle(id);
  }

  #watch(): void {
    if (this.#isEnding) return;
    const { progress } = this.#slots;
    if (progress !== this.#progress) {
      this.#progress = progress;
      this.#ticksBlocked = 0;
      this.#cpuMs = undefined;
      this.#post({ kind: "ping" });
      return;
    }
    // Counted, not timed: while this thread is busy, so that nothing is checked, the time of the other one is its own.
    this.#ticksBlocked += 1;
    if (this.isStalled) void this.#readProcessorTime();
    if (this.#isBlockedTooLong()) void this.#endBlocked();
  }

  /** On a busy machine, code that has not had the processor for as long is not blocked. */
  #isBlockedTooLong(): boolean {
    const { blockedMs } = this.#dependencies;
    const ms = this.#ticksBlocked * TICK_MS;
    if (ms < blockedMs) return false;
    if (ms >= blockedMs * (this.#cpuMs ? WALL_FACTOR : UNKNOWN_WALL_FACTOR)) return true;
    return (
      this.#cpuMs !== undefined && this.#cpuMs.now - this.#cpuMs.before >= blockedMs - STALLED_TICKS * TICK_MS
    );
  }

  async #readProcessorTime(): Promise<void> {
    const progress = this.#progress;
    const usage = await this.#worker.cpuUsage().catch(() => undefined);
    if (!usage || progress !== this.#progress || this.#ticksBlocked === 0) return;
    const now = (usage.user + usage.system) / 1_000;
    this.#cpuMs = { before: this.#cpuMs?.before ?? now, now };
  }

  async #endBlocked(): Promise<void> {
    this.#isEnding = true;
    const { current } = this.#slots;
    const id = current === 0 ? await findBlockingInvocation(this.#name) : current;
    this.#culprit = id === undefined ? undefined : this.#pending.get(id);
    const { blockedMs } = this.#dependencies;
    await this.stop(
      this.#culprit
        ? `${this.#culprit.name} blocked it for ${blockedMs} ms`
        : `it did not respond within ${blockedMs} ms`,
    );
  }

  #onWorkerExit(): void {
    const reason = this.#exitReason ?? "it exited";
    const wasRequested = this.#exitReason === STOPPED;
    this.#exitReason = reason;
    this.#ready.reject(new Error(reason));
    if (this.#endedItself()) this.#culprit ??= this.#pending.get(this.#slots.current);
    const unbegun = this.withdrawAll();
    for (const { refuse } of this.#pending.values())
      refuse(new OutcomeUnknownError(ErrorCode.SCRIPT_FAILED, "The cloud code was interrupted."));
    this.#pending.clear();
    if (wasRequested) for (const { refuse } of unbegun) refuse(stopping());
    else this.#dependencies.onExit({ reason, culprit: this.#culprit, unbegun });
  }

  /** Whether the code that ran last ended the thread. The memory may have been exhausted by others before. */
  #endedItself(): boolean {
    return !this.#isOutOfMemory || this.#ticksBlocked >= EXHAUSTING_TICKS;
  }

  #post(message: HostMessage): void {
    this.#batcher.add(message);
  }
}

/** The code cannot be loaded, with the place of the reason in it if that is known. */
export class LoadError extends Error {
  readonly location: string | undefined;

  constructor(message: string, location: string | undefined) {
    super(message);
    this.location = location;
  }
}

/** The exit reason of a worker that was stopped on purpose. */
export const STOPPED = "it was stopped";

export function stopping(): ProtocolError {
  return new ProtocolError(ErrorCode.SCRIPT_FAILED, "The server is stopping");
}
