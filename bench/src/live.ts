/*
 * Measures live queries: how long a write takes to reach all subscribers, and the memory of idle connections.
 *   npm run bench:live -- [--sockets 1000] [--writes 20] [--idle 10000]
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureFanOut } from "./fanOut.ts";
import { recordHistory } from "./history.ts";
import { measureIdleSockets } from "./idleSockets.ts";
import { provenance } from "./provenance.ts";
import { measureSelectiveFanOut } from "./selectiveFanOut.ts";

const { values } = parseArgs({
  options: {
    sockets: { type: "string", default: "1000" },
    writes: { type: "string", default: "20" },
    idle: { type: "string", default: "10000" },
  },
});
const size = { sockets: Number(values.sockets), writes: Number(values.writes) };

const fanOut = await measureFanOut(size);
const selective = await measureSelectiveFanOut({ ...size, sockets: Number(values.idle) });
const idle = await measureIdleSockets(Number(values.idle));
const [bare] = fanOut;
const rows = fanOut.map(
  ({ name, median, best, worst }) =>
    `| ${name} | ${median.toFixed(1)} | ${best.toFixed(1)} | ${worst.toFixed(1)} | ${Math.round(((bare?.median ?? 0) / median) * 100)} % |`,
);
const mib = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;
const page = `# Benchmarks of live queries

Fan-out of one write to ${size.sockets.toLocaleString("en")} subscribers of one query: ms from the write until the last subscriber has received the event (median, best and worst
of ${size.writes}). Bare \`ws\` broadcasts the same text to the same number of sockets without a database, queries or
permissions. One process on the same machine reads all sockets.

| | median | best | worst | speed of bare \`ws\` |
| --- | --: | --: | --: | --: |
${rows.join("\n")}

${selective.sockets.toLocaleString("en")} subscribers of 100 different queries, of which ${selective.receivers.toLocaleString("en")} (1 %) match a write: ${selective.median.toFixed(1)} ms until the last
of them has received the event (median of ${size.writes}, best ${selective.best.toFixed(1)}, worst ${selective.worst.toFixed(1)}), and ${selective.cpuMs.toFixed(1)} ms of CPU time of the server per write.

${idle.count.toLocaleString("en")} idle connections, each with one subscription: ${mib(idle.before)} before, ${mib(idle.after)} with them, ${((idle.after - idle.before) / idle.count / 1024).toFixed(1)} KiB each.

${provenance("npm run bench:live")}
`;
recordHistory({
  benchmark: "live queries",
  database: "SQLite",
  values: {
    "fan-out, median ms": fanOut[1]?.median ?? 0,
    "1 % of 10,000 matching, median ms": selective.median,
    "1 % of 10,000 matching, CPU ms": selective.cpuMs,
  },
});
writeFileSync(join(import.meta.dirname, "../../docs/internals/benchmarks/live.md"), page);
console.log(`\n${page}`);
process.exit(0);
