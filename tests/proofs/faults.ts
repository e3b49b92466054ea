/*
 * Proves that no acknowledged write is lost and none is executed twice.
 *   npm run prove:commits -- [--rounds 500] [--seed 1]   commits to PostgreSQL are lost on the way, before and after they are made
 *   npm run prove:crashes -- [--cycles 500] [--seed 1]   servers on SQLite and PostgreSQL are killed (-9) amid writes, each so often
 *     --small: servers of objects, batches and requests with ids alone, which start in a part of the time
 *   npm run prove:nodes                                  every fault of blockchain nodes, with the index on SQLite and on PostgreSQL
 *   npm run prove:restarts -- [--rounds 5] [--haproxy haproxy]   rolling restarts of three nodes behind a balancer under load
 *   npm run chaos -- [--minutes 10] [--seed 1] [--faults s3,kill]   three nodes on one PostgreSQL with Valkey, S3, a chain and a webhook,
 *     with random faults of the network, processes, disks and clocks, or those whose names begin with the given ones
 *   npm run prove:outages                                every page of the apps without each of the things that it reads
 * Those of commits and crashes report every few rounds what was acknowledged, lost or duplicated.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureAppsBuilt } from "../../scripts/build.mjs";
import { ensureChromium } from "../../scripts/chromium.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string" },
    minutes: { type: "string", default: "10" },
    haproxy: { type: "string" },
    cycles: { type: "string", default: "500" },
    seed: { type: "string", default: "1" },
    faults: { type: "string", default: "" },
    small: { type: "boolean", default: false },
  },
});
const root = join(import.meta.dirname, "../..");
const PROOFS: Record<string, { files: string[]; env: Record<string, string> }> = {
  commits: {
    files: ["tests/faults/lostCommits.server.test.ts"],
    env: { PURSE_COMMIT_ROUNDS: values.rounds ?? "500" },
  },
  crashes: { files: ["tests/faults/crashes.server.test.ts"], env: { PURSE_CRASH_CYCLES: values.cycles } },
  restarts: {
    files: ["tests/faults/rollingRestart.alone.test.ts"],
    env: {
      PURSE_RESTART_ROUNDS: values.rounds ?? "5",
      ...(values.haproxy !== undefined && { PURSE_HAPROXY: values.haproxy }),
    },
  },
  chaos: {
    files: ["tests/faults/chaos.nightly.alone.test.ts"],
    env: {
      PURSE_CHAOS_SECONDS: process.env.PURSE_CHAOS_SECONDS ?? String(Number(values.minutes) * 60),
      PURSE_CHAOS_FAULTS: values.faults,
    },
  },
  nodes: {
    files: ["chainFaults", "hostileNodes"].map((name) => `packages/chain/src/indexer/${name}.`),
    env: { PURSE_CHAIN_FAULTS: "all" },
  },
  outages: {
    files: ["tests/browser/outage.", "tests/browser/studioOutage."],
    env: {},
  },
};
const proof = PROOFS[positionals[0] ?? ""];
if (!proof) throw new Error(`name one of ${Object.keys(PROOFS).join(", ")}`);
const isInBrowser = proof === PROOFS.outages;
if (isInBrowser) ensureAppsBuilt();
const { status } = spawnSync(
  process.execPath,
  [join(root, "node_modules/vitest/vitest.mjs"), "run", "--silent=false", ...proof.files],
  {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      // On every database.
      PURSE_TESTS: "all",
      PURSE_SEED: values.seed,
      PURSE_SMALL_SERVER: values.small ? "1" : "0",
      ...(isInBrowser && { CHROMIUM_PATH: ensureChromium() }),
      ...proof.env,
    },
  },
);
process.exit(status ?? 1);
