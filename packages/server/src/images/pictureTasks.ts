import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** What the process that decodes pictures is asked, one at a time, and what it answers. */
export interface PictureTask {
  content: Uint8Array;
  width: number;
}
export type PictureAnswer = { picture: Uint8Array } | { problem: string };
/** The first that it tells. */
export const READY = "ready";

/** How long a picture may take, and the start of a process before it, in ms. */
const DEADLINE_MS = 10_000;
const START_MS = 30_000;
/** Memory that the process may take in all, in MiB: several times what the largest picture that is allowed needs. */
const MEMORY_MB = 768;
/** A process that nobody needs any more ends after this, in ms. */
const IDLE_MS = 60_000;

/** Makes pictures smaller in a process of its own, which ends when one of them takes too long, and is then started anew. */
export class PictureTasks {
  readonly #deadlineMs: number;
  readonly #memoryMb: number;
  #child: ChildProcess | undefined;
  #isReady = false;
  #last: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(deadlineMs = DEADLINE_MS, memoryMb = MEMORY_MB) {
    this.#deadlineMs = deadlineMs;
    this.#memoryMb = memoryMb;
  }

  /** One after the other. */
  async run(task: PictureTask): Promise<PictureAnswer> {
    const turn = this.#last.then(() => this.#runNow(task));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#idle);
    await this.#end();
    await this.#last;
  }

  async #runNow(task: PictureTask): Promise<PictureAnswer> {
    if (this.#isStopped) return { problem: "the server ends" };
    clearTimeout(this.#idle);
    this.#child ??= this.#start();
    const child = this.#child;
    const answered = Promise.withResolvers<PictureAnswer>();
    const late = () => answered.resolve({ problem: TOO_LONG });
    const onEnd = () => answered.resolve({ problem: "it breaks what decodes it" });
    const begin = () => {
      clearTimeout(timer);
      timer = setTimeout(late, this.#deadlineMs);
      child.send(task, (error) => error && onEnd());
    };
    const onMessage = (answer: PictureAnswer | typeof READY) => {
      if (answer !== READY) return answered.resolve(answer);
      this.#isReady = true;
      begin();
    };
    let timer = setTimeout(late, START_MS);
    child.on("message", onMessage).once("exit", onEnd).once("error", onEnd);
    if (this.#isReady) begin();
    const answer = await answered.promise;
    clearTimeout(timer);
    child.off("message", onMessage).off("exit", onEnd).off("error", onEnd);
    if ("problem" in answer && answer.problem === TOO_LONG) await this.#end();
    this.#idle = setTimeout(() => void this.#end(), IDLE_MS).unref();
    return answer;
  }

  #start(): ChildProcess {
    this.#isReady = false;
    const file = fileURLToPath(new URL("./pictureProcess.ts", import.meta.url));
    const child = fork(file, [String(this.#memoryMb)], {
      env: {},
      execArgv: ["--max-old-space-size=256"],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    const forget = () => {
      if (this.#child === child) this.#child = undefined;
    };
    return child.once("exit", forget).on("error", forget);
  }

  async #end(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }
}

const TOO_LONG = "it takes too long";
