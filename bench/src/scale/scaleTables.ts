/* Tables of Markdown with a column for each engine. */
import type { Engine } from "./scaleDatabase.ts";
import type { ScaleResult } from "./scaleResults.ts";

export const NAMES: Record<Engine, string> = {
  clickhouse: "ClickHouse with SQLite",
  postgres: "PostgreSQL, ten partitions",
  sqlite: "SQLite",
};

export const count = (value: number) => Math.round(value).toLocaleString("en");

/** A table of Markdown with a column per result. */
export function tableOf(
  results: readonly ScaleResult[],
  rows: [string, (each: ScaleResult) => string][],
): string {
  const line = (cells: string[]) => `| ${cells.join(" | ")} |`;
  return [
    line(["", ...results.map(({ engine }) => NAMES[engine])]),
    line(["---", ...results.map(() => "--:")]),
    ...rows.map(([label, cell]) => line([label, ...results.map(cell)])),
  ].join("\n");
}

export function sumOf(bytes: Record<string, number>): number {
  return Object.values(bytes).reduce((sum, each) => sum + each, 0);
}
