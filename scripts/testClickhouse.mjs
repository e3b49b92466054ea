// `npm run test:clickhouse -- [FILE…]`: runs the tests of chain indexes with their events in ClickHouse: on the server
// of CLICKHOUSE_URL, otherwise on chdb.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { startClickHouse } from "../tests/clickhouse/startClickHouse.mjs";
import { ensureInstalled, node, root } from "./install.mjs";

/** Tests of what an index contains and answers. */
const FILES = [
  "packages/chain/src/store/clickhouse",
  "packages/chain/src/endpoints",
  "packages/chain/src/events",
  "packages/chain/src/indexer/randomHistory.nightly.server.test.ts",
  "packages/chain/src/indexer/clickhouseSwitch.server.test.ts",
  "packages/chain/src/indexer/chainFaults.server.test.ts",
  "packages/chain/src/indexer/chainFaults.nightly.alone.test.ts",
  "packages/chain/src/nft/metadata.server.test.ts",
];

ensureInstalled();
const { CLICKHOUSE_URL } = process.env;
const { url, stop } =
  CLICKHOUSE_URL === undefined ? await startClickHouse() : { url: CLICKHOUSE_URL, async stop() {} };
const files = process.argv.length > 2 ? process.argv.slice(2) : FILES;
const vitest = join(root, "node_modules/vitest/vitest.mjs");
// It tests the readers of the SQL databases.
const excluded = "--exclude=packages/chain/src/endpoints/heavyReads.nightly.alone.test.ts";
const tests = spawn(node, [vitest, "run", excluded, ...files], {
  stdio: "inherit",
  cwd: root,
  env: { ...process.env, PURSE_TESTS: "all", PURSE_TEST_CLICKHOUSE_URL: url },
});
const code = await new Promise((resolve) => tests.once("exit", resolve));
await stop();
process.exit(code ?? 1);
