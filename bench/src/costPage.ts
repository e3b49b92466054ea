import type { Case } from "./contestants.ts";
import type { CpuTimes } from "./cpuTime.ts";
import { provenance } from "./provenance.ts";
import { LAYERS, type Layer } from "./serverProfile.ts";

type ByServer<Value> = Partial<Record<"before" | "now" | "limit", Value>>;

/** The cost of the requests of one case, in µs of CPU time per request. */
export interface CaseCost {
  name: Case;
  total: ByServer<number>;
  threads: ByServer<CpuTimes>;
  layers: ByServer<Map<Layer, number>>;
}

/** Renders the page of the benchmark. `against` is the commit that is compared with. */
export function renderCosts(
  costs: readonly CaseCost[],
  { database, against }: { database: string; against: string | undefined },
): string {
  const command = `npm run bench:cost${database === "SQLite" ? "" : " -- --database postgres"}`;
  const earlier =
    against === undefined ? "" : ` "Before → now" compares commit ${against} with the current one.`;
  const totals = costs.map(({ name, total, threads }) => {
    const main = threads.now?.get("node-MainThread");
    const share = total.limit !== undefined && total.now !== undefined ? total.limit / total.now : undefined;
    const ratio = share === undefined ? "–" : `${share.toFixed(2)} ×`;
    return `| ${[name, microseconds(total.before), microseconds(total.now), microseconds(main), microseconds(total.limit), ratio].join(" | ")} |`;
  });
  const layers = LAYERS.map((layer) => {
    const cells = costs.map(({ layers }) => {
      const [before, now] = [layers.before?.get(layer), layers.now?.get(layer)];
      return before === undefined ? microseconds(now) : `${microseconds(before)} → ${microseconds(now)}`;
    });
    return `| ${[layer, ...cells].join(" | ")} |`;
  });
  const other = database === "SQLite" ? "[PostgreSQL](cost-postgresql.md)" : "[SQLite](cost.md)";
  return `# Where a request's microseconds go: ${database}

CPU time of the server's process per request in µs, over 32 connections: the least disturbed of several interleaved rounds. It
counts all threads, and the system calls that they make. The database server is not included.${earlier} The limit is bare
\`node:http\` with \`better-sqlite3\`, as in the [benchmark of requests](index.md). The same on ${other}.

| case | before | now | of it main thread | limit | limit ÷ now |
| --- | --: | --: | --: | --: | --: |
${totals.join("\n")}

By layer, of all threads, from sampled profiles. Native functions count as the layer that calls them, except for
statements of SQLite.

| layer | ${costs.map(({ name }) => name).join(" | ")} |
| --- | ${costs.map(() => "--:").join(" | ")} |
${layers.join("\n")}

What keeps system calls few: the replies of one turn of the event loop are written after all requests of that turn have been handled
(\`core/http/reply.ts\`), reads on the event loop share one snapshot of SQLite per turn
(\`database/sqlite/inlineReader.ts\`), the statements of one turn go to PostgreSQL in one write
(\`database/postgres/session.ts\`), and messages between threads are posted once per turn. Identical reads of one turn run once
(\`database/turnResults.ts\`).

${database === "SQLite" ? OBSTACLES : ""}${provenance(command)}
Values of earlier commits: \`history.json\` beside this page.
`;
}

/** What the profiles show about the cases that are furthest from the limit. */
const OBSTACLES = `## What stands in the way of the limit

- **Batches.** Creates without triggers, class rules and default values are checked one after the other and written as one job
  (\`api/batchCreates.ts\`, \`Store.createEach\`). Until the commit, only their texts are kept: with a chain of promises
  and contexts for each of them, 1,600 creates in flight survived each collection of the young generation. Measured side by side on 2026-11-26 on a busy machine,
  that took a batch of 50 from 2,547 to 1,396 µs (main thread 1,278 to 745, V8's own threads 692 to 107, writer 578 to 544), with 333 for
  the limit. The writer maintains four B-trees (rows, ids, times of creation, times of the last update) where the limit
  has two, and its ids are random: each row changes a page of its own, which the write-ahead log contains as a whole. The
  rest of the main thread is the checks of each object: names, types, ACL, denied keywords, texts that a database cannot store.
- **Cloud functions.** The main thread takes as long as for reading an object, and half as long again: for the body of the request,
  for the user of the session (8 %, read as text and parsed by the worker), and for the call to the worker and its result (11 %).
  Another 15 % are the system call that sends the response. Copying a call between threads takes 2.1 µs to write and 2.6 µs to
  read, as JSON 1.7 and 2.1, which leaves most of the post to waking the other thread. The limit wakes none, because it
  calls its function directly. Calls and results of one turn of the event loop share a message.
- **Queries.** The query of 100 rows parses the JSON of the rows that it visits, unless a search of texts up to 4 kB excludes them
  (\`database/sqlite/documentPattern.ts\`): in SQLite alone, it takes 98 µs with this search and 118 without, of which checks for
  interruptions are 15. The statement of the limit takes 82. Measured side by side on 2026-11-26 on a busy machine, this search and others for files and texts took
  the query from 297 to 257 µs. A query for one of 20,000 rows, without an index, takes SQLite 6 ms with the search and 12 without;
  a query that all rows match takes 0.2 µs more for each. Beside
  SQLite the limit takes 50 µs, and Purse 140: a request as for one object, and the parsing, authorization and compilation of the query.
- **Sub-queries and aggregates.** The bare statement of the benchmark's aggregate takes SQLite 1,090 µs, although an
  index has its values, and that of its \`$inQuery\` 630, without permissions: more than four times the speed of parse-server on PostgreSQL allows.
- **Random ids.** Inserting a row into a class of 100,000 rows takes the writer 12 µs with random ids, 5 with ascending
  ones, as the limit has them. The indexes of both times are only 1.2 of them, and checkpoints at other intervals change nothing.
- **Garbage.** Young generations of 32 MiB instead of 8 (\`--max-semi-space-size\`) would take batches 10 % less, cloud functions up to 10 %, other cases
  nothing, for 40 MiB more memory. Without V8's own threads (\`--single-threaded-gc\`), the main thread takes longer by as much as they did.
- **Copies between threads.** 50 creates as JSON text take 25 µs to write and 36 to read, as objects 20 and 26, as one flat list of texts 10 and 7.

`;

function microseconds(value: number | undefined): string {
  if (value === undefined) return "–";
  return value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString("en");
}
