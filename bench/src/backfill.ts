/*
 * Measures how fast a chain is indexed, compared with ponder on the same events and with the two limits: the
 * node responding alone, and the database writing the same rows alone. Sequentially in one run.
 *   npm run bench:chain -- [--blocks 2000] [--transfers 100] [--only sqlite|postgres]
 * With `--only`, what concerns one database, without ponder and without writing the page.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import postgres from "postgres";
import { fullScope } from "../../packages/chain/src/indexer/fullScope.ts";
import type { FetchedRange } from "../../packages/chain/src/indexer/scope.ts";
import type { BlockRow } from "../../packages/chain/src/model/rows.ts";
import { ChainNode } from "../../packages/chain/src/node/chainNode.ts";
import type { IndexWriter } from "../../packages/chain/src/store/indexWriter.ts";
import { createPostgresSchema, openPostgres } from "../../packages/chain/src/store/postgresConnection.ts";
import { createPostgresWriter } from "../../packages/chain/src/store/postgresIndexWriter.ts";
import { createSqliteWriter } from "../../packages/chain/src/store/sqliteIndexWriter.ts";
import { ensureInstalled } from "../../scripts/install.mjs";
import { freePort } from "../../tests/support/freePort.ts";
import { newDatabase, startPostgres } from "../../tests/support/postgresServer.ts";
import { type Measurement, type Profile, renderPage } from "./backfillPage.ts";
import { readProfiles } from "./backfillProfile.ts";
import type { BackfillOptions, BackfillResult } from "./backfillRun.ts";
import { processTimesBetween, readProcessTimes } from "./processTree.ts";
import { startBusyChain } from "./traffic.ts";

const { values } = parseArgs({
  options: {
    blocks: { type: "string", default: "2000" },
    transfers: { type: "string", default: "100" },
    only: { type: "string" },
  },
});
const root = join(import.meta.dirname, "../..");
const ponderFolder = join(root, "bench/ponder");
if (values.only === undefined) ensureInstalled(ponderFolder, "ponder");
const folder = mkdtempSync(join(tmpdir(), "purse-bench-index-"));
const server = await startPostgres({ durable: true });
const chain = await startBusyChain(Number(values.blocks), Number(values.transfers));
const head = chain.traffic.toBlock;
const measurements: Measurement[] = [];
const withSqlite = values.only !== "postgres";
const withPostgres = values.only !== "sqlite";

try {
  await measure("the node alone", readRaw);
  const readings = await readAll();
  if (withSqlite)
    await measure("SQLite alone", () => writeAll(readings, createSqliteWriter(join(folder, "alone.sqlite"))));
  if (withPostgres) await measure("PostgreSQL alone", () => writeToPostgres(readings));
  readings.length = 0;
  if (withSqlite) await measurePurse("Purse, SQLite", newFile());
  if (withPostgres) await measurePurse("Purse, PostgreSQL", await newPostgres());
  if (values.only === undefined) await measure("ponder, PostgreSQL", ponder);
  const profiles: Profile[] = [];
  if (withSqlite) profiles.push(await profile("SQLite", newFile()));
  if (withPostgres) profiles.push(await profile("PostgreSQL", await newPostgres()));
  const page = renderPage(measurements, profiles, { blocks: head + 1, traffic: chain.traffic });
  if (values.only === undefined) writeFileSync(join(root, "docs/internals/benchmarks/chain.md"), page);
  console.log(`\n${page}`);
} finally {
  await chain.stop();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

async function measure<T>(what: string, run: () => Promise<T>): Promise<T> {
  const [before, ownBefore] = [readProcessTimes(), process.cpuUsage()];
  const startedAt = performance.now();
  const result = await run();
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(ownBefore);
  const others = processTimesBetween(before, readProcessTimes());
  // Ponder is a process beside this one.
  const own = (user + system) / 1e6 + (others.get("node-MainThread") ?? others.get("node") ?? 0);
  report({ what, seconds, own, others, note: typeof result === "string" ? result : "" });
  return result;
}

async function measurePurse(what: string, database: BackfillOptions["database"]): Promise<void> {
  const before = readProcessTimes();
  const result = await runPurse(database);
  const others = processTimesBetween(before, readProcessTimes());
  const { seconds, memory, variation, threads } = result;
  const own = Object.values(threads).reduce((sum, time) => sum + time, 0);
  const note = `(memory ${Math.round(memory)} MiB at most, ${Math.round(variation)} MiB variation in the second half)`;
  report({ what, seconds, own, others, note, result });
}

function report(measurement: Measurement): void {
  measurements.push(measurement);
  const { what, seconds, own, note, others } = measurement;
  const cpu = [...others].map(([name, time]) => `${name} ${time.toFixed(1)} s`).join(", ");
  console.log(`${what}: ${seconds.toFixed(1)} s, CPU ${own.toFixed(1)} s, beside it ${cpu} ${note}`);
}

/** Indexes the chain in a process of its own. This process forwards its requests to the node. */
async function runPurse(
  database: BackfillOptions["database"],
  flags: readonly string[] = [],
): Promise<BackfillResult> {
  const options: BackfillOptions = { chainId: chain.chainId, url: chain.url, head, database };
  const script = join(import.meta.dirname, "backfillRun.ts");
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...flags, script, JSON.stringify(options)],
    {
      cwd: root,
    },
  );
  const result: BackfillResult = JSON.parse(stdout);
  return result;
}

async function profile(database: string, location: BackfillOptions["database"]): Promise<Profile> {
  const profiles = mkdtempSync(join(folder, "profiles-"));
  await runPurse(location, ["--cpu-prof", `--cpu-prof-dir=${profiles}`, "--cpu-prof-interval=500"]);
  return { database, ...readProfiles(profiles) };
}

function newFile(): BackfillOptions["database"] {
  return { kind: "sqlite", folder: mkdtempSync(join(folder, "index-")) };
}

async function newPostgres(): Promise<BackfillOptions["database"]> {
  return { kind: "postgres", url: await newDatabase(server.url), connections: 4 };
}

async function writeToPostgres(readings: FetchedRange[]): Promise<void> {
  const options = { url: await newDatabase(server.url), schema: "alone" };
  const sql = openPostgres(options, "writes", 2);
  await createPostgresSchema(options);
  await writeAll(
    readings,
    createPostgresWriter(sql, async () => undefined),
  );
}

/** Sends the same requests as the indexer and discards the responses. */
async function readRaw(): Promise<void> {
  const SIZE = 100;
  const starts = Array.from({ length: Math.ceil((head + 1) / SIZE) }, (_, i) => i * SIZE).values();
  const sendBatch = async (method: string, from: number, ...more: boolean[]) => {
    const numbers = Array.from({ length: Math.min(SIZE, head - from + 1) }, (_, i) => from + i);
    const body = numbers.map((number) => {
      return { jsonrpc: "2.0", id: number, method, params: [`0x${number.toString(16)}`, ...more] };
    });
    const headers = { "content-type": "application/json" };
    const response = await fetch(chain.url, { method: "POST", headers, body: JSON.stringify(body) });
    for await (const _ of response.body ?? []);
  };
  const worker = async () => {
    for (const from of starts) {
      await Promise.all([
        sendBatch("eth_getBlockByNumber", from, true),
        sendBatch("eth_getBlockReceipts", from),
      ]);
    }
  };
  await Promise.all([worker(), worker(), worker()]);
}

async function readAll(): Promise<FetchedRange[]> {
  const scope = fullScope(new ChainNode(chain.chainId, [chain.url]), { chainId: chain.chainId });
  const readings: FetchedRange[] = [];
  for (let from = 0; from <= head; from += 200) {
    const reading = await scope.fetch(from, Math.min(head, from + 199));
    if (reading) readings.push(reading);
  }
  return readings;
}

async function writeAll(readings: FetchedRange[], writer: IndexWriter): Promise<void> {
  let parent: BlockRow | undefined;
  for (const { rows, tokens, last } of readings) {
    await writer.append(parent, rows, tokens);
    parent = last;
  }
  await writer.close();
}

async function ponder(): Promise<string> {
  const url = await newDatabase(server.url);
  const { coins, pieces, items } = chain.traffic;
  const benchChain = {
    id: chain.chainId,
    rpc: chain.url,
    coins: coins.map(({ address }) => address),
    pieces: pieces.address,
    items: items.address,
    endBlock: head,
  };
  const port = await freePort();
  const child: ChildProcess = spawn(
    process.execPath,
    [
      join(ponderFolder, "node_modules/ponder/dist/esm/bin/ponder.js"),
      "start",
      "--schema",
      "bench",
      "--port",
      String(port),
    ],
    {
      cwd: ponderFolder,
      env: {
        ...process.env,
        DATABASE_URL: url,
        BENCH_CHAIN: JSON.stringify(benchChain),
        PONDER_TELEMETRY_DISABLED: "true",
        PONDER_LOG_LEVEL: "warn",
      },
      stdio: ["ignore", "inherit", "inherit"],
    },
  );
  try {
    const end = Date.now() + 30 * 60_000;
    for (;;) {
      if (child.exitCode !== null) throw new Error(`ponder has ended with ${child.exitCode}`);
      const answer = await fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined);
      if (answer?.status === 200) break;
      if (Date.now() > end) throw new Error("ponder did not come to an end");
      await sleep(100);
    }
    const sql = postgres(url, { max: 1 });
    const [row] = await sql`SELECT count(*)::int AS n FROM bench.transfer`;
    await sql.end();
    return `(${row?.n} rows)`;
  } finally {
    child.kill("SIGKILL");
  }
}
