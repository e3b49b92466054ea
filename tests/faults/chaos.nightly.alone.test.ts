import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { start } from "@purse/client";
import { afterEach, describe, expect, it } from "vitest";
import { Random } from "../support/random.ts";
import { until } from "../support/until.ts";
import { Contest } from "./chaos/contest.ts";
import { databaseFaults, pause, processFaults, selectFaults, serviceFaults } from "./chaos/faults.ts";
import { Jobs } from "./chaos/jobs.ts";
import { type ChaosNode, startHostedNodes, startNode } from "./chaos/nodes.ts";
import { Pins } from "./chaos/pins.ts";
import type { Services } from "./chaos/services.ts";
import { Sessions } from "./chaos/sessions.ts";
import { Takeovers } from "./chaos/takeovers.ts";
import type { Transfers } from "./chaos/transfers.ts";
import { LiveHistory } from "./liveHistory.ts";
import { KINDS, type Kind, Workload } from "./workload.ts";

/**
 * Duration of the faults in seconds. `npm run chaos` takes ten minutes, with processes, files and all services; without
 * it, each fault of a connection to the database occurs once, while some requests are sent.
 */
const SECONDS = Number(process.env.PURSE_CHAOS_SECONDS ?? 0);
const IS_LONG = process.env.PURSE_CHAOS_SECONDS !== undefined;
const SEED = Number(process.env.PURSE_SEED ?? 1);
const LOGS_PREFIX = join(tmpdir(), "purse-chaos-logs-");
/** The beginnings of the names of faults, separated by commas; all if it is empty. */
const ONLY = (process.env.PURSE_CHAOS_FAULTS ?? "").split(",").filter(Boolean);
const NODES = 3;
const CLIENTS = 9;
/** How long faults are injected before the history is checked, in ms. */
const ROUND_MS = 20_000;
/** What is written; sign-ups mostly cost CPU time, and files need a store that the nodes share. */
const WRITES: readonly Kind[] = KINDS.filter((kind) => IS_LONG || (kind !== "signUp" && kind !== "upload"));
/** How long a node is cut off from the database or slow at most, in ms. */
const MAX_OUTAGE_MS = 2_000;
/** How many requests are sent during a fault, and after it, in a short run: fewer than clients, which may all have to wait. */
const REQUESTS_PER_FAULT = 6;
/** The longest pause between two faults of a node, in ms. */
const NODE_PAUSE_MS = 500;
/** Pauses between two names for which clients compete, jobs, sessions, pins and transfers, in ms. */
const CONTEST_PAUSE_MS = 1_000;
const JOB_PAUSE_MS = 2_000;
const SESSION_PAUSE_MS = 2_000;
const PIN_PAUSE_MS = 2_000;
const TRANSFER_PAUSE_MS = 400;
/** The longest pause between two faults of services, in ms. */
const SERVICE_PAUSE_MS = 2_000;

const ends: (() => unknown)[] = [];
/** The nodes of the running test. */
let started: ChaosNode[] = [];
afterEach(async ({ task }) => {
  const hasFailed = IS_LONG && task.result?.state === "fail";
  const logs = process.env.PURSE_CHAOS_LOGS ?? (hasFailed ? mkdtempSync(LOGS_PREFIX) : undefined);
  if (logs !== undefined) {
    mkdirSync(logs, { recursive: true });
    for (const [i, node] of started.entries()) writeFileSync(join(logs, `node-${i}.log`), node.output());
    console.log(`The logs of the nodes are in ${logs}`);
  }
  started = [];
  for (const end of ends.splice(0).reverse()) await end();
});

/** What only a long run has. */
interface LongRun {
  services: Services;
  jobs: Jobs;
  sessions: Sessions;
  transfers: Transfers;
  pins: Pins;
  takeovers: Takeovers;
}

async function prepareLongRun(): Promise<LongRun> {
  // A short run starts without them.
  const [{ startServices }, { Transfers }] = await Promise.all([
    import("./chaos/services.ts"),
    import("./chaos/transfers.ts"),
  ]);
  const services = await startServices();
  ends.push(() => services.stop());
  const takeovers = new Takeovers(services.databaseUrl);
  ends.push(() => takeovers.close());
  return {
    services,
    takeovers,
    jobs: new Jobs(),
    sessions: new Sessions(),
    transfers: new Transfers(services),
    pins: new Pins(),
  };
}

async function startNodes(long: LongRun | undefined): Promise<readonly ChaosNode[]> {
  const add = (node: ChaosNode) => {
    started.push(node);
    ends.push(() => node.remove());
  };
  if (!long) for (const node of await startHostedNodes(NODES)) add(node);
  while (started.length < NODES && long) add(await startNode(long.services));
  return started;
}

describe(`${NODES} servers on one PostgreSQL, amid faults`, () => {
  it(
    IS_LONG
      ? `lose and duplicate no write, event, username, file, job or webhook in ${SECONDS} s`
      : "lose and duplicate no write, event or username",
    async () => {
      const random = new Random(SEED);
      const long = IS_LONG ? await prepareLongRun() : undefined;
      const nodes = await startNodes(long);
      const [first] = nodes;
      if (!first) throw new Error("there are no nodes");
      await start({ serverUrl: first.purse.serverUrl, appId: first.purse.appId, plugins: [] });
      const workload = new Workload(random);
      await workload.prepare(first.purse);
      await long?.transfers.prepare(first.purse);
      const histories = nodes.map(({ purse }) => new LiveHistory(purse));
      for (const history of histories) ends.push(() => history.close());
      for (const history of histories)
        await expect.poll(() => history.isSubscribed, { timeout: 20_000 }).toBe(true);
      const contest = new Contest();
      /** Waits for up to some ms, in a short run for some requests. */
      let isShortOver = false;
      const hold = (maxMs: number) => {
        if (long) return pause(random.integerBelow(maxMs));
        const wanted = workload.sent + REQUESTS_PER_FAULT;
        return until(() => isShortOver || workload.sent >= wanted);
      };
      const nodeFaults = selectFaults(
        { ...databaseFaults(() => hold(MAX_OUTAGE_MS)), ...(long && processFaults()) },
        ONLY,
      );
      const sharedFaults = selectFaults(long ? serviceFaults(long.services) : {}, ONLY);
      const injected: Record<string, number> = {};
      const end = performance.now() + SECONDS * 1_000;
      const violations = () => [
        ...workload.violations,
        ...contest.violations,
        ...(long?.pins.violations ?? []),
        ...(long?.takeovers.violations ?? []),
        ...nodes.flatMap(({ ends }) => ends),
        ...histories.flatMap((history) => history.violations),
      ];

      do {
        const roundEnd = Math.min(end, performance.now() + ROUND_MS);
        const left = Object.keys(nodeFaults);
        const isDone = () => (long ? performance.now() > roundEnd : isShortOver);
        const repeat = async (pauseMs: number, work: () => Promise<unknown>) => {
          for (; !isDone(); await (long ? pause(pauseMs) : hold(pauseMs))) await work();
        };
        const client = async () => {
          while (!isDone()) await workload.runOne(random.pick(nodes).purse, random.pick(WRITES));
        };
        // One node is left alone, so that the others' clients have somewhere to go.
        const failNode = async () => {
          const names = Object.keys(nodeFaults);
          while (!isDone() && names.length > 0) {
            const node = random.pick(nodes.filter(({ isFaulty }) => !isFaulty));
            const name = long ? random.pick(names) : (left.pop() ?? "");
            injected[name] = (injected[name] ?? 0) + 1;
            node.isFaulty = true;
            await nodeFaults[name]?.(node, random).finally(() => {
              node.isFaulty = false;
            });
            await hold(NODE_PAUSE_MS);
            isShortOver = left.length === 0;
          }
        };
        const work = [...Array.from({ length: CLIENTS }, client), failNode()];
        work.push(repeat(CONTEST_PAUSE_MS, () => contest.run(nodes)));
        if (long) {
          const { services, jobs, sessions, transfers, pins } = long;
          const failService = async () => {
            const names = Object.keys(sharedFaults);
            while (!isDone() && names.length > 0) {
              const name = random.pick(names);
              injected[name] = (injected[name] ?? 0) + 1;
              await sharedFaults[name]?.(services, random);
              await pause(random.integerBelow(SERVICE_PAUSE_MS));
            }
          };
          work.push(failNode(), failService());
          work.push(repeat(JOB_PAUSE_MS, () => jobs.schedule(random.pick(nodes).purse)));
          work.push(repeat(SESSION_PAUSE_MS, () => sessions.run(nodes, random.pick(nodes))));
          work.push(repeat(PIN_PAUSE_MS, () => pins.run(random.pick(nodes), random.pick(nodes))));
          work.push(repeat(TRANSFER_PAUSE_MS, () => transfers.send()));
        }
        await Promise.all(work);
        expect(nodes.flatMap(({ ends }) => ends)).toEqual([]);

        for (const { purse } of nodes) {
          const isReady = async () => (await fetch(`${purse.url}/ready`).catch(() => undefined))?.status;
          await expect.poll(isReady, { timeout: 60_000 }).toBe(200);
        }
        const purses = nodes.map(({ purse }) => purse);
        if (long) {
          // After the other faults, and while clients write.
          let isTakenOver = false;
          const writers = purses.map((purse) => workload.run(purse, 1, () => isTakenOver, WRITES));
          await long.takeovers.run(nodes).finally(() => {
            isTakenOver = true;
          });
          await Promise.all(writers);
        }
        await workload.check(first.purse, long && purses);
        await contest.check(first.purse);
        for (const history of histories)
          await expect
            .poll(() => history.difference(first.purse), { timeout: 60_000, interval: 200 })
            .toBe(0);
        await long?.sessions.check(nodes);
        await long?.pins.check(nodes);
        await long?.transfers.check(first.purse);
        if (long) {
          const { jobs } = long;
          expect(await jobs.runs(first.purse)).toBeLessThanOrEqual(jobs.acked + jobs.unknown);
          console.log(
            JSON.stringify({
              injected,
              ...workload.totals,
              rejections: histories.map(({ rejections }) => rejections),
            }),
          );
        }
      } while (performance.now() < end && violations().length === 0);
      await long?.jobs.check(first.purse);
      const sum = (count: (history: LiveHistory) => number) =>
        histories.reduce((all, each) => all + count(each), 0);
      console.log(
        `seed ${SEED}${IS_LONG ? `, ${SECONDS} s` : ""}:`,
        JSON.stringify({
          injected,
          ...workload.totals,
          live: {
            events: sum(({ events }) => events),
            refetches: sum(({ refetches }) => refetches),
            interruptions: sum(({ interruptions }) => interruptions),
            rejections: histories.flatMap(({ rejections }) => rejections),
          },
          ...(long && {
            jobs: {
              scheduled: long.jobs.acked,
              unknown: long.jobs.unknown,
              rejections: long.jobs.rejections,
              started: await long.jobs.runs(first.purse),
              failed: await long.jobs.runs(first.purse, "failed"),
            },
            sessions: { ended: long.sessions.ended },
            pins: { pinned: long.pins.pinned, unpinned: long.pins.unpinned },
            takeovers: long.takeovers.metrics,
            transfers: { stored: long.transfers.stored, webhooks: long.transfers.delivered },
          }),
        }),
      );
      expect(violations()).toEqual([]);
    },
    180_000 + SECONDS * 10_000,
  );
});
