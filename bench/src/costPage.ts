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
(\`database/postgres/session.ts\`), and messages between threads are posted once per turn.

${provenance(command)}
Values of earlier commits: \`history.json\` beside this page.
`;
}

function microseconds(value: number | undefined): string {
  if (value === undefined) return "–";
  return value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString("en");
}
