/*
 * Measures the data API's lists on an index with a million transfers, compared with the bare SQL of the same pages.
 *   npm run bench:chain:reads -- [--transfers 1000000]
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createChainService } from "@purse/chain";
import { sql } from "kysely";
import { indexLocationOf } from "../../packages/chain/src/createChainService.ts";
import { toBytes } from "../../packages/chain/src/model/hexBytes.ts";
import { openReader } from "../../packages/chain/src/store/openReader.ts";
import { fillIndex, transferLog } from "../../packages/chain/test/fillIndex.ts";
import { seededRandom } from "../../packages/chain/test/randomHistory.ts";
import { newDatabase, startPostgres } from "../../tests/support/postgresServer.ts";
import { quantile } from "./quantile.ts";

const { values } = parseArgs({ options: { transfers: { type: "string", default: "1000000" } } });
const TRANSFERS = Number(values.transfers);
const PER_BLOCK = 50;
const WALLETS = 10_000;
const CHAIN = 999;
const QUERY_COUNT = 2_000;
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "purse-bench-reads-"));
const server = await startPostgres({ durable: true });
const random = seededRandom(7);
const wallets = Array.from({ length: WALLETS }, (_, i) => `0x${(i + 1).toString(16).padStart(40, "0")}`);
const rows: string[] = [];

type Database = Parameters<typeof createChainService>[0]["database"];
try {
  await measure("SQLite", { kind: "sqlite", folder });
  await measure("PostgreSQL", { kind: "postgres", url: await newDatabase(server.url), connections: 4 });
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], {
    cwd: root,
    encoding: "utf8",
  }).trim();
  const page = `# Benchmarks of chain index reads

${TRANSFERS.toLocaleString("en")} ERC-20 transfers between ${WALLETS.toLocaleString("en")} wallets, with an uneven distribution. ${QUERY_COUNT.toLocaleString("en")} pages of 100
rows of one wallet each, sequentially, in ms: the endpoint (parameters, page, total, blocks, JSON) compared with
the bare SQL of page and total.

| what | p50 | p99 | bare p50 | bare p99 | p99 ÷ bare p99 |
| --- | --: | --: | --: | --: | --: |
${rows.join("\n")}

Made by \`npm run bench:chain:reads\` at commit ${commit} on ${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}),
${Math.round(totalmem() / 2 ** 30)} GiB, Node.js ${process.version}.
`;
  writeFileSync(join(root, "docs/internals/benchmarks/chain-reads.md"), page);
  console.log(`\n${page}`);
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

async function measure(name: string, database: Database): Promise<void> {
  await fill(database);
  const chains = [{ id: CHAIN, name: "bench", aliases: ["eth"], rpcUrls: ["http://127.0.0.1:9"] }];
  const service = createChainService({ chains, database, log: silent });
  await service.start();
  const reader = await openReader(indexLocationOf(database, CHAIN), 1);
  const route = service.routes.find(({ functionName }) => functionName === "getTokenTransfers");
  if (!route) throw new Error("there is no getTokenTransfers");
  const own = Array.from({ length: QUERY_COUNT }, () => walletOf(random()));
  for (const address of own.slice(0, 200)) await route.run({ address, limit: 100 });
  const endpointTimes = await measureTimes(own, (address) => route.run({ address, limit: 100 }));
  const sqlTimes = await measureTimes(own, (address) => bareSql(reader, address));
  const [p50, p99, bare50, bare99] = [
    quantile(endpointTimes, 0.5),
    quantile(endpointTimes, 0.99),
    quantile(sqlTimes, 0.5),
    quantile(sqlTimes, 0.99),
  ];
  const line = `| a wallet's transfers, ${name} | ${p50.toFixed(2)} | ${p99.toFixed(2)} | ${bare50.toFixed(2)} | ${bare99.toFixed(2)} | ${(p99 / bare99).toFixed(2)} × |`;
  rows.push(line);
  console.log(line);
  await reader.close();
  await service.stop();
}

/** A few wallets are in most transfers. */
function walletOf(share: number): string {
  return wallets[Math.floor(share ** 3 * WALLETS)] ?? "";
}

function fill(database: Database): Promise<void> {
  const token = `0x${"ee".repeat(20)}`;
  return fillIndex(database, CHAIN, {
    blocks: TRANSFERS / PER_BLOCK,
    addContents({ logs }, block) {
      for (let i = 0; i < PER_BLOCK; i++) {
        const parties = { from: walletOf(random()), to: walletOf(random()) };
        logs.push(transferLog(block, i, { token, ...parties, value: i + 1 }));
      }
    },
  });
}

async function bareSql(reader: Awaited<ReturnType<typeof openReader>>, address: string): Promise<unknown> {
  const own = toBytes(`0x${"0".repeat(24)}${address.slice(2)}`);
  const side = sql`SELECT * FROM (SELECT * FROM logs WHERE erc20 = 1 AND`;
  const order = sql`ORDER BY position DESC LIMIT 101) AS arm`;
  return [
    await reader.all(
      sql`SELECT * FROM (${side} topic1 = ${own} ${order} UNION ALL ${side} topic2 = ${own} AND topic1 <> ${own} ${order}) AS found ORDER BY position DESC LIMIT 101`,
    ),
    await reader.all(
      sql`SELECT (SELECT count(*) FROM logs WHERE erc20 = 1 AND topic1 = ${own}) + (SELECT count(*) FROM logs WHERE erc20 = 1 AND topic2 = ${own} AND topic1 <> ${own}) AS n`,
    ),
  ];
}

async function measureTimes(
  addresses: string[],
  query: (address: string) => Promise<unknown>,
): Promise<number[]> {
  const durations: number[] = [];
  for (const address of addresses) {
    const startedAt = performance.now();
    await query(address);
    durations.push(performance.now() - startedAt);
  }
  return durations;
}
