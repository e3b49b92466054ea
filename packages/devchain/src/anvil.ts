import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { anvilBinary } from "./anvilBinary.ts";

export interface AnvilOptions {
  /** 0 takes a free port. */
  port: number;
  chainId: number;
  mnemonic: string;
  accountCount: number;
  /** Time of block 0, seconds since 1970; without meaning when a state is loaded. */
  genesisTime: number;
  /** Anvil's folder for the states of past blocks that leave its memory; emptied of former runs. */
  pastStateFolder: string;
  /** Whether the states of all past blocks are kept, as far as there is room, or only those of the newest 100. */
  keepPastStates: boolean;
  /** A state file (JSON) to continue from. */
  loadState?: string;
}

/** A running Anvil process that answers JSON-RPC. */
export interface Anvil {
  url: string;
  /** Id of the process group in which Anvil runs. */
  pid: number;
  /** Settles when the process has ended, for whatever reason, with the reason in words. */
  ended: Promise<string>;
  /** Ends the process: asks first, kills after `deadline` ms. Resolves when it has ended. */
  stop(deadline?: number): Promise<void>;
}

const loopback = "127.0.0.1";
const startDeadline = 30_000;
const stopDeadline = 5_000;

/**
 * Starts Anvil on the loopback address. Resolves once it listens; rejects with an Error in plain words if the port
 * is taken, the state cannot be loaded or it does not listen within 30 s.
 */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const pastStates = join(options.pastStateFolder, String(process.pid));
  await mkdir(pastStates, { recursive: true });
  const child = launch(anvilBinary(), anvilArguments(options, pastStates));
  const ended = endOf(child);
  const stop = async (deadline = stopDeadline) => {
    askToEnd(child);
    const timer = setTimeout(() => kill(child), deadline);
    await ended;
    clearTimeout(timer);
    await rm(pastStates, { recursive: true, force: true });
  };

  // Closing the pipe to a process that has just ended reports an error that `ended` reports better.
  child.stdin?.on("error", () => {});
  let complaints = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    complaints = (complaints + text).slice(-4_000);
  });

  try {
    const address = await Promise.race([listeningAddress(child), ended.then(() => undefined)]);
    if (!address) throw startFailure(options, complaints, await ended);
    await removeOthers(pastStates);
    return { url: `http://${address}`, pid: child.pid ?? 0, ended, stop };
  } catch (error) {
    await stop(0);
    throw error;
  }
}

/** What runs that were killed left behind; only once the port is ours, for until then another may still run. */
async function removeOthers(folder: string): Promise<void> {
  const parent = dirname(folder);
  for (const name of await readdir(parent)) {
    if (name !== basename(folder)) await rm(join(parent, name), { recursive: true, force: true });
  }
}

function anvilArguments(options: AnvilOptions, pastStates: string): string[] {
  const values = {
    host: loopback,
    port: options.port,
    "chain-id": options.chainId,
    mnemonic: options.mnemonic,
    accounts: options.accountCount,
    timestamp: options.genesisTime,
    // In a block as they were sent: by fee, the order of equal fees would be left open.
    order: "fifo",
    // Without these it fills a folder in the user's home, which nobody empties after a crash.
    "cache-path": pastStates,
    color: "never",
    ...(options.keepPastStates ? { "max-persisted-states": 1_000 } : { "prune-history": 100 }),
    ...(options.loadState === undefined ? {} : { "load-state": options.loadState }),
  };
  return Object.entries(values).flatMap(([name, value]) => [`--${name}`, String(value)]);
}

/**
 * Ends Anvil when its standard input closes, which the kernel does for us however our own process ends, also by
 * `kill -9`; and ends itself when Anvil does.
 */
const leash = `
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

/** In a process group of its own, so that Ctrl-C in a terminal reaches us only, and we end Anvil in order. */
function launch(binary: string, args: string[]): ChildProcess {
  const stdio: ["pipe", "pipe", "pipe"] = ["pipe", "pipe", "pipe"];
  if (process.platform !== "win32") {
    return spawn("/bin/sh", ["-c", leash, "anvil", binary, ...args], { stdio, detached: true });
  }
  const child = spawn(binary, args, { stdio, windowsHide: true });
  process.once("exit", () => child.kill());
  return child;
}

function askToEnd(child: ChildProcess): void {
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
    // It may end between our look and our signal.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ? `ended by ${signal}` : `ended with code ${code}`));
  });
}

/** `host:port` as Anvil prints it. Its further output (a line per request) is read and dropped. */
function listeningAddress(child: ChildProcess): Promise<string> {
  const { stdout } = child;
  if (!stdout) throw new Error("Anvil was started without an output to read");
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

function startFailure(options: AnvilOptions, complaints: string, end: string): Error {
  if (/address (already )?in use|os error (98|48|10048)/i.test(complaints)) {
    return new Error(
      `Port ${options.port} on ${loopback}, wanted for the local chain, is already in use. End the program that uses it, ` +
        "or choose another port with PURSE_DEV_CHAIN_PORT.",
    );
  }
  const words = complaints.trim();
  return new Error(`The local chain did not start (Anvil ${end})${words ? `: ${words}` : "."}`);
}
