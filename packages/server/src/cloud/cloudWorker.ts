import { Worker } from "node:worker_threads";
import { ErrorCode, type JsonValue, ProtocolError } from "@purse/protocol";
import type { Logger } from "../core/logger.ts";
import { trace, traceHeaders } from "../core/tracing/tracing.ts";
import { currentDepth } from "./callDepth.ts";
import { MessageBatcher } from "./messageBatcher.ts";
import type {
  Definitions,
  HostMessage,
  HostRequest,
  Invocation,
  InvocationResult,
  WorkerMessage,
  WorkerStartData,
} from "./workerMessages.ts";

export interface CloudWorkerDependencies {
  startData: WorkerStartData;
  /** Memory limit of the code's objects, in MiB. */
  memoryMb: number;
  /** How long the code may block its event loop, in ms. */
  blockedMs: number;
  /** Handles a request of the code to the server. */
  handleHostRequest(hostRequest: HostRequest, depth: number): Promise<JsonValue>;
  /** Called with each change of the definitions, in order; first when the code has been loaded. */
  onDefined(definitions: Definitions): void;
  /** Called with the files of the code, whether or not it could be loaded. */
  onFiles(files: string[]): void;
  /** Called when the worker exited by itself; its invocations have been rejected. */
  onExit(reason: string): void;
  logger: Logger;
}

interface PendingInvocation {
  resolve(result: InvocationResult): void;
  reject(error: Error): void;
}

/** Interval of pings to a busy worker, in ms. */
const PING_MS = 250;

/** A worker thread with the cloud code. */
export class CloudWorker {
  readonly #dependencies: CloudWorkerDependencies;
  readonly #worker: Worker;
  readonly #batcher: MessageBatcher<HostMessage>;
  readonly #pending = new Map<number, PendingInvocation>();
  readonly #ready = Promise.withResolvers<void>();
  #invocationCount = 0;
  #watchdog: NodeJS.Timeout | undefined;
  /** Number of consecutive pings without an answer. */
  #missedPings = 0;
  #exitReason: string | undefined;

  constructor(dependencies: CloudWorkerDependencies) {
    this.#dependencies = dependencies;
    this.#worker = new Worker(new URL("./worker.ts", import.meta.url), {
      workerData: dependencies.startData,
      resourceLimits: { maxOldGenerationSizeMb: dependencies.memoryMb },
    });
    this.#worker.unref();
    this.#batcher = new MessageBatcher((messages) => this.#worker.postMessage(messages));
    this.#worker.on("message", (messages: WorkerMessage[]) => {
      for (const message of messages) this.#receive(message);
    });
    this.#worker.on("error", (error) => {
      this.#exitReason ??= error instanceof Error ? error.message : String(error);
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

  get isIdle(): boolean {
    return this.#pending.size === 0;
  }

  /** Rejects with ProtocolError. */
  run(invocation: Invocation): Promise<InvocationResult> {
    if (this.#exitReason !== undefined) return Promise.reject(interrupted());
    const id = ++this.#invocationCount;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#post({ kind: "invoke", id, depth: currentDepth() + 1, ...traceHeaders(), invocation });
      this.#startWatchdog();
    });
  }

  /** Terminates the worker. */
  async stop(reason: string): Promise<void> {
    this.#exitReason ??= reason;
    await this.#worker.terminate();
  }

  #receive(message: WorkerMessage): void {
    this.#missedPings = 0;
    switch (message.kind) {
      case "files":
        this.#dependencies.onFiles(message.files);
        break;
      case "ready":
        // Called here and not when the promise settles, because the next message may define more.
        this.#dependencies.onDefined(message.definitions);
        this.#ready.resolve();
        break;
      case "loadFailed":
        this.#ready.reject(new Error(message.error));
        void this.stop("the cloud code cannot be loaded");
        break;
      case "definitions":
        this.#dependencies.onDefined(message.definitions);
        break;
      case "result":
        this.#settle(message.id)?.resolve(message.result);
        break;
      case "error": {
        const { code, message: errorMessage, status } = message.error;
        this.#settle(message.id)?.reject(new ProtocolError(code, errorMessage, status));
        break;
      }
      case "hostRequest":
        void this.#handleHostRequest(message);
        break;
      case "log":
        this.#dependencies.logger[message.level](message.message, message.fields);
    }
  }

  #settle(id: number): PendingInvocation | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#stopWatchdog();
    return pending;
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
          ? { code: error.code, message: error.message }
          : { code: ErrorCode.INTERNAL_SERVER_ERROR, message: "Internal server error." };
      if (!(error instanceof ProtocolError)) {
        this.#dependencies.logger.error("a request of the cloud code failed", { error });
      }
      this.#post({ kind: "hostError", id, error: remoteError });
    }
  }

  /** Pings the worker while it has invocations. */
  #startWatchdog(): void {
    if (this.#watchdog) return;
    this.#watchdog = setInterval(() => {
      // Counted, not timed: while this thread is busy, messages of the worker wait.
      this.#missedPings += 1;
      if (this.#missedPings === 1) this.#post({ kind: "ping" });
      else if (this.#missedPings * PING_MS > this.#dependencies.blockedMs) {
        void this.stop(`it did not respond within ${this.#dependencies.blockedMs} ms`);
      }
    }, PING_MS);
    this.#watchdog.unref();
  }

  #stopWatchdog(): void {
    clearInterval(this.#watchdog);
    this.#watchdog = undefined;
    this.#missedPings = 0;
  }

  #onWorkerExit(): void {
    const reason = this.#exitReason ?? "it exited";
    const wasRequested = this.#exitReason === STOPPED;
    this.#exitReason = reason;
    this.#stopWatchdog();
    this.#ready.reject(new Error(reason));
    for (const { reject } of this.#pending.values()) reject(interrupted());
    this.#pending.clear();
    if (!wasRequested) this.#dependencies.onExit(reason);
  }

  #post(message: HostMessage): void {
    this.#batcher.add(message);
  }
}

/** The exit reason of a worker that was stopped on purpose. */
export const STOPPED = "it was stopped";

function interrupted(): ProtocolError {
  return new ProtocolError(ErrorCode.SCRIPT_FAILED, "The cloud code was interrupted.");
}
