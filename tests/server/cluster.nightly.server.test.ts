import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databaseEnv } from "../support/databases.ts";
import { type Answer, type Purse, query, rest, signUp, startPurse } from "../support/purse.ts";

const CODE = resolve(import.meta.dirname, "../fixtures/cloud/main.ts");
const MASTER = { useMasterKey: true };

/** Repeats a request until the response is as expected, because changes take time to reach the other process. */
async function until(ask: () => Promise<Answer>, isWanted: (answer: Answer) => boolean): Promise<Answer> {
  let answer = await ask();
  const isAsWanted = async () => {
    if (!isWanted(answer)) answer = await ask();
    return isWanted(answer);
  };
  await expect.poll(isAsWanted).toBe(true);
  return answer;
}

describe("two processes on one PostgreSQL", () => {
  let one: Purse;
  let two: Purse;
  beforeAll(async () => {
    const config = join(mkdtempSync(join(tmpdir(), "purse-")), "purse.config.ts");
    const limits = [{ path: "/login", windowSeconds: 60, count: 5 }];
    writeFileSync(config, `export default { rateLimits: ${JSON.stringify(limits)} };`);
    const env = { ...(await databaseEnv("PostgreSQL")), PURSE_CLOUD: CODE, PURSE_CONFIG: config };
    [one, two] = await Promise.all([startPurse({ env }), startPurse({ env })]);
  });
  afterAll(async () => {
    await Promise.all([one.remove(), two.remove()]);
  });

  it("start concurrently on an empty database and share objects", async () => {
    const { body } = await rest(one, "POST", "/classes/Shared", { n: 1 });
    const found = await until(
      () => rest(two, "GET", `/classes/Shared/${body.objectId}`),
      ({ status }) => status === 200,
    );
    expect(found.body.n).toBe(1);
  });

  it("share new fields and agree on their types", async () => {
    await rest(one, "POST", "/classes/Typed", { a: "text" });
    const refused = await until(
      () => rest(two, "POST", "/classes/Typed", { a: 5 }),
      ({ status }) => status === 400,
    );
    expect(refused.body.code).toBe(111);
    // Both add fields concurrently: none is lost.
    const saves = [one, two].flatMap((purse, i) =>
      Array.from({ length: 10 }, (_, j) => rest(purse, "POST", "/classes/Typed", { [`f${i}x${j}`]: j })),
    );
    expect((await Promise.all(saves)).every(({ status }) => status === 201)).toBe(true);
    const { body } = await rest(one, "GET", "/schemas/Typed", undefined, MASTER);
    expect(Object.keys(Object(body.fields)).filter((name) => /^f\dx\d$/.test(name))).toHaveLength(20);
  });

  it("share config parameters and hooks", async () => {
    await rest(one, "PUT", "/config", { params: { a: 1 } }, MASTER);
    expect((await rest(two, "GET", "/config")).body.params).toEqual({ a: 1 });
    // Both set a different parameter concurrently: none is lost.
    await Promise.all(
      [one, two].map((purse, i) => rest(purse, "PUT", "/config", { params: { [`p${i}`]: i } }, MASTER)),
    );
    expect((await rest(one, "GET", "/config")).body.params).toEqual({ a: 1, p0: 0, p1: 1 });
    const hook = { functionName: "far", url: "http://127.0.0.1:1/" };
    const made = await Promise.all(
      [one, two].map((purse) => rest(purse, "POST", "/hooks/functions", hook, MASTER)),
    );
    expect(made.map(({ status }) => status).sort()).toEqual([200, 400]);
    const called = await until(
      () => rest(two, "POST", "/functions/far", {}),
      ({ body }) => body.error === "The webhook could not be called.",
    );
    expect(called.body.code).toBe(141);
  });

  it("run a scheduled job in one of them", async () => {
    const runs = async (jobName: string) => {
      const { body } = await rest(
        two,
        "GET",
        `/classes/_JobStatus${query({ where: { jobName } })}`,
        undefined,
        MASTER,
      );
      return Array.isArray(body.results) ? body.results : [];
    };
    const before = (await runs("tick")).length;
    const startAfter = new Date(Date.now() + 1_500).toISOString();
    await rest(one, "POST", "/classes/_JobSchedule", { jobName: "count", startAfter }, MASTER);
    await expect.poll(() => runs("count"), { timeout: 10_000 }).toMatchObject([{ status: "succeeded" }]);
    // "tick" runs every second. Both poll for due jobs at least as often.
    let times: number[] = [];
    /** The seconds from the first run to the last one. */
    const span = async () => {
      times = (await runs("tick")).map((run) => Date.parse(Object(run).createdAt)).sort((a, b) => a - b);
      times.splice(0, before);
      return (Math.max(...times) - Math.min(...times)) / 1_000;
    };
    await expect.poll(span).toBeGreaterThanOrEqual(3.5);
    expect(await runs("count")).toHaveLength(1);
    const seconds = await span();
    // With a run in each of them there would be two per second. The first run may have been late.
    expect(times.length).toBeLessThan(1.5 * seconds + 2);
  });

  it("share class-level permissions", async () => {
    await rest(one, "POST", "/classes/Guarded", { n: 1 });
    await until(
      () => rest(two, "GET", "/classes/Guarded"),
      ({ body }) => Object(body.results).length === 1,
    );
    await rest(one, "PUT", "/schemas/Guarded", { classLevelPermissions: { get: { "*": true } } }, MASTER);
    const refused = await until(
      () => rest(two, "GET", "/classes/Guarded"),
      ({ status }) => status === 400 || status === 403,
    );
    expect(refused.body.code).toBe(119);
  });

  it("reject a session that ended in the other process", async () => {
    const ann = await signUp(one);
    const me = () => rest(two, "GET", "/users/me", undefined, { sessionToken: ann.sessionToken });
    expect((await me()).status).toBe(200);
    await rest(one, "POST", "/logout", {}, { sessionToken: ann.sessionToken });
    const refused = await until(me, ({ status }) => status !== 200);
    expect(refused.body.code).toBe(209);
  });

  it("share changes of roles", async () => {
    const ann = await signUp(one);
    const { body } = await rest(
      one,
      "POST",
      "/classes/Secret",
      { ACL: { "role:crew": { read: true } } },
      MASTER,
    );
    const read = () =>
      rest(two, "GET", `/classes/Secret/${body.objectId}`, undefined, { sessionToken: ann.sessionToken });
    expect((await until(read, ({ status }) => status === 404)).body.code).toBe(101);
    const user = { __type: "Pointer", className: "_User", objectId: ann.id };
    const role = await rest(
      one,
      "POST",
      "/roles",
      { name: "crew", ACL: {}, users: { __op: "AddRelation", objects: [user] } },
      MASTER,
    );
    expect((await until(read, ({ status }) => status === 200)).status).toBe(200);
    await rest(
      one,
      "PUT",
      `/roles/${role.body.objectId}`,
      { users: { __op: "RemoveRelation", objects: [user] } },
      MASTER,
    );
    expect((await until(read, ({ status }) => status !== 200)).body.code).toBe(101);
  });

  it("give a username to one of several concurrent sign-ups", { tags: ["8.code.202"] }, async () => {
    const tries = Array.from({ length: 12 }, (_, i) =>
      rest(i % 2 ? one : two, "POST", "/users", { username: "wanted", password: "correct horse" }),
    );
    const statuses = (await Promise.all(tries)).map(({ status, body }) => [status, body.code]);
    expect(statuses.filter(([status]) => status === 201)).toHaveLength(1);
    expect(statuses.filter(([, code]) => code === 202)).toHaveLength(11);
  });

  it("count login attempts of an address together", async () => {
    const logIns = Array.from({ length: 8 }, (_, i) =>
      rest(i % 2 ? one : two, "GET", "/login?username=nobody&password=wrong"),
    );
    const statuses = (await Promise.all(logIns)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 404)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(3);
  });

  it("lose no concurrent increments", async () => {
    const { body } = await rest(one, "POST", "/classes/Shared", { n: 0, list: [] });
    const path = `/classes/Shared/${body.objectId}`;
    await until(
      () => rest(two, "GET", path),
      ({ status }) => status === 200,
    );
    const changes = Array.from({ length: 40 }, (_, i) =>
      rest(i % 2 ? one : two, "PUT", path, {
        n: { __op: "Increment", amount: 1 },
        list: { __op: "Add", objects: [i] },
      }),
    );
    await Promise.all(changes);
    const after = await rest(one, "GET", path);
    expect(after.body.n).toBe(40);
    expect(after.body.list).toHaveLength(40);
  });
});
