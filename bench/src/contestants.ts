import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../..");
const NODE = join(ROOT, "node_modules/.bin/node");
const APP_ID = "bench";
const MASTER_KEY = "bench-master-key";
const ROWS = 100_000;

/** One request, as the load generator repeats it. */
export interface Shot {
  method: "GET" | "POST";
  url: string;
  headers: Record<string, string>;
  body?: string;
}

export type Case = "get" | "query-100" | "create" | "batch-50" | "login" | "function";

export interface Contestant {
  name: string;
  /** Undefined where the contestant has nothing like it. */
  shots: Partial<Record<Case, Shot>>;
  stop(): Promise<void>;
}

export async function startPurse(): Promise<Contestant> {
  const folder = mkdtempSync(join(tmpdir(), "bench-purse-"));
  const port = await freePort();
  const child = spawn(
    NODE,
    [
      ...(process.env.BENCH_NODE_FLAGS?.split(" ") ?? []),
      join(ROOT, "scripts/purse.ts"),
      "--port",
      `${port}`,
      "--data-dir",
      folder,
    ],
    {
      env: {
        ...process.env,
        NODE_ENV: "development",
        PURSE_APP_ID: APP_ID,
        PURSE_MASTER_KEY: MASTER_KEY,
        PURSE_DEV_CHAIN: "0",
      },
      stdio: ["ignore", "inherit", "inherit"],
    },
  );
  await until(async () => (await fetch(`http://127.0.0.1:${port}/health`)).ok);
  const shots = await parseShots(`http://127.0.0.1:${port}/server`);
  return { name: "Purse (SQLite)", shots, stop: () => end(child, folder) };
}

export async function startParseServer(): Promise<Contestant> {
  const [port, postgresPort] = [await freePort(), await freePort()];
  const child = spawn(NODE, [join(import.meta.dirname, "parseServer.mjs"), `${port}`, `${postgresPort}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await ready(child);
  const shots = await parseShots(`http://127.0.0.1:${port}/server`);
  return { name: "parse-server (PostgreSQL)", shots, stop: () => end(child) };
}

export async function startLimit(): Promise<Contestant> {
  const folder = mkdtempSync(join(tmpdir(), "bench-limit-"));
  const port = await freePort();
  const child = spawn(
    NODE,
    [join(import.meta.dirname, "limit.mjs"), join(folder, "rows.sqlite"), `${port}`],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  await ready(child);
  const url = `http://127.0.0.1:${port}`;
  const json = { "Content-Type": "application/json" };
  for (let at = 0; at < ROWS; at += 1_000) {
    const rows = Array.from({ length: 1_000 }, (_, i) => ({ ...rowOf(at + i), ACL: aclOf(at + i, "user") }));
    await post(`${url}/create`, json, { rows });
  }
  const { objectId } = await post(`${url}/create`, json, { ...rowOf(0), ACL: aclOf(0, "user") });
  const one = JSON.stringify({ ...rowOf(1), ACL: aclOf(1, "user") });
  const shots: Contestant["shots"] = {
    get: { method: "GET", url: `${url}/get/${objectId}`, headers: {} },
    "query-100": { method: "GET", url: `${url}/find`, headers: {} },
    create: { method: "POST", url: `${url}/create`, headers: json, body: one },
    "batch-50": {
      method: "POST",
      url: `${url}/create`,
      headers: json,
      body: JSON.stringify({ rows: Array.from({ length: 50 }, (_, i) => rowOf(i)) }),
    },
    function: { method: "POST", url: `${url}/function`, headers: json, body: '{"name":"Ada"}' },
  };
  return { name: "limit (node:http + better-sqlite3)", shots, stop: () => end(child, folder) };
}

/** The same user, rows and requests for everything that speaks the Parse protocol. */
async function parseShots(url: string): Promise<Contestant["shots"]> {
  const app = { "X-Parse-Application-Id": APP_ID, "Content-Type": "application/json" };
  const master = { ...app, "X-Parse-Master-Key": MASTER_KEY };
  const credentials = { username: "bench", password: "bench password" };
  const user = await post(`${url}/users`, app, credentials);
  const session = { ...app, "X-Parse-Session-Token": String(user.sessionToken) };
  const userId = String(user.objectId);
  for (let at = 0; at < ROWS; at += 500) {
    const requests = Array.from({ length: 500 }, (_, i) => ({
      method: "POST",
      path: "/server/classes/Row",
      body: { ...rowOf(at + i), ACL: aclOf(at + i, userId) },
    }));
    await post(`${url}/batch`, master, { requests });
  }
  const object = { ...rowOf(1), ACL: { [userId]: { read: true, write: true } } };
  const { objectId } = await post(`${url}/classes/Row`, session, object);
  const where = encodeURIComponent(JSON.stringify({ open: true }));
  const create = { method: "POST", path: "/server/classes/Made", body: object };
  return {
    get: { method: "GET", url: `${url}/classes/Row/${objectId}`, headers: session },
    "query-100": { method: "GET", url: `${url}/classes/Row?where=${where}&limit=100`, headers: session },
    create: { method: "POST", url: `${url}/classes/Made`, headers: session, body: JSON.stringify(object) },
    "batch-50": {
      method: "POST",
      url: `${url}/batch`,
      headers: session,
      body: JSON.stringify({ requests: Array.from({ length: 50 }, () => create) }),
    },
    login: { method: "POST", url: `${url}/login`, headers: app, body: JSON.stringify(credentials) },
    function: { method: "POST", url: `${url}/functions/hello`, headers: session, body: '{"name":"Ada"}' },
  };
}

function rowOf(n: number): object {
  return {
    n,
    open: n % 2 === 0,
    title: `Row number ${n}`,
    note: "A sentence that a person might have written.",
  };
}

/** A third is the user's own, the rest everyone's to read. */
function aclOf(n: number, userId: string): object {
  const own = { [userId]: { read: true, write: true } };
  return n % 3 === 0 ? own : { "*": { read: true }, ...own };
}

async function post(
  url: string,
  headers: Record<string, string>,
  body: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

async function ready(child: ChildProcess): Promise<void> {
  await new Promise<void>((done, fail) => {
    child.stdout?.on("data", (chunk) => String(chunk).includes("ready") && done());
    child.once("exit", (code) => fail(new Error(`A contestant ended with ${code}`)));
  });
}

async function end(child: ChildProcess, folder?: string): Promise<void> {
  const gone = new Promise((done) => child.once("exit", done));
  child.kill("SIGTERM");
  await gone;
  if (folder) rmSync(folder, { recursive: true, force: true });
}

async function until(test: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await test().catch(() => false))) {
    if (Date.now() > deadline) throw new Error("A contestant did not start");
    await new Promise((done) => setTimeout(done, 50));
  }
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => done(typeof address === "object" && address ? address.port : 0));
    });
  });
}
