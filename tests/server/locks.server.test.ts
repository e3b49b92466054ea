import { randomUUID } from "node:crypto";
import { type ClassSchema, openStore, type Store, type Write } from "@purse/server";
import postgres from "postgres";
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { NIGHTLY } from "../support/allCases.ts";
import { type PostgresProxy, startPostgresProxy } from "../support/postgresProxy.ts";
import { newDatabase } from "../support/postgresServer.ts";

const AT = "2026-01-01T00:00:00.000Z";

function classOf(className: string): ClassSchema {
  return { className, table: className, fields: {}, classLevelPermissions: {}, indexes: {} };
}

/** An object after the purge of its class, which takes longer than the timeout: meanwhile the other tests run. */
let slowlyPurged: Promise<string | undefined>;
beforeAll(() => {
  if (!NIGHTLY) return;
  slowlyPurged = purgeSlowly();
  // The test that waits for it reports the error.
  slowlyPurged.catch(() => undefined);
});

async function purgeSlowly(): Promise<string | undefined> {
  const url = await newDatabase(inject("postgresUrl"));
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  const store = await openStore({ kind: "postgres", url, connections: 4 });
  try {
    const schema = classOf("Large");
    await store.changeClass("Large", () => schema);
    const object = { objectId: "a", createdAt: AT, updatedAt: AT };
    await store.write([{ kind: "create", schema, id: "a", at: AT, object }]);
    await sql.unsafe(`
      CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(31); RETURN OLD; END $$;
      CREATE TRIGGER slowly BEFORE DELETE ON "Large" FOR EACH ROW EXECUTE FUNCTION slowly()`);
    await store.purge(schema);
    return await store.get(schema, "a", null);
  } finally {
    await store.close();
    await sql.end();
  }
}

describe("two processes that write the same rows on one PostgreSQL", () => {
  let sql: postgres.Sql;
  let proxy: PostgresProxy;
  let one: Store;
  let two: Store;

  beforeEach(async () => {
    const url = await newDatabase(inject("postgresUrl"));
    sql = postgres(url, { max: 1, onnotice: () => undefined });
    proxy = await startPostgresProxy(url);
    one = await openStore({ kind: "postgres", url: proxy.url(url), connections: 6 });
    two = await openStore({ kind: "postgres", url, connections: 6 });
    for (const name of ["First", "Second"]) await one.changeClass(name, () => classOf(name));
  });
  afterEach(async () => {
    await Promise.all([one.close(), two.close()]);
    await proxy.close();
    await sql.end();
  });

  async function create(className: string): Promise<string> {
    const id = randomUUID();
    const object = { objectId: id, createdAt: AT, updatedAt: AT, n: 0 };
    await two.write([{ kind: "create", schema: classOf(className), id, at: AT, object }]);
    return id;
  }
  function increment(className: string, id: string): Write {
    const operations = { n: { op: "Increment", amount: 1 } } as const;
    return { kind: "update", schema: classOf(className), id, at: AT, operations, subjects: null };
  }
  async function numberOf(className: string, id: string): Promise<number> {
    return JSON.parse((await two.get(classOf(className), id, null)) ?? "{}").n;
  }
  /** Closes both stores and returns the number of deadlocks, which is complete once the sessions end. */
  async function deadlocks(): Promise<number> {
    await Promise.all([one.close(), two.close()]);
    const others = () => sql`
      SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    await expect.poll(async () => (await others()).length).toBe(0);
    const [row] = await sql<{ deadlocks: string }[]>`
      SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`;
    return Number(row?.deadlocks);
  }

  it("have no deadlocks, whatever the order of rows in their transactions", async () => {
    const ids = await Promise.all(Array.from({ length: 4 }, (_, i) => create(i % 2 ? "First" : "Second")));
    const steps = ids.map((id, i) => increment(i % 2 ? "First" : "Second", id));
    const rounds = 60;
    await Promise.all(
      Array.from({ length: rounds }, async (_, round) => {
        const own = round % 2 ? steps : steps.toReversed();
        await (round % 4 < 2 ? one : two).write(own);
      }),
    );
    expect(await Promise.all(ids.map((id, i) => numberOf(i % 2 ? "First" : "Second", id)))).toEqual(
      Array(4).fill(rounds),
    );
    expect(await deadlocks()).toBe(0);
  });

  it("have no deadlocks with single writes in a group commit", async () => {
    const ids = await Promise.all(Array.from({ length: 4 }, () => create("First")));
    await Promise.all(
      Array.from({ length: 800 }, (_, i) => {
        const id = ids[(i * 7 + Math.floor(i / 16)) % 4] ?? "";
        return (i % 2 ? one : two).write([increment("First", id)]);
      }),
    );
    const numbers = await Promise.all(ids.map((id) => numberOf("First", id)));
    expect(numbers.reduce((sum, n) => sum + n, 0)).toBe(800);
    expect(await deadlocks()).toBe(0);
  });

  it("do not let a write of one class wait for a lock of another class in their group commit", async () => {
    const unlocked = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const foreign = sql.begin(async (transaction) => {
      await transaction`LOCK TABLE "First" IN ACCESS EXCLUSIVE MODE`;
      locked.resolve();
      await unlocked.promise;
    });
    await locked.promise;
    const waiting = [create("First"), create("First")];
    await create("Second");
    waiting.push(create("First"));
    // It would end earlier than this one only if it was refused after 8 seconds.
    await create("Second");
    unlocked.resolve();
    await foreign;
    expect(await Promise.all(waiting)).toHaveLength(3);
  });

  it("do not let a write of one object wait for a lock of another one in their group commit", async () => {
    const [id, other] = [await create("First"), await create("First")];
    const unlocked = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const foreign = sql.begin(async (transaction) => {
      await transaction`SELECT 1 FROM "First" WHERE id = ${id} FOR UPDATE`;
      locked.resolve();
      await unlocked.promise;
    });
    await locked.promise;
    const waiting = two.write([increment("First", id)]);
    await Promise.all([two.write([increment("First", other)]), create("First")]);
    unlocked.resolve();
    await foreign;
    await waiting;
    expect(await Promise.all([numberOf("First", id), numberOf("First", other)])).toEqual([1, 1]);
  });

  it("do not let a write wait for a slow one in their group commit, which is written once", async () => {
    await sql.unsafe(`
      CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(3); RETURN NEW; END $$;
      CREATE TRIGGER slowly BEFORE UPDATE ON "First" FOR EACH ROW EXECUTE FUNCTION slowly()`);
    const [id, other] = [await create("First"), await create("Second")];
    const order: string[] = [];
    await Promise.all([
      two.write([increment("First", id)]).then(() => order.push("slow")),
      two.write([increment("Second", other)]).then(() => order.push("fast")),
    ]);
    expect(order).toEqual(["fast", "slow"]);
    expect(await Promise.all([numberOf("First", id), numberOf("Second", other)])).toEqual([1, 1]);
  });

  if (NIGHTLY)
    it("are told of a write that PostgreSQL cancels that it took too long, not that the database is away", async () => {
      await sql.unsafe(`
        CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(60); RETURN NEW; END $$;
        CREATE TRIGGER slowly BEFORE UPDATE ON "First" FOR EACH ROW EXECUTE FUNCTION slowly()`);
      const [id, second, other] = [await create("First"), await create("First"), await create("Second")];
      const refused = { code: 124, message: expect.stringContaining("took too long") };
      await Promise.all([
        expect(two.write([increment("First", id)])).rejects.toMatchObject(refused),
        expect(two.write([increment("First", second), increment("Second", other)])).rejects.toMatchObject(
          refused,
        ),
      ]);
      const numbers = [numberOf("First", id), numberOf("First", second), numberOf("Second", other)];
      expect(await Promise.all(numbers)).toEqual([0, 0, 0]);
      // The cancelled ones have ended. What keeps leases and reads the feed may be at work in a single look.
      const countActive = async () => {
        const [row] = await sql`SELECT count(*)::int AS n FROM pg_stat_activity
          WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()`;
        return row?.n;
      };
      await expect.poll(countActive).toBe(0);
    });

  if (NIGHTLY)
    it("wait some seconds for a process frozen during a transaction, whose write is committed in the end", async () => {
      const id = await create("First");
      const other = await create("First");
      let left = 1;
      proxy.onCommit(() => (left-- > 0 ? "freeze" : undefined));
      const frozen = one.write([increment("First", id)]);
      await expect.poll(() => proxy.lost, { interval: 10 }).toBe(1);
      const order: string[] = [];
      await Promise.all([
        two.write([increment("First", id)]).then(() => order.push("same row")),
        one.write([increment("First", other)]).then(() => order.push("other row")),
      ]);
      expect(order).toEqual(["other row", "same row"]);
      await frozen;
      expect(await numberOf("First", id)).toBe(2);
    });
});

if (NIGHTLY)
  describe("administrative work on a large class of PostgreSQL", () => {
    it("is not limited by the statement timeout of clients", async () => {
      expect(await slowlyPurged).toBeUndefined();
    });
  });
