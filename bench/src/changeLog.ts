/*
 * Measures writes to classes with live queries on PostgreSQL, with durable commits: how many transactions per second,
 * with and without a synchronous standby, and how long a committed change takes to reach another process.
 *   npm run bench:changes -- [--clients 32] [--seconds 8] [--rounds 3]
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
    seconds: { type: "string", default: "8" },
    rounds: { type: "string", default: "3" },
  },
});
const effort: Effort = {
  clients: Number(values.clients),
  durationMs: Number(values.seconds) * 1_000,
  rounds: Number(values.rounds),
};
const SETTINGS = ["wal_level=logical", "max_slot_wal_keep_size=4GB"];
/** The time of a message to the standby and of one from it, as between two zones of a region. */
const STANDBY_DELAY_MS = 1;

const server = await startPostgres({ durable: true, more: SETTINGS });
const alone = await measureCommitRates(server.url, effort);
const byTriggers = await measureDeliveryDelays(server.url, "triggers", effort);
const byDecoding = await measureDeliveryDelays(server.url, "decoding", effort);
await server.stop();
const mirrored = await startMirrored(STANDBY_DELAY_MS, [...SETTINGS, "synchronous_standby_names=*"]);
const withStandby = await measureCommitRates(mirrored.primary.url, effort);
await mirrored.stop();

const rateOf = (rates: CommitRate[], className: CommitRate["className"]) =>
  rates.find((rate) => rate.className === className)?.perSecond ?? 0;
/** The commits of a class as a multiple of those of the previous version. */
const multiple = (rates: CommitRate[], className: CommitRate["className"]) =>
  rateOf(rates, className) / rateOf(rates, "Locked");
const count = (perSecond: number) => Math.round(perSecond).toLocaleString("en");
const rateRow = ({ className, title, perSecond }: CommitRate) => {
  const other = rateOf(withStandby, className);
  const [one, two] = [multiple(alone, className), multiple(withStandby, className)];
  return `| ${title} | ${count(perSecond)} | ${one.toFixed(1)} × | ${count(other)} | ${two.toFixed(1)} × |`;
};
const delayRow = (title: string, { writesPerSecond, median, p99 }: DeliveryDelays) =>
  `| ${title} | ${count(writesPerSecond)} | ${median.toFixed(1)} ms | ${p99.toFixed(1)} ms |`;
const page = `# Benchmarks of the change log

Transactions per second of ${effort.clients} connections to PostgreSQL that insert one object of 200 characters each, with durable commits (median of
${effort.rounds} rounds of ${effort.durationMs / 1_000} s, in turns), and as a multiple of the previous version, in which one commit of a class with live queries waits for the
one before it. With the standby, a commit waits until another server has it, to and from which each message takes ${STANDBY_DELAY_MS} ms. All that is
measured shares the cores, including the standby and the process that decodes: without it, they are the limit, also of the class without live queries.

| | Commits/s | of the previous version | with a synchronous standby | of the previous version |
| --- | --: | --: | --: | --: |
${alone.map(rateRow).join("\n")}

Two processes with ${effort.clients} concurrent writes in shared transactions, and a third that reads the changes: from the acknowledgment of a write until
its change has been read.

| | Writes/s | Median | p99 |
| --- | --: | --: | --: |
${delayRow("By triggers", byTriggers)}
${delayRow("By logical decoding", byDecoding)}

${provenance("npm run bench:changes")}
`;
recordHistory({
  benchmark: "change log",
  database: "PostgreSQL",
  values: {
    "delay p99, ms": byTriggers.p99,
    "delay p99 with decoding, ms": byDecoding.p99,
    "share of writes without live queries": rateOf(alone, "Followed") / rateOf(alone, "Plain"),
    "share with decoding": rateOf(alone, "Decoded") / rateOf(alone, "Plain"),
    "multiple of the previous version": multiple(alone, "Followed"),
    "multiple with a standby": multiple(withStandby, "Followed"),
    "multiple with decoding and a standby": multiple(withStandby, "Decoded"),
  },
});
writeFileSync(join(import.meta.dirname, "../../docs/internals/benchmarks/change-log.md"), page);
console.log(`\n${page}`);
process.exit(0);
