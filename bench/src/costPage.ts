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
const OBSTACLES = `## What stands in the way of the bars

Measured by \`npm run bench\` on an otherwise idle machine on 2026-11-26, at commit 72ba7acb, before the last changes below. Bars are in
parentheses; cases that are not listed reach theirs.

| case | SQLite ÷ limit | SQLite ÷ parse-server | PostgreSQL ÷ parse-server |
| --- | --: | --: | --: |
| get by id | 0.54 (0.65) | reached | reached |
| create | 0.36 (0.60) | 4.3 (6) | 3.4 (5) |
| update | – | 6.7 (8) | 3.3 (4) |
| batch of 50 | 0.18 (0.35) | 7.8 (10) | 6.0 (8) |
| cloud function | 0.31 (0.35) | 2.9 (4) | 2.9 (3) |

By stage, in µs of CPU time, from profiles of the code after it, at a load average of 6.6 (that of the tables above is at the end of the page). A
bar allows the limit's time divided by it.

| stage | get | create | function |
| --- | --: | --: | --: |
| receiving, parsing HTTP, sending (Node.js and the kernel) | 22 | 38 | 28 |
| garbage collection and compilation, with V8's own threads | 9.5 | 15 | 12 |
| Fastify, envelope, routes, limits, metrics, session | 8.3 | 13 | 9.2 |
| permissions, checks, encoding of objects | 1.5 | 15 | 2.1 |
| cloud code in its thread, and the user for it | 0.3 | 0.4 | 7.7 |
| messages between threads | 0.2 | 7.1 | 8.4 |
| SQLite | 0.9 | 29 | 1.1 |
| **all of it** | **43** | **118** | **69** |
| the limit | 22 | 48 | 20 |
| the bar allows | 33 | 80 | 57 |

- **Get.** Node.js and the kernel take as long as the whole request of the limit, 8 µs of it in the system call that sends the response.
  That leaves 11 µs within the bar, which V8's collection and compilation take alone. A request allocates 24 kB, half of it in Node.js
  (request, response and sockets) and Fastify, half in the promises and contexts of Purse's steps.
- **Create.** SQLite takes 29 µs where the limit takes 13 (next points), the messages to the writer 7, and Node.js more than for a
  get, because bodies are streams. Without any check, permission, route or metric, a create would take 90 µs, still more than
  the bar allows. Both wait for the same fsync, in group commits.
- **Update.** As for a create. The writer also reads the object, parses it, applies the operations and writes the text anew, since an
  increment depends on the stored value; all updates of the benchmark change one row.
- **Cloud functions.** The limit calls its function directly. Purse runs it in a thread of its own, which can be ended when it loops or
  uses up its memory: waking the threads and copying calls and results take 8 µs, and the thread itself as much. Without both, the bar would be
  reached. Of a call, 2.1 µs are copied to write and 2.6 to read (as JSON 1.7 and 2.1); the rest is waking.
- **Compared with parse-server.** Two cores have 2,000,000 µs of CPU time per second, for Purse, PostgreSQL and the load generator
  together. A bar leaves a part of it for each request; the last columns are what each took at least, on a busy machine, which makes it more.

| on PostgreSQL | parse-server, per second | bar | it leaves | Purse | PostgreSQL | load generator |
| --- | --: | --: | --: | --: | --: | --: |
| create | 2,496 | 5 × | 160 | 130 | 59 | 18 |
| update | 1,619 | 4 × | 309 | 191 | 128 | 15 |
| batch of 50 | 114 | 8 × | 2,190 | 1,217 | 1,482 | 64 |
| cloud function | 5,469 | 3 × | 122 | 94 | 10 | 16 |

PostgreSQL alone takes two thirds of what a batch may take. A call of a cloud function takes just less: its bar was missed by 3 %
before the last changes.

- **Batches.** Creates without triggers, class rules and default values are checked one after the other and written as one job
  (\`api/batchCreates.ts\`, \`Store.createEach\`). Until the commit, only their texts are kept: with a chain of promises
  and contexts for each of them, 1,600 creates in flight survived each collection of the young generation. Measured side by side on a busy machine,
  that took a batch of 50 from 2,547 to 1,396 µs (main thread 1,278 to 745, V8's own threads 692 to 107, writer 578 to 544), with 333 for
  the limit. The writer alone takes longer than the whole limit: it maintains four B-trees (rows, ids, times of creation, times of the last update) where the limit
  has two, and its ids are random: each row changes a page of its own, which the write-ahead log contains as a whole. The
  rest of the main thread is the checks of each object: names, types, ACL, denied keywords, texts that a database cannot store.
- **Random ids.** Inserting a row into a class of 100,000 rows takes the writer 12 µs with random ids, 5 with ascending
  ones, as the limit has them. The indexes of both times are only 1.2 of them, and checkpoints at other intervals change nothing.
- **Queries.** The query of 100 rows parses the JSON of the rows that it visits, unless a search of texts up to 4 kB excludes them
  (\`database/sqlite/documentPattern.ts\`): in SQLite alone, it takes 98 µs with this search and 118 without, of which checks for
  interruptions are 15. The statement of the limit takes 82. A query for one of 20,000 rows, without an index, takes SQLite 6 ms with the search and 12 without;
  a query that all rows match takes 0.2 µs more for each. Requests that differ do not share reads: then it is 4.6 times as fast as parse-server,
  not 15 times.
- **Sub-queries and aggregates.** The bare statement of the benchmark's aggregate takes SQLite 1,090 µs, although an
  index has its values, and that of its \`$inQuery\` 630, without permissions. If each request differs, that allows less than four times the
  speed of parse-server on PostgreSQL; identical requests of one moment run once.
- **Garbage.** Young generations of 32 MiB instead of 8 (\`--max-semi-space-size\`) would take batches 10 % less, cloud functions up to 10 %, other cases
  nothing, for 40 MiB more memory. Without V8's own threads (\`--single-threaded-gc\`), the main thread takes longer by as much as they did.
- **Copies between threads.** 50 creates as JSON text take 25 µs to write and 36 to read, as objects 20 and 26, as one flat list of texts 10 and 7.

The last changes: senders and limits that are known without waiting, bodies that arrive with their headers taken without listeners, and one timer for
all calls of cloud code instead of one for each took the main thread from 62 to 55 µs for a cloud function, from 36 to 34 for a get and from 96 to
92 for a create (side by side, wrk, the least of seven rounds, on a busy machine).

`;

function microseconds(value: number | undefined): string {
  if (value === undefined) return "–";
  return value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString("en");
}
