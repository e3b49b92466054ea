import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { ensureServerBuilt, serverFile } from "../../scripts/build.mjs";
import { economical } from "../../scripts/install.mjs";
import { freePort } from "./freePort.ts";
import { type Received, send } from "./send.ts";
import { hostServer } from "./serverHost/client.ts";

const ROOT = resolve(import.meta.dirname, "../..");

const IS_TEST = process.env.VITEST !== undefined;
// Tests find it built by their global setup, benchmarks do not.
if (!IS_TEST) ensureServerBuilt();
/** Shorter than the limits of the hooks that start servers, so that a failure shows the server's log. */
const HEALTHY_WITHIN_MS = 50_000;
/** With a local chain, which has to be indexed. */
const INDEXED_WITHIN_MS = 90_000;
const REPORT_SIGNAL = "SIGUSR2";
/** Without the collection before the server listens, which takes a quarter of the start. */
const FLAGS = economical.flags.filter((flag) => !IS_TEST || flag !== "--expose-gc");

export interface PurseOptions {
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
        ...economical.env,
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
  const server = await hostServer(
    { ...program.env, PURSE_PORT: String(purse.port), PURSE_DATA_DIR: purse.dataDir },
    (line) => (output += `${line}\n`),
  );
  await waitUntilHealthy(
    purse.url,
    () => undefined,
    () => output,
    options.devChain ?? false,
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
      ...[options.serverFile ?? serverFile, "--port", String(port), "--data-dir", dataDir],
    ],
    { ...program, stdio: ["ignore", "pipe", "pipe"] },
  );
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk));
  const exited = new Promise<number | null>((done) => child.once("exit", (code) => done(code)));
  await waitUntilHealthy(
    purse.url,
    () => child.exitCode,
    () => output,
    options.devChain ?? false,
  ).catch(async (error: unknown) => {
    const report = child.exitCode === null ? await reportOf(child, dataDir) : "";
    child.kill("SIGKILL");
    throw new Error(`${error instanceof Error ? error.message : error}\n${report}`, { cause: error });
  });
  const terminate = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
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

/** Copies the shared snapshot into the folder of a new local chain. */
export function restoreChainSnapshot(folder: string): void {
  const snapshot = process.env.PURSE_TEST_BEGUN_CHAIN;
  if (snapshot === undefined || existsSync(folder)) return;
  mkdirSync(folder, { recursive: true });
  copyFileSync(snapshot, join(folder, "state.json.gz"));
}

/** Waits until the server is healthy, and with a local chain also fully indexed. */
async function waitUntilHealthy(
  url: string,
  exitCode: () => number | null | undefined,
  output: () => string,
  devChain: boolean,
): Promise<void> {
  const limitMs = devChain ? INDEXED_WITHIN_MS : HEALTHY_WITHIN_MS;
  const deadline = performance.now() + limitMs;
  while (performance.now() < deadline) {
    if (typeof exitCode() === "number") throw new Error(`The server ended with ${exitCode()}:\n${output()}`);
    const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(5_000) }).catch(
      () => undefined,
    );
    if (answer?.ok) {
      const { chains }: { chains: { state: string }[] } = await answer.json();
      if (!devChain || chains.every(({ state }) => state === "following")) return;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`The server was not healthy within ${limitMs} ms:\n${output()}`);
}

/** The stacks of a server's threads, which Node.js writes to a file in its folder at a signal. */
async function reportOf(child: ChildProcess, dataDir: string): Promise<string> {
  child.kill(REPORT_SIGNAL);
  const deadline = performance.now() + 3_000;
  while (performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const [file] = globSync("report.*.json", { cwd: dataDir });
    if (file !== undefined) return readFileSync(join(dataDir, file), "utf8");
  }
  return "It wrote no report.";
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
