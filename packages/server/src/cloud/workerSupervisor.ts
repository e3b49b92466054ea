import { type FSWatcher, watch } from "node:fs";
import { dirname, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ErrorCode, type JsonValue, ProtocolError } from "@purse/protocol";
import type { Logger, LogLevel } from "../core/logger.ts";
import { trace } from "../core/tracing/tracing.ts";
import { CloudWorker, STOPPED } from "./cloudWorker.ts";
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
  /** Whether the code is reloaded when one of its files changes. */
  watchesFiles: boolean;
  handleHostRequest(hostRequest: HostRequest, depth: number): Promise<JsonValue>;
  onDefined(definitions: Definitions): void;
  logger: Logger;
  logLevel: LogLevel;
  /** How long loading the code may take, in ms. */
  loadTimeoutMs?: number | undefined;
}

/** Code that blocks its event loop for longer than this is terminated, in ms. */
const MAX_BLOCKED_MS = 5_000;
/** Delay after a file change, in ms: an editor or a checkout may change more files. */
const DEBOUNCE_MS = 150;
/** How long replaced code may take to finish its invocations, in ms. */
const DRAIN_TIMEOUT_MS = 30_000;
/** How long loading the code may take, in ms: code that waits for something forever must not keep a server from starting. */
const LOAD_TIMEOUT_MS = 60_000;
const RESTART_DELAYS_MS = [0, 500, 2_000, 10_000];

/**
 * Supervises the worker with the cloud code: restarts it when it exits, and replaces it when the code changes.
 * Invocations wait until a worker is ready.
 */
export class WorkerSupervisor {
  readonly #dependencies: WorkerSupervisorDependencies;
  #definitions: Definitions = NO_DEFINITIONS;
  #current: Promise<CloudWorker> | undefined;
  /** The worker whose definitions are in effect. */
  #definitionsSource: CloudWorker | undefined;
  /** The worker that was started last, whether or not its code could be loaded. */
  #latest: CloudWorker | undefined;
  #failures = 0;
  #isStopped = false;
  #watchers: FSWatcher[] = [];
  #watchedFiles: ReadonlySet<string> = new Set();
  #reloadTimer: NodeJS.Timeout | undefined;
  readonly #workers = new Set<CloudWorker>();
  readonly #timeLimit: TimeLimit;

  constructor(dependencies: WorkerSupervisorDependencies) {
    this.#dependencies = dependencies;
    this.#timeLimit = new TimeLimit(dependencies.timeoutMs, dependencies.logger);
  }

  get definitions(): Definitions {
    return this.#definitions;
  }

  /** Loads the code. Rejects if it cannot be loaded. */
  async start(): Promise<void> {
    this.#current = this.#load();
    try {
      await this.#current;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Executes an invocation, within the time limit unless it is a job. Rejects with ProtocolError. */
  run(name: string, invocation: Invocation): Promise<InvocationResult> {
    const worker = this.#current;
    if (this.#isStopped || !worker)
      return Promise.reject(new ProtocolError(ErrorCode.SCRIPT_FAILED, "The server is stopping"));
    return trace(
      "cloud code",
      () => {
        const result = worker.then((ready) => ready.run(invocation), loadFailed);
        return invocation.kind === "job" ? result : this.#timeLimit.limit(name, result);
      },
      () => ({ attributes: { "purse.cloud.name": name, "purse.cloud.kind": invocation.kind } }),
    );
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#reloadTimer);
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers = [];
    await Promise.all([...this.#workers].map((worker) => worker.stop(STOPPED)));
    this.#workers.clear();
  }

  async #load(): Promise<CloudWorker> {
    const {
      file,
      plugins,
      settings,
      timeoutMs,
      logLevel,
      maxAnswerBytes,
      loadTimeoutMs = LOAD_TIMEOUT_MS,
    } = this.#dependencies;
    const worker: CloudWorker = new CloudWorker({
      startData: { file, plugins, settings, logLevel, maxAnswerBytes },
      memoryMb: this.#dependencies.memoryMb,
      blockedMs: Math.min(timeoutMs, MAX_BLOCKED_MS),
      handleHostRequest: this.#dependencies.handleHostRequest,
      onDefined: (definitions) => {
        // The first definitions are sent when loading ends: from then on this worker's are in effect.
        if (!isLoaded) this.#definitionsSource = worker;
        isLoaded = true;
        // A replaced worker may define more while it finishes its invocations.
        if (this.#definitionsSource === worker) this.#setDefinitions(definitions);
      },
      onFiles: (files) => {
        if (this.#latest === worker) this.#watchFiles(files);
      },
      onExit: (reason) => {
        this.#workers.delete(worker);
        if (isReady) void this.#restart(reason);
      },
      logger: this.#dependencies.logger,
    });
    this.#latest = worker;
    let isLoaded = false;
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
      throw new Error(`Cloud code ${file}: ${reason}`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
    return worker;
  }

  /** Restarts a worker that exited by itself, with increasing delays. */
  async #restart(reason: string): Promise<void> {
    if (this.#isStopped) return;
    this.#dependencies.logger.error("the cloud code exited and is being restarted", { reason });
    const delayMs = RESTART_DELAYS_MS[Math.min(this.#failures, RESTART_DELAYS_MS.length - 1)] ?? 0;
    this.#failures += 1;
    setTimeout(() => {
      this.#failures = Math.max(0, this.#failures - 1);
    }, 60_000).unref();
    const next = delay(delayMs, undefined, { ref: false }).then(() => this.#load());
    this.#current = next;
    next.catch((error: unknown) => {
      if (this.#current === next) void this.#restart(String(error));
    });
  }

  #setDefinitions(definitions: Definitions): void {
    this.#definitions = definitions;
    this.#dependencies.onDefined(definitions);
  }

  #watchFiles(files: string[]): void {
    if (!this.#dependencies.watchesFiles || this.#isStopped) return;
    for (const watcher of this.#watchers) watcher.close();
    this.#watchedFiles = new Set(files);
    this.#watchers = [...new Set(files.map((file) => dirname(file)))].flatMap(
      (folder) => this.#watchFolder(folder) ?? [],
    );
  }

  /** Returns undefined if the folder cannot be watched: it does not exist, or the system has too many watchers. */
  #watchFolder(folder: string): FSWatcher | undefined {
    const warn = (error: unknown) =>
      this.#dependencies.logger.warn("cloud code cannot be watched", { folder, error });
    try {
      return watch(folder, (_, name) => {
        if (name === null || this.#watchedFiles.has(resolve(folder, name))) this.#reloadSoon();
      }).on("error", warn);
    } catch (error) {
      warn(error);
      return undefined;
    }
  }

  #reloadSoon(): void {
    clearTimeout(this.#reloadTimer);
    this.#reloadTimer = setTimeout(() => void this.#reload(), DEBOUNCE_MS);
    this.#reloadTimer.unref();
  }

  /** Replaces the running code by its current version; code that cannot be loaded changes nothing. */
  async #reload(): Promise<void> {
    const previousWorker = this.#current;
    try {
      const worker = await this.#load();
      this.#current = Promise.resolve(worker);
      this.#dependencies.logger.info("the cloud code has changed and was reloaded");
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#dependencies.logger.error(
        `the cloud code has changed and cannot be loaded; the previous version keeps running: ${message}`,
      );
      return;
    }
    const previous = await previousWorker?.catch(() => undefined);
    if (previous) await this.#drain(previous);
  }

  async #drain(worker: CloudWorker): Promise<void> {
    const deadline = Date.now() + DRAIN_TIMEOUT_MS;
    while (!worker.isIdle && Date.now() < deadline && !this.#isStopped)
      await delay(50, undefined, { ref: false });
    this.#workers.delete(worker);
    await worker.stop(STOPPED);
  }
}

/** Rejects invocations while the code cannot be loaded; the reason is in the log. */
function loadFailed(): never {
  throw new ProtocolError(ErrorCode.SCRIPT_FAILED, "The cloud code cannot be loaded.");
}
