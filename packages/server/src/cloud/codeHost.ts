import { type FSWatcher, watch } from "node:fs";
import { dirname, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ErrorCode, type JsonValue, ProtocolError } from "@purse/protocol";
import type { Log, LogLevel } from "../observe/log.ts";
import { CodeThread, STOPPED } from "./codeThread.ts";
import {
  type Ask,
  type Definitions,
  NO_DEFINITIONS,
  type Outcome,
  type ServerSettings,
  type Task,
} from "./messages.ts";

export interface CodeHostParts {
  /** The file with the cloud code; empty for none. */
  file: string;
  /** Files of plugins. */
  plugins: string[];
  settings: ServerSettings;
  memoryMb: number;
  /** How long a function or trigger may take, in ms. */
  timeoutMs: number;
  /** Whether the code is loaded again when one of its files changes. */
  isWatched: boolean;
  answer(ask: Ask, depth: number): Promise<JsonValue>;
  onDefined(definitions: Definitions): void;
  log: Log;
  logLevel: LogLevel;
}

/** Code that does not let its thread answer for longer than this is ended, in ms. */
const BLOCKED_MS = 5_000;
/** After a change of a file, others may follow: an editor or a checkout is at work. */
const SETTLE_MS = 150;
/** How long code that has been replaced may take to finish what it has begun, in ms. */
const DRAIN_MS = 30_000;
const RESTART_MS = [0, 500, 2_000, 10_000];

/**
 * Keeps a thread with the cloud code: starts another one when it ends, and a new one when the code
 * changes. While none is there, tasks wait.
 */
export class CodeHost {
  readonly #parts: CodeHostParts;
  #definitions: Definitions = NO_DEFINITIONS;
  #current: Promise<CodeThread> | undefined;
  /** The thread whose definitions count. */
  #defining: CodeThread | undefined;
  /** The thread that was started last, whether its code could be loaded or not. */
  #newest: CodeThread | undefined;
  #failures = 0;
  #isStopped = false;
  #watchers: FSWatcher[] = [];
  #watched: ReadonlySet<string> = new Set();
  #reloading: NodeJS.Timeout | undefined;
  readonly #threads = new Set<CodeThread>();

  constructor(parts: CodeHostParts) {
    this.#parts = parts;
  }

  get definitions(): Definitions {
    return this.#definitions;
  }

  /** Loads the code. Rejects with what is wrong with it. */
  async start(): Promise<void> {
    this.#current = this.#load();
    try {
      await this.#current;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Runs a task within its time, `timeoutMs` of it (0: as long as it likes). Rejects with ProtocolError. */
  async run(name: string, task: Task, timeoutMs = this.#parts.timeoutMs): Promise<Outcome> {
    if (this.#isStopped || !this.#current) {
      throw new ProtocolError(ErrorCode.SCRIPT_FAILED, "The server stops");
    }
    const running = this.#current.then((thread) => thread.run(task), unloadable);
    if (timeoutMs === 0) return running;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.#parts.log.warn("cloud code took too long", { name, ms: timeoutMs });
        reject(new ProtocolError(ErrorCode.TIMEOUT, `${name} did not end within ${timeoutMs} ms`));
      }, timeoutMs);
    });
    try {
      return await Promise.race([running, timeout]);
    } finally {
      clearTimeout(timer);
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#reloading);
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers = [];
    await Promise.all([...this.#threads].map((thread) => thread.stop(STOPPED)));
    this.#threads.clear();
  }

  async #load(): Promise<CodeThread> {
    const { file, plugins, settings, timeoutMs, logLevel } = this.#parts;
    const thread: CodeThread = new CodeThread({
      start: { file, plugins, settings, logLevel },
      memoryMb: this.#parts.memoryMb,
      blockedMs: Math.min(timeoutMs, BLOCKED_MS),
      answer: this.#parts.answer,
      onDefined: (definitions) => {
        // The first definitions come with the end of loading: from then on this thread's count.
        if (!isLoaded) this.#defining = thread;
        isLoaded = true;
        // A thread that has been replaced may define more while it finishes its work.
        if (this.#defining === thread) this.#take(definitions);
      },
      onFiles: (files) => {
        if (this.#newest === thread) this.#follow(files);
      },
      onEnd: (reason) => {
        this.#threads.delete(thread);
        if (isReady) void this.#restart(reason);
      },
      log: this.#parts.log,
    });
    this.#newest = thread;
    let isLoaded = false;
    let isReady = false;
    this.#threads.add(thread);
    try {
      await thread.ready;
      isReady = true;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`Cloud code ${file}: ${reason}`, { cause: error });
    }
    return thread;
  }

  /** A thread that ended by itself is followed by another one; the more often, the later. */
  async #restart(reason: string): Promise<void> {
    if (this.#isStopped) return;
    this.#parts.log.error("the cloud code was ended and starts again", { reason });
    const wait = RESTART_MS[Math.min(this.#failures, RESTART_MS.length - 1)] ?? 0;
    this.#failures += 1;
    setTimeout(() => {
      this.#failures = Math.max(0, this.#failures - 1);
    }, 60_000).unref();
    const next = delay(wait, undefined, { ref: false }).then(() => this.#load());
    this.#current = next;
    next.catch((error: unknown) => {
      if (this.#current === next) void this.#restart(String(error));
    });
  }

  #take(definitions: Definitions): void {
    this.#definitions = definitions;
    this.#parts.onDefined(definitions);
  }

  #follow(files: string[]): void {
    if (!this.#parts.isWatched || this.#isStopped) return;
    for (const watcher of this.#watchers) watcher.close();
    this.#watched = new Set(files);
    this.#watchers = [...new Set(files.map((file) => dirname(file)))].map((folder) =>
      watch(folder, (_, name) => {
        if (name === null || this.#watched.has(resolve(folder, name))) this.#reloadSoon();
      }).on("error", (error) => this.#parts.log.warn("cloud code is not watched", { folder, error })),
    );
  }

  #reloadSoon(): void {
    clearTimeout(this.#reloading);
    this.#reloading = setTimeout(() => void this.#reload(), SETTLE_MS);
    this.#reloading.unref();
  }

  /** Puts the code as it is now in place of the one that runs; broken code changes nothing. */
  async #reload(): Promise<void> {
    const before = this.#current;
    try {
      const thread = await this.#load();
      this.#current = Promise.resolve(thread);
      this.#parts.log.info("the cloud code has changed and was loaded again");
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#parts.log.error(
        `the cloud code has changed and cannot be loaded; what ran before runs on: ${message}`,
      );
      return;
    }
    const old = await before?.catch(() => undefined);
    if (old) await this.#drain(old);
  }

  async #drain(thread: CodeThread): Promise<void> {
    const until = Date.now() + DRAIN_MS;
    while (!thread.isIdle && Date.now() < until && !this.#isStopped)
      await delay(50, undefined, { ref: false });
    this.#threads.delete(thread);
    await thread.stop(STOPPED);
  }
}

/** While the code is broken nothing of it runs. What is wrong with it stands in the log. */
function unloadable(): never {
  throw new ProtocolError(ErrorCode.SCRIPT_FAILED, "The cloud code cannot be loaded.");
}
