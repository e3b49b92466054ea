import { connect, createServer, type Socket } from "node:net";
import { afterEach, describe, expect, inject, it } from "vitest";
import { sessionOf } from "../../../test/postgresDatabase.ts";
import { Session, type Sql } from "./session.ts";

const sessions: Session[] = [];
afterEach(async () => {
  for (const session of sessions.splice(0)) await session.end();
});

/** A session as for a pooler, directly to a server. */
async function openPooled(parameters = ""): Promise<Session> {
  const session = await Session.open({
    ...sessionOf(inject("postgresUrl") + parameters),
    settings: { statement_timeout: 4_321, lock_timeout: 1_234, tcp_user_timeout: 15_000 },
    isPooled: true,
  });
  sessions.push(session);
  return session;
}

/** A session without a time limit; `url` is that of the server by default. */
async function openUnlimited(url = inject("postgresUrl")): Promise<Session> {
  const session = await Session.open({ ...sessionOf(url), deadlineMs: undefined });
  sessions.push(session);
  return session;
}

/** Forwards connections to the server until it drops everything, without closing them. */
async function startRelay(): Promise<{ url: string; drop(): void; close(): void }> {
  const url = new URL(inject("postgresUrl"));
  const target = Number(url.port);
  const sockets: Socket[] = [];
  let isDropping = false;
  const relay = createServer((client) => {
    const server = connect(target, "127.0.0.1");
    sockets.push(client, server);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on("error", () => undefined);
      from.on("data", (data) => isDropping || to.write(data));
    }
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  const address = relay.address();
  url.host = `127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  return {
    url: url.href,
    drop: () => {
      isDropping = true;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      relay.close();
    },
  };
}

describe("a session of PostgreSQL without a time limit", () => {
  it("ends if its connection is dead, and not while the server works on its statement", async () => {
    const relay = await startRelay();
    const [session, other] = [await openUnlimited(relay.url), await openUnlimited()];
    const [row] = await session.run("SELECT pg_backend_pid()", []);
    const pid = row?.[0] ?? "";
    const state = async () =>
      (await other.run("SELECT state FROM pg_stat_activity WHERE pid = ?::int", [pid]))[0]?.[0];
    const slow = session.run("SELECT pg_sleep(600)", []);
    slow.catch(() => undefined);
    await expect.poll(state).toBe("active");
    for (let i = 0; i < 3; i++) await session.destroyIfAbandoned(other, 0);
    expect(session.isLost).toBe(false);
    await other.run("SELECT pg_cancel_backend(?::int)", [pid]);
    await expect(slow).rejects.toMatchObject({ code: "57014" });

    relay.drop();
    const lost = session.run("SELECT 1", []);
    lost.catch(() => undefined);
    await expect
      .poll(async () => {
        await session.destroyIfAbandoned(other, 0);
        return session.isLost;
      })
      .toBe(true);
    await expect(lost).rejects.toMatchObject({ name: "ConnectionLostError" });
    relay.close();
  });

  it("does not end if a server answers that knows only its own sessions, as behind a load balancer", async () => {
    const session = await openUnlimited();
    const other: Sql = { run: async () => [["idle", "7000000000000000000"]] };
    const slow = session.run("SELECT pg_sleep(600)", []);
    slow.catch(() => undefined);
    for (let i = 0; i < 3; i++) await session.destroyIfAbandoned(other, 0);
    expect(session.isLost).toBe(false);
    session.destroy("the test is over");
  });
});

/** Stops the event loop, as the work on a huge object does. */
function blockEventLoop(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe("a session of PostgreSQL with a time limit", () => {
  async function openLimited(deadlineMs: number): Promise<Session> {
    const session = await Session.open({ ...sessionOf(inject("postgresUrl")), deadlineMs });
    sessions.push(session);
    return session;
  }

  it("reads what has arrived while its process was busy, before it gives the server up", async () => {
    const session = await openLimited(400);
    const answer = session.run("SELECT 1", []);
    await new Promise((sent) => setImmediate(sent));
    blockEventLoop(1_000);
    expect(await answer).toEqual([["1"]]);
  });

  it("goes on while a result arrives, however long it takes", async () => {
    const session = await openLimited(700);
    const rows = await session.run(
      "SELECT length(repeat('x', 20000) || pg_sleep(0.3)), repeat('x', 20000) FROM generate_series(1, 4)",
      [],
    );
    expect(rows).toHaveLength(4);
  });

  it("knows whether the server still works on the statement that it was given up for", async () => {
    const [session, other] = [await openLimited(400), await openUnlimited()];
    await expect(session.run("SELECT pg_sleep(3)", [])).rejects.toMatchObject({
      message: expect.stringContaining("within its deadline"),
    });
    expect(await session.isAtWork(other)).toBe(true);
    const relay = await startRelay();
    const dead = await Session.open({ ...sessionOf(relay.url), deadlineMs: 400 });
    relay.drop();
    await expect(dead.run("SELECT 1", [])).rejects.toMatchObject({ name: "ConnectionLostError" });
    expect(await dead.isAtWork(other)).toBe(false);
    relay.close();
  });
});

const TIMEOUTS = "SELECT current_setting('statement_timeout'), current_setting('lock_timeout')";

describe("a session of PostgreSQL behind a pooler", () => {
  it("has its settings in each statement, and leaves none to other transactions", async () => {
    const session = await openPooled();
    expect(await session.run(TIMEOUTS, [])).toEqual([["4321ms", "1234ms"]]);
    // A transaction that the session has not begun itself, as that of another client of the pooler.
    await session.command("CREATE TEMP TABLE seen AS SELECT current_setting('statement_timeout') AS timeout");
    expect(await session.run("SELECT timeout FROM seen", [])).toEqual([["0"]]);
  });

  it("has its settings in a transaction, which ends by COMMIT", async () => {
    const session = await openPooled();
    await session.begin();
    const [first] = await session.run(`${TIMEOUTS}, pg_current_xact_id()::text`, []);
    const [second] = await session.run(`${TIMEOUTS}, pg_current_xact_id()::text`, []);
    expect(await session.command("COMMIT")).toBe("COMMIT");
    expect(second).toEqual(first);
    const [after] = await session.run(`${TIMEOUTS}, pg_current_xact_id()::text`, []);
    expect(after?.[2]).not.toBe(first?.[2]);
  });

  it("does not use named prepared statements", async () => {
    const session = await openPooled();
    for (let i = 0; i < 3; i++) await session.run("SELECT ?::int", [i]);
    expect(await session.run("SELECT name FROM pg_prepared_statements", [])).toEqual([]);
  });

  it("rejects only the statement that fails among those sent together", async () => {
    const session = await openPooled();
    const outcomes = await Promise.allSettled([
      session.run("SELECT 1", []),
      session.run("SELECT 1 / 0", []),
      session.run("SELECT 2", []),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(outcomes[1]).toMatchObject({ reason: { code: "22012" } });
  });

  it("applies settings of its URL to each statement, as poolers reject them at connection time", async () => {
    const session = await openPooled("?search_path=own%2C%20public&purse.test=a'b");
    const settings = "SELECT current_setting('search_path'), current_setting('purse.test')";
    expect(await session.run(settings, [])).toEqual([["own, public", "a'b"]]);
  });
});
