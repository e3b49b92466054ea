/*
 * Proves that the data API answers as the node does: random questions on both databases, after the first indexing, a
 * reorganization and a restart, compared with what is computed from the node's blocks, receipts, logs and calls.
 *   npm run prove:data -- [--questions 2000] [--seed 15]
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { questions: { type: "string", default: "2000" }, seed: { type: "string", default: "15" } },
});
/** Three rounds on two databases. */
const ROUNDS = 6;
const root = join(import.meta.dirname, "..");
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const file = "packages/chain/src/endpoints/randomQueries.test.ts";
const questions = String(Math.ceil(Number(values.questions) / ROUNDS));
const { status } = spawnSync(process.execPath, [vitest, "run", file], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, PURSE_QUESTIONS: questions, PURSE_SEED: values.seed },
});
process.exit(status ?? 1);
