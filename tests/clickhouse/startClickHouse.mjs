// Starts ClickHouse for tests and benchmarks; installs chdb the first time (about 550 MB).
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ensureInstalled, node, root } from "../../scripts/install.mjs";

/**
 * Returns the URL of a server with an empty database, and a function that ends it and removes its data. With a folder,
 * the server has the data of that folder, which are kept.
 */
export async function startClickHouse({ folder: kept } = {}) {
  const home = join(root, "tests/clickhouse");
  ensureInstalled(home, "ClickHouse as a library (550 MB)");
  const folder = kept ?? mkdtempSync(join(tmpdir(), "purse-clickhouse-"));
  const server = spawn(node, [join(home, "server.mjs"), join(folder, "data")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => server.once("exit", resolve));
  const url = await Promise.race([
    new Promise((resolve) => createInterface({ input: server.stdout }).once("line", resolve)),
    ended.then((code) => Promise.reject(new Error(`ClickHouse ended with ${code}`))),
  ]);
  return {
    url,
    async stop() {
      server.stdin.end();
      await ended;
      if (kept === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
