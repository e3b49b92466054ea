/*
 * Measures live queries: how long a write takes to reach all subscribers, and the memory of idle connections.
 *   npm run bench:live -- [--sockets 1000] [--writes 20] [--idle 10000]
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureFanOut } from "./fanOut.ts";
import { measureIdleSockets } from "./idleSockets.ts";
import { provenance } from "./provenance.ts";

const { values } = parseArgs({
  options: {
    sockets: { type: "string", default: "1000" },
    writes: { type: "string", default: "20" },
    idle: { type: "string", default: "10000" },
  },
});
const size = { sockets: Number(values.sockets), writes: Number(values.writes) };

const fanOut = await measureFanOut(size);
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

${idle.count.toLocaleString("en")} idle connections, each with one subscription: ${mib(idle.before)} before, ${mib(idle.after)} with them, ${((idle.after - idle.before) / idle.count / 1024).toFixed(1)} KiB each.

${provenance("npm run bench:live")}
`;
writeFileSync(join(import.meta.dirname, "../../docs/internals/benchmarks/live.md"), page);
console.log(`\n${page}`);
process.exit(0);
