/*
 * Measures writes to classes with live queries on PostgreSQL, with durable commits: how many transactions per second, and
 * how long a committed change takes to reach another process.
 *   npm run bench:changes -- [--clients 32] [--seconds 8] [--rounds 3]
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type ClassSchema, openStore, type Store } from "@purse/server";
import postgres from "postgres";
import { newDatabase, startPostgres } from "../../tests/support/postgresServer.ts";
import { recordHistory } from "./history.ts";
import { provenance } from "./provenance.ts";

const { values } = parseArgs({
  options: {
    clients: { type: "string", default: "32" },
    seconds: { type: "string", default: "8" },
    rounds: { type: "string", default: "3" },
  },
});
const clients = Number(values.clients);
const durationMs = Number(values.seconds) * 1_000;
const rounds = Number(values.rounds);

const AT = "2026-01-01T00:00:00.000Z";
const FIELDS = { createdAt: AT, updatedAt: AT, n: 1, open: true, title: "x".repeat(100) };
const LEASE_MS = 60 * 60_000;
const WRITERS = 2;

interface Contestant {
  className: string;
  title: string;
  sql: postgres.Sql;
  rates: number[];
}

function classOf(className: string): ClassSchema {
  return {
    className,
    table: className,
    fields: { n: { type: "Number" } },
    classLevelPermissions: {},
    indexes: {},
  };
}

/** Counts commits of one row each, by connections that do not wait for each other. */
async function commitRate(sql: postgres.Sql, className: string, ids: () => string): Promise<number> {
  const end = performance.now() + durationMs;
  let commits = 0;
  const client = async (): Promise<void> => {
    while (performance.now() < end) {
      const id = ids();
      await sql`INSERT INTO ${sql(className)} (id, created_at, updated_at, doc)
        VALUES (${id}, ${AT}, ${AT}, ${sql.json({ objectId: id, ...FIELDS })})`;
      commits += 1;
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: clients }, client));
  return (commits / (performance.now() - started)) * 1_000;
}

/** Reads the changes of a class as a process with a subscriber does, and calls back with the id of each. */
async function readChanges(
  { changeLog, subscribe }: Store,
  className: string,
  onChange: (objectId: string) => void,
): Promise<() => void> {
  if (!changeLog) throw new Error("the store has no change log");
  let position = await changeLog.subscribe(className, Date.now() + LEASE_MS);
  let isReading = false;
  let hasMore = false;
  async function read(): Promise<void> {
    hasMore = true;
    if (isReading || !changeLog) return;
    isReading = true;
    while (hasMore) {
      hasMore = false;
      const page = await changeLog.read(position, [className], 500);
      for (const { objectId } of page.changes) onChange(objectId);
      if (page.position) position = { epoch: position.epoch, ...page.position };
      if (page.finished < page.assigned) setTimeout(() => void read(), 5);
      if (page.hasMore) hasMore = true;
    }
    isReading = false;
  }
  const stop = subscribe(() => void read());
  const timer = setInterval(() => void read(), 250);
  return () => {
    clearInterval(timer);
    stop();
  };
}

/** Returns the times from the acknowledgment of a write until another process has read its change, in ms, sorted. */
async function delays(
  writers: Store[],
  reader: Store,
  className: string,
  ids: () => string,
): Promise<number[]> {
  const acknowledged = new Map<string, number>();
  const read = new Map<string, number>();
  const stop = await readChanges(reader, className, (id) => read.set(id, performance.now()));
  const end = performance.now() + durationMs;
  const client = async (writer: Store): Promise<void> => {
    while (performance.now() < end) {
      const id = ids();
      const object = { objectId: id, ...FIELDS };
      await writer.write([{ kind: "create", schema: classOf(className), id, at: AT, object }]);
      acknowledged.set(id, performance.now());
    }
  };
  await Promise.all(
    writers.flatMap((writer) => Array.from({ length: clients / WRITERS }, () => client(writer))),
  );
  while (read.size < acknowledged.size) await new Promise((resolve) => setTimeout(resolve, 10));
  stop();
  return [...acknowledged]
    .map(([id, at]) => Math.max(0, (read.get(id) ?? Number.POSITIVE_INFINITY) - at))
    .sort((a, b) => a - b);
}

const server = await startPostgres({
  durable: true,
  more: ["wal_level=logical", "max_slot_wal_keep_size=4GB"],
});
let made = 0;
const ids = () => `object${++made}`;
const connect = (url: string) => postgres(url, { max: clients, onnotice: () => undefined });
const url = await newDatabase(server.url);
const decodedUrl = await newDatabase(server.url);
const open = () => openStore({ kind: "postgres", url, connections: 8 });
const openDecoded = () =>
  openStore({ kind: "postgres", url: decodedUrl, connections: 8, changes: "decoding" });
const reader = await open();
const decodedReader = await openDecoded();
const sql = connect(url);
const decodedSql = connect(decodedUrl);
const contestants: Contestant[] = [
  { className: "Plain", title: "Class without live queries", sql, rates: [] },
  { className: "Followed", title: "Class with live queries, by triggers", sql, rates: [] },
  {
    className: "Decoded",
    title: "Class with live queries, by logical decoding",
    sql: decodedSql,
    rates: [],
  },
  {
    className: "Locked",
    title: "Class with live queries of the previous version (numbered under a lock)",
    sql,
    rates: [],
  },
];
await sql`INSERT INTO purse_followed (class_name, since, until) VALUES ('Locked', 0, ${Date.now() + LEASE_MS})`;
for (const { className } of contestants)
  for (const store of [reader, decodedReader]) await store.changeClass(className, () => classOf(className));
const stopReading = await readChanges(reader, "Followed", () => undefined);
let decoded = 0;
const stopReadingDecoded = await readChanges(decodedReader, "Decoded", () => {
  decoded += 1;
});
for (let round = 0; round < rounds; round++) {
  for (const { className, rates, sql: own } of contestants) {
    rates.push(await commitRate(own, className, ids));
    console.log(`${className}: ${Math.round(rates.at(-1) ?? 0)}/s`);
    // What is behind must not burden the next one.
    if (className === "Decoded") {
      const [row] = await own`SELECT count(*) AS n FROM "Decoded"`;
      const began = performance.now();
      while (decoded < Number(row?.n)) await new Promise((resolve) => setTimeout(resolve, 10));
      console.log(`  all changes read after ${Math.round(performance.now() - began)} ms`);
    }
  }
}
stopReading();
stopReadingDecoded();

/** Measures the delays with writers of their own. Returns the writes per second, and the percentiles. */
async function measureDelays(openWriter: () => Promise<Store>, to: Store, className: string) {
  const writers = await Promise.all(Array.from({ length: WRITERS }, openWriter));
  const waits = await delays(writers, to, className, ids);
  await Promise.all(writers.map((store) => store.close()));
  const percentile = (share: number) => waits[Math.floor(waits.length * share)] ?? 0;
  return { rate: waits.length / (durationMs / 1_000), median: percentile(0.5), p99: percentile(0.99) };
}
const byTriggers = await measureDelays(open, reader, "Followed");
const byDecoding = await measureDelays(openDecoded, decodedReader, "Decoded");
await Promise.all([reader, decodedReader].map((store) => store.close()));
await Promise.all([sql, decodedSql].map((each) => each.end()));
await server.stop();

const median = ({ rates }: Contestant) => [...rates].sort((a, b) => a - b)[Math.floor(rates.length / 2)] ?? 0;
const plain = contestants[0] ? median(contestants[0]) : 0;
const rows = contestants.map(
  (each) =>
    `| ${each.title} | ${Math.round(median(each)).toLocaleString("en")} | ${Math.round((median(each) / plain) * 100)} % |`,
);
const delayRow = (title: string, { rate, median, p99 }: typeof byTriggers) =>
  `| ${title} | ${Math.round(rate).toLocaleString("en")} | ${median.toFixed(1)} ms | ${p99.toFixed(1)} ms |`;
const page = `# Benchmarks of the change log

Transactions per second of ${clients} connections to PostgreSQL that insert one object of 200 characters each, with durable commits (median of
${rounds} rounds of ${durationMs / 1_000} s, in turns). All that is measured shares the cores, including the process that decodes:

| | Commits/s | of a class without live queries |
| --- | --: | --: |
${rows.join("\n")}

Two processes with ${clients} concurrent writes in shared transactions, and a third that reads the changes: from the acknowledgment of a write until
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
    "share of writes without live queries": (contestants[1] ? median(contestants[1]) : 0) / plain,
    "share with decoding": (contestants[2] ? median(contestants[2]) : 0) / plain,
  },
});
writeFileSync(join(import.meta.dirname, "../../docs/internals/benchmarks/change-log.md"), page);
console.log(`\n${page}`);
process.exit(0);
