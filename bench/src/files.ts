/*
 * Measures uploads and downloads compared with bare streaming by node:http, alternating, and the server's memory.
 *   npm run bench:files -- [--mib 256] [--rounds 5]
 */
import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { startPurse } from "../../tests/support/purse.ts";
import { residentBytes } from "./idleSockets.ts";
import { provenance } from "./provenance.ts";

const { values } = parseArgs({
  options: { mib: { type: "string", default: "256" }, rounds: { type: "string", default: "5" } },
});
const MIB = Number(values.mib);
const ROUNDS = Number(values.rounds);
const CHUNK = Buffer.alloc(256 * 1024, "purse");
const BYTES = MIB * 2 ** 20;
/** Concurrency and count of the small files. */
const CONCURRENCY = 16;
const SMALL = { bytes: 64 * 1024, count: 500 };

interface Contestant {
  name: string;
  pid: number;
  port: number;
  headers: Record<string, string>;
  uploadTo: string;
  /** The path of an uploaded file, by its name. */
  pathOf(name: string): string;
  stop(): Promise<unknown>;
}

interface Result {
  /** MiB per second, or files per second. */
  rates: number[];
}

const KINDS = ["up, one large file", "down, one large file", "up, small files", "down, small files"] as const;
type Kind = (typeof KINDS)[number];

async function startBareContestant(): Promise<Contestant> {
  const child: ChildProcess = spawn(process.execPath, [join(import.meta.dirname, "bareStreaming.mjs")]);
  const port = await new Promise<number>((ready) => {
    child.stdout?.once("data", (text) => ready(Number(text)));
  });
  return {
    name: "bare node:http",
    pid: child.pid ?? 0,
    port,
    headers: {},
    uploadTo: "/",
    pathOf: (name) => `/${name}`,
    stop: async () => child.kill("SIGTERM"),
  };
}

async function startPurseContestant(): Promise<Contestant> {
  const purse = await startPurse({ env: { PURSE_MAX_UPLOAD_SIZE: `${MIB + 1}mb` } });
  return {
    name: "Purse",
    pid: purse.pid,
    port: purse.port,
    headers: { "X-Parse-Application-Id": purse.appId, "X-Parse-Master-Key": purse.masterKey },
    uploadTo: "/server/files/bench.bin",
    pathOf: (name) => `/server/files/${purse.appId}/${name}`,
    stop: () => purse.remove(),
  };
}

function* content(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= CHUNK.length)
    yield CHUNK.subarray(0, Math.min(left, CHUNK.length));
}

/** Returns the name of the file. */
async function upload({ port, headers, uploadTo }: Contestant, bytes: number): Promise<string> {
  const sent = request({
    port,
    host: "127.0.0.1",
    method: "POST",
    path: uploadTo,
    headers: { ...headers, "Content-Type": "application/octet-stream", "Content-Length": bytes },
  });
  const pendingName = new Promise<string>((resolve, reject) => {
    sent.on("error", reject);
    sent.on("response", (response) => {
      let text = "";
      response.on("data", (chunk) => (text += chunk));
      response.on("end", () => {
        if ((response.statusCode ?? 0) < 300) resolve(String(JSON.parse(text).name));
        else reject(new Error(`An upload was answered ${response.statusCode}: ${text}`));
      });
    });
  });
  await pipeline(Readable.from(content(bytes)), sent);
  return pendingName;
}

async function download({ port, pathOf }: Contestant, name: string, bytes: number): Promise<void> {
  const receivedBytes = await new Promise<number>((resolve, reject) => {
    const clientRequest = request({ port, host: "127.0.0.1", path: pathOf(name) }, (response) => {
      let size = 0;
      response.on("data", (chunk: Buffer) => (size += chunk.length));
      response.on("end", () => resolve(size));
      response.on("error", reject);
    });
    clientRequest.on("error", reject).end();
  });
  if (receivedBytes !== bytes)
    throw new Error(`A download had ${receivedBytes} bytes in the place of ${bytes}`);
}

/** Runs tasks with limited concurrency. */
async function runConcurrently(count: number, task: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await task(next++);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

async function secondsOf(task: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await task();
  return (performance.now() - startedAt) / 1_000;
}

async function round(contestant: Contestant): Promise<Record<Kind, number>> {
  let large = "";
  const up = await secondsOf(async () => {
    large = await upload(contestant, BYTES);
  });
  const down = await secondsOf(() => download(contestant, large, BYTES));
  const names: string[] = [];
  const upSmall = await secondsOf(() =>
    runConcurrently(SMALL.count, async (i) => {
      names[i] = await upload(contestant, SMALL.bytes);
    }),
  );
  const downSmall = await secondsOf(() =>
    runConcurrently(SMALL.count, (i) => download(contestant, names[i] ?? "", SMALL.bytes)),
  );
  return {
    "up, one large file": MIB / up,
    "down, one large file": MIB / down,
    "up, small files": SMALL.count / upSmall,
    "down, small files": SMALL.count / downSmall,
  };
}

const contestants: Contestant[] = [];
try {
  contestants.push(await startBareContestant(), await startPurseContestant());
  const results = contestants.map(() => new Map<Kind, Result>(KINDS.map((kind) => [kind, { rates: [] }])));
  const purse = contestants[1];
  const memory: number[] = [];
  const memoryTimer = setInterval(() => {
    if (purse) memory.push(residentBytes(purse.pid));
  }, 100);
  for (let i = 0; i < ROUNDS; i++) {
    for (const [at, contestant] of contestants.entries()) {
      const rates = await round(contestant);
      for (const kind of KINDS) results[at]?.get(kind)?.rates.push(rates[kind]);
      console.log(contestant.name, rates);
    }
  }
  clearInterval(memoryTimer);
  const median = ({ rates }: Result) => rates.toSorted((a, b) => a - b)[rates.length >> 1] ?? 0;
  const rows = KINDS.map((kind) => {
    const [limit = 0, ours = 0] = results.map((each) => median(each.get(kind) ?? { rates: [] }));
    const unit = kind.includes("large") ? "MiB/s" : "files/s";
    return `| ${kind} | ${Math.round(ours)} ${unit} | ${Math.round(limit)} ${unit} | ${Math.round((ours / limit) * 100)} % |`;
  });
  const mib = (bytes: number) => Math.round(bytes / 2 ** 20);
  const half = memory.slice(memory.length >> 1);
  const page = `# Benchmarks of files

One file of ${MIB} MiB, and ${SMALL.count} files of ${SMALL.bytes / 1024} KiB, ${CONCURRENCY} at once: uploaded, then downloaded. Median of ${ROUNDS} interleaved rounds. Bare \`node:http\`
streams the bodies into files (flushed before it responds) and out of them, without names, permissions,
metadata or ranges.

| | Purse | bare \`node:http\` | of the limit |
| --- | --: | --: | --: |
${rows.join("\n")}

Memory of the server during the test: ${mib(Math.max(...memory))} MiB at most; in the second half between ${mib(Math.min(...half))} and ${mib(Math.max(...half))} MiB.

${provenance("npm run bench:files")}
`;
  writeFileSync(join(import.meta.dirname, "../../docs/internals/benchmarks/files.md"), page);
  console.log(`\n${page}`);
} finally {
  for (const { stop } of contestants) await stop();
}
process.exit(0);
