import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What a benchmark measured at one commit. */
export interface HistoryEntry {
  commit: string;
  /** Of the measurement, `2026-11-23`. */
  date: string;
  benchmark: string;
  database: string;
  /** By case. */
  values: Record<string, number>;
}

const FILE = join(import.meta.dirname, "../../docs/internals/benchmarks/history.json");

/** The current commit, abbreviated. */
export function currentCommit(): string {
  return execFileSync("git", ["rev-parse", "--short", "HEAD"], {
    cwd: import.meta.dirname,
    encoding: "utf8",
  }).trim();
}

/** Adds values of the current commit to the history. Earlier values of the same commit and case are replaced. */
export function recordHistory({
  benchmark,
  database,
  values,
  commit = currentCommit(),
}: Pick<HistoryEntry, "benchmark" | "database" | "values"> & { commit?: string }): void {
  const rounded = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Math.round(value * 10) / 10]),
  );
  const history: HistoryEntry[] = existsSync(FILE) ? JSON.parse(readFileSync(FILE, "utf8")) : [];
  const date = new Date().toISOString().slice(0, 10);
  const known = history.find(
    (each) => each.commit === commit && each.benchmark === benchmark && each.database === database,
  );
  if (known) Object.assign(known, { date, values: { ...known.values, ...rounded } });
  else history.push({ commit, date, benchmark, database, values: rounded });
  writeFileSync(FILE, `${JSON.stringify(history, undefined, 2)}\n`);
}
