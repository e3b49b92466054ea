import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { basename, dirname, resolve } from "node:path";
import { createInterface } from "node:readline";
import { testHostFile } from "../../../scripts/build.mjs";
import { lowMemory } from "../../../scripts/install.mjs";
import { until } from "../until.ts";
import { type HostMessage, type HostRequest, hostErrors, hostSocket } from "./messages.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
/** Many servers with a small young generation would collect garbage for a third of their CPU time. */
const FLAGS = ["--max-semi-space-size=64"];
/** A long timeout for busy machines. */
const START_MS = 90_000;

/** A server that runs in the process of the test's worker. */
export interface HostedServer {
  /** The local chain's, if there is one. */
  rpcUrl: string | undefined;
  /** Stops it; a local chain that is discarded does not save its state. */
  stop(options: { isDiscarded: boolean }): Promise<void>;
}

interface PendingReply {
  resolve(message: HostMessage): void;
  reject(error: Error): void;
}

/** The connection of a test file to the process that hosts its servers. */
class Host {
  readonly #socket: Socket;
  readonly #pending = new Map<number, PendingReply>();
  readonly #logs = new Map<number, (line: string) => void>();
  #lastId = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    createInterface({ input: socket }).on("line", (line) => {
      const message: HostMessage = JSON.parse(line);
      this.#receive(message);
    });
    socket.on("error", () => socket.destroy());
    socket.once("close", () => {
      const ended = `The process of the servers ended.\n${errorsOfHost()}`;
      for (const { reject } of this.#pending.values()) reject(new Error(ended));
      this.#pending.clear();
    });
  }

  /** Ends the servers that were started through it and still run. */
  close(): void {
    this.#socket.end();
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  async start(
    settings: Record<string, string | undefined>,
    cwd: string,
    onLog: (line: string) => void,
  ): Promise<HostedServer> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#logs.set(id, onLog);
    const started = await this.#request({ type: "start", id, settings, cwd });
    let stopped: Promise<void> | undefined;
    return {
      rpcUrl: started.type === "started" ? started.rpcUrl : undefined,
      stop: ({ isDiscarded }) => {
        stopped ??= this.#request({ type: "stop", id, isDiscarded }).then(() => undefined);
        return stopped;
      },
    };
  }

  #request(request: Extract<HostRequest, { id: number }>): Promise<HostMessage> {
    if (!this.isOpen) return Promise.reject(new Error("The process of the servers has ended."));
    return new Promise((resolve, reject) => {
      this.#pending.set(request.id, { resolve, reject });
      this.#socket.write(`${JSON.stringify(request)}\n`);
    });
  }

  #receive(message: HostMessage): void {
    if (message.type === "log") {
      this.#logs.get(message.id)?.(message.line);
      return;
    }
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.type === "failed") pending?.reject(new Error(message.error));
    else pending?.resolve(message);
  }
}

let host: Promise<Host> | undefined;

/** Starts a server in the process of this test's worker, which is started with the first one. */
export async function hostServer(
  settings: Record<string, string | undefined>,
  cwd: string,
  onLog: (line: string) => void,
): Promise<HostedServer> {
  host ??= openHost();
  let opened = await host;
  if (!opened.isOpen) {
    host = openHost();
    opened = await host;
  }
  return opened.start(settings, cwd, onLog);
}

/** Ends the servers of a test file that shares its process with the next one. */
export async function releaseHost(): Promise<void> {
  const opened = await host?.catch(() => undefined);
  host = undefined;
  opened?.close();
}

function runOfWorker(): [run: string, worker: string] {
  return [process.env.PURSE_TEST_RUN ?? "", process.env.VITEST_POOL_ID ?? ""];
}

/** What the process has written to its standard error. */
function errorsOfHost(): string {
  try {
    return readFileSync(hostErrors(...runOfWorker()), "utf8");
  } catch {
    return "";
  }
}

async function openHost(): Promise<Host> {
  const path = hostSocket(...runOfWorker());
  const running = await tryConnect(path);
  if (running) return new Host(running);
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true });
  // Vitest waits for the end of what a worker writes to, which this process would keep open.
  const errors = openSync(hostErrors(...runOfWorker()), "a");
  const child = spawn(process.execPath, [...FLAGS, testHostFile, path], {
    cwd: ROOT,
    env: { ...lowMemory.env, ...process.env },
    stdio: ["ignore", "ignore", errors],
    detached: true,
  });
  closeSync(errors);
  child.unref();
  try {
    const otherwise = () => `The process of the servers did not start:\n${errorsOfHost()}\n`;
    return new Host(await until(() => tryConnect(path), { withinMs: START_MS, otherwise }));
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
}

function tryConnect(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => resolve(socket));
    socket.once("error", () => resolve(undefined));
  });
}

/** Ends the processes of a test run. */
export async function endHosts(run: string): Promise<void> {
  const folder = dirname(hostSocket(run, ""));
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(folder)) {
    if (!file.endsWith(".sock")) continue;
    const socket = await tryConnect(hostSocket(run, basename(file, ".sock")));
    if (!socket) continue;
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.on("error", () => socket.destroy());
    const request: HostRequest = { type: "exit" };
    socket.write(`${JSON.stringify(request)}\n`);
    await closed;
  }
  rmSync(folder, { recursive: true, force: true });
}
