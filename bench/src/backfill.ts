/*
 * Measures how fast a chain is indexed, compared with ponder on the same events and with the two limits: the
 * node responding alone, and the database writing the same rows alone. Sequentially in one run.
 *   npm run bench:chain -- [--blocks 20000] [--transfers 10]
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createChainService } from "@purse/chain";
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
import { startBusyChain } from "./traffic.ts";

const { values } = parseArgs({
  options: { blocks: { type: "string", default: "20000" }, transfers: { type: "string", default: "10" } },
});
const root = join(import.meta.dirname, "../..");
const ponderFolder = join(root, "bench/ponder");
ensureInstalled(ponderFolder, "ponder");
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const folder = mkdtempSync(join(tmpdir(), "purse-bench-index-"));
const server = await startPostgres({ durable: true });
const chain = await startBusyChain(Number(values.blocks), Number(values.transfers));
const head = chain.traffic.toBlock;
const results: { what: string; seconds: number; note: string }[] = [];

try {
  const ranges = await measure("the node alone", readRaw);
  const readings = await readAll();
  await measure("SQLite alone", () => writeAll(readings, createSqliteWriter(join(folder, "alone.sqlite"))));
  await measure("PostgreSQL alone", async () => {
    const options = { url: await newDatabase(server.url), schema: "alone" };
    const sql = openPostgres(options, "writes", 2);
    await createPostgresSchema(options);
    await writeAll(
      readings,
      createPostgresWriter(sql, async () => undefined),
    );
  });
  readings.length = 0;
  await measure("Purse, SQLite", () => index({ kind: "sqlite", folder: join(folder, "index") }));
  const url = await newDatabase(server.url);
  await measure("Purse, PostgreSQL", () => index({ kind: "postgres", url, connections: 4 }));
  await measure("ponder, PostgreSQL", ponder);
  const page = render(ranges);
  writeFileSync(join(root, "docs/internals/benchmarks/chain.md"), page);
  console.log(`\n${page}`);
} finally {
  await chain.stop();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

async function measure<T>(what: string, run: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await run();
  const seconds = (performance.now() - startedAt) / 1000;
  const note = typeof result === "string" ? result : "";
  results.push({ what, seconds, note });
  console.log(`${what}: ${seconds.toFixed(1)} s, ${perSecond(seconds)} transfers/s ${note}`);
  return result;
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

async function index(database: Parameters<typeof createChainService>[0]["database"]): Promise<string> {
  const chains = [{ id: chain.chainId, name: "busy", aliases: [], rpcUrls: [chain.url] }];
  const service = createChainService({ chains, database, log: silent });
  const memory: number[] = [];
  const memoryTimer = setInterval(() => memory.push(process.memoryUsage.rss() / 2 ** 20), 200);
  await service.start();
  while ((service.status()[0]?.indexed ?? 0) < head) await sleep(20);
  clearInterval(memoryTimer);
  await service.stop();
  const half = memory.slice(memory.length >> 1);
  return `(memory ${Math.round(Math.max(...memory))} MiB at most, ${Math.round(Math.max(...half) - Math.min(...half))} MiB variation in the second half)`;
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

function perSecond(seconds: number): string {
  return Math.round(chain.traffic.transfers / seconds).toLocaleString("en");
}

function render(_: unknown): string {
  const rows = results.map(
    ({ what, seconds, note }) => `| ${what} | ${seconds.toFixed(1)} | ${perSecond(seconds)} | ${note} |`,
  );
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], {
    cwd: root,
    encoding: "utf8",
  }).trim();
  const { transfers, transactions } = chain.traffic;
  return `# Benchmarks of the chain index

${(head + 1).toLocaleString("en")} blocks with ${transactions.toLocaleString("en")} transactions and ${transfers.toLocaleString("en")} transfers
(ERC-20, ERC-721, ERC-1155 with batches) on a local Anvil node on the same machine. Purse indexes every block,
transaction, log and transfer, with receipts; ponder indexes the same transfers by the events of the configured
contracts. "Alone" are the limits: the node's responses to the same requests discarded unread, and the same rows written
by the same code without reading.

| what | s | transfers/s | |
| --- | --: | --: | --- |
${rows.join("\n")}

Made by \`npm run bench:chain\` at commit ${commit} on ${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}),
${Math.round(totalmem() / 2 ** 30)} GiB, Node.js ${process.version}.
`;
}
