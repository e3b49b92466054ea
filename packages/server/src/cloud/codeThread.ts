import { Worker } from "node:worker_threads";
import { ErrorCode, type JsonValue, ProtocolError } from "@purse/protocol";
import type { Log } from "../observe/log.ts";
import type { Ask, Definitions, FromCode, Outcome, StartData, Task, ToCode } from "./messages.ts";
import { Outbox } from "./outbox.ts";
import { currentDepth } from "./scope.ts";

export interface CodeThreadParts {
  start: StartData;
  /** Most memory that the code's objects may take, in MiB. */
  memoryMb: number;
  /** How long the code may keep its thread from answering, in ms. */
  blockedMs: number;
  /** Carries out what the code asks of the server. */
  answer(ask: Ask, depth: number): Promise<JsonValue>;
  /** Called in the order in which the code defines: first with what it has registered once it is loaded. */
  onDefined(definitions: Definitions): void;
  /** The files that the code consists of, whether it could be loaded or not. */
  onFiles(files: string[]): void;
  /** The thread has ended by itself; what it was doing has been refused. */
  onEnd(reason: string): void;
  log: Log;
}

interface Pending {
  resolve(outcome: Outcome): void;
  reject(error: Error): void;
}

/** How often a thread that has work is asked whether it is there, in ms. */
const PING_MS = 250;

/** One thread with the cloud code loaded in it. */
export class CodeThread {
  readonly #parts: CodeThreadParts;
  readonly #worker: Worker;
  readonly #outbox: Outbox<ToCode>;
  readonly #pending = new Map<number, Pending>();
  readonly #ready = Promise.withResolvers<void>();
  #tasks = 0;
  #watch: NodeJS.Timeout | undefined;
  /** How often in a row it has been looked at and had said nothing. */
  #silent = 0;
  #ending: string | undefined;

  constructor(parts: CodeThreadParts) {
    this.#parts = parts;
    this.#worker = new Worker(new URL("./thread.ts", import.meta.url), {
      workerData: parts.start,
      resourceLimits: { maxOldGenerationSizeMb: parts.memoryMb },
    });
    this.#worker.unref();
    this.#outbox = new Outbox((messages) => this.#worker.postMessage(messages));
    this.#worker.on("message", (messages: FromCode[]) => {
      for (const message of messages) this.#receive(message);
    });
    this.#worker.on("error", (error) => {
      this.#ending ??= error instanceof Error ? error.message : String(error);
      if (error instanceof Error) parts.log.error("the cloud code's thread failed", { error: error.stack });
    });
    this.#worker.on("exit", () => this.#ended());
    this.#ready.promise.catch(() => undefined);
  }

  /** Resolves once the code is loaded. Rejects with what is wrong with it. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  get isIdle(): boolean {
    return this.#pending.size === 0;
  }

  /** Rejects with ProtocolError. */
  run(task: Task): Promise<Outcome> {
    if (this.#ending !== undefined) return Promise.reject(interrupted());
    const id = ++this.#tasks;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#post({ kind: "task", id, depth: currentDepth() + 1, task });
      this.#startWatch();
    });
  }

  /** Ends the thread whatever it does. */
  async stop(reason: string): Promise<void> {
    this.#ending ??= reason;
    await this.#worker.terminate();
  }

  #receive(message: FromCode): void {
    this.#silent = 0;
    switch (message.kind) {
      case "files":
        this.#parts.onFiles(message.files);
        break;
      case "ready":
        // Here and not when the promise settles: the next message may define more.
        this.#parts.onDefined(message.definitions);
        this.#ready.resolve();
        break;
      case "failed":
        this.#ready.reject(new Error(message.error));
        void this.stop("the cloud code cannot be loaded");
        break;
      case "defined":
        this.#parts.onDefined(message.definitions);
        break;
      case "done":
        this.#settle(message.id)?.resolve(message.outcome);
        break;
      case "refused": {
        const { code, message: text, status } = message.refusal;
        this.#settle(message.id)?.reject(new ProtocolError(code, text, status));
        break;
      }
      case "ask":
        void this.#answer(message);
        break;
      case "log":
        this.#parts.log[message.level](message.message, message.fields);
    }
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#stopWatch();
    return pending;
  }

  async #answer({ id, depth, ask }: Extract<FromCode, { kind: "ask" }>): Promise<void> {
    try {
      this.#post({ kind: "answer", id, value: await this.#parts.answer(ask, depth) });
    } catch (error) {
      const refusal =
        error instanceof ProtocolError
          ? { code: error.code, message: error.message }
          : { code: ErrorCode.INTERNAL_SERVER_ERROR, message: "Internal server error." };
      if (!(error instanceof ProtocolError)) {
        this.#parts.log.error("a request of the cloud code failed", { error });
      }
      this.#post({ kind: "refused", id, refusal });
    }
  }

  /** While it has work the thread is asked whether it still hears. */
  #startWatch(): void {
    if (this.#watch) return;
    this.#watch = setInterval(() => {
      // Counted, not timed: while this thread is busy itself, the other one's words wait.
      this.#silent += 1;
      if (this.#silent === 1) this.#post({ kind: "ping" });
      else if (this.#silent * PING_MS > this.#parts.blockedMs) {
        void this.stop(`it did not come to an end within ${this.#parts.blockedMs} ms`);
      }
    }, PING_MS);
    this.#watch.unref();
  }

  #stopWatch(): void {
    clearInterval(this.#watch);
    this.#watch = undefined;
    this.#silent = 0;
  }

  #ended(): void {
    const reason = this.#ending ?? "it ended itself";
    const wasAsked = this.#ending === STOPPED;
    this.#ending = reason;
    this.#stopWatch();
    this.#ready.reject(new Error(reason));
    for (const { reject } of this.#pending.values()) reject(interrupted());
    this.#pending.clear();
    if (!wasAsked) this.#parts.onEnd(reason);
  }

  #post(message: ToCode): void {
    this.#outbox.put(message);
  }
}

/** Why a thread is stopped that has nothing wrong with it. */
export const STOPPED = "it was stopped";

function interrupted(): ProtocolError {
  return new ProtocolError(ErrorCode.SCRIPT_FAILED, "The cloud code was interrupted.");
}
