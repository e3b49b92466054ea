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
      if (page.isHeldBack) setTimeout(() => void read(), 5);
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

const contestants: Contestant[] = [
  { className: "Plain", title: "Class without live queries", rates: [] },
  { className: "Followed", title: "Class with live queries", rates: [] },
  {
    className: "Locked",
    title: "Class with live queries of the previous version (numbered under a lock)",
    rates: [],
  },
];
const server = await startPostgres({ durable: true });
let made = 0;
const ids = () => `object${++made}`;
const url = await newDatabase(server.url);
const open = () => openStore({ kind: "postgres", url, connections: 8 });
const reader = await open();
const sql = postgres(url, { max: clients, onnotice: () => undefined });
await sql`INSERT INTO purse_followed (class_name, since, until) VALUES ('Locked', 0, ${Date.now() + LEASE_MS})`;
for (const { className } of contestants) await reader.changeClass(className, () => classOf(className));
const stopReading = await readChanges(reader, "Followed", () => undefined);
for (let round = 0; round < rounds; round++) {
  for (const { className, rates } of contestants) {
    rates.push(await commitRate(sql, className, ids));
    console.log(`${className}: ${Math.round(rates.at(-1) ?? 0)}/s`);
  }
}
stopReading();
const writers = await Promise.all(Array.from({ length: WRITERS }, open));
const waits = await delays(writers, reader, "Followed", ids);
const percentile = (share: number) => waits[Math.floor(waits.length * share)] ?? 0;
await Promise.all([...writers, reader].map((store) => store.close()));
await sql.end();
await server.stop();

const median = ({ rates }: Contestant) => [...rates].sort((a, b) => a - b)[Math.floor(rates.length / 2)] ?? 0;
const plain = contestants[0] ? median(contestants[0]) : 0;
const rows = contestants.map(
  (each) =>
    `| ${each.title} | ${Math.round(median(each)).toLocaleString("en")} | ${Math.round((median(each) / plain) * 100)} % |`,
);
const writeRate = waits.length / (durationMs / 1_000);
const page = `# Benchmarks of the change log

Transactions per second of ${clients} connections to PostgreSQL that insert one object of 200 characters each, with durable commits (median of
${rounds} rounds of ${durationMs / 1_000} s, in turns):

| | Commits/s | of a class without live queries |
| --- | --: | --: |
${rows.join("\n")}

Two processes with ${clients} concurrent writes (${Math.round(writeRate).toLocaleString("en")}/s, in shared transactions), and a third that reads the changes: from the acknowledgment of a write until
its change has been read, ${percentile(0.5).toFixed(1)} ms (median), ${percentile(0.99).toFixed(1)} ms (p99).

${provenance("npm run bench:changes")}
`;
recordHistory({
  benchmark: "change log",
  database: "PostgreSQL",
  values: {
    "delay p99, ms": percentile(0.99),
    "share of writes without live queries": (contestants[1] ? median(contestants[1]) : 0) / plain,
  },
});
writeFileSync(join(import.meta.dirname, "../../docs/internals/benchmarks/change-log.md"), page);
console.log(`\n${page}`);
process.exit(0);
