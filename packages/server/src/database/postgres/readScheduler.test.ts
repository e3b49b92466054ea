import pg from "pg";
import { beforeEach, describe, expect, it } from "vitest";
import { ByteBudget } from "../../core/limits/byteBudget.ts";
import { RequestScope, runInScope } from "../../core/limits/requestScope.ts";
import { ReadScheduler } from "./readScheduler.ts";
import type { Sql } from "./session.ts";

describe("ReadScheduler", () => {
  let sent: string[];
  let reads: ReadScheduler;

  beforeEach(async () => {
    sent = [];
    const sql: Sql = {
      async run(text, parameters) {
        sent.push(`${text} ${JSON.stringify(parameters)}`);
        return [[String(sent.length)]];
      },
    };
    reads = new ReadScheduler({ fast: sql, fastSessions: 1, slow: sql, slowSessions: 1, maxWaitMs: 1_000 });
    // Only statements that have proved to be fast are sent without a queue.
    for (const text of ["SELECT 1", "INSERT 1"]) await reads.run(text, []);
    await nextTurn();
    sent = [];
  });

  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

  it("sends identical reads of one turn of the event loop once", async () => {
    const [first, second] = await Promise.all([reads.run("SELECT 1", []), reads.run("SELECT 1", [])]);
    expect(sent).toEqual(["SELECT 1 []"]);
    expect(second).toEqual(first);
  });

  it("sends a read again in the next turn, since data may have changed", async () => {
    await reads.run("SELECT 1", []);
    await nextTurn();
    await reads.run("SELECT 1", []);
    expect(sent).toHaveLength(2);
  });

  it("sends reads with different parameters separately", async () => {
    await Promise.all([reads.run("SELECT 1", ["a"]), reads.run("SELECT 1", ["b"])]);
    expect(sent).toEqual(['SELECT 1 ["a"]', 'SELECT 1 ["b"]']);
  });

  it("sends each change, even if another one is identical", async () => {
    await Promise.all([reads.run("INSERT 1", []), reads.run("INSERT 1", [])]);
    expect(sent).toHaveLength(2);
  });
});

describe("ReadScheduler with a client whose statements are slow", () => {
  const SESSIONS = 2;
  const LONG = (n: number) => `SELECT ${n} ORDER BY ${"key, ".repeat(1_000)}`;
  const BY_KEY = "SELECT doc WHERE id = ?";
  const SHORT = "SELECT doc WHERE color = ?";

  /** Sessions whose statements end when the test says so. */
  function sessions() {
    const running: { text: string; end(): void; timeOut(): void }[] = [];
    const sql: Sql = {
      run: (text) =>
        new Promise((resolve, reject) => {
          const settle = (how: () => void) => () => {
            running.splice(running.indexOf(statement), 1);
            how();
          };
          const timeout = new pg.DatabaseError("canceling statement due to statement timeout", 0, "error");
          timeout.code = "57014";
          const statement = {
            text,
            end: settle(() => resolve([[text]])),
            timeOut: settle(() => reject(timeout)),
          };
          running.push(statement);
        }),
    };
    return { sql, running };
  }

  function setUp() {
    const [fast, slow] = [sessions(), sessions()];
    const reads = new ReadScheduler({
      fast: fast.sql,
      fastSessions: SESSIONS,
      slow: slow.sql,
      slowSessions: SESSIONS,
      maxWaitMs: 60_000,
    });
    const budget = new ByteBudget({ maxBytes: 1, maxWaitMs: 1 });
    const scope = new RequestScope({ group: "203.0.113.1", budget, maxAnswerBytes: 1 });
    /** Runs a statement of the client. */
    const run = (text: string, sql: Sql = reads) => runInScope(scope, () => sql.run(text, []));
    return { fast, slow, reads, run };
  }
  /** Lets everything run that waits for nothing. */
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it("sends its lookups by key at once, also unknown ones", async () => {
    const { fast, reads, run } = setUp();
    const flood = Array.from({ length: 20 }, (_, n) => run(LONG(n)));
    const found = run(BY_KEY, reads.byKey);
    await settled();
    const lookup = fast.running.find(({ text }) => text === BY_KEY);
    expect(fast.running).toHaveLength(SESSIONS + 1);
    lookup?.end();
    expect(await found).toEqual([[BY_KEY]]);
    expect(flood).toHaveLength(20);
  });

  it("gives its short statements every second turn, before the long ones that wait", async () => {
    const { fast, run } = setUp();
    for (let n = 0; n < 20; n++) void run(LONG(n));
    const found = run(SHORT);
    await settled();
    expect(fast.running.some(({ text }) => text === SHORT)).toBe(false);
    for (const { end } of [...fast.running]) end();
    await settled();
    const short = fast.running.find(({ text }) => text === SHORT);
    short?.end();
    expect(await found).toEqual([[SHORT]]);
  });

  it("does so also once it knows that they are slow", async () => {
    const { fast, slow, run } = setUp();
    for (let n = 0; n < 20; n++) void run(LONG(n));
    await settled();
    while (fast.running.length > 0) {
      for (const { timeOut } of [...fast.running]) timeOut();
      await settled();
    }
    expect(slow.running).toHaveLength(SESSIONS);
    const found = run(SHORT);
    await settled();
    fast.running[0]?.timeOut();
    await settled();
    for (const { end } of [...slow.running]) end();
    await settled();
    slow.running.find(({ text }) => text === SHORT)?.end();
    expect(await found).toEqual([[SHORT]]);
  });
});
