/*
 * Compares Purse with parse-server and with the physical limit, alternating in one run.
 *   npm run bench -- [--rounds 3] [--seconds 4] [--case get] [--rows 100000]
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureInstalled } from "../../scripts/install.mjs";
import { BARS } from "./bars.ts";
import type { Case, Contestant } from "./contestants.ts";
import { recordHistory } from "./history.ts";
import type { Load } from "./load.ts";

const CASES: Record<Case, { about: string; expected: (text: string) => boolean }> = {
  get: { about: "get by id", expected: (text) => /"title": ?"Row number/.test(text) },
  "query-100-varied": {
    about: "query 100 of 100k rows, each different",
    expected: (text) => JSON.parse(text).results.length === 100,
  },
  "query-100": {
    about: "query 100 of 100k rows",
    expected: (text) => JSON.parse(text).results.length === 100,
  },
  "in-query-varied": {
    about: "$inQuery, each different",
    expected: (text) => JSON.parse(text).results.length === 100,
  },
  "in-query": {
    about: "$inQuery, 100 of 20k",
    expected: (text) => JSON.parse(text).results.length === 100,
  },
  "include-varied": {
    about: "include, each different",
    expected: (text) => JSON.parse(text).results[0].person.town.name.startsWith("Town"),
  },
  include: {
    about: "include two deep, 50",
    expected: (text) => JSON.parse(text).results[0].person.town.name.startsWith("Town"),
  },
  "acl-50": {
    about: "100 of 20k by ACLs of 50 roles",
    expected: (text) => JSON.parse(text).results.length === 100,
  },
  "acl-1000": {
    about: "100 of 5k by ACLs of 1,000 roles",
    expected: (text) => JSON.parse(text).results.length === 100,
  },
  text: { about: "full text, 100 of 20k", expected: (text) => JSON.parse(text).results.length === 100 },
  near: { about: "geo near, 20 of 20k", expected: (text) => JSON.parse(text).results.length > 5 },
  "aggregate-varied": {
    about: "aggregate, each different",
    expected: (text) => JSON.parse(text).results.length === 20,
  },
  aggregate: {
    about: "aggregate 20k into 20",
    expected: (text) => JSON.parse(text).results.length === 20,
  },
  update: { about: "update", expected: (text) => /"updatedAt"/.test(text) },
  create: { about: "create", expected: (text) => /"objectId"/.test(text) },
  "batch-50": { about: "batch of 50 creates", expected: (text) => /objectId/.test(text) },
  login: { about: "login", expected: (text) => /"sessionToken":"r:/.test(text) },
  function: { about: "cloud function", expected: (text) => /Hello, Ada/.test(text) },
};

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "4" },
    case: { type: "string" },
    /** Fewer rows start sooner, for a try. Text searches find enough from 5,000 rows on. */
    rows: { type: "string", default: "100000" },
  },
});
const root = join(import.meta.dirname, "../..");
ensureInstalled(join(root, "bench"), "the bench's contestants");
const { startLimit, startParseServer, startPurse } = await import("./contestants.ts");
const { newDatabase, startPostgres } = await import("../../tests/support/postgresServer.ts");
const { generateLoad: fire, GENERATOR, verify } = await import("./load.ts");

const rows = Number(values.rows);
const contestants: Contestant[] = [];
const postgres = await startPostgres({ durable: true });
process.on("SIGINT", () => void stopAll().then(() => process.exit(130)));
try {
  const starts = [
    () => startPurse({ rows }),
    async () => startPurse({ databaseUrl: await newDatabase(postgres.url), rows }),
    async () => startParseServer(await newDatabase(postgres.url), { rows }),
    () => startLimit({ rows }),
  ];
  for (const start of starts) {
    console.log(`Starting and filling contestant ${contestants.length + 1} of ${starts.length} …`);
    contestants.push(await start());
  }
  const table = await measure();
  for (const [i, database] of ["SQLite", "PostgreSQL"].entries()) {
    const measured = [...table].map(([name, loads]) => [name, Math.round(loads[i]?.requestsPerSecond ?? 0)]);
    recordHistory({ benchmark: "requests per second", database, values: Object.fromEntries(measured) });
  }
  const page = render(table);
  writeFileSync(join(root, "docs/internals/benchmarks/index.md"), page);
  console.log(`\n${page}`);
} finally {
  await stopAll();
}

async function measure(): Promise<Map<Case, (Load | undefined)[]>> {
  const table = new Map<Case, (Load | undefined)[]>();
  const selected = (Object.keys(CASES) as Case[]).filter(
    (name) => (!values.case || name === values.case) && (GENERATOR === "wrk" || !name.endsWith("-varied")),
  );
  for (const name of selected) {
    const loads: Load[][] = contestants.map(() => []);
    for (const { requests: shots } of contestants)
      if (shots[name]) await verify(shots[name], CASES[name].expected);
    for (let round = 1; round <= Number(values.rounds); round++) {
      for (const [i, { requests: shots, name: who }] of contestants.entries()) {
        const request = shots[name];
        if (!request) continue;
        const load = await fire(request, Number(values.seconds));
        loads[i]?.push(load);
        console.log(`${CASES[name].about}, round ${round}, ${who}: ${Math.round(load.requestsPerSecond)}/s`);
      }
    }
    table.set(name, loads.map(median));
  }
  return table;
}

function median(loads: Load[]): Load | undefined {
  return loads.toSorted((a, b) => a.requestsPerSecond - b.requestsPerSecond)[Math.floor(loads.length / 2)];
}

function render(table: Map<Case, (Load | undefined)[]>): string {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], {
    cwd: root,
    encoding: "utf8",
  }).trim();
  const gib = Math.round(totalmem() / 1024 ** 3);
  const lines = [...table].map(([name, [sqlite, onPostgres, peer, limit]]) => {
    const bars = BARS[name] ?? {};
    const ratios = [
      ratio(sqlite, peer, bars.sqliteToPeer),
      ratio(onPostgres, peer, bars.postgresToPeer),
      ratio(sqlite, limit, bars.sqliteToLimit),
    ];
    const loads = [sqlite, onPostgres, peer, limit].map(cell);
    return `| ${[CASES[name].about, ...loads, ...ratios].join(" | ")} |`;
  });
  return `# Benchmarks

Purse on SQLite and on PostgreSQL, compared with parse-server on the same PostgreSQL and with the physical limit (bare \`node:http\` and
\`better-sqlite3\` with the same rows, fsync'd group commit, no authentication and no protocol), interleaved in one run.
Requests per second at 32 connections (median of ${values.rounds} rounds of ${values.seconds} s), with p50 / p99 latency in ms.

| case | Purse, SQLite | Purse, PostgreSQL | parse-server | limit | SQLite ÷ parse-server | PostgreSQL ÷ parse-server | SQLite ÷ limit |
| --- | --: | --: | --: | --: | --: | --: | --: |
${lines.join("\n")}

Ratios are followed by their bars, and bold if they reach them.

Every request has a session token, and every row an ACL; a third of the rows are private to the user. The query returns
100 rows where a Boolean field is true, without an index. All connections send the same request, except in the cases
"each different", where the requests in flight differ (\`skip\` of 0 to 31, or the operand of a condition): Purse reads what several clients ask for at the same
moment once. Geo near is not compared: parse-server
needs PostGIS for it. Login is slow by design and differs: argon2id (19 MiB, two passes) in Purse, bcrypt in parse-server.

More: [several processes](cores.md), [memory and start](footprint.md), [the cost of a request](cost.md), [live queries](live.md), [the change log](change-log.md), [files](files.md), [the chain index](chain.md), [the client](client.md), [the app](app.md), [the data grid](grid.md).

Made by \`npm run bench\` at commit ${commit} on ${cpus().length} cores (${cpus()[0]?.model}), ${gib} GiB, Node.js
${process.version}, load by ${GENERATOR}, on the same machine; load average at the end ${loadavg()[0]?.toFixed(1)}.
`;
}

/** The ratio of two throughputs, and the bar that it should reach. */
function ratio(ours: Load | undefined, other: Load | undefined, bar: number | undefined): string {
  if (!ours || !other) return "–";
  const value = ours.requestsPerSecond / other.requestsPerSecond;
  const text = `${value.toFixed(2)} ×`;
  if (bar === undefined) return text;
  return value >= bar ? `**${text}** (${bar})` : `${text} (${bar})`;
}

function cell(load: Load | undefined): string {
  if (!load) return "–";
  return `${Math.round(load.requestsPerSecond).toLocaleString("en")} (${load.p50.toFixed(1)} / ${load.p99.toFixed(1)})`;
}

async function stopAll(): Promise<void> {
  await Promise.all(contestants.splice(0).map((contestant) => contestant.stop()));
  await postgres.stop();
}
