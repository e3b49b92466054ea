import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { mainThreadCpuMs, processCpuMs } from "../support/processCpu.ts";
import { type Answer, type PurseProcess, query, rest, startPurse } from "../support/purse.ts";

const TIMEOUT_MS = 3_000;
/** Linear but slow patterns, which together nearly have the maximum size. */
const SLOW_PATTERNS = Array.from(
  { length: 8 },
  (_, i) => `(?i)(x[ab]{${40 + i}}|[ab]{${40 + i}}y|(a|b)*a(a|b){${40 + i}}z)$`,
);
const SLOW = { $or: SLOW_PATTERNS.map((pattern) => ({ text: { $regex: pattern } })) };
const LONG_TEXT = Array.from({ length: 1_000_000 }, (_, i) =>
  Math.imul(i, 2_654_435_761) & 65_536 ? "a" : "b",
).join("");

describe.each(DATABASES)("a server with slow queries on %s", (database) => {
  let purse: PurseProcess;

  beforeAll(async () => {
    purse = await startPurse({
      env: { ...(await databaseEnv(database)), PURSE_QUERY_TIMEOUT_MS: String(TIMEOUT_MS) },
    });
    // PostgreSQL matches 24 of them in about a second.
    for (let i = 0; i < 100; i++) await rest(purse, "POST", "/classes/Text", { text: LONG_TEXT, n: i });
    for (let i = 0; i < 20; i++) await rest(purse, "POST", "/classes/Small", { n: i, name: `name ${i}` });
  });
  afterAll(() => purse?.remove());

  const find = (className: string, params: Record<string, unknown>): Promise<Answer> =>
    rest(purse, "GET", `/classes/${className}${query(params)}`);
  const slow = (extra: Record<string, unknown> = {}): Promise<Answer> =>
    find("Text", { where: { ...SLOW, ...extra }, keys: "n" });

  it("ends a pattern match at the time limit with error 124 without blocking other requests", async () => {
    const order: string[] = [];
    const note = (name: string) => (answer: Answer) => {
      order.push(name);
      return answer;
    };
    const ended = slow().then(note("slow"));
    const others = Array.from({ length: 10 }, (_, i) =>
      // Each with a new query shape.
      find("Small", { where: { [`field${i}`]: { $exists: false }, n: { $gte: 0 } } }).then(note("other")),
    );
    for (const { status, body } of await Promise.all(others)) {
      expect({ status, count: Array.isArray(body.results) && body.results.length }).toEqual({
        status: 200,
        count: 20,
      });
    }
    expect(await ended).toMatchObject({ status: 400, body: { code: 124, error: "The query took too long" } });
    expect(order.at(-1)).toBe("slow");
  });

  it("never matches patterns on the event loop, even if the same query was fast before", async () => {
    const never = { __type: "Date", iso: "2999-01-01T00:00:00.000Z" };
    for (let i = 0; i < 15; i++) {
      const { body } = await slow({ createdAt: { $gt: never } });
      expect(body.results).toEqual([]);
    }
    const before = mainThreadCpuMs(purse.pid);
    const always = { __type: "Date", iso: "2000-01-01T00:00:00.000Z" };
    expect((await slow({ createdAt: { $gt: always } })).body.code).toBe(124);
    expect(mainThreadCpuMs(purse.pid) - before).toBeLessThan(TIMEOUT_MS / 3);
  });

  it("cancels a pattern match whose client has disconnected", async () => {
    const controller = new AbortController();
    const url = `${purse.serverUrl}/classes/Text${query({ where: { ...SLOW, n: { $gte: 0 } } })}`;
    const headers = { "X-Parse-Application-Id": purse.appId };
    const requested = fetch(url, { headers, signal: controller.signal }).catch(() => undefined);
    await expect.poll(() => find("Small", { where: { n: 1 } }).then(({ status }) => status)).toBe(200);
    controller.abort();
    await requested;
    // The workers are free again, so that the next query succeeds before the time limit of the canceled one.
    const answers = await Promise.all(
      [1, 2, 3].map(() => find("Small", { where: { name: { $regex: "name 1$" } } })),
    );
    expect(answers.map(({ body }) => Array.isArray(body.results) && body.results.length)).toEqual([1, 1, 1]);
    let before = Number.NEGATIVE_INFINITY;
    /** CPU time since the last poll. */
    const used = () => {
      const now = processCpuMs(purse.pid);
      const since = now - before;
      before = now;
      return since;
    };
    await expect.poll(used, { interval: 300 }).toBeLessThan(150);
  });

  it("reports that it and every worker are ready after queries were canceled", async () => {
    const read = async (): Promise<{ status: string; workers: { name: string; state: string }[] }> =>
      (await fetch(`${purse.url}/ready`)).json();
    // The one whose query was canceled may still start again.
    await expect
      .poll(async () => (await read()).workers.filter(({ state }) => state !== "ready"))
      .toEqual([]);
    const { status, workers } = await read();
    expect(status).toBe("ready");
    if (database === "SQLite") {
      expect(workers.map(({ name }) => name)).toContain("database writer");
    }
  });
});
