/*
 * Proves that no acknowledged write is lost and none is made twice.
 *   npm run prove:commits -- [--rounds 500] [--seed 1]   commits to PostgreSQL are lost on the way, before and after they are made
 *   npm run prove:crashes -- [--cycles 500] [--seed 1]   servers on SQLite and PostgreSQL are killed (-9) amid writes, each so often
 *     --small: servers of objects, batches and requests with ids alone, which start in a part of the time
 * Each tells every few rounds what was acknowledged, and what was lost or doubled.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "500" },
    cycles: { type: "string", default: "500" },
    seed: { type: "string", default: "1" },
    small: { type: "boolean", default: false },
  },
});
const root = join(import.meta.dirname, "..");
const isCommits = positionals[0] === "commits";
const file = isCommits ? "tests/faults/lostCommits.test.ts" : "tests/faults/crashes.test.ts";
const { status } = spawnSync(
  process.execPath,
  [join(root, "node_modules/vitest/vitest.mjs"), "run", "--retry=0", "--silent=false", file],
  {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      PURSE_SEED: values.seed,
      PURSE_SMALL_SERVER: values.small ? "1" : "0",
      ...(isCommits ? { PURSE_COMMIT_ROUNDS: values.rounds } : { PURSE_CRASH_CYCLES: values.cycles }),
    },
  },
);
process.exit(status ?? 1);
