/*
 * Measures writes to classes with live queries on PostgreSQL, with durable commits: how many transactions per second,
 * with and without a synchronous standby, what they cost, and how long a committed change takes to reach another process.
 *   npm run bench:changes -- [--clients 32] [--seconds 5] [--rounds 3]
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startPostgres } from "../../tests/support/postgresServer.ts";
import { type CommitRate, type Effort, measureCommitRates } from "./changeLog/commitRates.ts";
import { type DeliveryDelays, measureDeliveryDelays } from "./changeLog/deliveryDelays.ts";
import { startMirrored } from "./changeLog/distantStandby.ts";
import { recordHistory } from "./history.ts";
import { provenance } from "./provenance.ts";

const { values } = parseArgs({
  options: {
    clients: { type: "string", default: "32" },
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "3" },
  },
});
const effort: Effort = {
  clients: Number(values.clients),
  durationMs: Number(values.seconds) * 1_000,
  rounds: Number(values.rounds),
};
/** The times of a message to the standby and of one from it, as between zones near and far of a region. */
const NEAR_MS = 1;
const FAR_MS = 3;

const server = await startPostgres({ durable: true });
const alone = await measureCommitRates(server.url, effort);
const delays = await measureDeliveryDelays(server.url, effort);
await server.stop();
const near = await measureWithStandby(NEAR_MS);
const far = await measureWithStandby(FAR_MS);

async function measureWithStandby(delayMs: number): Promise<CommitRate[]> {
  const { primary, stop } = await startMirrored(delayMs);
  const rates = await measureCommitRates(primary.url, effort);
  await stop();
  return rates;
}

const rateOf = (rates: CommitRate[], className: CommitRate["className"]) =>
  rates.find((rate) => rate.className === className)?.perSecond ?? 0;
const costOf = (rates: CommitRate[], className: CommitRate["className"]) =>
  rates.find((rate) => rate.className === className)?.cpuMicroseconds ?? 0;
/** The commits of a class as a multiple of those of the previous version. */
const multiple = (rates: CommitRate[], className: CommitRate["className"]) =>
  rateOf(rates, className) / rateOf(rates, "Locked");
const count = (perSecond: number) => Math.round(perSecond).toLocaleString("en");
const rateRow = ({ className, title, cpuMicroseconds }: CommitRate) => {
  const cells = [alone, near, far].flatMap((rates) => [
    count(rateOf(rates, className)),
    `${multiple(rates, className).toFixed(1)} ×`,
  ]);
  return `| ${[title, `${count(cpuMicroseconds)} µs`, ...cells].join(" | ")} |`;
};
const delayRow = (title: string, { writesPerSecond, median, p99 }: DeliveryDelays) =>
  `| ${title} | ${count(writesPerSecond)} | ${median.toFixed(1)} ms | ${p99.toFixed(1)} ms |`;
const page = `# Benchmarks of the change log

Transactions per second of ${effort.clients} connections to PostgreSQL that insert one object of 200 characters each, with durable commits (median of
${effort.rounds} rounds of ${effort.durationMs / 1_000} s, in turns), and as a multiple of the previous version, in which one commit of a class with live queries waits for the
one before it. With a synchronous standby, a commit waits until another server has it, to and from which each message takes ${NEAR_MS} or ${FAR_MS} ms. All
that is measured shares the cores, including the standby and the process that reads the changes: without a standby, the cores are the
limit, also of the class without live queries. The CPU time is that of all processes of PostgreSQL without a standby, including what reads the changes.

| | CPU time per commit | Commits/s | of the previous version | Standby, ${NEAR_MS} ms: commits/s | of the previous version | Standby, ${FAR_MS} ms: commits/s | of the previous version |
| --- | --: | --: | --: | --: | --: | --: | --: |
${alone.map(rateRow).join("\n")}

Two processes with ${effort.clients} concurrent writes in shared transactions, and a third that reads the changes: from the acknowledgment of a write until
its change has been read.

| | Writes/s | Median | p99 |
| --- | --: | --: | --: |
${delayRow("By triggers", delays)}

${provenance("npm run bench:changes")}
`;
recordHistory({
  benchmark: "change log",
  database: "PostgreSQL",
  values: {
    "delay p99, ms": delays.p99,
    "share of writes without live queries": rateOf(alone, "Followed") / rateOf(alone, "Plain"),
    "multiple of the previous version": multiple(alone, "Followed"),
    "multiple with a standby": multiple(near, "Followed"),
    "CPU per commit, µs": costOf(alone, "Followed"),
  },
});
writeFileSync(join(import.meta.dirname, "../../docs/internals/benchmarks/change-log.md"), page);
console.log(`\n${page}`);
process.exit(0);
