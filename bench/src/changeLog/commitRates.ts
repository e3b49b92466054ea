import { openStore } from "@purse/server";
import postgres from "postgres";
import { newDatabase } from "../../../tests/support/postgresServer.ts";
import { type ProcessTimes, processTimesBetween, readProcessTimes } from "../processTree.ts";
import { quantile } from "../quantile.ts";
import { measureCommits } from "./commitClients.ts";
import { classOf, FIELDS, LEASE_MS } from "./measuredClass.ts";
import { readChanges } from "./readChanges.ts";

export interface Effort {
  /** Concurrent connections. */
  clients: number;
  /** Of one measurement, in ms. */
  durationMs: number;
  rounds: number;
}

const NOTIFY_INTERVAL_MS = 5;

const CLASSES = [
  { className: "Plain", title: "Class without live queries" },
  { className: "Followed", title: "Class with live queries, by triggers" },
  { className: "Decoded", title: "Class with live queries, by logical decoding" },
  {
    className: "Locked",
    title: "Class with live queries of the previous version (numbered under a lock)",
  },
] as const;

/** The commits of a kind of class, medians of the rounds. */
export interface CommitRate {
  className: (typeof CLASSES)[number]["className"];
  title: string;
  perSecond: number;
  /** CPU time of all processes of the database per commit, in µs. */
  cpuMicroseconds: number;
}

/** Measures the commits per second of all kinds of classes on a server, in turns, while a process reads the changes. */
export async function measureCommitRates(serverUrl: string, effort: Effort): Promise<CommitRate[]> {
  const url = await newDatabase(serverUrl);
  const decodedUrl = await newDatabase(serverUrl);
  const connect = (to: string) => postgres(to, { max: 1, onnotice: () => undefined });
  const [sql, decodedSql] = [connect(url), connect(decodedUrl)];
  const reader = await openStore({ kind: "postgres", url, connections: 8 });
  const decodedReader = await openStore({
    kind: "postgres",
    url: decodedUrl,
    connections: 8,
    changes: "decoding",
  });
  await sql`INSERT INTO purse_followed (class_name, since, until) VALUES ('Locked', 0, ${Date.now() + LEASE_MS})`;
  const contestants = CLASSES.map(({ className, title }) => {
    const rates: number[] = [];
    const costs: number[] = [];
    const isDecoded = className === "Decoded";
    return {
      className,
      title,
      sql: isDecoded ? decodedSql : sql,
      url: isDecoded ? decodedUrl : url,
      rates,
      costs,
    };
  });
  for (const { className } of contestants)
    for (const store of [reader, decodedReader]) await store.changeClass(className, () => classOf(className));
  const stopReading = await readChanges(reader, "Followed", () => undefined);
  let decoded = 0;
  const stopReadingDecoded = await readChanges(decodedReader, "Decoded", () => {
    decoded += 1;
  });
  for (let round = 0; round < effort.rounds; round++) {
    for (const { className, rates, costs, sql: own, url: ownUrl } of contestants) {
      const before = readProcessTimes();
      const stopNotifying = className === "Followed" ? notifyReaders(own) : () => undefined;
      const rate = await measureCommits({
        ...effort,
        url: ownUrl,
        statement: `INSERT INTO "${className}" (id, created_at, updated_at, doc)
          VALUES ($1, '${FIELDS.createdAt}', '${FIELDS.updatedAt}', $2)`,
        idPrefix: `round${round}`,
        fields: FIELDS,
      });
      stopNotifying();
      // What is behind is part of the cost, and must not burden the next one.
      if (className === "Decoded") {
        const [row] = await own`SELECT count(*) AS n FROM "Decoded"`;
        const began = performance.now();
        while (decoded < Number(row?.n)) await new Promise((resolve) => setTimeout(resolve, 10));
        console.log(`  all changes read after ${Math.round(performance.now() - began)} ms`);
      }
      const seconds = databaseSeconds(processTimesBetween(before, readProcessTimes()));
      const cost = (seconds * 1_000_000) / (rate * (effort.durationMs / 1_000));
      rates.push(rate);
      costs.push(cost);
      console.log(`${className}: ${Math.round(rate)}/s, ${Math.round(cost)} µs`);
    }
  }
  stopReading();
  stopReadingDecoded();
  await Promise.all([reader, decodedReader].map((store) => store.close()));
  await Promise.all([sql, decodedSql].map((each) => each.end()));
  return contestants.map(({ className, title, rates, costs }) => ({
    className,
    title,
    perSecond: quantile(rates, 0.5),
    cpuMicroseconds: quantile(costs, 0.5),
  }));
}

/** Notifies as often as a process does that writes all the time. The other kinds of classes are notified of otherwise. */
function notifyReaders(sql: postgres.Sql): () => void {
  let isNotifying = false;
  const timer = setInterval(async () => {
    if (isNotifying) return;
    isNotifying = true;
    await sql`SELECT pg_notify('purse', 'changes Followed'), set_config('synchronous_commit', 'off', true)`;
    isNotifying = false;
  }, NOTIFY_INTERVAL_MS);
  return () => clearInterval(timer);
}

function databaseSeconds(times: ProcessTimes): number {
  return times.get("postgres") ?? 0;
}
