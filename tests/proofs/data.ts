/*
 * Proves that the data API answers as the node does: random questions about all operations on both databases, after the
 * first indexing, a reorganization, a restart and kills, compared with what is computed from the node's blocks,
 * receipts, logs and calls; and that malformed requests of all operations neither fail with 500 nor hang.
 *   npm run prove:data -- [--questions 2000] [--requests 500] [--seed 15] [--pieces 8 [--piece 1]]
 * In pieces, each with a seed of its own, a run can be spread over several commands: the one that completes the last
 * piece for the same sources writes the page.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ENDPOINTS } from "@purse/chain";

const { values } = parseArgs({
  options: {
    questions: { type: "string", default: "2000" },
    requests: { type: "string", default: "500" },
    seed: { type: "string", default: "15" },
    pieces: { type: "string", default: "1" },
    piece: { type: "string" },
  },
});
/** Four rounds on two databases. */
const ROUNDS = 8;
const root = join(import.meta.dirname, "../..");
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const pieces = Number(values.pieces);
const perRound = Math.ceil(Number(values.questions) / ROUNDS / pieces);
const perOperation = Math.ceil(Number(values.requests) / pieces);
const revision = (name: string) =>
  execFileSync("git", ["rev-parse", "--short", name], { cwd: root, encoding: "utf8" }).trim();
const finishedFile = join(root, ".cache/proveData.json");

/** What has been finished of a run. Durations are in seconds. */
interface Finished {
  /** Finished pieces with other values are of another run. */
  run: string;
  pieces: Record<string, { questions: number; requests: number }>;
}

/** Runs a test file; returns its duration in seconds. */
function run(file: string, seed: number, env: Record<string, string>): number {
  const startedAt = performance.now();
  const path = `packages/chain/src/endpoints/${file}`;
  const { status } = spawnSync(process.execPath, [vitest, "run", path, "--maxWorkers=1"], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, PURSE_TESTS: "all", PURSE_SEED: String(seed), ...env },
  });
  if (status !== 0) process.exit(status ?? 1);
  return Math.round((performance.now() - startedAt) / 1_000);
}

function readFinished(): Finished {
  const current = {
    run: `${revision("HEAD:packages/chain")} ${values.questions} ${values.requests} ${values.seed} ${pieces}`,
    pieces: {},
  };
  if (!existsSync(finishedFile)) return current;
  const stored: Finished = JSON.parse(readFileSync(finishedFile, "utf8"));
  return stored.run === current.run ? stored : current;
}

const finished = readFinished();
const chosen =
  values.piece === undefined ? Array.from({ length: pieces }, (_, i) => i + 1) : [Number(values.piece)];
for (const piece of chosen) {
  if (finished.pieces[piece]) continue;
  const seed = Number(values.seed) + piece - 1;
  finished.pieces[piece] = {
    questions: run("randomQueries.nightly.server.test.ts", seed, { PURSE_QUESTIONS: String(perRound) }),
    requests: run("malformedRequests.server.test.ts", seed, { PURSE_REQUESTS: String(perOperation) }),
  };
  mkdirSync(join(root, ".cache"), { recursive: true });
  writeFileSync(finishedFile, JSON.stringify(finished));
}
const durations = Object.values(finished.pieces);
if (durations.length < pieces) {
  console.log(`${durations.length} of ${pieces} pieces are finished`);
  process.exit(0);
}
const questionSeconds = durations.reduce((sum, { questions }) => sum + questions, 0);
const requestSeconds = durations.reduce((sum, { requests }) => sum + requests, 0);
const operations = Object.keys(ENDPOINTS).length;
const count = (number: number) => number.toLocaleString("en");
const page = `# Answers of the data API

| What | Number | Differences or failures | Duration |
| --- | --: | --: | --: |
| Random questions about all operations except \`uploadFolder\`, half on SQLite and half on PostgreSQL | ${count(perRound * ROUNDS * pieces)} | 0 | ${questionSeconds} s |
| Malformed requests of the ${operations} operations, on both databases: responses with 500, or none | ${count(operations * perOperation * pieces * 2)} | 0 | ${requestSeconds} s |

The answers are compared with what is computed from the blocks, receipts, logs, traces and calls of the node: after the
first indexing, a reorganization, a restart, and kills (\`SIGKILL\`) of the process that indexes. The history has tokens
of OpenZeppelin, WETH9, ERC-2309 and ERC-1155 tokens, pools and trades of Uniswap v2 and v3, sales on Seaport 1.6, smart accounts
and user operations of EntryPoint 0.7, approvals, internal payments, and failed and pending transactions.

Made by \`npm run prove:data -- --questions ${values.questions} --requests ${values.requests} --seed ${values.seed}${pieces > 1 ? ` --pieces ${pieces}` : ""}\` at commit ${revision("HEAD")}
on ${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}), Node.js ${process.version}.
`;
writeFileSync(join(root, "docs/internals/benchmarks/chain-answers.md"), page);
console.log(`\n${page}`);
