/*
 * Proves that the data API answers as the node does: random questions about all operations on both databases, after the
 * first indexing, a reorganization, a restart and kills, compared with what is computed from the node's blocks,
 * receipts, logs and calls; and that malformed requests of all operations neither fail with 500 nor hang.
 *   npm run prove:data -- [--questions 2000] [--requests 500] [--seed 15]
 */
import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ENDPOINTS } from "@purse/chain";

const { values } = parseArgs({
  options: {
    questions: { type: "string", default: "2000" },
    requests: { type: "string", default: "500" },
    seed: { type: "string", default: "15" },
  },
});
/** Four rounds on two databases. */
const ROUNDS = 8;
const root = join(import.meta.dirname, "..");
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const perRound = Math.ceil(Number(values.questions) / ROUNDS);

function run(file: string, env: Record<string, string>): number {
  const startedAt = performance.now();
  const path = `packages/chain/src/endpoints/${file}`;
  const { status } = spawnSync(process.execPath, [vitest, "run", path, "--maxWorkers=1"], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, PURSE_SEED: values.seed, ...env },
  });
  if (status !== 0) process.exit(status ?? 1);
  return Math.round((performance.now() - startedAt) / 1_000);
}

const questionSeconds = run("randomQueries.test.ts", { PURSE_QUESTIONS: String(perRound) });
const requestSeconds = run("malformedRequests.test.ts", { PURSE_REQUESTS: values.requests });

const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
const operations = Object.keys(ENDPOINTS).length;
const count = (number: number) => number.toLocaleString("en");
const page = `# Answers of the data API

| What | Number | Differences or failures | Duration |
| --- | --: | --: | --: |
| Random questions about all operations except \`uploadFolder\`, half on SQLite and half on PostgreSQL | ${count(perRound * ROUNDS)} | 0 | ${questionSeconds} s |
| Malformed requests of the ${operations} operations, on both databases: responses with 500, or none | ${count(operations * Number(values.requests) * 2)} | 0 | ${requestSeconds} s |

The answers are compared with what is computed from the blocks, receipts, logs, traces and calls of the node: after the
first indexing, a reorganization, a restart, and kills (\`SIGKILL\`) of the process that indexes. The history has tokens
of OpenZeppelin, WETH9, ERC-2309 and ERC-1155 tokens, pools and trades of Uniswap v2 and v3, sales on Seaport 1.6, smart accounts
and user operations of EntryPoint 0.7, approvals, internal payments, and failed and pending transactions.

Made by \`npm run prove:data -- --questions ${values.questions} --requests ${values.requests} --seed ${values.seed}\` at commit ${commit}
on ${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}), Node.js ${process.version}.
`;
writeFileSync(join(root, "docs/internals/benchmarks/chain-answers.md"), page);
console.log(`\n${page}`);
