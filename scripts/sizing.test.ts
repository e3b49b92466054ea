import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const DOCS = join(import.meta.dirname, "../docs");
const BENCHMARKS = "internals/benchmarks";
/** How far a quoted figure may be from the page that it is from, which changes a little with each measurement. */
const TOLERANCE = 0.2;

/** The cells of the row of a page that begins with a label. */
function cellsOf(page: string, label: string): string[] {
  const text = readFileSync(join(DOCS, page), "utf8");
  const row = text.split("\n").find((line) => line.startsWith(`| ${label} |`));
  if (row === undefined) throw new Error(`${page} has no row ${label}`);
  return row.split("|").map((cell) => cell.trim());
}

/** The numbers in a cell, without addresses of links. */
function numbersIn(text: string): number[] {
  const visible = text.replace(/\]\([^)]*\)/g, "]");
  return [...visible.matchAll(/\d[\d,]*(?:\.\d+)?/g)].map(([number]) => Number(number.replaceAll(",", "")));
}

const measured = (label: string) => numbersIn(cellsOf("deploy/sizing.md", label)[2] ?? "");
const costs = (label: string) => cellsOf("deploy/sizing.md", label).slice(2, 4).flatMap(numbersIn);
const rate = (label: string) => numbersIn(cellsOf(`${BENCHMARKS}/index.md`, label)[3] ?? "")[0] ?? 0;
const cpu = (label: string) => numbersIn(cellsOf(`${BENCHMARKS}/cost-postgresql.md`, label)[3] ?? "")[0] ?? 0;
const isNear = (quoted: number | undefined, figure: number) =>
  quoted !== undefined && Math.abs(quoted - figure) <= figure * TOLERANCE;

describe("the sizing page", () => {
  it.each([
    ["Get by id, on PostgreSQL", "get by id", "get"],
    ["Query of 100 rows, each different", "query 100 of 100k rows, each different", undefined],
    ["Create", "create", "create"],
    ["Update", "update", "update"],
    ["Cloud function", "cloud function", "function"],
    ["Login (argon2id, slow by design)", "login", undefined],
  ])("has the measured rate and CPU time of: %s", (label, benchmark, costed) => {
    const numbers = measured(label);
    expect([numbers[0], rate(benchmark)]).toSatisfy(([quoted, figure]) => isNear(quoted, figure));
    if (costed !== undefined)
      expect([numbers[1], cpu(costed)]).toSatisfy(([quoted, figure]) => isNear(quoted, figure));
  });

  it("has the measured memory and speed of the indexer", () => {
    const memory = ["no cloud code, no chain", "the example cloud code, no chain"].map((label) =>
      Number(cellsOf(`${BENCHMARKS}/footprint.md`, label)[4]),
    );
    const quoted = measured("Memory at rest: SQLite, no chain / example cloud code / following a chain");
    for (const [i, figure] of memory.entries()) expect(isNear(quoted[i], figure)).toBe(true);
    const [transfers] = measured("Indexing a chain, on PostgreSQL");
    const figure = numbersIn(cellsOf(`${BENCHMARKS}/chain.md`, "Purse, PostgreSQL")[3] ?? "")[0] ?? 0;
    expect([transfers, figure]).toSatisfy(([quoted, figure]) => isNear(quoted, figure));
  });

  it.each([
    ["gets by id", "get by id"],
    ["cloud functions", "cloud function"],
    ["creates", "create"],
    ["updates", "update"],
    ["queries of 100 rows", "query 100 of 100k rows, each different"],
    ["aggregates over 20,000 objects", "aggregate, each different"],
    ["logins", "login"],
  ])("computes the cost of a million %s from half of the measured rate", (label, benchmark) => {
    const [perSecond = 0, dollars = 0] = costs(label);
    expect(isNear(perSecond, rate(benchmark) / 2)).toBe(true);
    expect(dollars).toBe(Number(((0.08 / 3_600 / perSecond) * 1e6).toPrecision(dollars >= 0.1 ? 2 : 1)));
  });
});
