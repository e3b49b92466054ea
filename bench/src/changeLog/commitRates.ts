import { openStore } from "@purse/server";
import postgres from "postgres";
import { newDatabase } from "../../../tests/support/postgresServer.ts";
import { quantile } from "../quantile.ts";
import { classOf, FIELDS, LEASE_MS, nextId } from "./measuredClass.ts";
import { readChanges } from "./readChanges.ts";

export interface Effort {
  /** Concurrent connections. */
  clients: number;
  /** Of one measurement, in ms. */
  durationMs: number;
  rounds: number;
}

const CLASSES = [
  { className: "Plain", title: "Class without live queries" },
  { className: "Followed", title: "Class with live queries, by triggers" },
  { className: "Decoded", title: "Class with live queries, by logical decoding" },
  {
    className: "Locked",
    title: "Class with live queries of the previous version (numbered under a lock)",
  },
] as const;

/** The commits per second of a kind of class, median of the rounds. */
export interface CommitRate {
  className: (typeof CLASSES)[number]["className"];
  title: string;
  perSecond: number;
}

/** Measures the commits per second of all kinds of classes on a server, in turns, while a process reads the changes. */
export async function measureCommitRates(serverUrl: string, effort: Effort): Promise<CommitRate[]> {
  const url = await newDatabase(serverUrl);
  const decodedUrl = await newDatabase(serverUrl);
  const connect = (to: string) => postgres(to, { max: effort.clients, onnotice: () => undefined });
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
    return { className, title, sql: className === "Decoded" ? decodedSql : sql, rates };
  });
  for (const { className } of contestants)
    for (const store of [reader, decodedReader]) await store.changeClass(className, () => classOf(className));
  const stopReading = await readChanges(reader, "Followed", () => undefined);
  let decoded = 0;
  const stopReadingDecoded = await readChanges(decodedReader, "Decoded", () => {
    decoded += 1;
  });
  for (let round = 0; round < effort.rounds; round++) {
    for (const { className, rates, sql: own } of contestants) {
      rates.push(await commitRate(own, className, effort));
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
  await Promise.all([reader, decodedReader].map((store) => store.close()));
  await Promise.all([sql, decodedSql].map((each) => each.end()));
  return contestants.map(({ className, title, rates }) => ({
    className,
    title,
    perSecond: quantile(rates, 0.5),
  }));
}

/** Counts commits of one row each, by connections that do not wait for each other. */
async function commitRate(
  sql: postgres.Sql,
  className: string,
  { clients, durationMs }: Effort,
): Promise<number> {
  const end = performance.now() + durationMs;
  let commits = 0;
  const client = async (): Promise<void> => {
    while (performance.now() < end) {
      const id = nextId();
      await sql`INSERT INTO ${sql(className)} (id, created_at, updated_at, doc)
        VALUES (${id}, ${FIELDS.createdAt}, ${FIELDS.updatedAt}, ${sql.json({ objectId: id, ...FIELDS })})`;
      commits += 1;
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: clients }, client));
  return (commits / (performance.now() - started)) * 1_000;
}
