import type { Traffic } from "@purse/devchain";
import { STEPS, type StepTimes } from "./backfillProfile.ts";
import type { BackfillResult } from "./backfillRun.ts";
import type { ProcessTimes } from "./processTree.ts";
import { provenance } from "./provenance.ts";

/** One measured way to read or write the blocks. */
export interface Measurement {
  what: string;
  seconds: number;
  note: string;
  /** CPU time of the process that reads or writes, in seconds; it includes its threads. */
  own: number;
  /** CPU time of the processes beside it. */
  others: ProcessTimes;
  /** Purse's result. */
  result?: BackfillResult;
}

/** The steps of a run of Purse with a profiler, by thread. */
export interface Profile {
  database: string;
  indexer: StepTimes;
  append: StepTimes | undefined;
}

/** The bars that the benchmark measures against. */
const BARS = { ofLimit: 0.65, ofPonder: 10 };

export function renderPage(
  measurements: readonly Measurement[],
  profiles: readonly Profile[],
  { blocks, traffic }: { blocks: number; traffic: Pick<Traffic, "transactions" | "transfers"> },
): string {
  const { transactions, transfers } = traffic;
  const perSecond = (seconds: number) => Math.round(transfers / seconds).toLocaleString("en");
  const rows = measurements.map(
    ({ what, seconds, note }) => `| ${what} | ${seconds.toFixed(1)} | ${perSecond(seconds)} | ${note} |`,
  );
  return `# Benchmarks of the chain index

${blocks.toLocaleString("en")} blocks with ${transactions.toLocaleString("en")} transactions and ${transfers.toLocaleString("en")} transfers
(ERC-20, ERC-721, ERC-1155 with batches) on a local Anvil node on the same machine. Purse indexes every block,
transaction, log and transfer, with receipts; ponder indexes the same transfers by the events of the configured
contracts. "Alone" are the limits: the node's responses to the same requests discarded unread, and the same rows written
by the same code without reading.

| what | s | transfers/s | |
| --- | --: | --: | --- |
${rows.join("\n")}

${renderRatios(measurements)}

## Where the time goes

CPU time in seconds, of all threads of each process. The machine has two cores, so that a run takes at least half of the
sum.

| what | s | sum | reader and writer | node | PostgreSQL | idle of two cores |
| --- | --: | --: | --: | --: | --: | --: |
${measurements.map(renderCpu).join("\n")}

Purse by thread:

| what | ${THREADS.map(({ title }) => title).join(" | ")} |
| --- | ${THREADS.map(() => "--:").join(" | ")} |
${measurements.flatMap(renderThreads).join("\n")}

By step, from sampled profiles of further runs, in seconds of the thread. Waiting for the disk counts, for
other threads it does not. Sampling makes all steps slower.

| step | ${profiles.flatMap(({ database, append }) => [`${database}: indexer`, ...(append ? [`${database}: append`] : [])]).join(" | ")} |
| --- | ${profiles.flatMap(({ append }) => ["--:", ...(append ? ["--:"] : [])]).join(" | ")} |
${STEPS.map((step) => {
  const cells = profiles.flatMap(({ indexer, append }) => [indexer, ...(append ? [append] : [])]);
  return `| ${[step, ...cells.map((times) => (times.get(step) ?? 0).toFixed(2))].join(" | ")} |`;
}).join("\n")}

The indexer's thread requests three ranges of blocks in advance, checks and decodes them, and encodes their rows as bytes.
With SQLite, a second thread (\`store/sqliteAppendThread.ts\`) receives the bytes without copying them and inserts them in one
transaction per range; it ends ten seconds after the last large range. With PostgreSQL, the bytes are sent with binary
COPY, and the server is the second thread. Sums of balances and lengths of lists are computed from the decoded rows, so that
the database does not read what it has just written.

${provenance("npm run bench:chain")}
`;
}

/** Threads by the names that Linux shows. */
const THREADS: readonly { title: string; pattern: RegExp }[] = [
  { title: "main thread", pattern: /^node-MainThread/ },
  { title: "indexer", pattern: /^WorkerThread/ },
  { title: "append", pattern: /^index append/ },
  { title: "V8's own threads (garbage collection, compiler)", pattern: /^node-V8Worker/ },
  { title: "others", pattern: /^/ },
];

function renderThreads({ what, result }: Measurement): string[] {
  if (!result) return [];
  const sums = THREADS.map(() => 0);
  for (const [name, seconds] of Object.entries(result.threads)) {
    const index = THREADS.findIndex(({ pattern }) => pattern.test(name));
    sums[index] = (sums[index] ?? 0) + seconds;
  }
  return [`| ${[what, ...sums.map((sum) => sum.toFixed(1))].join(" | ")} |`];
}

/** CPU time of a measurement in seconds: of its own process, the node, PostgreSQL, and all of them. */
function cpuOf({ own, others }: Measurement): Record<"own" | "node" | "database" | "sum", number> {
  const [node, database] = [others.get("anvil") ?? 0, others.get("postgres") ?? 0];
  return { own, node, database, sum: own + node + database };
}

function renderCpu(measurement: Measurement): string {
  const { what, seconds } = measurement;
  const { own, node, database, sum } = cpuOf(measurement);
  const cells = [seconds, sum, own, node, database, Math.max(0, 2 * seconds - sum)];
  return `| ${[what, ...cells.map((each) => each.toFixed(1))].join(" | ")} |`;
}

/** How Purse compares with the slower limit and with ponder. */
function renderRatios(measurements: readonly Measurement[]): string {
  const secondsOf = (what: string) => measurements.find((each) => each.what === what)?.seconds ?? Number.NaN;
  const rows = ["SQLite", "PostgreSQL"].map((database) => {
    const own = secondsOf(`Purse, ${database}`);
    const limit = Math.max(secondsOf("the node alone"), secondsOf(`${database} alone`));
    return `| ${database} | ${(limit / own).toFixed(2)} | ${(secondsOf("ponder, PostgreSQL") / own).toFixed(1)} × |`;
  });
  return `| Purse with | of the slower limit (bar ${BARS.ofLimit}) | as fast as ponder (bar ${BARS.ofPonder} ×) |
| --- | --: | --: |
${rows.join("\n")}

${renderFloor(measurements)}`;
}

/** How much CPU time the node and the databases alone need of what the bar beside ponder leaves. */
function renderFloor(measurements: readonly Measurement[]): string {
  const found = (what: string) => measurements.find((each) => each.what === what);
  const [node, sqlite, postgres, ponder] = [
    found("the node alone"),
    found("SQLite alone"),
    found("PostgreSQL alone"),
    found("ponder, PostgreSQL"),
  ];
  if (!node || !sqlite || !postgres || !ponder) return "";
  const budget = (2 * ponder.seconds) / BARS.ofPonder;
  const floorOf = (database: Measurement) => (cpuOf(node).sum + cpuOf(database).sum).toFixed(1);
  return `${BARS.ofPonder} times as fast as ponder would be ${(budget / 2).toFixed(1)} s, or ${budget.toFixed(1)} s of CPU time on two cores. Reading the
responses of the node without using them, and writing rows that are ready, take ${floorOf(sqlite)} s of it with SQLite and
${floorOf(postgres)} s with PostgreSQL; what remains for parsing, checking and decoding is less than these need (see below).`;
}
