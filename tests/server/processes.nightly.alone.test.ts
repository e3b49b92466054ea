import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LiveQuery, Query, start } from "@purse/client";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { databaseEnv } from "../support/databases.ts";
import { connectLive } from "../support/liveClient.ts";
import { startLoad } from "../support/processLoad.ts";
import { type PurseProcess, rest, signUp, startPurse } from "../support/purse.ts";

const MASTER = { useMasterKey: true };
const COUNT = 3;

describe("several processes on one port and PostgreSQL", () => {
  let purse: PurseProcess;
  beforeAll(async () => {
    const config = join(mkdtempSync(join(tmpdir(), "purse-")), "purse.config.ts");
    const limits = [{ path: "/login", windowSeconds: 600, count: 5 }];
    writeFileSync(config, `export default { processes: ${COUNT}, rateLimits: ${JSON.stringify(limits)} };`);
    const env = { ...(await databaseEnv("PostgreSQL")), PURSE_CONFIG: config };
    purse = await startPurse({ env });
    await vi.waitFor(() => expect(purse.output()).toContain("Ctrl-C ends it"), { timeout: 90_000 });
  }, 180_000);
  afterAll(async () => {
    await purse?.remove();
  });

  /** The processes that serve requests. */
  function pids(): number[] {
    const children = readFileSync(`/proc/${purse.pid}/task/${purse.pid}/children`, "utf8");
    return children.trim().split(/\s+/).map(Number);
  }
  /** The number of processes that are ready, as the metrics report it. */
  async function readyCount(): Promise<number> {
    const text = await (await fetch(`${purse.url}/metrics`)).text();
    return Number(/^purse_processes (\d+)$/m.exec(text)?.[1] ?? 0);
  }

  /** The number of successful POST requests to all processes. */
  async function postCount(): Promise<number> {
    const text = await (await fetch(`${purse.url}/metrics`)).text();
    return Number(
      /purse_http_requests_total\{api="parse",method="POST",status="2xx"\} (\d+)/.exec(text)?.[1],
    );
  }

  it("start and are counted in the metrics, which are summed over all of them", async () => {
    expect(pids()).toHaveLength(COUNT);
    expect(await readyCount()).toBe(COUNT);
    for (let i = 0; i < 9; i++) await rest(purse, "POST", "/classes/Counted", { i });
    // A response is counted after it is sent.
    await expect.poll(postCount).toBe(9);
  });

  it("share sessions, the config and rate limits", async () => {
    const ann = await signUp(purse);
    const { sessionToken } = ann;
    const me = () => rest(purse, "GET", "/users/me", undefined, { sessionToken });
    for (let i = 0; i < 6; i++) expect((await me()).status).toBe(200);
    await rest(purse, "POST", "/logout", {}, { sessionToken });
    await expect
      .poll(async () =>
        (await Promise.all(Array.from({ length: 9 }, me))).every(({ status }) => status !== 200),
      )
      .toBe(true);
    await rest(purse, "PUT", "/config", { params: { a: 1 } }, MASTER);
    const configs = Array.from({ length: 9 }, () => rest(purse, "GET", "/config"));
    for (const { body } of await Promise.all(configs)) expect(body.params).toEqual({ a: 1 });
    const logIns = Array.from({ length: 12 }, () =>
      rest(purse, "GET", "/login?username=nobody&password=wrong"),
    );
    const statuses = (await Promise.all(logIns)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 404)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(7);
  });

  it("send changes to live queries on all of them", async () => {
    await rest(purse, "POST", "/classes/Live", { n: 0 });
    const clients = await Promise.all(Array.from({ length: 2 * COUNT }, () => connectLive(purse)));
    for (const { subscribe } of clients) await subscribe("Live");
    const { body } = await rest(purse, "POST", "/classes/Live", { n: 1 });
    for (const { next } of clients)
      expect(await next()).toMatchObject({ op: "create", object: { objectId: body.objectId } });
    for (const { socket } of clients) socket.terminate();
  });

  it("are restarted when they exit", async () => {
    const [victim = 0] = pids();
    const posts = await postCount();
    process.kill(victim, "SIGKILL");
    await expect.poll(() => purse.output(), { timeout: 30_000 }).toContain("is started again");
    await expect.poll(() => pids().filter((pid) => pid !== victim).length, { timeout: 60_000 }).toBe(COUNT);
    await expect.poll(readyCount, { timeout: 60_000 }).toBe(COUNT);
    // A sum that falls would look like a restart of all, and what is left of it like new requests.
    expect(await postCount()).toBe(posts);
  });

  it("are replaced one by one on SIGHUP without failed requests or lost live query events", async () => {
    await start({ serverUrl: purse.serverUrl, appId: purse.appId, plugins: [] });
    await rest(purse, "POST", "/classes/Load", { n: 0 });
    const numbers: number[] = [];
    let refetches = 0;
    let interruptions = 0;
    const subscription = await new Query("Load").subscribe();
    subscription.on("create", (object) => numbers.push(Number(object.get("n"))));
    subscription.on("refetch", () => {
      refetches += 1;
    });
    subscription.on("close", () => {
      interruptions += 1;
    });
    const posts = await postCount();
    // Some requests are under way at any time, which is what matters.
    const load = startLoad(purse, 1);
    await load.more(50);
    const before = pids();
    process.kill(purse.pid, "SIGHUP");
    await expect
      .poll(() => purse.output(), { timeout: 100_000 })
      .toContain("all processes have been replaced");
    await load.more(50);
    await load.stop();
    expect(pids().filter((pid) => before.includes(pid))).toEqual([]);
    expect(load.failures()).toEqual([]);
    const { body } = await rest(purse, "GET", "/classes/Load?limit=0&count=1");
    await expect.poll(() => numbers.length).toBe(Number(body.count) - 1);
    await expect.poll(postCount).toBe(posts + numbers.length);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect([refetches, interruptions > 0]).toEqual([0, true]);
    await LiveQuery.close();
  });

  it("finish accepted requests after SIGTERM, and exit", async () => {
    const answered = rest(purse, "GET", "/classes/Load?limit=1");
    expect((await answered).status).toBe(200);
    const processes = pids();
    process.kill(purse.pid, "SIGTERM");
    const isRunning = (pid: number) => {
      try {
        process.kill(pid, 0);
        return true;
      } catch {
        return false;
      }
    };
    await expect.poll(() => processes.filter(isRunning), { timeout: 60_000 }).toEqual([]);
  });
});
