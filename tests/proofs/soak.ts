/*
 * Loads a new server with about 80 % of its capacity, and writes docs/internals/soak.md with the curve.
 *   npm run soak -- [--minutes 60] [--seconds 20] [--seed 1] [--out docs/internals]
 * Ends with 1 where anything went wrong.
 */
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startPurse } from "../support/purse.ts";
import { Random } from "../support/random.ts";
import { until } from "../support/until.ts";
import { Latencies } from "./latencies.ts";
import { prepareLoad } from "./soakLoad.ts";
import { type Sample, type Soak, writeReport } from "./soakReport.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    seconds: { type: "string" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    out: { type: "string", default: join(import.meta.dirname, "../../docs/internals") },
  },
});
const SECONDS = values.seconds === undefined ? Number(values.minutes) * 60 : Number(values.seconds);
if (!(SECONDS > 0)) throw new Error("--minutes and --seconds must be numbers above 0");
/** The length of a sample, in s: 10, or less in a short run. */
const SAMPLE_S = Math.min(10, SECONDS / 10);
/** The length of the capacity measurement, in s. */
const CAPACITY_TEST_S = Math.min(60, SECONDS / 4);
const WORKERS = 32;
const SHARE = 0.8;
/** Maximum number of open requests. */
const MAX_OPEN = 1_000;

const purse = await startPurse({ env: { PURSE_LOG_LEVEL: "warn" } });
process.on("SIGINT", () => void purse.remove().then(() => process.exit(130)));
let failed = true;
try {
  const load = await prepareLoad(purse, new Random(Number(values.seed)));
  const errors = new Map<string, number>();
  const failures = { count: 0 };
  const fail = (error: unknown): void => {
    const what = error instanceof Error ? error.message : String(error);
    // Limits the number of distinct messages.
    const name = errors.size < 20 || errors.has(what) ? what : "other";
    errors.set(name, (errors.get(name) ?? 0) + 1);
    failures.count++;
  };
  const capacity = await measureCapacity(() => load.next().run().catch(fail));
  console.log(
    `Seed ${values.seed}. Capacity: ${Math.round(capacity)} requests/s; ${SECONDS} s at ${Math.round(capacity * SHARE)}/s …`,
  );
  load.events();
  // At its full load, a server may say that it is busy.
  errors.clear();
  failures.count = 0;
  const soak = await run(load, capacity, fail, failures);
  load.close();
  writeReport({ ...soak, errors }, resolve(values.out));
  for (const [what, count] of errors) console.error(`${count} × ${what}`);
  console.log(
    `${soak.requests} requests, ${soak.events} events, ${failures.count} errors: ${join(values.out, "soak.md")}`,
  );
  failed = failures.count > 0;
} finally {
  await purse.remove();
}
process.exit(failed ? 1 : 0);

/** Requests per second if each worker sends the next request after a response. */
async function measureCapacity(step: () => Promise<unknown>): Promise<number> {
  const endsAt = performance.now() + CAPACITY_TEST_S * 1_000;
  // The first half warms up.
  const countsFrom = endsAt - CAPACITY_TEST_S * 500;
  let count = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() < endsAt) {
      await step();
      if (performance.now() > countsFrom) count++;
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  return count / (CAPACITY_TEST_S / 2);
}

/** Sends requests at a fixed rate, independent of the responses, and takes samples. */
async function run(
  load: Awaited<ReturnType<typeof prepareLoad>>,
  capacity: number,
  fail: (error: unknown) => void,
  failures: { count: number },
): Promise<Omit<Soak, "errors">> {
  const rate = capacity * SHARE;
  const startedAt = performance.now();
  const samples: Sample[] = [];
  const steps = new Map<string, Latencies>();
  let open = 0;
  let throttled = 0;
  let due = 0;
  let requests = 0;
  let events = 0;
  let times: number[] = [];
  let failuresBefore = failures.count;
  let sampleStartedAt = startedAt;

  const send = (): void => {
    const sentAt = performance.now();
    const step = load.next();
    open++;
    step
      .run()
      .catch(fail)
      .finally(() => {
        open--;
        const ms = performance.now() - sentAt;
        times.push(ms);
        const known = steps.get(step.name) ?? new Latencies();
        steps.set(step.name, known);
        known.add(ms);
      });
  };

  let last = startedAt;
  while (performance.now() - startedAt < SECONDS * 1_000) {
    const now = performance.now();
    due += ((now - last) / 1_000) * rate;
    last = now;
    for (; due >= 1; due--) {
      if (open < MAX_OPEN) send();
      else throttled++;
    }
    if (now - sampleStartedAt >= SAMPLE_S * 1_000) await takeSample();
    await sleep(5);
  }
  await until(() => open === 0, { otherwise: () => `${open} requests without an answer` }).catch(fail);
  await sleep(1_000);
  await takeSample();
  return { capacity, rate, seconds: SECONDS, requests, events, throttled, samples, steps };

  async function takeSample(): Promise<void> {
    const now = performance.now();
    const seconds = (now - sampleStartedAt) / 1_000;
    const latencies = times.sort((a, b) => a - b);
    const { delays, lost } = load.events();
    if (lost > 0) fail(`${lost} events lost`);
    times = [];
    sampleStartedAt = now;
    requests += latencies.length;
    events += delays.length;
    const at = (now - startedAt) / 1_000;
    const memory = await memoryOf();
    if (latencies.length === 0) return;
    samples.push({
      at,
      requestsPerSecond: latencies.length / seconds,
      errors: failures.count - failuresBefore,
      p50: quantile(latencies, 0.5),
      p99: quantile(latencies, 0.99),
      eventP99: quantile(
        delays.sort((a, b) => a - b),
        0.99,
      ),
      ...memory,
    });
    failuresBefore = failures.count;
  }
}

function quantile(sorted: number[], fraction: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? 0;
}

/** The resident memory of the server in MiB, from its metrics. All of it counts as allocated where the kinds are not known. */
async function memoryOf(): Promise<Pick<Sample, "allocatedMiB" | "mappedMiB">> {
  const text = await (await fetch(`${purse.url}/metrics`)).text();
  const read = (metric: string) =>
    Number(new RegExp(`^${metric} (\\S+)$`, "m").exec(text)?.[1] ?? 0) / 2 ** 20;
  return {
    allocatedMiB: read('purse_memory_bytes{kind="allocated"}') || read("process_resident_memory_bytes"),
    mappedMiB: read('purse_memory_bytes{kind="mapped"}'),
  };
}
