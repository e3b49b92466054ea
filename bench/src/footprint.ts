/*
 * Measures what a server takes before its first request: time and CPU of a start, and the memory at rest.
 *   npm run bench:footprint -- [--rounds 5] [--rest 15]
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ensureServerBuilt, serverFile } from "../../scripts/build.mjs";
import { compiled, lowMemory } from "../../scripts/install.mjs";
import { freePort } from "../../tests/support/freePort.ts";
import { residentBytes } from "./idleSockets.ts";
import { provenance } from "./provenance.ts";

const ROOT = join(import.meta.dirname, "../..");
const START_TIMEOUT_MS = 120_000;

/** Cloud code is found in the folder in which a server starts. */
interface Case {
  name: string;
  hasCloudCode: boolean;
  hasChain: boolean;
}

const CASES: Case[] = [
  { name: "no cloud code, no chain", hasCloudCode: false, hasChain: false },
  { name: "the example cloud code, no chain", hasCloudCode: true, hasChain: false },
  { name: "the example cloud code, following the local chain", hasCloudCode: true, hasChain: true },
];

interface Footprint {
  /** From the start of the process to the first reply of `/health`. */
  startMs: number;
  startCpuSeconds: number;
  /** Resident memory at rest, in bytes; of that, what belongs to files, such as the program of Node.js. */
  resident: number;
  fromFiles: number;
}

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, rest: { type: "string", default: "15" } },
});
ensureServerBuilt();
const rows: string[] = [];
for (const subject of CASES) {
  // The first start fills the compile cache.
  await measure(subject, 0);
  const footprints: Footprint[] = [];
  for (let round = 0; round < Number(values.rounds); round++)
    footprints.push(await measure(subject, Number(values.rest)));
  const median = (of: (footprint: Footprint) => number) =>
    footprints.map(of).sort((a, b) => a - b)[Math.floor(footprints.length / 2)] ?? 0;
  const cells = [
    subject.name,
    median(({ startMs }) => startMs).toFixed(0),
    median(({ startCpuSeconds }) => startCpuSeconds).toFixed(2),
    (median(({ resident }) => resident) / 2 ** 20).toFixed(0),
    (median(({ fromFiles }) => fromFiles) / 2 ** 20).toFixed(0),
  ];
  rows.push(`| ${cells.join(" | ")} |`);
  console.log(rows.at(-1));
}
const page = `# Footprint of a server

What \`npm start\` starts, with \`NODE_ENV=production\` and SQLite in a new folder: time and CPU time until \`/health\` replies,
and resident memory ${values.rest} s later, before any other request (medians of ${values.rounds} starts). "Of files" is the part of it that
is mapped from files, most of it the program of Node.js, which processes on a machine share. The process of the local chain (Anvil) and
that of \`npm start\` are not counted.

| SQLite, with | start (ms) | CPU of the start (s) | memory (MiB) | of files (MiB) |
| --- | --: | --: | --: | --: |
${rows.join("\n")}

The bars are 130 MiB without a chain and 230 following the local chain. The thread of the example cloud code takes 14 MiB more. 61 MiB are
the program of Node.js. Side by side on 2026-11-26, without cloud code, in MiB: 132.5 before; without \`import "node:http"\`, which loads
undici, 129.9; with password hashes loaded by the first sign-in, whose allocators take a huge page each, 124.2; with the compile cache
written before the server listens, 121.7. Measured and not used: V8 with one thread of its own instead of four 1 less, without short
calls of builtins 4 less, all of them shared pages of the program; \`--optimize-for-size\` 0, shorter names in the bundle 1 less, glibc returning
64 kB at once (\`MALLOC_TRIM_THRESHOLD_\`) 0, with one heap (\`MALLOC_ARENA_MAX=1\`) 8 more, with pages of their own from 64 kB on
(\`MALLOC_MMAP_THRESHOLD_\`) 7 more.

${provenance("npm run bench:footprint")} On a busy
machine the time of a start says little, its CPU time more.
`;
writeFileSync(join(ROOT, "docs/internals/benchmarks/footprint.md"), page);
console.log(`\n${page}`);

async function measure({ hasCloudCode, hasChain }: Case, restSeconds: number): Promise<Footprint> {
  const folder = mkdtempSync(join(tmpdir(), "bench-footprint-"));
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(
    join(ROOT, "node_modules/.bin/node"),
    [...lowMemory.flags, serverFile, "--port", `${port}`, "--data-dir", folder],
    {
      cwd: hasCloudCode ? ROOT : folder,
      env: {
        ...compiled,
        ...lowMemory.env,
        ...process.env,
        NODE_ENV: "production",
        PURSE_DEV_CHAIN_PORT: "0",
        PURSE_LOG_LEVEL: "warn",
        PURSE_DEV_CHAIN: hasChain ? "1" : "0",
      },
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  try {
    await waitUntilHealthy(port, child);
    const startMs = performance.now() - startedAt;
    const pid = child.pid ?? 0;
    const startCpuSeconds = cpuSeconds(pid);
    await delay(restSeconds * 1_000);
    const resident = residentBytes(pid);
    return { startMs, startCpuSeconds, resident, fromFiles: resident - anonymousBytes(pid) };
  } finally {
    const exited = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await exited;
    rmSync(folder, { recursive: true, force: true });
  }
}

async function waitUntilHealthy(port: number, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadline && child.exitCode === null) {
    const reply = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
    if (reply?.ok) return;
    await delay(5);
  }
  throw new Error("The server did not start");
}

/** CPU time of all threads so far; Linux counts it in hundredths of a second. */
function cpuSeconds(pid: number): number {
  const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const [user = 0, system = 0] = fields.split(" ").slice(11, 13).map(Number);
  return (user + system) / 100;
}

function anonymousBytes(pid: number): number {
  const [, kib = "0"] = /RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kib) * 1024;
}
