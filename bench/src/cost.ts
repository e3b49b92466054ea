/*
 * Measures the CPU time that a request costs the server, by thread and by layer. Other work on the machine affects CPU
 * times less than latencies.
 *   npm run bench:cost -- [--case get] [--database sqlite|postgres] [--requests 20000] [--rounds 5] [--rows 20000]
 *     [--keep] [--against COMMIT] [--functions 20]
 */
import { cpSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { ensureServerBuilt, serverFile } from "../../scripts/build.mjs";
import { freePort } from "../../tests/support/freePort.ts";
import { newDatabase, startPostgres } from "../../tests/support/postgresServer.ts";
import { type Case, type Contestant, ROOT, startLimit, startPurse } from "./contestants.ts";
import { type CaseCost, renderCosts } from "./costPage.ts";
import { type CpuTimes, cpuTimeBetween, readCpuTimes, totalCpuTime } from "./cpuTime.ts";
import { sendRequests } from "./fixedLoad.ts";
import { currentCommit, recordHistory } from "./history.ts";
import { InspectorSession, MAIN_THREAD } from "./inspectorSession.ts";
import { costliestFunctions, type Layer, sharesOfLayers } from "./serverProfile.ts";

const { values } = parseArgs({
  options: {
    case: { type: "string", multiple: true },
    database: { type: "string", default: "sqlite" },
    requests: { type: "string", default: "20000" },
    rounds: { type: "string", default: "5" },
    rows: { type: "string", default: "20000" },
    /** Keeps the built server, for later comparisons by its commit. */
    keep: { type: "boolean", default: false },
    /** Compares with a kept server. */
    against: { type: "string" },
    /** Prints this many of the costliest functions of each thread. */
    functions: { type: "string", default: "0" },
  },
});

const CASES: readonly Case[] = [
  ...(["get", "query-100", "create", "update", "batch-50", "function"] as const),
  ...(["include", "in-query", "acl-50", "acl-1000", "text", "aggregate"] as const),
];
/** How many requests of a case take about as long as one of the others. */
const WEIGHTS: Partial<Record<Case, number>> = {
  "batch-50": 20,
  "query-100": 5,
  "acl-50": 5,
  "acl-1000": 10,
  aggregate: 20,
  text: 10,
  "in-query": 10,
};

/** A server, and the port of its inspector. */
interface Subject {
  label: "before" | "now" | "limit";
  server: Contestant;
  inspectorPort: number | undefined;
}

const keptServer = (commit: string) => join(ROOT, ".cache", `server-${commit}`, "purse.js");
const selected = values.case ?? CASES;
const commit = currentCommit();
const rows = Number(values.rows);
const databaseName = values.database === "postgres" ? "PostgreSQL" : "SQLite";
ensureServerBuilt();
if (values.keep) cpSync(dirname(serverFile), dirname(keptServer(currentCommit())), { recursive: true });
const postgres = values.database === "postgres" ? await startPostgres({ durable: true }) : undefined;
const subjects: Subject[] = [];
try {
  if (values.against !== undefined) await addServer("before", keptServer(values.against));
  await addServer("now");
  if (!postgres) {
    subjects.push({ label: "limit", server: await startLimit({ rows }), inspectorPort: undefined });
  }
  const costs: CaseCost[] = [];
  for (const name of CASES) {
    if (!selected.includes(name)) continue;
    costs.push(await measureCase(name));
    // After each case, because all of them take long.
    writePage(costs);
  }
} finally {
  await Promise.all(subjects.map(({ server }) => server.stop()));
  await postgres?.stop();
}

function writePage(costs: readonly CaseCost[]): void {
  const measured = costs.flatMap(({ name, total }) => (total.now === undefined ? [] : [[name, total.now]]));
  recordHistory({
    benchmark: "CPU-µs per request",
    database: databaseName,
    values: Object.fromEntries(measured),
    commit,
  });
  const page = renderCosts(costs, { database: databaseName, against: values.against });
  const file = databaseName === "SQLite" ? "cost.md" : "cost-postgresql.md";
  writeFileSync(join(ROOT, "docs/internals/benchmarks", file), page);
  console.log(`\n${page}`);
}

async function addServer(label: "before" | "now", file?: string): Promise<void> {
  const inspectorPort = await freePort();
  const databaseUrl = postgres && (await newDatabase(postgres.url));
  const nodeFlags = [`--inspect=${inspectorPort}`];
  const server = await startPurse({ databaseUrl, serverFile: file, rows, nodeFlags });
  subjects.push({ label, server, inspectorPort });
}

/** Measures all servers in turns. The least disturbed round of each counts. */
async function measureCase(name: Case): Promise<CaseCost> {
  const count = Math.max(500, Math.round(Number(values.requests) / (WEIGHTS[name] ?? 1)));
  const cost: CaseCost = { name, total: {}, threads: {}, layers: {} };
  for (let round = 0; round <= Number(values.rounds); round++) {
    for (const { label, server } of subjects) {
      const request = server.requests[name];
      if (!request) continue;
      const before = readCpuTimes(server.pid);
      await sendRequests(request, count);
      const times = cpuTimeBetween(before, readCpuTimes(server.pid));
      const total = totalCpuTime(times) / count;
      // The first round only warms up.
      if (round === 0 || total >= (cost.total[label] ?? Number.POSITIVE_INFINITY)) continue;
      cost.total[label] = total;
      cost.threads[label] = new Map([...times].map(([thread, time]) => [thread, time / count]));
    }
    console.log(`${name}, round ${round}: ${JSON.stringify(cost.total)}`);
  }
  for (const { label, server, inspectorPort } of subjects) {
    const request = server.requests[name];
    const threads = cost.threads[label];
    if (!request || inspectorPort === undefined || threads === undefined) continue;
    cost.layers[label] = await profileLayers(inspectorPort, threads, () => sendRequests(request, count));
  }
  return cost;
}

/** The CPU time of each layer in µs: the shares in a profile of each thread, of its time that was measured without. */
async function profileLayers(
  inspectorPort: number,
  threads: CpuTimes,
  work: () => Promise<void>,
): Promise<Map<Layer, number>> {
  const session = await InspectorSession.open(inspectorPort);
  const profiles = await session.profile(work);
  session.close();
  for (const [thread, profile] of profiles) {
    for (const { name, share } of costliestFunctions(profile, Number(values.functions))) {
      console.log(`${thread}: ${(share * 100).toFixed(1)} % ${name}`);
    }
  }
  const layers = new Map<Layer, number>();
  const add = (layer: Layer, time: number) => layers.set(layer, (layers.get(layer) ?? 0) + time);
  const main = [...profiles].flatMap(([thread, profile]) => (thread === MAIN_THREAD ? [profile] : []));
  const workers = [...profiles].flatMap(([thread, profile]) => (thread === MAIN_THREAD ? [] : [profile]));
  for (const [thread, time] of threads) {
    if (thread === "node-MainThread") {
      for (const [layer, share] of sharesOfLayers(main, false)) add(layer, share * time);
    } else if (thread === "WorkerThread") {
      for (const [layer, share] of sharesOfLayers(workers, true)) add(layer, share * time);
    } else add("V8's own threads", time);
  }
  return layers;
}
