/*
 * Compares the client's objects in memory with `parse` and `moralis`, alternating, each in its own process;
 * writes docs/internals/benchmarks/client.md.
 *   npm run bench:client -- [--objects 10000] [--rounds 5]
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureInstalled, root } from "../../scripts/install.mjs";
import { provenance } from "./provenance.ts";

const { values } = parseArgs({
  options: { objects: { type: "string", default: "10000" }, rounds: { type: "string", default: "5" } },
});
const OBJECTS = Number(values.objects);
const ROUNDS = Number(values.rounds);

const CLIENTS = ["purse", "parse", "moralis"] as const;
type Client = (typeof CLIENTS)[number];

const WORK = {
  decode: "decode from JSON text",
  read: "read ten fields of each",
  encode: "encode to JSON text",
  change: "change three fields of each",
  save: "save, in batches of 20",
} as const;

ensureInstalled(join(root, "tests/interop"), "the clients to measure against");

const measured: Record<Client, Record<string, number>[]> = { purse: [], parse: [], moralis: [] };
for (let i = 0; i < ROUNDS; i++) {
  for (const client of CLIENTS) {
    const work = join(import.meta.dirname, "clientWork.ts");
    const printed = execFileSync(process.execPath, ["--expose-gc", work, client, String(OBJECTS)], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    const times: Record<string, number> = JSON.parse(printed.trim().split("\n").at(-1) ?? "");
    measured[client].push(times);
    console.log(client, times);
  }
}

function median(client: Client, what: string): number {
  const sorted = measured[client].map((times) => times[what] ?? 0).toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}

const all = (client: Client) => Object.keys(WORK).reduce((sum, what) => sum + median(client, what), 0);
const row = (title: string, value: (client: Client) => number, unit: string) => {
  const [purse, parse, moralis] = CLIENTS.map(value);
  const times = (theirs = 0) => `${(theirs / (purse || 1)).toFixed(1)} ×`;
  const cells = [purse, parse, moralis].map((each = 0) => `${each.toFixed(0)} ${unit}`);
  return `| ${title} | ${cells.join(" | ")} | ${times(parse)} | ${times(moralis)} |`;
};
const rows = [
  ...Object.entries(WORK).map(([what, title]) => row(title, (client) => median(client, what), "ms")),
  row("all of it", all, "ms"),
  row("memory of an object", (client) => median(client, "bytes"), "bytes"),
];
const page = `# Benchmarks of the client

${OBJECTS.toLocaleString("en-US")} objects of fourteen fields (text, dates, a place, a file, a pointer, an ACL), with responses from
memory: the CPU time of the client itself. Median of ${ROUNDS} interleaved rounds, each in a separate process that has done the
same work ${2} times before. parse 8.6.0 and moralis 1.7.0 are stubbed below their request function.

| | Purse | parse | moralis | parse ÷ Purse | moralis ÷ Purse |
| --- | --: | --: | --: | --: | --: |
${rows.join("\n")}

${provenance("npm run bench:client")}
`;
writeFileSync(join(root, "docs/internals/benchmarks/client.md"), page);
console.log(`\n${page}`);
