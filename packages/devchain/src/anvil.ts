import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { anvilBinary } from "./anvilBinary.ts";

export interface AnvilOptions {
  /** 0 selects a free port. */
  port: number;
  chainId: number;
  mnemonic: string;
  accountCount: number;
  /** Time of block 0, seconds since the epoch; ignored if a state is loaded. */
  genesisTime: number;
  /** Anvil's directory for states of past blocks that do not fit into memory; cleared of earlier runs. */
  pastStateFolder: string;
  /** Whether the states of all past blocks are kept as far as possible, or only those of the latest 100. */
  keepPastStates: boolean;
  /** State file (JSON) to load. */
  loadState?: string;
}

/** A running Anvil process. */
export interface Anvil {
  url: string;
  /** Process group id of Anvil. */
  pid: number;
  /** Resolves with the reason when the process has exited. */
  ended: Promise<string>;
  /** Stops the process gracefully; kills it after `deadline` ms. Resolves when it has exited. */
  stop(deadline?: number): Promise<void>;
}

const loopback = "127.0.0.1";
const startDeadline = 30_000;
const stopDeadline = 5_000;

/**
 * Starts Anvil on the loopback address. Resolves when it listens; rejects with a readable Error if the port is in
 * use, the state cannot be loaded or it does not listen within 30 s.
 */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const stateFolder = join(options.pastStateFolder, String(process.pid));
  await mkdir(stateFolder, { recursive: true });
  const child = launch(anvilBinary(), anvilArguments(options, stateFolder));
  const ended = waitForExit(child);
  const stop = async (deadline = stopDeadline) => {
    requestExit(child);
    const timer = setTimeout(() => kill(child), deadline);
    await ended;
    clearTimeout(timer);
    await rm(stateFolder, { recursive: true, force: true });
  };

  // Closing the pipe of an exited process causes an error that `ended` reports better.
  child.stdin?.on("error", () => {});
  let errorOutput = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errorOutput = (errorOutput + text).slice(-4_000);
  });

  try {
    const address = await Promise.race([listeningAddress(child), ended.then(() => undefined)]);
    if (!address) throw startFailure(options, errorOutput, await ended);
    await removeStaleStates(stateFolder);
    return { url: `http://${address}`, pid: child.pid ?? 0, ended, stop };
  } catch (error) {
    await stop(0);
    throw error;
  }
}

/** Removes the state of killed runs; only after the port is ours, because another process may be running until then. */
async function removeStaleStates(folder: string): Promise<void> {
  const parent = dirname(folder);
  for (const name of await readdir(parent)) {
    if (name !== basename(folder)) await rm(join(parent, name), { recursive: true, force: true });
  }
}

function anvilArguments(options: AnvilOptions, stateFolder: string): string[] {
  const values = {
    host: loopback,
    port: options.port,
    "chain-id": options.chainId,
    mnemonic: options.mnemonic,
    accounts: options.accountCount,
    timestamp: options.genesisTime,
    // Orders transactions as sent: ordering by fee is undefined for equal fees.
    order: "fifo",
    // By default it uses a directory in the user's home, which is not cleaned up after a crash.
    "cache-path": stateFolder,
    color: "never",
    ...(options.keepPastStates ? { "max-persisted-states": 1_000 } : { "prune-history": 100 }),
    ...(options.loadState === undefined ? {} : { "load-state": options.loadState }),
  };
  return Object.entries(values).flatMap(([name, value]) => [`--${name}`, String(value)]);
}

/**
 * Stops Anvil when its standard input closes, which happens however our own process ends, including `kill -9`; exits
 * when Anvil does.
 */
const supervisorScript = `
exec 3<&0
"$@" </dev/null 3<&- &
anvil=$!
( while read -r line; do :; done; kill -TERM "$anvil" ) <&3 >/dev/null 2>&1 &
watcher=$!
exec 3<&-
wait "$anvil"
code=$?
kill "$watcher" 2>/dev/null
exit "$code"
`;

/** A separate process group, so that Ctrl-C in a terminal reaches only us and we stop Anvil gracefully. */
function launch(binary: string, args: string[]): ChildProcess {
  const stdio: ["pipe", "pipe", "pipe"] = ["pipe", "pipe", "pipe"];
  if (process.platform !== "win32") {
    return spawn("/bin/sh", ["-c", supervisorScript, "anvil", binary, ...args], { stdio, detached: true });
  }
  const child = spawn(binary, args, { stdio, windowsHide: true });
  process.once("exit", () => child.kill());
  return child;
}

function requestExit(child: ChildProcess): void {
  child.stdin?.end();
  if (process.platform === "win32") child.kill();
}

function kill(child: ChildProcess): void {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  if (process.platform === "win32") {
    child.kill("SIGKILL");
    return;
  }
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    // It may exit between the check and the signal.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

function waitForExit(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ? `ended by ${signal}` : `ended with code ${code}`));
  });
}

/** `host:port` as Anvil prints it. Further output (a line per request) is discarded. */
function listeningAddress(child: ChildProcess): Promise<string> {
  const { stdout } = child;
  if (!stdout) throw new Error("Anvil was started without standard output");
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: stdout });
    const timer = setTimeout(() => {
      reject(new Error(`The local chain did not start within ${startDeadline / 1000} s`));
    }, startDeadline);
    lines.on("close", () => clearTimeout(timer));
    lines.on("line", (line) => {
      const address = /^Listening on (\S+)/.exec(line)?.[1];
      if (!address) return;
      clearTimeout(timer);
      lines.close();
      stdout.resume();
      resolve(address);
    });
  });
}

function startFailure(options: AnvilOptions, errorOutput: string, exitReason: string): Error {
  if (/address (already )?in use|os error (98|48|10048)/i.test(errorOutput)) {
    return new Error(
      `Port ${options.port} on ${loopback} of the local chain is already in use. Stop the program that uses it, ` +
        "or choose another port with PURSE_DEV_CHAIN_PORT.",
    );
  }
  const details = errorOutput.trim();
  return new Error(`The local chain did not start (Anvil ${exitReason})${details ? `: ${details}` : "."}`);
}
