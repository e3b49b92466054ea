/*
 * Simulates the index of a mainnet: writes synthetic transfers, and measures the throughput, the size of each and the
 * first pages of lists of often and of rarely used wallets and tokens.
 *   npm run bench:chain:scale -- [--rows 5000000] [--stores sqlite,postgresql,clickhouse] [--write]
 * ClickHouse is the server of CLICKHOUSE_URL, otherwise chdb (550 MB, installed the first time).
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createChainService } from "@purse/chain";
import postgres from "postgres";
import { indexLocationOf } from "../../packages/chain/src/createChainService.ts";
import type { BlockRow, DiscoveredToken } from "../../packages/chain/src/model/rows.ts";
import { openClickHouse } from "../../packages/chain/src/store/clickhouse/clickhouseConnection.ts";
import { openIndex } from "../../packages/chain/src/store/openIndex.ts";
import { SCHEMA_VERSION } from "../../packages/chain/src/store/schema.ts";
import { startClickHouse } from "../../tests/clickhouse/startClickHouse.mjs";
import { newDatabase, startPostgres } from "../../tests/support/postgresServer.ts";
import { createTraffic, TRANSFERS_PER_BLOCK, type Traffic } from "./chainTraffic.ts";

type Database = Parameters<typeof createChainService>[0]["database"];
type Store = "sqlite" | "postgresql" | "clickhouse";

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "5000000" },
    stores: { type: "string", default: "sqlite,clickhouse" },
    write: { type: "boolean", default: false },
  },
});
const CHAIN = 997;
const NODE = "http://127.0.0.1:9";
const BLOCKS_PER_WRITE = 100;
const ROUNDS = 9;
const PAGE = 100;
/** Transfers of a chain for the extrapolation. */
const MAINNET = 3_000_000_000;
const NAMES: Record<Store, string> = {
  sqlite: "SQLite",
  postgresql: "PostgreSQL",
  clickhouse: "ClickHouse (with SQLite)",
};
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const root = join(import.meta.dirname, "../..");
const transfers = Number(values.rows);

interface Measured {
  store: Store;
  transfersPerSecond: number;
  bytesPerTransfer: number;
  /** Of the SQL database. */
  sqlBytesPerTransfer: number;
  /** In ms, by operation. */
  pages: Map<string, number>;
}

const measured: Measured[] = [];
for (const store of values.stores.split(",")) {
  if (store !== "sqlite" && store !== "postgresql" && store !== "clickhouse")
    throw new Error(`--stores has the unknown store ${store}`);
  measured.push(await measure(store));
}
const page = report();
console.log(`\n${page}`);
if (values.write) writeFileSync(join(root, "docs/internals/benchmarks/chain-scale.md"), page);
process.exit(0);

async function measure(store: Store): Promise<Measured> {
  const traffic = createTraffic();
  const folder = mkdtempSync(join(tmpdir(), "purse-bench-scale-"));
  const server = store === "postgresql" ? await startPostgres({ durable: true }) : undefined;
  const own = store === "clickhouse" && !process.env.CLICKHOUSE_URL ? await startClickHouse() : undefined;
  const clickHouseUrl = own?.url ?? process.env.CLICKHOUSE_URL;
  const url = server && (await newDatabase(server.url));
  const database: Database =
    url === undefined
      ? { kind: "sqlite", folder, ...(store === "clickhouse" && clickHouseUrl && { clickHouseUrl }) }
      : { kind: "postgres", url, connections: 4 };
  try {
    const transfersPerSecond = await fill(store, database, traffic);
    const pages = await measurePages(database, traffic);
    const sqlBytes = url === undefined ? fileBytes(folder) : await postgresBytes(url);
    const eventBytes = store === "clickhouse" && clickHouseUrl ? await clickHouseBytes(clickHouseUrl) : 0;
    return {
      ...{ store, transfersPerSecond, pages },
      bytesPerTransfer: (sqlBytes + eventBytes) / transfers,
      sqlBytesPerTransfer: sqlBytes / transfers,
    };
  } finally {
    await own?.stop();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes all transfers; returns their number per second. */
async function fill(store: Store, database: Database, traffic: Traffic): Promise<number> {
  const index = await openIndex(indexLocationOf(database, CHAIN), silent);
  const definition = {
    ...{ layout: SCHEMA_VERSION, scope: "chain", startBlock: 0, wrapped: null },
    ...index.eventDefinition,
  };
  if (!(await index.isLeader())) throw new Error("the lease of the index cannot be acquired");
  await index.writer.saveProperty("making", JSON.stringify(definition));
  const blocks = Math.ceil(transfers / TRANSFERS_PER_BLOCK);
  const known: DiscoveredToken[] = [];
  let parent: BlockRow | undefined;
  let spent = 0;
  for (let from = 0; from < blocks; from += BLOCKS_PER_WRITE) {
    const to = Math.min(blocks, from + BLOCKS_PER_WRITE);
    const { rows, tokens } = traffic.blocks(from, to, parent);
    known.push(...tokens);
    const startedAt = performance.now();
    await index.writer.append(parent, rows, tokens);
    spent += performance.now() - startedAt;
    parent = rows.blocks.at(-1);
    if (to % 2_000 < BLOCKS_PER_WRITE) {
      const rate = (to * TRANSFERS_PER_BLOCK) / (spent / 1_000);
      console.log(
        `${store}: ${(to * TRANSFERS_PER_BLOCK).toLocaleString("en")} transfers, ${rate.toFixed(0)}/s`,
      );
    }
  }
  await index.writer.saveTokenMetadata({
    tokens: known.map(({ address, standard }) => {
      return { address, standard, name: "Bench", symbol: "B", decimals: 18 };
    }),
    block: blocks,
    readAt: Date.now() / 1_000,
  });
  await index.close();
  return transfers / (spent / 1_000);
}

async function measurePages(database: Database, traffic: Traffic): Promise<Map<string, number>> {
  const chains = [{ id: CHAIN, name: "bench", aliases: ["eth"], rpcUrls: [NODE] }];
  const service = createChainService({ chains, database, log: silent });
  await service.start();
  const pages = new Map<string, number>();
  try {
    for (const { label, name, parameters } of traffic.operations()) {
      const route = service.routes.find(({ functionName }) => functionName === name);
      if (!route) throw new Error(`there is no ${name}`);
      const durations: number[] = [];
      let hasFailed = false;
      for (let i = 0; i < ROUNDS; i++) {
        const startedAt = performance.now();
        // Empty responses are errors while no node responds.
        await route.run({ chain: String(CHAIN), limit: PAGE, ...parameters }).catch((error: unknown) => {
          console.log(`${label}: ${String(error)}`);
          hasFailed = true;
        });
        durations.push(performance.now() - startedAt);
        if (hasFailed) break;
      }
      if (hasFailed) continue;
      // The first requests start threads and read from disk.
      pages.set(label, durations.slice(2).toSorted((a, b) => a - b)[Math.floor((ROUNDS - 2) / 2)] ?? 0);
      console.log(`${label}: ${pages.get(label)?.toFixed(1)} ms`);
    }
    return pages;
  } finally {
    await service.stop();
  }
}

function fileBytes(folder: string): number {
  const path = join(folder, `chain-${CHAIN}.sqlite`);
  return [path, `${path}-wal`].reduce(
    (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

async function postgresBytes(url: string): Promise<number> {
  const client = postgres(url, { max: 1 });
  const [row] = await client<
    { bytes: number }[]
  >`SELECT pg_database_size(current_database())::float8 AS bytes`;
  await client.end();
  return row?.bytes ?? 0;
}

async function clickHouseBytes(url: string): Promise<number> {
  const clickHouse = await openClickHouse(url, 1);
  const [row] = await clickHouse.query(
    "SELECT sum(bytes_on_disk) AS bytes FROM system.parts WHERE active AND table LIKE 'purse_%'",
  );
  await clickHouse.close();
  return Number(row?.bytes ?? 0);
}

function report(): string {
  const labels = [...(measured[0]?.pages.keys() ?? [])];
  const head = measured.map(({ store }) => NAMES[store]);
  const line = (label: string, cell: (each: Measured) => string) =>
    `| ${[label, ...measured.map(cell)].join(" | ")} |`;
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], {
    cwd: root,
    encoding: "utf8",
  }).trim();
  const rule = `| --- | ${head.map(() => "--:").join(" | ")} |`;
  return `# Benchmarks of a large index

**${transfers.toLocaleString("en")} ERC-20 transfers**, written by the indexer's writer and read by the data API. For each hundred of them
there are 50 transactions, 5 transfers of NFTs and 1 sale. Wallets and tokens are used unevenly: few take part in most transfers.
"Frequent" is the most frequent wallet or token, "rare" one with few transfers.

| | ${head.join(" | ")} |
${rule}
${line("transfers written per second", (each) => Math.round(each.transfersPerSecond).toLocaleString("en"))}
${line("bytes per transfer, with all that belongs to it", (each) => each.bytesPerTransfer.toFixed(0))}
${line("of these in the SQL database", (each) => each.sqlBytesPerTransfer.toFixed(0))}

First pages of ${PAGE} rows with their totals; median of ${ROUNDS - 2} in ms.

| operation | ${head.join(" | ")} |
${rule}
${labels.map((label) => line(label, ({ pages }) => pages.get(label)?.toFixed(1) ?? "–")).join("\n")}

## A whole mainnet, extrapolated

Not measured: ${MAINNET.toLocaleString("en")} transfers (insert the number of your chain), ${Math.round(MAINNET / transfers).toLocaleString("en")} times as many as above. Size is transfers × bytes per transfer, time is
transfers ÷ transfers per second.

| | ${head.join(" | ")} |
${rule}
${line("size in TB", ({ bytesPerTransfer }) => ((MAINNET * bytesPerTransfer) / 1e12).toFixed(1))}
${line("of these in the SQL database", ({ sqlBytesPerTransfer }) => ((MAINNET * sqlBytesPerTransfer) / 1e12).toFixed(1))}
${line("days to write it", ({ transfersPerSecond }) => (MAINNET / transfersPerSecond / 86_400).toFixed(1))}

What this leaves out: indexes of SQL databases, also those of balances and owners, get slower to write once they do not fit into
memory, whereas ClickHouse only appends and merges. Balances grow with the number of owners, not of transfers. The nodes
of the chain can be slower than the writes. Pages of lists of one wallet depend on the length of the list, not on the
size of the index; with ClickHouse they also have a fixed cost of planning each query.

Made by \`npm run bench:chain:scale\` at commit ${commit} on ${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}),
${Math.round(totalmem() / 2 ** 30)} GB of memory, Node.js ${process.version}.
`;
}
