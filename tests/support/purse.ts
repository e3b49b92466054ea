import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { ensureServerBuilt, serverFile } from "../../scripts/build.mjs";
import { lowMemory } from "../../scripts/install.mjs";
import { endOf } from "./endOf.ts";
import { freePort } from "./freePort.ts";
import { type Received, send } from "./send.ts";
import { hostServer } from "./serverHost/client.ts";
import { limitStart, startedInTime, waitUntilHealthy } from "./startedInTime.ts";
import { until } from "./until.ts";

const ROOT = resolve(import.meta.dirname, "../..");

/** How much of the log of a server that ended is shown. */
const SHOWN_LINES = 30;

const IS_TEST = process.env.VITEST !== undefined;
// Tests find it built by their global setup, benchmarks do not.
if (!IS_TEST) ensureServerBuilt();
const REPORT_SIGNAL = "SIGUSR2";
/** Without the collection before the server listens, which takes a quarter of the start. */
const FLAGS = lowMemory.flags.filter((flag) => !IS_TEST || flag !== "--expose-gc");

export interface PurseOptions {
  /** Lets a hosted server load `cloud/main.ts`, whose thread takes a fifth of a start. Others always load it. */
  cloudCode?: boolean;
  /**
   * Starts the local chain too, on a free port. In a new folder it resumes from the snapshot shared by all
   * tests.
   */
  devChain?: boolean;
  /** The folder of an earlier run; a new one by default. */
  dataDir?: string;
  port?: number;
  env?: Record<string, string>;
  /** The bundled server of another version. */
  serverFile?: string;
  /** Called if a server in a process of its own ends without having been stopped: with how, and the end of its log. */
  onUnexpectedEnd?(end: string): void;
}

/** A server. */
export interface Purse {
  url: string;
  serverUrl: string;
  appId: string;
  masterKey: string;
  dataDir: string;
  port: number;
  rpcUrl: string;
  /** Its log so far. */
  output(): string;
  /** Stops it like Ctrl-C; resolves with the exit code of its process. */
  stop(): Promise<number | null>;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

/** A server in a process of its own. */
export interface PurseProcess extends Purse {
  pid: number;
  /** Stops it like a service manager, gracefully; resolves with its exit code. */
  terminate(): Promise<number | null>;
  /** Kills it with SIGKILL. */
  kill(): Promise<void>;
}

/** The folder, the ports and the environment of a new server. */
async function prepare(options: PurseOptions) {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "purse-test-"));
  const port = options.port ?? (await freePort());
  const chainPort = await freePort();
  const appId = "test-app";
  const masterKey = "test-master-key";
  if (options.devChain) restoreChainSnapshot(join(dataDir, "devchain"));
  const url = `http://127.0.0.1:${port}`;
  const rpcUrl = `http://127.0.0.1:${chainPort}`;
  return {
    purse: { url, serverUrl: `${url}/server`, appId, masterKey, dataDir, port, rpcUrl },
    program: {
      cwd: ROOT,
      env: {
        ...lowMemory.env,
        ...process.env,
        NODE_ENV: "development",
        PURSE_APP_ID: appId,
        PURSE_MASTER_KEY: masterKey,
        // Servers that share a database have folders of their own in most tests.
        PURSE_FILES_SHARED: "1",
        PURSE_DEV_CHAIN: options.devChain ? "1" : "0",
        PURSE_DEV_CHAIN_PORT: String(chainPort),
        ...options.env,
      },
    },
  };
}

/**
 * Starts a server in a process that keeps running for the next tests, which takes a fifth of the CPU time. Tests that need
 * settings of Node.js, variables for cloud code, or a settings file that changes between starts use `startPurse`.
 */
export async function hostPurse(options: PurseOptions = {}): Promise<Purse> {
  const { program, purse } = await prepare(options);
  let output = "";
  const limit = limitStart(options);
  const starting = hostServer(
    { ...program.env, PURSE_PORT: String(purse.port), PURSE_DATA_DIR: purse.dataDir },
    options.cloudCode ? program.cwd : purse.dataDir,
    (line) => (output += `${line}\n`),
  );
  const server = await startedInTime(starting, limit, () => output);
  await waitUntilHealthy(
    purse.url,
    () => undefined,
    () => output,
    limit,
  );
  return {
    ...purse,
    output: () => output,
    async stop() {
      await server.stop({ isDiscarded: false });
      return 0;
    },
    async remove() {
      await server.stop({ isDiscarded: true });
      rmSync(purse.dataDir, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Starts a server in a process of its own. */
export async function startPurse(options: PurseOptions = {}): Promise<PurseProcess> {
  const { program, purse } = await prepare(options);
  const { dataDir, port } = purse;
  let output = "";
  const child = spawn(
    join(ROOT, "node_modules/.bin/node"),
    [
      ...FLAGS,
      ...["--report-on-signal", `--report-signal=${REPORT_SIGNAL}`, `--report-directory=${dataDir}`],
      // Its text appears in public logs; names of network addresses would be looked up.
      ...["--report-exclude-env", "--report-exclude-network"],
      ...[options.serverFile ?? serverFile, "--port", String(port), "--data-dir", dataDir],
    ],
    { ...program, stdio: ["ignore", "pipe", "pipe"] },
  );
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk));
  const exited = new Promise<number | null>((done) => child.once("exit", (code) => done(code)));
  let isStopped = false;
  let spawnError: Error | undefined;
  child.once("error", (error) => {
    spawnError = error;
  });
  const ending = () => spawnError?.message ?? endOf(child);
  await waitUntilHealthy(purse.url, ending, () => output, limitStart(options)).catch(
    async (error: unknown) => {
      const report = ending() === undefined ? await reportOf(child, dataDir) : "";
      child.kill("SIGKILL");
      throw new Error(`${error instanceof Error ? error.message : error}\n${report}`, { cause: error });
    },
  );
  // After "exit", the rest of the log may still come.
  child.once("close", (code, signal) => {
    if (!isStopped)
      options.onUnexpectedEnd?.(
        `The server on port ${port} ended with ${signal ?? code}:\n${lastLines(output)}`,
      );
  });
  const terminate = async (signal: NodeJS.Signals) => {
    isStopped = true;
    if (endOf(child) === undefined) child.kill(signal);
    return exited;
  };
  return {
    ...purse,
    pid: child.pid ?? 0,
    output: () => output,
    stop: () => terminate("SIGINT"),
    terminate: () => terminate("SIGTERM"),
    kill: async () => {
      await terminate("SIGKILL");
    },
    remove: async () => {
      // A local chain would save its state first, which takes seconds.
      await terminate(options.devChain ? "SIGKILL" : "SIGINT");
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** The last lines of a log. */
function lastLines(output: string): string {
  return output.trimEnd().split("\n").slice(-SHOWN_LINES).join("\n");
}

/** Copies the shared snapshot into the folder of a new local chain. */
export function restoreChainSnapshot(folder: string): void {
  const snapshot = process.env.PURSE_TEST_BEGUN_CHAIN;
  if (snapshot === undefined || existsSync(folder)) return;
  mkdirSync(folder, { recursive: true });
  copyFileSync(snapshot, join(folder, "state.json.gz"));
}

/** The stacks of a server's threads, which Node.js writes to a file in its folder at a signal. */
async function reportOf(child: ChildProcess, dataDir: string): Promise<string> {
  child.kill(REPORT_SIGNAL);
  const report = () => {
    const [file] = globSync("report.*.json", { cwd: dataDir });
    const text = file === undefined ? "" : readFileSync(join(dataDir, file), "utf8");
    // It is written in several steps.
    return text.trimEnd().endsWith("}") && text;
  };
  return until(report, { withinMs: 3_000 }).catch(() => "It wrote no report.");
}

export interface Credentials {
  sessionToken?: string;
  useMasterKey?: boolean;
}

export interface Answer {
  status: number;
  body: JsonObject & { code?: number; error?: string };
  headers: Headers;
}

/** Sends a REST request with `X-Parse-…` headers. */
export async function rest(
  purse: Purse,
  method: string,
  path: string,
  body?: unknown,
  credentials: Credentials = {},
): Promise<Answer> {
  const headers: Record<string, string> = {
    "X-Parse-Application-Id": purse.appId,
    "Content-Type": "application/json",
  };
  if (credentials.sessionToken) headers["X-Parse-Session-Token"] = credentials.sessionToken;
  if (credentials.useMasterKey) headers["X-Parse-Master-Key"] = purse.masterKey;
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  return answerOf(await send(`${purse.serverUrl}${path}`, { method, headers, body: text }));
}

function answerOf({ status, headers, text }: Received): Answer {
  return { status, body: JSON.parse(text), headers };
}

/** Sends a request of legacy clients: POST, text/plain, everything in the body. */
export async function envelope(purse: Purse, path: string, body: JsonObject | string): Promise<Answer> {
  return answerOf(
    await send(`${purse.serverUrl}${path}`, {
      method: "POST",
      headers: { "Content-Type": "text/plain" },
      body: typeof body === "string" ? body : JSON.stringify({ _ApplicationId: purse.appId, ...body }),
    }),
  );
}

let users = 0;

/** Signs up a new user. */
export async function signUp(
  purse: Purse,
  fields: JsonObject = {},
): Promise<{ id: string; sessionToken: string; username: string }> {
  const username = `user${++users}-${Date.now()}`;
  const { status, body } = await rest(purse, "POST", "/users", {
    username,
    password: "correct horse",
    ...fields,
  });
  if (status !== 201) throw new Error(`Sign-up answered ${status}: ${JSON.stringify(body)}`);
  return { id: String(body.objectId), sessionToken: String(body.sessionToken), username };
}

/** A query string with JSON values. */
export function query(params: Record<string, unknown>): string {
  const texts = Object.entries(params).map(([name, value]) => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  return `?${new URLSearchParams(texts)}`;
}
