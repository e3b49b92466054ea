// `npm run test:clickhouse [FILE…]`: runs the tests of chain indexes with their events in ClickHouse: on the server of
// CLICKHOUSE_URL, otherwise on chdb, which is installed the first time (about 550 MB).
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ensureInstalled, node, root } from "./install.mjs";

/** Tests of what an index contains and answers. The others do not read an index, or test one of known wallets. */
const FILES = [
  "packages/chain/src/store/clickhouse",
  "packages/chain/src/indexer/randomHistory.test.ts",
  "packages/chain/src/endpoints",
];

ensureInstalled();
const folder = mkdtempSync(join(tmpdir(), "purse-clickhouse-"));
let url = process.env.CLICKHOUSE_URL;
let server;
if (url === undefined) {
  const home = join(root, "tests/clickhouse");
  ensureInstalled(home, "ClickHouse as a library (550 MB)");
  server = spawn(node, [join(home, "server.mjs"), join(folder, "data")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  url = await new Promise((resolve, reject) => {
    createInterface({ input: server.stdout }).once("line", resolve);
    server.once("exit", (code) => reject(new Error(`ClickHouse ended with ${code}`)));
  });
}
const files = process.argv.length > 2 ? process.argv.slice(2) : FILES;
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const tests = spawn(node, [vitest, "run", ...files], {
  stdio: "inherit",
  cwd: root,
  env: { ...process.env, PURSE_TEST_CLICKHOUSE_URL: url },
});
const code = await new Promise((resolve) => tests.once("exit", resolve));
server?.removeAllListeners("exit");
server?.stdin.end();
rmSync(folder, { recursive: true, force: true });
process.exit(code ?? 1);
