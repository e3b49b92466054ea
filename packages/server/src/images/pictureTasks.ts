import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** What the process that decodes pictures is asked, one at a time, and what it answers. */
export interface PictureTask {
  content: Uint8Array;
  width: number;
}
export type PictureAnswer = { picture: Uint8Array } | { problem: string };

/** How long a picture may take, the start of a process included, in ms. */
const DEADLINE_MS = 10_000;
/** A process that nobody needs any more ends after this, in ms. */
const IDLE_MS = 60_000;

/** Makes pictures smaller in a process of its own, which ends when one of them takes too long, and is then started anew. */
export class PictureTasks {
  readonly #deadlineMs: number;
  #child: ChildProcess | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(deadlineMs = DEADLINE_MS) {
    this.#deadlineMs = deadlineMs;
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
    const onMessage = (answer: PictureAnswer) => answered.resolve(answer);
    const onEnd = () => answered.resolve({ problem: "it breaks what decodes it" });
    const tooLong = setTimeout(() => answered.resolve({ problem: TOO_LONG }), this.#deadlineMs);
    child.once("message", onMessage).once("exit", onEnd).once("error", onEnd);
    child.send(task, (error) => error && onEnd());
    const answer = await answered.promise;
    clearTimeout(tooLong);
    child.off("message", onMessage).off("exit", onEnd).off("error", onEnd);
    if ("problem" in answer && answer.problem === TOO_LONG) await this.#end();
    this.#idle = setTimeout(() => void this.#end(), IDLE_MS).unref();
    return answer;
  }

  #start(): ChildProcess {
    const child = fork(fileURLToPath(new URL("./pictureProcess.ts", import.meta.url)), {
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
