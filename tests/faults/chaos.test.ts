import { resolve } from "node:path";
import { start } from "@purse/client";
import { afterEach, describe, expect, it } from "vitest";
import { databaseEnv } from "../support/databases.ts";
import { type CommitFault, type PostgresProxy, startPostgresProxy } from "../support/postgresProxy.ts";
import { hostPurse, type Purse, type PurseProcess, query, rest, startPurse } from "../support/purse.ts";
import { Random } from "../support/random.ts";
import { LiveHistory } from "./liveHistory.ts";
import { KINDS, type Kind, Workload } from "./workload.ts";

/** Duration of the faults; `npm run chaos` takes ten minutes, and kills and freezes processes as well. */
const SECONDS = Number(process.env.PURSE_CHAOS_SECONDS ?? 5);
const KILLS = process.env.PURSE_CHAOS_SECONDS !== undefined;
const SEED = Number(process.env.PURSE_SEED ?? 1);
const NODES = 3;
const CLIENTS = 9;
/** How long faults are injected before the history is checked, in ms. */
const ROUND_MS = 20_000;
const MASTER = { useMasterKey: true };
const CODE = resolve(import.meta.dirname, "../fixtures/cloud/main.ts");
/** What is written into the database; sign-ups mostly cost CPU time. */
const WRITES: readonly Kind[] = KINDS.filter((kind) => kind !== "upload" && (KILLS || kind !== "signUp"));
/** How long a node is cut off or slow at most, in ms. */
const MAX_OUTAGE_MS = KILLS ? 2_000 : 300;
/** Pause between two names for which clients compete, in ms. */
const CONTEST_PAUSE_MS = 1_000;
const COMMIT_FAULTS: readonly CommitFault[] = ["loseResponse", "loseRequest", "deliverLate"];
/** Those of a long run make requests wait for the deadlines of the database sessions, or a process for its start. */
const FAULTS = ["commit", "cut", "slow", ...(KILLS ? (["blackHole", "kill", "stop"] as const) : [])] as const;
type Fault = (typeof FAULTS)[number];

interface Node {
  purse: Purse;
  proxy: PostgresProxy;
  /** Its process, if it has one of its own. */
  process?: PurseProcess;
  /** Whether a fault is being injected. */
  isFaulty: boolean;
  /** Starts it again after it was killed. */
  restart(): Promise<void>;
}

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Starts a server that reaches its database through a proxy. */
async function startNode(env: Record<string, string>): Promise<Node> {
  const url = env.PURSE_DATABASE_URL ?? "";
  const proxy = await startPostgresProxy(url);
  ends.push(() => proxy.close());
  const options = { env: { ...env, PURSE_DATABASE_URL: proxy.url(url) } };
  if (!KILLS) {
    const purse = await hostPurse(options);
    ends.push(() => purse.remove());
    return { purse, proxy, isFaulty: false, restart: async () => undefined };
  }
  const process = await startPurse(options);
  const node: Node = {
    purse: process,
    proxy,
    process,
    isFaulty: false,
    async restart() {
      const { port, dataDir } = node.purse;
      node.process = await startPurse({ ...options, port, dataDir });
      node.purse = node.process;
    },
  };
  ends.push(() => node.purse.remove());
  return node;
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** Injects a fault into a node and removes it. */
async function inject({ proxy, process: child, restart }: Node, fault: Fault, random: Random): Promise<void> {
  switch (fault) {
    case "commit": {
      let left = 1;
      proxy.onCommit(() => (left-- > 0 ? random.pick(COMMIT_FAULTS) : undefined));
      await pause(100 + random.integerBelow(400));
      return proxy.onCommit(undefined);
    }
    case "cut":
      proxy.break();
      await pause(random.integerBelow(MAX_OUTAGE_MS));
      return proxy.restore();
    case "blackHole":
      proxy.freeze();
      await pause(random.integerBelow(3_000));
      proxy.thaw();
      // The sessions of the server end when it notices.
      return;
    case "slow":
      proxy.delay(20 + random.integerBelow(100));
      await pause(random.integerBelow(MAX_OUTAGE_MS));
      return proxy.delay(0);
    case "kill":
      await child?.kill();
      return restart();
    case "stop":
      if (child) process.kill(child.pid, "SIGSTOP");
      await pause(500 + random.integerBelow(4_000));
      if (child) process.kill(child.pid, "SIGCONT");
  }
}

/** Several clients sign up with the same names at different nodes: each name belongs to one of them. */
class Contest {
  #names = 0;
  readonly violations: string[] = [];
  readonly #acked = new Map<string, number>();

  async run(nodes: readonly Node[]): Promise<void> {
    const username = `contested${++this.#names}`;
    const answers = await Promise.all(
      nodes.map(({ purse }) =>
        rest(purse, "POST", "/users", { username, password: "correct horse" }).catch(() => undefined),
      ),
    );
    this.#acked.set(username, answers.filter((answer) => answer?.status === 201).length);
  }

  async check(purse: Purse): Promise<void> {
    const where = { username: { $regex: "^contested" } };
    const { body } = await rest(purse, "GET", `/users${query({ where, limit: "10000" })}`, undefined, MASTER);
    const names = (Array.isArray(body.results) ? body.results : []).map((user) =>
      String(Object(user).username),
    );
    if (new Set(names).size < names.length) this.violations.push("a username exists twice");
    for (const [name, acked] of this.#acked) {
      if (acked > 1) this.violations.push(`${acked} clients have signed up as ${name}`);
      if (acked === 1 && !names.includes(name)) this.violations.push(`${name} does not exist`);
    }
  }
}

/** How long it may take until the job of a killed process is marked as failed, in ms. */
const LOST_JOB_MS = 180_000;

/** Jobs that are due amid faults run at most once each; each that was acknowledged has succeeded or failed in the end. */
class Jobs {
  readonly #acked: number[] = [];
  #last = 0;

  get acked(): number {
    return this.#acked.length;
  }

  get unknown(): number {
    return this.#last - this.acked;
  }

  async schedule(purse: Purse): Promise<void> {
    const startAfter = new Date(Date.now() + 1_500).toISOString();
    const n = ++this.#last;
    const schedule = { jobName: "count", startAfter, params: JSON.stringify({ n }) };
    const answer = await rest(purse, "POST", "/classes/_JobSchedule", schedule, MASTER).catch(
      () => undefined,
    );
    if (answer?.status === 201) this.#acked.push(n);
  }

  /** The numbers of the jobs that have ended, sorted. */
  async #ended(purse: Purse): Promise<number[]> {
    const where = { jobName: "count", status: { $in: ["succeeded", "failed"] } };
    const path = `/classes/_JobStatus${query({ where, limit: "10000" })}`;
    const { body } = await rest(purse, "GET", path, undefined, MASTER);
    const statuses = Array.isArray(body.results) ? body.results : [];
    return statuses.map((status) => Number(Object(Object(status).params).n)).sort((a, b) => a - b);
  }

  /** How many jobs have been started, or have one of these states. */
  async runs(purse: Purse, ...states: string[]): Promise<number> {
    const where = { jobName: "count", ...(states.length > 0 && { status: { $in: states } }) };
    const path = `/classes/_JobStatus${query({ where, count: 1, limit: "0" })}`;
    return Number((await rest(purse, "GET", path, undefined, MASTER)).body.count);
  }

  async check(purse: Purse): Promise<void> {
    const lost = async () => {
      const ended = new Set(await this.#ended(purse));
      return this.#acked.filter((n) => !ended.has(n));
    };
    const patience = { timeout: LOST_JOB_MS, interval: 1_000 };
    await expect
      .poll(lost, patience)
      .toEqual([])
      .catch((error: unknown) => this.#explain(purse, error));
    await expect.poll(() => this.runs(purse, "running"), patience).toBe(0);
    const ended = await this.#ended(purse);
    expect(ended).toEqual([...new Set(ended)]);
  }

  /** Fails with all schedules and statuses. */
  async #explain(purse: Purse, error: unknown): Promise<never> {
    for (const className of ["_JobSchedule", "_JobStatus"]) {
      const path = `/classes/${className}${query({ limit: "10000" })}`;
      console.log(className, JSON.stringify((await rest(purse, "GET", path, undefined, MASTER)).body));
    }
    throw error;
  }
}

describe(`${NODES} servers on one PostgreSQL, amid faults`, () => {
  it(
    `lose and duplicate no write, event or username${KILLS ? ", and duplicate no job," : ""} in ${SECONDS} s`,
    async () => {
      const random = new Random(SEED);
      const env = { ...(await databaseEnv("PostgreSQL")), ...(KILLS && { PURSE_CLOUD: CODE }) };
      const nodes: Node[] = [];
      for (let i = 0; i < NODES; i++) nodes.push(await startNode(env));
      const [first] = nodes;
      if (!first) throw new Error("there are no nodes");
      await start({ serverUrl: first.purse.serverUrl, appId: first.purse.appId, plugins: [] });
      const workload = new Workload(random);
      await workload.prepare(first.purse);
      const histories = nodes.map(({ purse }) => new LiveHistory(purse));
      for (const history of histories) ends.push(() => history.close());
      for (const history of histories)
        await expect.poll(() => history.isSubscribed, { timeout: 20_000 }).toBe(true);
      const [contest, jobs] = [new Contest(), new Jobs()];
      const injected: Partial<Record<Fault, number>> = {};
      const end = performance.now() + SECONDS * 1_000;
      const violations = () => [
        ...workload.violations,
        ...contest.violations,
        ...histories.flatMap((history) => history.violations),
      ];

      while (performance.now() < end && violations().length === 0) {
        const roundEnd = Math.min(end, performance.now() + ROUND_MS);
        const isDone = () => performance.now() > roundEnd;
        const client = async () => {
          while (!isDone()) await workload.runOne(random.pick(nodes).purse, random.pick(WRITES));
        };
        const contestant = async () => {
          for (; !isDone(); await pause(CONTEST_PAUSE_MS)) await contest.run(nodes);
        };
        const scheduler = async () => {
          for (; KILLS && !isDone(); await pause(2_000)) await jobs.schedule(random.pick(nodes).purse);
        };
        // One node is left alone, so that the others' clients have somewhere to go.
        const faults = async () => {
          while (!isDone()) {
            const free = nodes.filter(({ isFaulty }) => !isFaulty);
            const node = random.pick(free);
            const fault = random.pick(FAULTS);
            injected[fault] = (injected[fault] ?? 0) + 1;
            node.isFaulty = true;
            await inject(node, fault, random).finally(() => {
              node.isFaulty = false;
            });
            await pause(random.integerBelow(500));
          }
        };
        const clients = Array.from({ length: CLIENTS }, client);
        await Promise.all([...clients, contestant(), scheduler(), faults(), ...(KILLS ? [faults()] : [])]);

        for (const { purse } of nodes) {
          const isReady = async () => (await fetch(`${purse.url}/ready`).catch(() => undefined))?.status;
          await expect.poll(isReady, { timeout: 60_000 }).toBe(200);
        }
        await workload.check(first.purse);
        await contest.check(first.purse);
        for (const history of histories)
          await expect
            .poll(() => history.difference(first.purse), { timeout: 60_000, interval: 200 })
            .toBe(0);
        if (KILLS) {
          expect(await jobs.runs(first.purse)).toBeLessThanOrEqual(jobs.acked + jobs.unknown);
          console.log(
            JSON.stringify({
              injected,
              ...workload.totals,
              rejections: histories.map(({ rejections }) => rejections),
            }),
          );
        }
      }
      if (KILLS) await jobs.check(first.purse);
      const sum = (count: (history: LiveHistory) => number) =>
        histories.reduce((all, each) => all + count(each), 0);
      console.log(
        `seed ${SEED}, ${SECONDS} s:`,
        JSON.stringify({
          injected,
          ...workload.totals,
          live: {
            events: sum(({ events }) => events),
            refetches: sum(({ refetches }) => refetches),
            interruptions: sum(({ interruptions }) => interruptions),
            rejections: histories.flatMap(({ rejections }) => rejections),
          },
          jobs: {
            scheduled: jobs.acked,
            unknown: jobs.unknown,
            ...(KILLS && {
              started: await jobs.runs(first.purse),
              failed: await jobs.runs(first.purse, "failed"),
            }),
          },
        }),
      );
      expect(violations()).toEqual([]);
    },
    180_000 + SECONDS * 10_000,
  );
});
