import { availableParallelism } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { ErrorCode, type JsonValue, ProtocolError } from "@purse/protocol";
import type { Logger, LogLevel } from "../core/logger.ts";
import { trace, traceHeaders } from "../core/tracing/tracing.ts";
import { currentDepth } from "./callDepth.ts";
import { CallQueue, type Thread } from "./callQueue.ts";
import { CloudBreaker, type RefusedCode } from "./cloudBreaker.ts";
import type { CloudCall } from "./cloudCall.ts";
import { CloudWorker, LoadError, STOPPED, stopping, TICK_MS, type WorkerExit } from "./cloudWorker.ts";
import { definitionOf } from "./definitionOf.ts";
import { FileWatcher } from "./fileWatcher.ts";
import { mergeDefinitions } from "./mergeDefinitions.ts";
import { TimeLimit } from "./timeLimit.ts";
import {
  type Definitions,
  type HostRequest,
  type Invocation,
  type InvocationResult,
  NO_DEFINITIONS,
  type ServerSettings,
} from "./workerMessages.ts";

export interface WorkerSupervisorDependencies {
  /** The cloud code file; empty for none. */
  file: string;
  /** Module files of plugins. */
  plugins: string[];
  settings: ServerSettings;
  memoryMb: number;
  /** Time limit of a function or trigger, in ms. */
  timeoutMs: number;
  /** Maximum size of a response, in bytes. */
  maxAnswerBytes: number;
  /** How long one invocation may block its thread, in ms. */
  blockedMs?: number | undefined;
  /** Maximum number of threads that run functions. If it is not 1, there is a further one for triggers. */
  maxThreads?: number | undefined;
  breaker?: CloudBreaker | undefined;
  /** Whether the code is reloaded when one of its files changes. */
  watchesFiles: boolean;
  handleHostRequest(hostRequest: HostRequest, depth: number): Promise<JsonValue>;
  onDefined(definitions: Definitions): void;
  logger: Logger;
  logLevel: LogLevel;
  /** How long loading the code may take, in ms. */
  loadTimeoutMs?: number | undefined;
}

/** The state of the threads, for operators. */
export interface CloudHealth {
  threads: number;
  /** Calls that wait for a thread. */
  waiting: number;
  /** How often threads ended by themselves or were ended. */
  restarts: number;
  /** How often each function or trigger was what ended a thread. */
  interruptions: ReadonlyMap<string, number>;
  refused: RefusedCode[];
}

/** Code that blocks its event loop for longer than this is terminated, in ms. */
const MAX_BLOCKED_MS = 5_000;
/** Number of ticks for which calls have to wait for a stalled thread before a further one is started. */
const TICKS_BEFORE_GROWTH = 4;
/** How long replaced code may take to finish its invocations, in ms. */
const DRAIN_TIMEOUT_MS = 30_000;
/** How long loading the code may take, in ms: code that waits for something forever must not keep a server from starting. */
const LOAD_TIMEOUT_MS = 60_000;
const RESTART_DELAYS_MS = [0, 500, 2_000, 10_000];
/** Seconds after which a client may call again. */
const RETRY_AFTER_S = 5;

/** A call was not begun in time because others took all of it, and never will be: it may be sent again. */
class NotBegunError extends ProtocolError {
  readonly retryAfter = RETRY_AFTER_S;

  constructor(name: string, ms: number) {
    super(ErrorCode.TIMEOUT, `${name} was not begun within ${ms} ms: too many other calls wait`, 503);
  }
}

/** Two threads run functions, unless the machine has one processor. */
function defaultThreads(): number {
  return Math.min(2, availableParallelism());
}

/**
 * Supervises the threads with the cloud code: starts more if calls have to wait for one that is blocked, restarts them
 * when they exit, and replaces them when the code changes. Calls wait until a thread has capacity.
 */
export class WorkerSupervisor {
  readonly #dependencies: WorkerSupervisorDependencies;
  readonly #maxThreads: number;
  readonly #breaker: CloudBreaker;
  readonly #queue: CallQueue;
  readonly #timeLimit: TimeLimit;
  readonly #files: FileWatcher;
  #definitions: Definitions = NO_DEFINITIONS;
  /** Threads with the current code, in the order in which they get calls. */
  #threads: (Thread & { worker: CloudWorker })[] = [];
  /** All workers that have not exited, those that are loading or drained included. */
  readonly #workers = new Set<CloudWorker>();
  /** The worker that was started last, whether or not its code could be loaded. */
  #latest: CloudWorker | undefined;
  /** Number of times that the code was replaced. */
  #version = 0;
  #isStarted = false;
  #isStopped = false;
  /** Whether a further thread is being started. */
  #isGrowing = false;
  #ticksWithoutCapacity = 0;
  #failures = 0;
  #restarts = 0;
  readonly #interruptions = new Map<string, number>();
  #ticker: NodeJS.Timeout | undefined;

  constructor(dependencies: WorkerSupervisorDependencies) {
    this.#dependencies = dependencies;
    this.#maxThreads = dependencies.maxThreads ?? defaultThreads();
    this.#breaker = dependencies.breaker ?? new CloudBreaker();
    this.#queue = new CallQueue({ breaker: this.#breaker });
    this.#timeLimit = new TimeLimit(dependencies.timeoutMs, dependencies.logger);
    this.#files = new FileWatcher(() => void this.#reload(), dependencies.logger);
  }

  get definitions(): Definitions {
    return this.#definitions;
  }

  health(): CloudHealth {
    return {
      threads: this.#threads.length,
      waiting: this.#queue.size,
      restarts: this.#restarts,
      interruptions: this.#interruptions,
      refused: this.#breaker.refused(),
    };
  }

  /** Loads the code. Rejects if it cannot be loaded. */
  async start(): Promise<void> {
    this.#isStarted = true;
    try {
      await this.#addThread(false);
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Executes an invocation, within the time limit unless it is a job. Rejects with ProtocolError. */
  run(name: string, invocation: Invocation): Promise<InvocationResult> {
    if (this.#isStopped || !this.#isStarted) return Promise.reject(stopping());
    return trace(
      "cloud code",
      async () => {
        const { promise, resolve, reject } = Promise.withResolvers<InvocationResult>();
        const { client } = invocation.callContext;
        const call: CloudCall = {
          name,
          definition: definitionOf(invocation),
          invocation,
          client,
          depth: currentDepth() + 1,
          traceHeaders: traceHeaders(),
          resolve,
          refuse: reject,
        };
        const rejection = this.#breaker.rejection(name, client);
        if (rejection) throw rejection;
        this.#queue.add(call);
        this.#dispatch();
        if (invocation.kind === "job") return promise;
        return this.#timeLimit.limit(name, promise, () => this.#expire(call));
      },
      () => ({ attributes: { "purse.cloud.name": name, "purse.cloud.kind": invocation.kind } }),
    );
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#files.close();
    this.#stopTicking();
    for (const { refuse } of this.#queue.clear()) refuse(stopping());
    await Promise.all([...this.#workers].map((worker) => worker.stop(STOPPED)));
    this.#workers.clear();
  }

  #dispatch(): void {
    this.#queue.dispatch(this.#threads);
    this.#startTicking();
  }

  /** Answers a call whose time is over, if it has not begun; it will not, then. */
  #expire(call: CloudCall): Error | undefined {
    const hasNotBegun = this.#queue.remove(call) || this.#threads.some(({ worker }) => worker.withdraw(call));
    return hasNotBegun ? new NotBegunError(call.name, this.#dependencies.timeoutMs) : undefined;
  }

  #startTicking(): void {
    if (this.#isStopped || this.#isIdle()) return;
    this.#ticker ??= setInterval(() => this.#tick(), TICK_MS).unref();
  }

  #stopTicking(): void {
    clearInterval(this.#ticker);
    this.#ticker = undefined;
  }

  #isIdle(): boolean {
    return this.#queue.size === 0 && this.#threads.every(({ worker }) => worker.isIdle);
  }

  #tick(): void {
    if (this.#isIdle()) this.#stopTicking();
    for (const { worker } of this.#threads) this.#queue.putBack(worker.tick());
    this.#queue.dispatch(this.#threads);
    this.#grow();
  }

  /** Starts a further thread if calls have waited for some time, for another reason than that of what they call. */
  #grow(): void {
    const lanes = (["functions", "triggers"] as const).filter((each) =>
      this.#queue.needsThread(this.#threads, each),
    );
    this.#ticksWithoutCapacity = lanes.length === 0 ? 0 : this.#ticksWithoutCapacity + 1;
    if (this.#maxThreads === 1 || this.#isGrowing || this.#threads.length === 0) return;
    if (this.#ticksWithoutCapacity < TICKS_BEFORE_GROWTH) return;
    const active = this.#threads.filter(({ worker }) => !worker.isEnding);
    const hasReserve = active.some(({ isReserve }) => isReserve);
    const isFull = active.length - Number(hasReserve) >= this.#maxThreads;
    if (isFull && (hasReserve || !lanes.includes("triggers"))) return;
    this.#addFurtherThread(isFull);
  }

  #addFurtherThread(isReserve: boolean): void {
    if (this.#isGrowing) return;
    this.#isGrowing = true;
    this.#addThread(isReserve)
      .catch((error: unknown) => {
        this.#dependencies.logger.error("a further thread of the cloud code could not be started", { error });
      })
      .finally(() => {
        this.#isGrowing = false;
      });
  }

  /** Starts a thread with the current code; it gets calls as soon as it has loaded the code. */
  async #addThread(isReserve: boolean): Promise<void> {
    const version = this.#version;
    const worker = await this.#load();
    // The code may have been replaced meanwhile.
    if (this.#isStopped || version !== this.#version) return void (await worker.stop(STOPPED));
    this.#threads.push({ worker, isReserve });
    this.#setDefinitions();
    this.#dispatch();
  }

  async #load(): Promise<CloudWorker> {
    const { file, plugins, settings, timeoutMs, logLevel, maxAnswerBytes } = this.#dependencies;
    const { blockedMs = MAX_BLOCKED_MS, loadTimeoutMs = LOAD_TIMEOUT_MS } = this.#dependencies;
    const worker: CloudWorker = new CloudWorker({
      startData: { file, plugins, settings, logLevel, maxAnswerBytes },
      memoryMb: this.#dependencies.memoryMb,
      blockedMs: timeoutMs === 0 ? blockedMs : Math.min(timeoutMs, blockedMs),
      handleHostRequest: this.#dependencies.handleHostRequest,
      onDefined: () => {
        // A replaced worker may define more while it finishes its invocations.
        if (this.#threads.some((thread) => thread.worker === worker)) this.#setDefinitions();
      },
      onFiles: (files) => {
        if (this.#latest === worker && this.#dependencies.watchesFiles && !this.#isStopped)
          this.#files.watch(files);
      },
      onProgress: () => {
        if (this.#queue.size > 0) this.#dispatch();
      },
      onExit: (exit) => {
        this.#workers.delete(worker);
        if (isReady) this.#onExit(worker, exit);
      },
      logger: this.#dependencies.logger,
    });
    this.#latest = worker;
    let isReady = false;
    this.#workers.add(worker);
    const timer = setTimeout(() => {
      void worker.stop(`it was not loaded within ${loadTimeoutMs} ms`);
    }, loadTimeoutMs);
    try {
      await worker.ready;
      isReady = true;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const location = (error instanceof LoadError ? error.location : undefined) ?? file;
      throw new Error(`Cloud code ${location}: ${reason}`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
    return worker;
  }

  /** Continues without a thread that ended: others execute what it had not begun. */
  #onExit(worker: CloudWorker, { reason, culprit, unbegun }: WorkerExit): void {
    const wasCurrent = this.#threads.some((thread) => thread.worker === worker);
    this.#threads = this.#threads.filter((thread) => thread.worker !== worker);
    if (this.#isStopped) return;
    this.#restarts += 1;
    this.#queue.putBack(unbegun);
    this.#dependencies.logger.error("the cloud code exited and is being restarted", {
      reason,
      ...(culprit && { function: culprit.name }),
    });
    if (culprit) this.#blame(culprit);
    this.#setDefinitions();
    this.#dispatch();
    if (!wasCurrent) return;
    if (this.#threads.length === 0) void this.#restart(culprit !== undefined);
    // What ended the thread may come again, and needs one apart from the others.
    else if (culprit) this.#addFurtherThread(false);
  }

  #blame({ name, client }: CloudCall): void {
    this.#interruptions.set(name, (this.#interruptions.get(name) ?? 0) + 1);
    const isRefused = this.#breaker.strike(name, client);
    if (!isRefused) return;
    this.#dependencies.logger.error("cloud code that repeatedly blocked its thread is refused for a while", {
      function: name,
      client,
    });
  }

  /** Restarts the code when no thread is left; with increasing delays, unless it is known what ended the last one. */
  async #restart(isReasonKnown: boolean): Promise<void> {
    if (!isReasonKnown) {
      const delayMs = RESTART_DELAYS_MS[Math.min(this.#failures, RESTART_DELAYS_MS.length - 1)] ?? 0;
      this.#failures += 1;
      setTimeout(() => {
        this.#failures = Math.max(0, this.#failures - 1);
      }, 60_000).unref();
      await delay(delayMs, undefined, { ref: false });
    }
    if (this.#isStopped || this.#threads.length > 0) return;
    try {
      await this.#addThread(false);
    } catch (error) {
      this.#dependencies.logger.error("the cloud code exited and is being restarted", {
        reason: String(error),
      });
      // The reason is in the log.
      for (const { refuse } of this.#queue.clear())
        refuse(new ProtocolError(ErrorCode.SCRIPT_FAILED, "The cloud code cannot be loaded."));
      void this.#restart(false);
    }
  }

  #setDefinitions(): void {
    const [first, ...others] = this.#threads.map(({ worker }) => worker.definitions);
    if (!first) return;
    const definitions = mergeDefinitions([first, ...others]);
    if (isDeepStrictEqual(definitions, this.#definitions)) return;
    this.#definitions = definitions;
    this.#dependencies.onDefined(definitions);
  }

  /** Replaces the running code by its current version; code that cannot be loaded changes nothing. */
  async #reload(): Promise<void> {
    let worker: CloudWorker;
    try {
      worker = await this.#load();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#dependencies.logger.error(
        `the cloud code has changed and cannot be loaded; the previous version keeps running: ${message}`,
      );
      return;
    }
    if (this.#isStopped) return;
    const previous = this.#threads;
    this.#version += 1;
    this.#threads = [{ worker, isReserve: false }];
    for (const thread of previous) this.#queue.putBack(thread.worker.withdrawAll());
    this.#setDefinitions();
    this.#dispatch();
    this.#dependencies.logger.info("the cloud code has changed and was reloaded");
    await Promise.all(previous.map((thread) => this.#drain(thread.worker)));
  }

  async #drain(worker: CloudWorker): Promise<void> {
    const deadline = Date.now() + DRAIN_TIMEOUT_MS;
    while (!worker.isIdle && Date.now() < deadline && !this.#isStopped)
      await delay(50, undefined, { ref: false });
    this.#workers.delete(worker);
    await worker.stop(STOPPED);
  }
}
