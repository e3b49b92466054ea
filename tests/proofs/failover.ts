/*
 * `npm run prove:failover -- [--rounds 2] [--seed 1]`: kills the primary of two PostgreSQL nodes that
 * Patroni manages, as deploy/patroni recommends it, while clients write through two servers of Purse. One server has both
 * hosts in its database URL, the other one connects by HAProxy.
 *
 * 1. Synchronous replication: no acknowledged write is lost or executed twice, writes succeed again within 30 s, and live
 *    queries of each server equal the tables, after they resumed or were told to query again.
 * 2. Asynchronous replication, with a standby that lacks the last transactions: live queries are told to query again.
 *
 * Needs the packages patroni, etcd-server, haproxy and postgresql of Debian, which it installs if it may.
 */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { start } from "@purse/client";
import { LiveHistory } from "../faults/liveHistory.ts";
import { KINDS, Workload } from "../faults/workload.ts";
import { send } from "../faults/workloadRequests.ts";
import { type PatroniCluster, type PatroniNode, startPatroniCluster } from "../support/patroniCluster.ts";
import { type PurseProcess, startPurse } from "../support/purse.ts";
import { Random } from "../support/random.ts";
import { until } from "../support/until.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "2" },
    seed: { type: "string", default: "1" },
  },
});
const CLIENTS = 6;
const MAX_OUTAGE_MS = 30_000;
/** How long clients write before the primary is killed, and after it was replaced, in ms. */
const LOAD_MS = 4_000;
const LOST_WRITES = 20;
const WAIT_MS = 120_000;
const KIND_LIST = KINDS.filter((kind) => kind !== "upload" && kind !== "signUp");

const problems: string[] = [];
const random = new Random(Number(values.seed));
const cluster = await startPatroniCluster().catch((error: unknown) => {
  console.error(
    `The failover cannot be proven on this machine: ${error instanceof Error ? error.message : error}`,
  );
  process.exit(2);
});
const servers: PurseProcess[] = [];
const histories: LiveHistory[] = [];
try {
  console.log(`${cluster.description}; synchronous replication`);
  await cluster.untilHealthy();
  // One after the other: the first one creates the tables.
  for (const url of [cluster.url, cluster.balancedUrl]) {
    const env = { PURSE_DATABASE_URL: url, PURSE_DEV_CHAIN: "0" };
    servers.push(await startPurse({ env }));
  }
  const [first] = servers;
  if (!first) throw new Error("there is no server");
  await start({ serverUrl: first.serverUrl, appId: first.appId, plugins: [] });
  const workload = new Workload(random);
  await workload.prepare(first);
  for (const server of servers) histories.push(new LiveHistory(server));
  await untilReached("live queries", async () => histories.every(({ isSubscribed }) => isSubscribed));
  for (let round = 1; round <= Number(values.rounds); round++)
    await proveSynchronous(cluster, workload, first, round);
  await proveAsynchronous(cluster, first);
} finally {
  for (const history of histories) history.close();
  for (const server of servers) await server.kill().then(() => server.remove());
  await cluster.stop();
}
for (const history of histories) problems.push(...history.violations);
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  const logs = mkdtempSync(join(tmpdir(), "purse-failover-logs-"));
  for (const [i, server] of servers.entries())
    writeFileSync(join(logs, `server-${i + 1}.log`), server.output());
  console.error(`The logs of the servers are in ${logs}`);
}
console.log(
  problems.length === 0 ? "\nNothing was lost, doubled or silent." : `\n${problems.length} problems`,
);
process.exit(problems.length === 0 ? 0 : 1);

/** Kills the primary under load. */
async function proveSynchronous(
  { untilHealthy, nodes }: PatroniCluster,
  workload: Workload,
  reader: PurseProcess,
  round: number,
): Promise<void> {
  const primary = await untilHealthy();
  const interruptions = sum(({ interruptions }) => interruptions);
  const refetches = sum((history) => history.refetches);
  let isDone = false;
  const load = Promise.all(
    servers.map((server) => workload.run(server, CLIENTS / 2, () => isDone, KIND_LIST)),
  );
  await pause(LOAD_MS);
  primary.kill();
  const outages = await Promise.all(servers.map((server) => untilSaved(server)));
  await pause(LOAD_MS);
  isDone = true;
  await load;
  await workload.check(reader);
  await untilEqual(reader);
  problems.push(...workload.violations.splice(0));
  for (const ms of outages)
    if (ms > MAX_OUTAGE_MS)
      problems.push(`writes failed for ${seconds(ms)}, more than ${seconds(MAX_OUTAGE_MS)}`);
  const { totals } = workload;
  const acked = Object.values(totals.acked).reduce((all, n) => all + n, 0);
  console.log(
    `  ${round}. ${primary.name} killed: writes again after ${outages.map(seconds).join(" (several hosts) and ")} (HAProxy);`,
    `so far ${acked} writes acknowledged, ${totals.lost} lost, ${totals.doubled} doubled,`,
    `${totals.unknown} without a response, ${totals.refused} refused;`,
    `live: ${sum(({ interruptions: n }) => n) - interruptions} interruptions, ${sum(({ refetches: n }) => n) - refetches} refetches`,
  );
  primary.start();
  await untilHealthy();
  await untilPrimary(nodes);
}

/** Kills a primary whose standby lacks the last transactions. */
async function proveAsynchronous(
  { untilHealthy, setSynchronous, nodes }: PatroniCluster,
  reader: PurseProcess,
): Promise<void> {
  console.log("asynchronous replication");
  await setSynchronous(false);
  const primary = await untilHealthy();
  await untilReached("writes", async () => (await create(reader)) !== undefined);
  const before = histories.map(({ refetches }) => refetches);
  primary.replication.break();
  const saved: string[] = [];
  while (saved.length < LOST_WRITES) {
    const id = await create(reader);
    if (id === undefined) throw new Error("the primary does not acknowledge writes without its standby");
    saved.push(id);
  }
  primary.kill();
  const outages = await Promise.all(servers.map((server) => untilSaved(server)));
  await untilRefetched(before);
  const exist = await Promise.all(
    saved.map(async (id) => (await send(reader, "GET", `/classes/Made/${id}`))?.status),
  );
  const lost = exist.filter((status) => status === 404).length;
  if (lost === 0) problems.push("no transaction was lost, so that the asynchronous failover proves nothing");
  for (let i = 0; i < LOST_WRITES; i++) await create(random.pick(servers));
  await untilEqual(reader);
  console.log(
    `  ${primary.name} killed: writes again after ${outages.map(seconds).join(" and ")};`,
    `${lost} of ${LOST_WRITES} last writes lost with it, all live queries told to query again, later changes complete`,
  );
  primary.replication.restore();
  primary.start();
  await untilHealthy();
  await untilPrimary(nodes);
}

/** Repeats a write until it is acknowledged; returns how long that took, in ms. */
async function untilSaved(server: PurseProcess): Promise<number> {
  const started = performance.now();
  await untilReached("an acknowledged write", async () => (await create(server)) !== undefined);
  return performance.now() - started;
}

/** Creates an object; returns its ID if it was acknowledged. */
async function create(server: PurseProcess): Promise<string | undefined> {
  const answer = await send(server, "POST", "/classes/Made", { token: "after" });
  return answer?.status === 201 ? String(answer.body.objectId) : undefined;
}

/** Waits until the live queries of all servers know what the tables contain. */
async function untilEqual(reader: PurseProcess): Promise<void> {
  for (const [i, history] of histories.entries())
    await untilReached("live queries", async () => (await history.difference(reader)) === 0).catch(async () =>
      problems.push(`the live queries of server ${i + 1} miss ${await history.difference(reader)} changes`),
    );
}

/** Waits until all live queries have been told to query again; `before` is how often each had been told. */
async function untilRefetched(before: readonly number[]): Promise<void> {
  await untilReached("a refetch", async () =>
    histories.every(({ refetches }, i) => refetches > (before[i] ?? 0)),
  ).catch(() => problems.push("a live query was not told to query again"));
}

async function untilPrimary(nodes: readonly PatroniNode[]): Promise<void> {
  await untilReached("both nodes", async () =>
    (await Promise.all(nodes.map((node) => node.role()))).every(Boolean),
  );
}

async function untilReached(what: string, condition: () => Promise<boolean>): Promise<void> {
  await until(condition, { withinMs: WAIT_MS, otherwise: `Not reached: ${what}` });
}

function sum(count: (history: LiveHistory) => number): number {
  return histories.reduce((all, history) => all + count(history), 0);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
