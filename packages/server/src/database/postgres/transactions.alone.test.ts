import { connect, createServer, type Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createDatabase, sessionOf } from "../../../test/postgresDatabase.ts";
import { CHANGES_LOGGED, CHANGES_PUBLISHED } from "../changeLog.ts";
import { ExclusivePool, SharedPool } from "./pools.ts";
import { type Transaction, Transactions, WRITE_SESSIONS_TABLE } from "./transactions.ts";

const ends: (() => Promise<unknown>)[] = [];
let url: string;
let outcomes: SharedPool;
/** The classes of each notification. */
let published: (string[] | undefined)[];

beforeEach(async () => {
  url = await createDatabase();
  outcomes = new SharedPool(sessionOf(url), 1);
  ends.push(() => outcomes.end());
  await outcomes.run(WRITE_SESSIONS_TABLE, []);
  published = [];
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Transactions in one session, whose messages to the server a function may replace or drop, and then lose its answer. */
async function openThrough(
  alter: (message: string, loseAnswers: () => void) => string,
): Promise<Transactions> {
  const { port, hostname } = new URL(url);
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    let losesAnswers = false;
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
    }
    client.on("data", (data) => {
      const altered = alter(data.toString("latin1"), () => {
        losesAnswers = true;
      });
      server.write(Buffer.from(altered, "latin1"));
    });
    client.on("close", () => server.destroy());
    server.on("data", (data) => (losesAnswers ? client.destroy() : client.write(data)));
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const address = proxy.address();
  const proxied = new URL(url);
  proxied.host = `127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  const pool = new ExclusivePool(sessionOf(proxied.href), 1);
  ends.push(async () => {
    await pool.end();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => proxy.close(resolve));
  });
  return new Transactions(pool, outcomes, (classNames) => published.push(classNames && [...classNames]));
}

/** As a transaction in which a trigger adds to the change log. */
const logChange = (transaction: Transaction) =>
  transaction.run(`DO $$ BEGIN RAISE INFO '${CHANGES_LOGGED}'; END $$`, []);
const writing = (className: string) => ({
  isPipelined: true,
  writtenClasses: () => new Set([className]),
});

describe("Transactions of PostgreSQL", () => {
  it("publish the classes of statements that were executed although BEGIN failed, and no others later", async () => {
    let isFailing = true;
    const transactions = await openThrough((message) => {
      const altered = isFailing ? message.replace("BEGIN\0", "BEGAN\0") : message;
      if (altered !== message) isFailing = false;
      return altered;
    });
    await transactions.run(logChange, writing("Post"));
    expect(isFailing).toBe(false);
    expect(published).toEqual([["Post"]]);
    await transactions.run((transaction) => transaction.run("SELECT 1", []), writing("Other"));
    expect(published).toEqual([["Post"]]);
  });

  it("publish the classes of a transaction that was committed although the response to COMMIT was lost", async () => {
    let lost = 0;
    const transactions = await openThrough((message, loseAnswers) => {
      if (lost === 0 && message.includes("COMMIT\0")) {
        lost += 1;
        loseAnswers();
      }
      return message;
    });
    await transactions.run(logChange, writing("Post"));
    expect(lost).toBe(1);
    expect(published).toEqual([["Post"]]);
  });

  it("publish nothing after a commit that has logged no changes", async () => {
    const transactions = await openThrough((message) => message);
    await transactions.run((transaction) => transaction.run("SELECT 1", []), writing("Post"));
    expect(published).toEqual([]);
  });

  it("publish the later writes of a class whose changes were logged, of which the database need not send a message, for a second", async () => {
    const transactions = await openThrough((message) => message);
    const now = performance.now();
    const clock = vi.spyOn(performance, "now").mockReturnValue(now);
    ends.push(async () => clock.mockRestore());
    const isPublished = async (className: string) => {
      const setting = await transactions.run(
        (transaction) => transaction.run("SELECT current_setting(?, true)", [CHANGES_PUBLISHED]),
        writing(className),
      );
      return setting[0]?.[0] === "on";
    };
    expect(await isPublished("Post")).toBe(false);
    await transactions.run(logChange, writing("Post"));
    expect(await isPublished("Post")).toBe(true);
    expect(await isPublished("Other")).toBe(false);
    expect(published).toEqual([["Post"], ["Post"]]);
    // The class may have no trigger any more.
    clock.mockReturnValue(now + 1_000);
    expect(await isPublished("Post")).toBe(false);
    expect(published).toHaveLength(2);
  });

  it.each([
    ["directly", false],
    ["through a pooler", true],
  ])(
    "run a statement that the server works on for too long once, %s, and reject with 124",
    async (_, isPooled) => {
      const pool = new ExclusivePool({ ...sessionOf(url), deadlineMs: 400, isPooled }, 1);
      ends.push(() => pool.end());
      let runs = 0;
      const slow = new Transactions(pool, outcomes).run((transaction) => {
        runs += 1;
        return transaction.run("SELECT pg_sleep(2)", []);
      });
      await expect(slow).rejects.toMatchObject({
        code: 124,
        message: expect.stringContaining("Nothing was written"),
      });
      expect(runs).toBe(1);
    },
  );

  it("run a transaction whose commit takes too long and fails once, and reject with 124", async () => {
    await outcomes.run("CREATE TABLE written (id text)", []);
    await outcomes.run(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN PERFORM pg_sleep(2); RAISE EXCEPTION 'refused'; END $$`,
      [],
    );
    await outcomes.run(
      `CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON written DEFERRABLE INITIALLY DEFERRED
       FOR EACH ROW EXECUTE FUNCTION refuse()`,
      [],
    );
    const pool = new ExclusivePool({ ...sessionOf(url), deadlineMs: 400 }, 1);
    ends.push(() => pool.end());
    let runs = 0;
    const slow = new Transactions(pool, outcomes).run((transaction) => {
      runs += 1;
      return transaction.run("INSERT INTO written VALUES ('a')", []);
    });
    await expect(slow).rejects.toMatchObject({ code: 124 });
    expect(runs).toBe(1);
    expect(await outcomes.run("SELECT 1 FROM written", [])).toEqual([]);
  });

  it.each([
    ["are repeated if PostgreSQL ended them because this process was frozen", 1],
    ["reject with 124 if this process works for too long each time, as the database is not away", 3],
  ])("%s", async (_, blockedRuns) => {
    const settings = { idle_in_transaction_session_timeout: 200 };
    const pool = new ExclusivePool({ ...sessionOf(url), settings }, 1);
    ends.push(() => pool.end());
    let runs = 0;
    const outcome = new Transactions(pool, outcomes).run(async (transaction) => {
      runs += 1;
      await transaction.run("SELECT 1", []);
      if (runs <= blockedRuns) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
      return transaction.run("SELECT 2", []);
    });
    if (blockedRuns === 1) expect(await outcome).toEqual([["2"]]);
    else await expect(outcome).rejects.toMatchObject({ code: 124 });
    expect(runs).toBe(blockedRuns === 1 ? 2 : 3);
  });

  it("limit each statement without changing the limits of later transactions", async () => {
    const pool = new ExclusivePool(sessionOf(url), 1);
    ends.push(() => pool.end());
    const transactions = new Transactions(pool, outcomes);
    const limits = { lockMs: 1_234, statementMs: 4_321 };
    const timeouts = "SELECT current_setting('lock_timeout'), current_setting('statement_timeout')";
    const read = (transaction: Transaction) => transaction.run(timeouts, []);
    expect(await transactions.run(read, { limits })).toEqual([["1234ms", "4321ms"]]);
    expect(await transactions.run(read)).toEqual([["0", "0"]]);
  });
});

it("SharedPool tells a read that PostgreSQL works on for too long from a lost connection, and does not repeat it", async () => {
  const pool = new SharedPool({ ...sessionOf(url), deadlineMs: 400 }, 2);
  ends.push(() => pool.end());
  await outcomes.run("CREATE SEQUENCE runs", []);
  await expect(pool.run("SELECT nextval('runs'), pg_sleep(2)", [])).rejects.toMatchObject({
    code: 124,
    message: "The query took too long",
  });
  expect(await outcomes.run("SELECT last_value FROM runs", [])).toEqual([["1"]]);
});
