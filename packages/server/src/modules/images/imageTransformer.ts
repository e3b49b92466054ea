import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { ImageTransform } from "./imageTransform.ts";

/** Messages to and from the process that transforms images, one at a time. */
export interface TransformTask {
  content: Uint8Array;
  transform: ImageTransform;
}
export type TransformResult = { image: Uint8Array } | { error: string };
/** `isLasting`: the content is the reason, in every size. Otherwise it is this transform, or the moment. */
export type TransformOutcome = { image: Uint8Array } | { error: string; isLasting: boolean };
/** The first message of the process. */
export const READY = "ready";

/** Time limit of one image, and of starting the process, in ms. */
const TRANSFORM_TIMEOUT_MS = 10_000;
const START_TIMEOUT_MS = 30_000;
/** Memory limit of the process in MiB: several times what the largest allowed image needs. */
const MEMORY_MB = 768;
/** The process ends when idle for this long, in ms. */
const IDLE_TIMEOUT_MS = 60_000;

/** Transforms images in a separate process, which is killed when an image takes too long, and then restarted. */
export class ImageTransformer {
  readonly #timeoutMs: number;
  readonly #memoryMb: number;
  #child: ChildProcess | undefined;
  #isReady = false;
  #queue: Promise<unknown> = Promise.resolve();
  #idleTimer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(timeoutMs = TRANSFORM_TIMEOUT_MS, memoryMb = MEMORY_MB) {
    this.#timeoutMs = timeoutMs;
    this.#memoryMb = memoryMb;
  }

  /** Transforms images sequentially. */
  async run(task: TransformTask): Promise<TransformOutcome> {
    const result = this.#queue.then(() => this.#transform(task));
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#idleTimer);
    await this.#kill();
    await this.#queue;
  }

  async #transform(task: TransformTask): Promise<TransformOutcome> {
    if (this.#isStopped) return { error: "the server is stopping", isLasting: false };
    clearTimeout(this.#idleTimer);
    this.#child ??= this.#start();
    const child = this.#child;
    const pending = Promise.withResolvers<TransformOutcome>();
    let isTimedOut = false;
    const onTimeout = () => {
      isTimedOut = true;
      pending.resolve({ error: "it takes too long", isLasting: false });
    };
    const onExit = () => pending.resolve({ error: "the decoder crashed", isLasting: true });
    const sendTask = () => {
      clearTimeout(timer);
      timer = setTimeout(onTimeout, this.#timeoutMs);
      child.send(task, (error) => error && onExit());
    };
    const onMessage = (result: TransformResult | typeof READY) => {
      if (result !== READY) return pending.resolve({ ...result, isLasting: true });
      this.#isReady = true;
      sendTask();
    };
    let timer = setTimeout(onTimeout, START_TIMEOUT_MS);
    child.on("message", onMessage).once("exit", onExit).once("error", onExit);
    if (this.#isReady) sendTask();
    const result = await pending.promise;
    clearTimeout(timer);
    child.off("message", onMessage).off("exit", onExit).off("error", onExit);
    if (isTimedOut) await this.#kill();
    this.#idleTimer = setTimeout(() => void this.#kill(), IDLE_TIMEOUT_MS).unref();
    return result;
  }

  #start(): ChildProcess {
    this.#isReady = false;
    const file = fileURLToPath(new URL("./transformProcess.ts", import.meta.url));
    const child = fork(file, [String(this.#memoryMb)], {
      env: {},
      execArgv: ["--max-old-space-size=256"],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    const onChildExit = () => {
      if (this.#child === child) this.#child = undefined;
    };
    return child.once("exit", onChildExit).on("error", onChildExit);
  }

  async #kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }
}
