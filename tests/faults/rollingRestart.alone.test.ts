import { LiveQueryClient, type ParseObject, Query, start } from "@purse/client";
import { afterEach, describe, expect, it } from "vitest";
import { type Balancer, startHaproxy, startTcpBalancer } from "../support/balancer.ts";
import { databaseEnv } from "../support/databases.ts";
import { startLoad } from "../support/processLoad.ts";
import { hostPurse, type Purse, type PurseProcess, rest, startPurse } from "../support/purse.ts";

/** How often each of the nodes is restarted; in a short run, one of two nodes once, beside one that is not. */
const ROUNDS = Number(process.env.PURSE_RESTART_ROUNDS ?? 1);
const IS_LONG = process.env.PURSE_RESTART_ROUNDS !== undefined;
const RESTARTED = IS_LONG ? 3 : 1;
/** In a short run, one client sends requests: what matters is that one is under way at any time. */
const LOAD_CLIENTS = IS_LONG ? 4 : 1;
const LIVE_CLIENTS = IS_LONG ? 5 : 2;
const MAX_FAILED_SHARE = 0.001;

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const haproxy = process.env.PURSE_HAPROXY;
  const balancer = haproxy ? await startHaproxy(haproxy, ports) : await startTcpBalancer(ports);
  ends.push(() => balancer.close());
  return balancer;
}

/** A live query through the balancer, by Purse's client: the numbers of the objects that it received, in order. */
async function followLoad(serverUrl: string, appId: string) {
  const client = new LiveQueryClient({ applicationId: appId, serverURL: serverUrl.replace(/^http/, "ws") });
  const received = { numbers: [] as number[], refetches: 0, interruptions: 0 };
  const subscription = client.subscribe<ParseObject>(new Query("Load"));
  subscription.on("create", (object) => received.numbers.push(Number(object.get("n"))));
  subscription.on("refetch", () => {
    received.refetches += 1;
  });
  client.on("close", () => {
    received.interruptions += 1;
  });
  // The balancer may not have noticed yet that a server has gone; the client connects again.
  client.on("error", () => undefined);
  ends.push(async () => client.close());
  await new Promise((resolve) => client.once("open", () => resolve(undefined)));
  await expect.poll(() => subscription.subscribed).toBe(true);
  return received;
}

describe("a rolling restart of nodes behind a balancer under load", () => {
  it(
    "fails at most one in 1,000 requests, and live queries of Purse's client lose no event",
    async () => {
      const env = {
        ...(await databaseEnv("PostgreSQL")),
        PURSE_DRAIN_DELAY_SECONDS: IS_LONG ? "2" : "1",
        // All of them come from one address.
        PURSE_TRUSTED_PROXIES: "loopback",
      };
      const nodes: PurseProcess[] = [];
      ends.push(() => Promise.all(nodes.map((node) => node.remove())));
      // One after the other: this is not about the load of a start.
      for (let i = 0; i < RESTARTED; i++) nodes.push(await startPurse({ env }));
      const others: Purse[] = IS_LONG ? [] : [await hostPurse({ env })];
      ends.push(() => Promise.all(others.map((node) => node.remove())));
      const balancer = await startBalancer([...nodes, ...others].map(({ port }) => port));
      const [first] = nodes;
      if (!first) throw new Error("there are no nodes");
      const serverUrl = `http://127.0.0.1:${balancer.port}/server`;
      const target = { ...first, serverUrl };
      await rest(target, "POST", "/classes/Load", { n: 0 });
      await start({ serverUrl, appId: first.appId, plugins: [] });
      const followers = await Promise.all(
        Array.from({ length: LIVE_CLIENTS }, () => followLoad(serverUrl, first.appId)),
      );
      const load = startLoad(target, LOAD_CLIENTS);
      ends.push(() => load.stop());
      await load.more(100);
      for (let round = 0; round < ROUNDS; round++) {
        for (const [i, node] of nodes.entries()) {
          expect(await node.terminate()).toBe(0);
          nodes[i] = await startPurse({ env, port: node.port, dataDir: node.dataDir });
          await balancer.untilUsed(node.port, true);
          await load.more(50);
        }
      }
      await load.more(100);
      await load.stop();
      const requests = load.succeeded() + load.failures().length;
      const { body } = await rest(target, "GET", "/classes/Load?limit=0&count=1");
      const created = Number(body.count) - 1;
      for (const { numbers } of followers) await expect.poll(() => numbers.length).toBe(created);
      console.log(
        `${ROUNDS * RESTARTED} restarts: ${requests} requests, ${load.failures().length} failed; ${LIVE_CLIENTS} live queries, ${followers.reduce((sum, { interruptions }) => sum + interruptions, 0)} reconnections, ${created} changes received by each`,
        load.failures(),
      );
      for (const { numbers, refetches } of followers) {
        expect(new Set(numbers).size).toBe(created);
        expect(refetches).toBe(0);
      }
      // In a short run, a single one would be more than that share.
      expect(load.failures().length).toBeLessThanOrEqual(requests * MAX_FAILED_SHARE);
    },
    180_000 + ROUNDS * RESTARTED * 60_000,
  );
});
