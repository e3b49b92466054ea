/*
 * Measures pages of long lists of the data API, of every list operation, and how much four of the most expensive requests at once delay the
 * Parse API of the same server.
 *   npm run bench:chain:lists -- [--transfers 200000,1000000] [--rows 200000]
 * Measures one operation without writing the page:
 *   npm run bench:chain:lists -- --only getWalletHistory [--database SQLite]
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createChainService } from "@purse/chain";
import { sql } from "kysely";
import { indexLocationOf } from "../../packages/chain/src/createChainService.ts";
import { toBytes } from "../../packages/chain/src/model/hexBytes.ts";
import { addressTopic, TRANSFER_TOPIC } from "../../packages/chain/src/model/topics.ts";
import { openReader } from "../../packages/chain/src/store/openReader.ts";
import { fillIndex, transferLog } from "../../packages/chain/test/fillIndex.ts";
import { newDatabase, startPostgres } from "../../tests/support/postgresServer.ts";
import { startPurse } from "../../tests/support/purse.ts";
import { measureOperations, vacuum } from "./listOperations.ts";
import { quantile } from "./quantile.ts";

const { values } = parseArgs({
  options: {
    transfers: { type: "string", default: "200000,1000000" },
    rows: { type: "string", default: "200000" },
    only: { type: "string" },
    database: { type: "string" },
  },
});
const DATABASES = ["SQLite", "PostgreSQL", "PostgreSQL with ten partitions"] as const;
const PER_BLOCK = 50;
const CHAIN = 999;
const ROUNDS = 7;
const PAGE = 200;
const WALLET = `0x${"a1".repeat(20)}`;
const TOKEN = `0x${"ee".repeat(20)}`;
const ABSENT = `0x${"12".repeat(32)}`;
const NODE = "http://127.0.0.1:9";
const root = join(import.meta.dirname, "../..");
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const rows: string[] = [];
const operationTables: string[] = [];

type Database = Parameters<typeof createChainService>[0]["database"];
type Query = (name: string, parameters: Record<string, unknown>) => Promise<{ ms: number; cursor: string }>;

const server = await startPostgres({ durable: true });
try {
  for (const name of DATABASES) {
    if (values.database !== undefined && values.database !== name) continue;
    const folder = mkdtempSync(join(tmpdir(), "purse-bench-operations-"));
    const postgres = { kind: "postgres", url: await newDatabase(server.url), connections: 4 } as const;
    const partitionBlocks = Math.ceil(Number(values.rows) / PER_BLOCK / 10);
    const database = {
      SQLite: { kind: "sqlite", folder } as const,
      PostgreSQL: postgres,
      "PostgreSQL with ten partitions": { ...postgres, partitionBlocks },
    }[name];
    const measured = await measureOperations(database, Number(values.rows), values.only);
    operationTables.push(
      `### ${name}\n\n| operation | page 1 | page 1,000 | offset 100,000 | last page | export |
| --- | --: | --: | --: | --: | --: |
${measured.map((cells) => `| ${cells.join(" | ")} |`).join("\n")}`,
    );
    rmSync(folder, { recursive: true, force: true });
  }
  const isPartial = values.only !== undefined || values.database !== undefined;
  if (isPartial) {
    console.log(`\n${operationTables.join("\n\n")}`);
    await server.stop();
    process.exit(0);
  }
  for (const transfers of values.transfers.split(",").map(Number)) {
    const dataDir = mkdtempSync(join(tmpdir(), "purse-bench-lists-"));
    const url = await newDatabase(server.url);
    const databases = [
      { name: "SQLite", database: { kind: "sqlite", folder: join(dataDir, "chains") }, env: {} },
      {
        name: "PostgreSQL",
        database: { kind: "postgres", url, connections: 4 },
        env: { PURSE_DATABASE_URL: url },
      },
    ] as const;
    for (const { name, database, env } of databases) {
      const filledMs = await fill(database, transfers);
      const pages = await measurePages(database, transfers);
      const delay = await measureDelay(dataDir, env);
      const cells = [...pages, delay.toFixed(1)];
      rows.push(`| ${transfers.toLocaleString("en")} | ${name} | ${cells.join(" | ")} |`);
      console.log(`${rows.at(-1)} filled in ${Math.round(filledMs / 1000)} s`);
    }
    rmSync(dataDir, { recursive: true, force: true });
  }
} finally {
  await server.stop();
}
const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
const page = `# Benchmarks of long lists

ERC-20 transfers of one wallet, half of them incoming, in pages of ${PAGE} rows; median of ${ROUNDS} in ms. In parentheses is the
bare SQL of the same page, executed in turn with the requests. "Range" is
the first request for a list with a block range, whose rows are counted; the index contains the lengths of lists without
one. "Last page" is the median of the last pages of an export by cursor, "export" the whole of it in s, "absent topic" a filter of logs without a match. CPU time is that of
the server's process, with its threads and without PostgreSQL. The delay is that of a Parse query of another client while four clients request pages with an offset of 100,000 without pause (median of 40, minus
the median without them). PostgreSQL has run \`VACUUM\`, as autovacuum does after a while.

| transfers | database | range | page 1 | page 1,000 | offset 100,000 | its CPU time | last page | export | absent topic | delay |
| --: | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |
${rows.join("\n")}

## Every list operation

Operations whose pages need no node. Lists of ${Number(values.rows).toLocaleString("en")} rows each, in pages of 200 rows (100 for the history of a wallet); median of 7 in ms, the export in s. In parentheses is the
CPU time of a request: that of the server's process with its threads, without PostgreSQL.

${operationTables.join("\n\n")}

Made by \`npm run bench:chain:lists\` at commit ${commit} on ${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}),
Node.js ${process.version}; load average at the end ${loadavg()[0]?.toFixed(1)}.
`;
writeFileSync(join(root, "docs/internals/benchmarks/chain-lists.md"), page);
console.log(`\n${page}`);
process.exit(0);

/** Creates an index; returns the duration in ms. */
async function fill(database: Database, transfers: number): Promise<number> {
  const startedAt = performance.now();
  await fillIndex(database, CHAIN, {
    blocks: Math.ceil(transfers / PER_BLOCK),
    tokens: [{ address: TOKEN, standard: 20, position: 0 }],
    addContents({ logs }, block) {
      for (let i = 0; i < PER_BLOCK; i++) {
        const other = `0x${((block * PER_BLOCK + i) % 5_000).toString(16).padStart(40, "1")}`;
        const [from, to] = i % 2 === 0 ? [WALLET, other] : [other, WALLET];
        logs.push(transferLog(block, i, { token: TOKEN, from, to }));
      }
    },
  });
  if (database.kind === "postgres") await vacuum(database.url);
  return performance.now() - startedAt;
}

/** The cells of a row. */
async function measurePages(database: Database, transfers: number): Promise<string[]> {
  const chains = [{ id: CHAIN, name: "bench", aliases: ["eth"], rpcUrls: [NODE] }];
  const service = createChainService({ chains, database, log: silent });
  await service.start();
  const query: Query = async (name, parameters) => {
    const route = service.routes.find(({ functionName }) => functionName === name);
    const startedAt = performance.now();
    // Empty responses are errors while no node responds.
    const response: unknown = await route
      ?.run({ chain: String(CHAIN), ...parameters })
      .catch(() => undefined);
    return { ms: performance.now() - startedAt, cursor: String(Object(response).cursor ?? "") };
  };
  const list = (parameters: Record<string, unknown>) =>
    query("getTokenTransfers", { address: WALLET, limit: PAGE, ...parameters });
  // The first requests wait for the node, and start the threads.
  await query("getTokenTransfers", { address: TOKEN });
  let bound = 0;
  const cold = await medianOf(() => list({ from_block: ++bound }));
  const reader = await openReader(indexLocationOf(database, CHAIN), 1);
  const first = await inTurn(
    () => list({}),
    () => bareSql(reader, database, 0),
  );
  const lastPages: number[] = [];
  let middle = "";
  const startedAt = performance.now();
  let { cursor } = await list({});
  for (let page = 2; cursor !== ""; page++) {
    if (page === Math.min(1_000, Math.floor(transfers / PAGE))) middle = cursor;
    const read = await list({ cursor });
    lastPages.push(read.ms);
    cursor = read.cursor;
  }
  const exportSeconds = (performance.now() - startedAt) / 1_000;
  const middleRow = Math.min(1_000, Math.floor(transfers / PAGE)) * PAGE - PAGE;
  const [beforeMiddle] = await reader.all(pageSql(database, middleRow - 1, Number.MAX_SAFE_INTEGER, 1));
  const thousandth = await inTurn(
    () => list({ cursor: middle }),
    () => bareSql(reader, database, 0, beforeMiddle?.position),
  );
  const offset = await inTurn(
    () => list({ offset: 100_000 }),
    () => bareSql(reader, database, 100_000),
  );
  const before = process.cpuUsage();
  for (let i = 0; i < ROUNDS; i++) await list({ offset: 100_000 });
  const { user, system } = process.cpuUsage(before);
  const offsetCpu = (user + system) / 1_000 / ROUNDS;
  const topics = { address: TOKEN, topic0: TRANSFER_TOPIC, topic1: ABSENT };
  const absent = await medianOf(() => query("getLogsByAddress", topics));
  await reader.close();
  await service.stop();
  const lastPage = quantile(lastPages.slice(-100), 0.5);
  const [range, cpu, ...rest] = [cold, offsetCpu, lastPage, exportSeconds, absent].map((ms) => ms.toFixed(1));
  return [range ?? "", first, thousandth, offset, cpu ?? "", ...rest];
}

/** The median of a request, and that of the bare SQL in parentheses. */
async function inTurn(
  request: () => Promise<{ ms: number }>,
  bare: () => Promise<{ ms: number }>,
): Promise<string> {
  const [durations, bareDurations]: [number[], number[]] = [[], []];
  for (let i = 0; i < ROUNDS; i++) {
    durations.push((await request()).ms);
    bareDurations.push((await bare()).ms);
  }
  return `${quantile(durations, 0.5).toFixed(1)} (${quantile(bareDurations, 0.5).toFixed(1)})`;
}

type Reader = Awaited<ReturnType<typeof openReader>>;

async function bareSql(reader: Reader, database: Database, offset: number, before?: number) {
  const startedAt = performance.now();
  await reader.all(pageSql(database, offset, before ?? Number.MAX_SAFE_INTEGER, PAGE + 1));
  return { ms: performance.now() - startedAt };
}

/** A page of the transfers of the wallet: the positions first, then the rows. */
function pageSql(database: Database, offset: number, before: number, limit: number) {
  const own = toBytes(addressTopic(WALLET));
  const branches = [sql`topic1 = ${own}`, sql`topic2 = ${own} AND topic1 <> ${own}`].map((branch) => {
    const rows = sql`SELECT position FROM logs WHERE erc20 = 1 AND ${branch} AND position < ${before}`;
    return database.kind === "sqlite" ? rows : sql`(${rows} ORDER BY position DESC LIMIT ${offset + limit})`;
  });
  return sql<{ position: number }>`SELECT logs.* FROM
    (SELECT position FROM (${sql.join(branches, sql` UNION ALL `)}) AS branches
      ORDER BY position DESC LIMIT ${limit} OFFSET ${offset}) AS found
    JOIN logs USING (position) ORDER BY position DESC`;
}

async function medianOf(run: () => Promise<{ ms: number }>): Promise<number> {
  const durations: number[] = [];
  for (let i = 0; i < ROUNDS; i++) durations.push((await run()).ms);
  return quantile(durations, 0.5);
}

/** The delay of a Parse query by the four most expensive lists at once, in ms. */
async function measureDelay(dataDir: string, env: Record<string, string>): Promise<number> {
  const chain = { PURSE_CHAIN_BENCH_RPC_URL: NODE, PURSE_CHAIN_BENCH_ID: String(CHAIN) };
  const purse = await startPurse({ dataDir, env: { ...env, ...chain } });
  try {
    const headers = { "X-Parse-Application-Id": purse.appId, "X-Parse-Master-Key": purse.masterKey };
    const get = async () => {
      const startedAt = performance.now();
      await (await fetch(`${purse.serverUrl}/classes/Foo?limit=1`, { headers })).text();
      return performance.now() - startedAt;
    };
    const created = await fetch(`${purse.serverUrl}/classes/Foo`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: "{}",
    });
    await created.text();
    for (let i = 0; i < 50; i++) await get();
    const alone = await repeat(get);
    let isRunning = true;
    const heavy = Array.from({ length: 4 }, async (_, i) => {
      for (let offset = 100_000; isRunning; offset--) {
        const list = `${WALLET}/erc20/transfers?chain=${CHAIN}&limit=100&offset=${offset}&from_block=${i}`;
        await (await fetch(`${purse.url}/api/v2/${list}`, { headers })).text();
      }
    });
    const loaded = await repeat(get);
    isRunning = false;
    await Promise.all(heavy);
    return quantile(loaded, 0.5) - quantile(alone, 0.5);
  } finally {
    await purse.stop();
  }
}

async function repeat(run: () => Promise<number>): Promise<number[]> {
  const durations: number[] = [];
  for (let i = 0; i < 40; i++) durations.push(await run());
  return durations;
}
