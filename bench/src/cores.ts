/*
 * Compares Purse with parse-server, both with a process for each core, on the same PostgreSQL.
 *   npm run bench:cores -- [--rounds 3] [--seconds 4] [--case get] [--rows 100000] [--processes 2]
 */
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureInstalled } from "../../scripts/install.mjs";
import type { Case, Contestant } from "./contestants.ts";
import { recordHistory } from "./history.ts";
import type { Load } from "./load.ts";
import { provenance } from "./provenance.ts";

const CASES: readonly Case[] = ["get", "query-100", "update", "create", "batch-50", "function"];

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "4" },
    case: { type: "string" },
    rows: { type: "string", default: "100000" },
    processes: { type: "string", default: `${availableParallelism()}` },
  },
});
const root = join(import.meta.dirname, "../..");
ensureInstalled(join(root, "bench"), "the bench's contestants");
const { startParseServer, startPurse } = await import("./contestants.ts");
const { newDatabase, startPostgres } = await import("../../tests/support/postgresServer.ts");
const { generateLoad } = await import("./load.ts");

const size = { rows: Number(values.rows), processes: Number(values.processes) };
const postgres = await startPostgres({ durable: true });
const contestants: Contestant[] = [];
try {
  contestants.push(await startPurse({ ...size, databaseUrl: await newDatabase(postgres.url) }));
  contestants.push(await startParseServer(await newDatabase(postgres.url), size));
  const table = new Map<Case, (Load | undefined)[]>();
  for (const name of CASES) {
    if (values.case === undefined || name === values.case) table.set(name, await measure(name));
  }
  const measured = [...table].map(([name, [purse]]) => [name, purse?.requestsPerSecond ?? 0]);
  recordHistory({
    benchmark: `requests per second with ${size.processes} processes`,
    database: "PostgreSQL",
    values: Object.fromEntries(measured),
  });
  const page = render(table);
  writeFileSync(join(root, "docs/internals/benchmarks/cores.md"), page);
  console.log(`\n${page}`);
} finally {
  await Promise.all(contestants.map((contestant) => contestant.stop()));
  await postgres.stop();
}

/** The medians of both servers, which are measured in turns. */
async function measure(name: Case): Promise<(Load | undefined)[]> {
  const loads: Load[][] = contestants.map(() => []);
  for (let round = 1; round <= Number(values.rounds); round++) {
    for (const [index, { name: who, requests }] of contestants.entries()) {
      const request = requests[name];
      if (!request) continue;
      const load = await generateLoad(request, Number(values.seconds));
      loads[index]?.push(load);
      console.log(`${name}, round ${round}, ${who}: ${Math.round(load.requestsPerSecond)}/s`);
    }
  }
  return loads.map(
    (each) => each.toSorted((a, b) => a.requestsPerSecond - b.requestsPerSecond)[Math.floor(each.length / 2)],
  );
}

function render(table: ReadonlyMap<Case, (Load | undefined)[]>): string {
  const lines = [...table].map(([name, [purse, peer]]) => {
    const ratio = purse && peer ? `${(purse.requestsPerSecond / peer.requestsPerSecond).toFixed(2)} ×` : "–";
    return `| ${[name, cell(purse), cell(peer), ratio].join(" | ")} |`;
  });
  return `# Benchmark of several processes

Purse and parse-server with ${size.processes} processes each (\`--processes ${size.processes}\`, and Node.js' cluster), on the same PostgreSQL with ${size.rows.toLocaleString("en")}
rows; requests as in the [benchmark of requests](index.md). Requests per second at 32 connections (median of ${values.rounds} rounds
of ${values.seconds} s, in turns), with p50 / p99 latency in ms. PostgreSQL and the load run on the same cores.

| case | Purse | parse-server | Purse ÷ parse-server |
| --- | --: | --: | --: |
${lines.join("\n")}

${provenance("npm run bench:cores")}
`;
}

function cell(load: Load | undefined): string {
  if (!load) return "–";
  return `${Math.round(load.requestsPerSecond).toLocaleString("en")} (${load.p50.toFixed(1)} / ${load.p99.toFixed(1)})`;
}
