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
  { className: "Followed", title: "Class with live queries" },
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
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  const reader = await openStore({ kind: "postgres", url, connections: 8 });
  await sql`INSERT INTO purse_followed (class_name, since, until) VALUES ('Locked', 0, ${Date.now() + LEASE_MS})`;
  const contestants = CLASSES.map(({ className, title }) => {
    const rates: number[] = [];
    const costs: number[] = [];
    return { className, title, rates, costs };
  });
  for (const { className } of contestants) await reader.changeClass(className, () => classOf(className));
  const stopReading = await readChanges(reader, "Followed", () => undefined);
  for (let round = 0; round < effort.rounds; round++) {
    for (const { className, rates, costs } of contestants) {
      const before = readProcessTimes();
      const stopNotifying = className === "Followed" ? notifyReaders(sql) : () => undefined;
      const rate = await measureCommits({
        ...effort,
        url,
        statement: `INSERT INTO "${className}" (id, created_at, updated_at, doc)
          VALUES ($1, '${FIELDS.createdAt}', '${FIELDS.updatedAt}', $2)`,
        idPrefix: `round${round}`,
        fields: FIELDS,
      });
      stopNotifying();
      const seconds = databaseSeconds(processTimesBetween(before, readProcessTimes()));
      const cost = (seconds * 1_000_000) / (rate * (effort.durationMs / 1_000));
      rates.push(rate);
      costs.push(cost);
      console.log(`${className}: ${Math.round(rate)}/s, ${Math.round(cost)} µs`);
    }
  }
  stopReading();
  await reader.close();
  await sql.end();
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
