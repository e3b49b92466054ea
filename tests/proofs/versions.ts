/*
 * `npm run prove:versions -- [--from COMMIT] [--seed 1]`: two servers on
 * one PostgreSQL, behind a balancer, are updated from the previous version to this one, downgraded and updated again, one
 * after the other, while clients write and blocks are indexed. The previous version is the last release, or the last
 * commit with other tables; it is built from the history. At most one in 1,000 requests fails, no acknowledged write is
 * lost or executed twice, live queries equal the tables, and the chain index is never cleared and continues with every
 * combination of versions. At last, the previous version serves an index with partitions that it does not know, and does
 * not write it.
 */
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { start } from "@purse/client";
import postgres from "postgres";
import { LiveHistory } from "../faults/liveHistory.ts";
import { KINDS, Workload } from "../faults/workload.ts";
import { startTcpBalancer } from "../support/balancer.ts";
import { freePort } from "../support/freePort.ts";
import { newDatabase, startPostgres } from "../support/postgresServer.ts";
import { type PurseProcess, startPurse } from "../support/purse.ts";
import { Random } from "../support/random.ts";
import { until } from "../support/until.ts";
import { buildVersion, findPreviousCommit, knowsPartitions, type OtherVersion } from "./previousVersion.ts";

const { values } = parseArgs({
  options: {
    from: { type: "string" },
    seed: { type: "string", default: "1" },
  },
});
const CLIENTS = 4;
const MAX_FAILED_SHARE = 0.001;
const WAIT_MS = 120_000;
/** Load before and after each replacement, in ms. */
const LOAD_MS = 1_500;
/** Longer than it takes to take over an index whose process has ended, in ms. */
const UNWRITTEN_MS = 8_000;
const KIND_LIST = KINDS.filter((kind) => kind !== "upload" && kind !== "signUp");

const ends: (() => unknown)[] = [];
const problems: string[] = [];
try {
  await prove();
} finally {
  for (const end of ends.reverse()) await end();
}
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? "\nBoth versions work side by side." : `\n${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);

async function prove(): Promise<void> {
  const previous = buildVersion(values.from ?? findPreviousCommit());
  console.log(`The previous version is ${previous.commit.slice(0, 12)}`);
  const database = await startPostgres();
  ends.push(() => database.stop());
  const url = await newDatabase(database.url);
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  ends.push(() => sql.end());
  const chain = await startPurse({ devChain: true });
  ends.push(() => chain.remove());
  const env = {
    PURSE_DATABASE_URL: url,
    PURSE_CHAIN_LOCALDEVCHAIN_RPC_URL: chain.rpcUrl,
    PURSE_DRAIN_DELAY_SECONDS: "2",
    PURSE_TRUSTED_PROXIES: "loopback",
  };
  const ports = [await freePort(), await freePort()];
  const servers: PurseProcess[] = [];
  ends.push(() => Promise.all(servers.map((server) => server.remove())));
  for (const port of ports) servers.push(await startPurse({ env, port, serverFile: previous.serverFile }));
  const balancer = await startTcpBalancer(ports);
  ends.push(() => balancer.close());
  for (const port of ports) await balancer.untilUsed(port, true);
  const [first] = servers;
  if (!first) throw new Error("there is no server");
  const address = `http://127.0.0.1:${balancer.port}`;
  const target = { ...first, url: address, serverUrl: `${address}/server` };
  await start({ serverUrl: target.serverUrl, appId: target.appId, plugins: [] });
  const workload = new Workload(new Random(Number(values.seed)));
  await workload.prepare(target);
  const history = new LiveHistory(target);
  ends.push(() => history.close());
  await untilReached("live queries", async () => history.isSubscribed);

  let isDone = false;
  const load = workload.run(target, CLIENTS, () => isDone, KIND_LIST);
  let indexed = await index(sql, chain, 0);
  const steps = [
    ["update", { env }],
    ["downgrade", { env, serverFile: previous.serverFile }],
    ["update", { env }],
  ] as const;
  for (const [step, version] of steps) {
    for (const [i, server] of servers.entries()) {
      await pause(LOAD_MS);
      await server.terminate();
      const { port, dataDir } = server;
      servers[i] = await startPurse({ ...version, port, dataDir });
      await balancer.untilUsed(port, true);
      await pause(LOAD_MS);
      indexed = await index(sql, chain, indexed);
      console.log(`  ${step} of server ${i + 1}: ${indexed} blocks are indexed`);
    }
  }
  isDone = true;
  await load;
  await workload.check(target);
  await untilReached("live queries", async () => (await history.difference(target)) === 0).catch(async () =>
    problems.push(`live queries miss ${await history.difference(target)} changes`),
  );
  const { totals } = workload;
  const acked = Object.values(totals.acked).reduce((all, n) => all + n, 0);
  const failed = totals.unknown + totals.refused;
  problems.push(...workload.violations, ...history.violations);
  if (failed > (acked + failed) * MAX_FAILED_SHARE)
    problems.push(`${failed} of ${acked + failed} requests failed`);
  console.log(
    `${acked + failed} requests: ${failed} failed, ${totals.lost} lost, ${totals.doubled} doubled;`,
    `live: ${history.events} events, ${history.interruptions} interruptions, ${history.refetches} refetches`,
  );
  await provePartitions({ previous, servers, env, sql, chain });
}

interface Partitioned {
  previous: OtherVersion;
  servers: PurseProcess[];
  env: Record<string, string>;
  sql: postgres.Sql;
  chain: PurseProcess;
}

/** Builds a new index with partitions beside a server of the previous version. */
async function provePartitions({ previous, servers, env, sql, chain }: Partitioned): Promise<void> {
  if (knowsPartitions(previous.commit)) {
    console.log("  The previous version has indexes with partitions, too.");
    return;
  }
  const [writer, reader] = servers;
  if (!writer || !reader) throw new Error("there are no servers");
  for (const server of servers) await server.terminate();
  await sql`DROP SCHEMA chain_1337 CASCADE`;
  const startWriter = async () => {
    const { port, dataDir } = writer;
    const partitions = { PURSE_CHAIN_LOCALDEVCHAIN_PARTITION_BLOCKS: "1000" };
    servers[0] = await startPurse({ env: { ...env, ...partitions }, port, dataDir });
    return servers[0];
  };
  let current = await startWriter();
  const before = await index(sql, chain, 0);
  const { port, dataDir } = reader;
  const older = await startPurse({ env, port, dataDir, serverFile: previous.serverFile });
  servers[1] = older;
  await untilReached("the previous version to see the index", async () =>
    older.output().includes("belongs to a newer version"),
  );
  const accounts = await rpc(chain.rpcUrl, "eth_accounts", []);
  const account = Array.isArray(accounts) ? String(accounts[0]) : "";
  const compare = async (blocks: number) => {
    const expected = await transactionsFrom(current, account);
    const actual = await transactionsFrom(older, account);
    if (expected.length === 0 || JSON.stringify(actual) !== JSON.stringify(expected))
      problems.push(`the previous version does not serve the index with ${blocks} blocks like this one`);
  };
  const beside = await index(sql, chain, before);
  await compare(beside);
  await current.terminate();
  await rpc(chain.rpcUrl, "anvil_mine", ["0x5"]);
  await pause(UNWRITTEN_MS);
  const [{ n } = { n: 0 }] = await sql<{ n: number }[]>`SELECT count(*)::int AS n FROM chain_1337.blocks`;
  if (n !== beside)
    problems.push(`the previous version wrote an index with partitions: ${beside} blocks became ${n}`);
  current = await startWriter();
  const after = await index(sql, chain, beside);
  await compare(after);
  console.log(
    `  An index with partitions: ${beside} blocks beside the previous version, ${n} without this one, then ${after}`,
  );
}

/** Lists the transactions of an account by the data API of a server. */
async function transactionsFrom({ url, masterKey }: PurseProcess, account: string): Promise<string[]> {
  const response = await fetch(`${url}/api/v2/${account}?chain=0x539`, {
    headers: { "x-api-key": masterKey },
  });
  const { result }: { result?: { hash: string }[] } = await response.json();
  return (result ?? []).map(({ hash }) => hash);
}

/** Mines blocks and waits until they are indexed; checks that the index has all earlier ones. Returns their number. */
async function index(sql: postgres.Sql, { rpcUrl }: PurseProcess, before: number): Promise<number> {
  await rpc(rpcUrl, "anvil_mine", ["0x5"]);
  const head = Number(await rpc(rpcUrl, "eth_blockNumber", []));
  const count = async () => {
    const rows = await sql<{ n: number; newest: number }[]>`
      SELECT count(*)::int AS n, coalesce(max(number), -1)::int AS newest FROM chain_1337.blocks`;
    return rows[0] ?? { n: 0, newest: -1 };
  };
  await untilReached("the chain index", async () => {
    const { n, newest } = await count().catch(() => ({ n: before, newest: -1 }));
    if (n < before) throw new Error(`the chain index was cleared: it had ${before} blocks, and has ${n}`);
    return newest >= head;
  });
  return (await count()).n;
}

async function rpc(url: string, method: string, params: unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error }: { result?: unknown; error?: { message: string } } = await response.json();
  if (error) throw new Error(error.message);
  return result;
}

async function untilReached(what: string, condition: () => Promise<boolean>): Promise<void> {
  await until(condition, { withinMs: WAIT_MS, otherwise: `Not reached: ${what}` });
}
