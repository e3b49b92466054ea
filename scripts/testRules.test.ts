import { describe, expect, it } from "vitest";
import { findingsIn, type Rule } from "./testRules.ts";

const rulesAgainst = (source: string): Rule[] =>
  findingsIn("planted.test.ts", source).map(({ rule }) => rule);
const TIMERS = 'import { setTimeout as sleep } from "node:timers/promises";\n';

describe("findingsIn()", () => {
  it.each([
    "setTimeout(resolve, 50);",
    "await new Promise((resolve) => setTimeout(resolve, 50));",
    "setTimeout(resolve, WAIT_MS);",
    "setTimeout(resolve, 50 + random.integerBelow(700));",
    "setInterval(look, 2).unref();",
    "globalThis.setTimeout(resolve, 1_000);",
    `${TIMERS}await sleep(20);`,
    `${TIMERS}await sleep(POLL_MS, undefined, { signal });`,
    "await page.waitForTimeout(delay);",
  ])("refuses to wait for a time in `%s`", (source) => {
    expect(rulesAgainst(source)).toEqual(["wait"]);
  });

  it.each([
    "setTimeout(deliver);",
    "setTimeout(deliver, 0);",
    "const wait = (ms) => new Promise((done) => setTimeout(done, ms));",
    `${TIMERS}const clock = { sleep: (ms, signal) => sleep(ms, undefined, { signal }) };`,
    "database.delay(20);",
    "const program = 'setTimeout(() => process.exit(), 50)';",
    "await expect.poll(count, { timeout: 5_000 }).toBe(1);",
  ])("accepts `%s`", (source) => {
    expect(rulesAgainst(source)).toEqual([]);
  });

  it("refuses Math.random(), and accepts random numbers from a seed", () => {
    expect(rulesAgainst("const name = `n${Math.random()}`;")).toEqual(["random"]);
    expect(rulesAgainst("const name = `n${new Random(SEED).text(8)}`; random();")).toEqual([]);
  });

  it("refuses to listen on a fixed port, and accepts one that the system chooses", () => {
    expect(rulesAgainst('server.listen(8_080, "127.0.0.1");')).toEqual(["port"]);
    expect(rulesAgainst("server.listen({ port: PORT });")).toEqual(["port"]);
    expect(rulesAgainst('server.listen(0, "127.0.0.1"); server.listen(port); server.listen(path);')).toEqual(
      [],
    );
  });

  it("refuses to retry a test, and accepts clients that do not retry requests", () => {
    expect(rulesAgainst('it("works", { retry: 2 }, work);')).toEqual(["retry"]);
    expect(rulesAgainst("new QueryClient({ defaultOptions: { queries: { retry: false } } });")).toEqual([]);
  });

  it.each(["describe('a', { concurrent: true }, all);", "it.concurrent('a', one);"])(
    "refuses to poll by the shared expect() in a file with `%s`, and accepts that of a test",
    (concurrent) => {
      const shared = 'import { expect } from "vitest";\n';
      const poll = "await expect.poll(count).toBe(1);";
      expect(rulesAgainst(`${shared}${concurrent}\n${poll}`)).toEqual(["poll"]);
      expect(rulesAgainst(`${concurrent}\nit('b', async ({ expect }) => { ${poll} });`)).toEqual([]);
      expect(rulesAgainst(`${shared}describe('a', { concurrent: false }, all);\n${poll}`)).toEqual([]);
    },
  );

  it.each(["it.each(rows)('works', { timeout: 60_000 }, work);", "beforeAll(open, 60_000);"])(
    "refuses `%s` where servers start, and accepts it elsewhere and for longer",
    (code) => {
      const rules = (file: string, source: string) => findingsIn(file, source).map(({ rule }) => rule);
      expect(rules("a.server.test.ts", code)).toEqual(["limit"]);
      expect(rules("a.test.ts", code)).toEqual([]);
      expect(rules("a.server.test.ts", code.replace("60", "180"))).toEqual([]);
      expect(rules("a.server.test.ts", "await expect.poll(count, { timeout: 5_000 }).toBe(1);")).toEqual([]);
    },
  );

  it("names the line", () => {
    expect(findingsIn("a.test.ts", "\n\nsetTimeout(f, 5);")).toEqual([
      { file: "a.test.ts", line: 3, rule: "wait" },
    ]);
  });
});
