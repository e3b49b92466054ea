/*
 * Proves that an index is the same however it has come about: random histories of reorganisations and kills, on both
 * databases, each compared with an index made at one go. About five seconds for each.
 *   npm run prove:histories -- [--count 200]
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { count: { type: "string", default: "200" } } });
const root = join(import.meta.dirname, "..");
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const { status } = spawnSync(process.execPath, [vitest, "run", "packages/chain/src/sync/histories.test.ts"], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, PURSE_HISTORIES: values.count },
});
process.exit(status ?? 1);
