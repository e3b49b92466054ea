import { spawn } from "node:child_process";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { ensureProgram, PGBOUNCER } from "../../scripts/programs.mjs";
import { freePort } from "./freePort.ts";
import { untilListening } from "./valkeyServer.ts";

/** PgBouncer in front of a PostgreSQL server, in transaction mode. */
export interface PgBouncer {
  /** Returns the URL of a database through PgBouncer. */
  urlOf(databaseUrl: string): string;
  stop(): Promise<void>;
}

/** PgBouncer refuses to run as root, so it runs as the user nobody. */
const NOBODY = 65_534;

/**
 * Starts PgBouncer with its own defaults for what it refuses, and this number of sessions of each database, which with
 * `isRoundRobin` are used one after the other.
 */
export async function startPgBouncer(
  postgresUrl: string,
  poolSize: number,
  { isRoundRobin = false }: { isRoundRobin?: boolean } = {},
): Promise<PgBouncer> {
  const program = ensureProgram(PGBOUNCER);
  if (program === undefined)
    throw new Error(`install ${PGBOUNCER.debianPackage}, or set ${PGBOUNCER.variable}`);
  const target = new URL(postgresUrl);
  const folder = mkdtempSync(join(tmpdir(), "purse-pgbouncer-"));
  const port = await freePort();
  const users = join(folder, "users.txt");
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(users, `"${target.username}" "${target.password}"\n`);
  writeFileSync(
    file,
    `[databases]
* = host=${target.hostname} port=${target.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${poolSize}
server_round_robin = ${isRoundRobin ? 1 : 0}
max_client_conn = 1000
`,
  );
  const isRoot = userInfo().uid === 0;
  if (isRoot) for (const path of [folder, users, file]) chownSync(path, NOBODY, NOBODY);
  const bouncer = spawn(program, ["-q", file], {
    stdio: "ignore",
    ...(isRoot && { uid: NOBODY, gid: NOBODY }),
  });
  const exited = new Promise((resolve) => bouncer.once("exit", resolve));
  await untilListening(bouncer, port);
  return {
    urlOf(databaseUrl) {
      const url = new URL(databaseUrl);
      url.port = String(port);
      return url.href;
    },
    async stop() {
      bouncer.kill("SIGKILL");
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
