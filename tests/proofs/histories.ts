/*
 * Proves that an index, the objects of watched events, the messages of streams and the members of gated roles do not
 * depend on how the chain got there: random histories with reorganizations and kills, on both databases, are compared
 * with what is built in one go. The default of 200 takes about an hour on two cores.
 *   npm run prove:histories -- [--count 200]
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { count: { type: "string", default: "200" } } });
const root = join(import.meta.dirname, "../..");
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const files = [
  "packages/chain/src/indexer/randomHistory.nightly.server.test.ts",
  "packages/server/src/modules/chainEvents/watchIndexer.server.test.ts",
  "packages/server/src/modules/streams/streamIndexer.server.test.ts",
  "tests/server/chainHistories.nightly.server.test.ts",
];
const { status } = spawnSync(process.execPath, [vitest, "run", ...files], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, PURSE_TESTS: "all", PURSE_HISTORIES: values.count },
});
process.exit(status ?? 1);
