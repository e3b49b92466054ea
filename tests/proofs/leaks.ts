/*
 * Sends every kind of request to a new server and verifies that nothing leaks: memory after garbage collection,
 * file descriptors, handles, listeners, and the entries of all maps and sets.
 *   npm run prove:leaks -- [--requests 100000] [--postgres] [--seed 1] [--verbose]
 * Ends with 1 where something grows.
 */
import { parseArgs } from "node:util";
import { startPostgres } from "../support/postgresServer.ts";
import { startPurse } from "../support/purse.ts";
import { Random } from "../support/random.ts";
import { Inspector, type MemorySnapshot } from "./leaksInspector.ts";
import { type Kind, prepareKinds, READ_ONLY_KEY } from "./leaksRequests.ts";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "100000" },
    postgres: { type: "boolean", default: false },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    verbose: { type: "boolean", default: false },
  },
});
const REQUESTS = Number(values.requests);
if (!(REQUESTS >= 100)) throw new Error("--requests must be a number from 100");
const random = new Random(Number(values.seed));
console.log(`Seed ${values.seed}`);
const WORKERS = 16;
const SAMPLES = 8;
/** Caches fill in the first half; the second half is compared. */
const BASELINE_SAMPLE = SAMPLES / 2;
/** The compared samples. Each takes seconds of CPU time, so that the others are taken only for `--verbose`. */
const BEFORE = [2, 3, 4];
const AFTER = [6, 7, 8];

/** The maximum growth from the baseline sample to the last one. */
const LIMITS: Readonly<Record<string, { of: (snapshot: MemorySnapshot) => number; max: number }>> = {
  "heap (MiB)": { of: ({ heap }) => heap / 2 ** 20, max: 6 },
  "buffers (MiB)": { of: ({ external }) => external / 2 ** 20, max: 16 },
  "threads' heaps (MiB)": { of: ({ threads }) => sum(threads) / 2 ** 20, max: 8 },
  "file descriptors": { of: ({ fds }) => fds, max: 8 },
  handles: { of: ({ handles }) => handles, max: 8 },
  "event emitters": { of: ({ emitters }) => emitters, max: 200 },
  listeners: { of: ({ listeners }) => listeners, max: 200 },
  "maps and sets": { of: ({ maps }) => maps, max: 1_000 },
};

const pg = values.postgres ? await startPostgres() : undefined;
const purse = await startPurse({
  env: {
    PURSE_LOG_LEVEL: "error",
    PURSE_READ_ONLY_MASTER_KEY: READ_ONLY_KEY,
    NODE_OPTIONS: "--inspect=127.0.0.1:0",
    ...(pg && { PURSE_DATABASE_URL: pg.url }),
  },
});
process.on("SIGINT", () => void stop().then(() => process.exit(130)));
let findings: string[] = ["the run did not complete"];
try {
  const inspector = await Inspector.attach(purse.output, purse.pid);
  const { kinds, disconnect } = await prepareKinds(purse, random);
  const samples = new Map<number, MemorySnapshot>();
  const failures = new Map<string, number>();
  for (let sample = 0; sample <= SAMPLES; sample++) {
    if (sample > 0) await run(kinds, REQUESTS / SAMPLES, failures);
    if (!values.verbose && !BEFORE.includes(sample) && !AFTER.includes(sample)) continue;
    // The server, which stands still meanwhile, closes idle connections as soon as it goes on.
    disconnect();
    const snapshot = await inspector.takeSnapshot();
    samples.set(sample, snapshot);
    console.log(lineOf(Math.round((REQUESTS * sample) / SAMPLES), snapshot));
    if (values.verbose)
      for (const each of snapshot.largest.slice(0, 30)) console.log("   ", JSON.stringify(each));
  }
  const growth = growthOf(samples);
  if (growth.length > 0) {
    for (const each of await inspector.largestArrays()) growth.push(`  ${JSON.stringify(each)}`);
  }
  inspector.close();
  findings = [...growth, ...[...failures].map(([what, count]) => `${count} × ${what}`)];
} finally {
  await stop();
}
for (const finding of findings) console.error(finding);
console.log(findings.length === 0 ? `${REQUESTS} requests: nothing grows` : `${findings.length} findings`);
process.exit(findings.length === 0 ? 0 : 1);

async function run(kinds: Kind[], count: number, failures: Map<string, number>): Promise<void> {
  const total = kinds.reduce((all, { weight }) => all + weight, 0);
  let left = count;
  const next = (): Kind | undefined => {
    let at = random.next() * total;
    return kinds.find(({ weight }) => {
      at -= weight;
      return at < 0;
    });
  };
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const kind = next();
      await kind?.run().catch((error: unknown) => {
        const what = `${kind.name}: ${error instanceof Error ? error.message : String(error)}`.slice(0, 300);
        const name = failures.size < 20 || failures.has(what) ? what : "others";
        failures.set(name, (failures.get(name) ?? 0) + 1);
      });
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
}

/** The growth beyond the limits. */
function growthOf(samples: ReadonlyMap<number, MemorySnapshot>): string[] {
  const taken = (numbers: readonly number[]) => numbers.flatMap((number) => samples.get(number) ?? []);
  const [from, to] = taken([BASELINE_SAMPLE, SAMPLES]);
  if (!from || !to) throw new Error("There are not enough samples");
  const found = Object.entries(LIMITS).flatMap(([what, { of, max }]) => {
    // Threads that come and go with the load make single samples vary; what leaks stays.
    const most = Math.max(...taken(BEFORE).map(of));
    const least = Math.min(...taken(AFTER).map(of));
    return least - most > max
      ? [`${what}: ${most.toFixed(1)} → ${least.toFixed(1)}, ${max} more may be`]
      : [];
  });
  // A collection that grows with each request has no limit, or a very large one.
  const requests = REQUESTS * (1 - BASELINE_SAMPLE / SAMPLES);
  const growth = to.entries - from.entries;
  if (growth > Math.max(3_000, requests * 0.05)) {
    found.push(`entries of maps and sets: ${growth} more after ${requests} requests`);
    for (const each of to.largest.slice(0, 10)) found.push(`  ${JSON.stringify(each)}`);
  }
  return found;
}

function lineOf(requests: number, snapshot: MemorySnapshot): string {
  const { rss, entries } = snapshot;
  const cells = Object.entries(LIMITS).map(([what, { of }]) => `${what} ${of(snapshot).toFixed(0)}`);
  return `${requests} requests: ${cells.join(", ")}, entries ${entries}, RSS ${(rss / 2 ** 20).toFixed(0)} MiB`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}

async function stop(): Promise<void> {
  await purse.remove();
  await pg?.stop();
}
