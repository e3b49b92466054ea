import { type ClassSchema, openStore, type Store } from "@purse/server";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { startDecodablePostgres } from "../support/decodablePostgres.ts";
import { canUseTls, newDatabase, type PostgresServer } from "../support/postgresServer.ts";

const AT = "2026-01-01T00:00:00.000Z";
const POST: ClassSchema = {
  className: "Post",
  table: "Post",
  fields: { n: { type: "Number" }, text: { type: "String" } },
  classLevelPermissions: {},
  indexes: {},
};
type LogPosition = Awaited<ReturnType<NonNullable<Store["changeLog"]>["subscribe"]>>;

describe("changes of PostgreSQL by logical decoding", () => {
  let server: PostgresServer;
  let url: string;
  let sql: postgres.Sql;
  const stores: Store[] = [];
  beforeAll(async () => {
    server = await startDecodablePostgres();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    url = await newDatabase(server.url);
    sql = postgres(url, { max: 2, onnotice: () => undefined });
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await sql.end();
  });

  async function open(changes: "triggers" | "decoding"): Promise<Store> {
    const store = await openStore({ kind: "postgres", url, connections: 4, changes });
    stores.push(store);
    return store;
  }
  async function close(store: Store): Promise<void> {
    stores.splice(stores.indexOf(store), 1);
    await store.close();
  }
  function logOf({ changeLog }: Store) {
    if (!changeLog) throw new Error("PostgreSQL has a log of changes");
    return changeLog;
  }
  const subscribe = (store: Store) => logOf(store).subscribe("Post", Date.now() + 600_000);
  async function changesAfter(store: Store, position: LogPosition) {
    await logOf(store).head();
    return (await logOf(store).read(position, ["Post"], 10_000)).changes;
  }
  const create = (store: Store, id: string, text = "") =>
    store.write([
      {
        kind: "create",
        schema: POST,
        id,
        at: AT,
        object: { objectId: id, createdAt: AT, updatedAt: AT, n: 0, text },
      },
    ]);
  const slots = async () =>
    (await sql`SELECT slot_name FROM pg_replication_slots WHERE database = current_database()`).length;

  it("needs no trigger, and has large objects before and after an update that leaves them in place", async () => {
    const store = await open("decoding");
    await store.changeClass("Post", () => POST);
    const start = await subscribe(store);
    const text = Array.from({ length: 2_000 }, (_, i) => `${i * 7919}`).join(" ");
    await create(store, "large", text);
    await sql`UPDATE "Post" SET updated_at = 'later' WHERE id = 'large'`;
    await store.write([{ kind: "delete", schema: POST, id: "large", subjects: null }]);
    const texts = (await changesAfter(store, start)).map(({ before, after }) =>
      [before, after].map((object) => object && JSON.parse(object).text),
    );
    expect(texts).toEqual([
      [null, text],
      [text, text],
      [text, null],
    ]);
    expect(await sql`SELECT tgname FROM pg_trigger WHERE tgrelid = '"Post"'::regclass`).toEqual([]);
  });

  it("logs each change once and in order while connections break and readers take over", async () => {
    const leaver = await open("decoding");
    await leaver.changeClass("Post", () => POST);
    const start = await subscribe(leaver);
    const stayer = await open("decoding");
    await create(stayer, "counter");
    for (let n = 1; n <= 60; n++) {
      await stayer.write([
        {
          kind: "update",
          schema: POST,
          id: "counter",
          at: AT,
          operations: { n: { op: "Increment", amount: 1 } },
          subjects: null,
        },
      ]);
      if (n % 15 === 5)
        await sql`SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots
          WHERE database = current_database() AND active_pid IS NOT NULL`;
      if (n === 40) await close(leaver);
    }
    const values = (await changesAfter(stayer, start)).map(({ after }) => JSON.parse(after ?? "{}").n);
    expect(values).toEqual(Array.from({ length: 61 }, (_, n) => n));
    expect(await slots()).toBe(1);
  });

  it("do not reach other processes before a commit that waits for a standby", async () => {
    const store = await open("decoding");
    await store.changeClass("Post", () => POST);
    const start = await subscribe(store);
    const ids = async () => (await changesAfter(store, start)).map(({ objectId }) => objectId);
    await sql`ALTER SYSTEM SET synchronous_standby_names = 'missing'`;
    let waiting: Promise<unknown> | undefined;
    try {
      await sql`SELECT pg_reload_conf()`;
      const setting = async () => (await sql`SHOW synchronous_standby_names`)[0]?.synchronous_standby_names;
      await expect.poll(setting).toBe("missing");
      waiting =
        sql`INSERT INTO "Post" (id, created_at, updated_at, doc) VALUES ('a', ${AT}, ${AT}, '{}')`.execute();
      const waitingAppends = async () =>
        (
          await sql`SELECT count(*)::integer AS count FROM pg_stat_activity
            WHERE wait_event = 'SyncRep' AND query LIKE '%purse_begin_append%'`
        )[0]?.count;
      // On a machine that stands still for long, another attempt may wait beside the first one.
      await expect.poll(waitingAppends).toBeGreaterThanOrEqual(1);
      expect((await logOf(store).read(start, ["Post"], 10)).changes).toEqual([]);
    } finally {
      await sql`ALTER SYSTEM RESET synchronous_standby_names`;
      await sql`SELECT pg_reload_conf()`;
      await waiting;
    }
    await expect.poll(ids).toEqual(["a"]);
  });

  it("hands over to another process, which goes on where the first one ended", async () => {
    const first = await open("decoding");
    await first.changeClass("Post", () => POST);
    const start = await subscribe(first);
    await create(first, "before");
    await logOf(first).head();
    // As the previous version leaves it.
    await sql`ALTER TABLE purse_decoding DROP COLUMN timeline`;
    const second = await open("decoding");
    await close(first);
    await create(second, "after");
    expect((await changesAfter(second, start)).map(({ objectId }) => objectId)).toEqual(["before", "after"]);
    expect(await logOf(second).check(start)).toMatchObject({ isContinuous: true });
  });

  it("tells readers that changes may be missing if the slot is gone", async () => {
    const first = await open("decoding");
    await first.changeClass("Post", () => POST);
    const start = await subscribe(first);
    await close(first);
    // The server may notice a little later that nobody reads it any more.
    const dropIdle = async () =>
      (
        await sql`SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots
          WHERE database = current_database() AND NOT active`
      ).length;
    await expect.poll(dropIdle).toBe(1);
    await sql`INSERT INTO "Post" (id, created_at, updated_at, doc) VALUES ('missed', ${AT}, ${AT}, '{}')`;
    const second = await open("decoding");
    await expect.poll(async () => (await logOf(second).check(start)).isContinuous).toBe(false);
    const position = await subscribe(second);
    await create(second, "later");
    expect((await changesAfter(second, position)).map(({ objectId }) => objectId)).toEqual(["later"]);
  });

  it("does not go on with a slot from the time before a failover, and tells readers that changes may be missing", async () => {
    const first = await open("decoding");
    await first.changeClass("Post", () => POST);
    const start = await subscribe(first);
    await close(first);
    // As on a former primary that is promoted again.
    await sql`UPDATE purse_decoding SET timeline = 'former'`;
    const second = await open("decoding");
    await expect.poll(async () => (await logOf(second).check(start)).isContinuous).toBe(false);
    const position = await subscribe(second);
    await create(second, "later");
    expect((await changesAfter(second, position)).map(({ objectId }) => objectId)).toEqual(["later"]);
    expect(await slots()).toBe(1);
    expect(await logOf(second).check(position)).toMatchObject({ isContinuous: true });
  });

  it.runIf(canUseTls())(
    "has the server wait while changes are added slowly, and loses and repeats none, with TLS",
    async () => {
      url = `${url}?sslmode=require`;
      const store = await open("decoding");
      await store.changeClass("Post", () => POST);
      const start = await subscribe(store);
      const blocker = await sql.reserve();
      await blocker`BEGIN`;
      await blocker`SELECT FROM purse_decoding FOR UPDATE`;
      const ids = Array.from({ length: 40 }, (_, n) => `large${n}`);
      for (const id of ids)
        await sql`INSERT INTO "Post" (id, created_at, updated_at, doc)
          VALUES (${id}, ${AT}, ${AT}, jsonb_build_object('text', repeat('x', 1000000)))`;
      // The connection is full, since the reader does not read from it.
      const waitsFor = async () =>
        (
          await sql`SELECT wait_event FROM pg_stat_activity JOIN pg_stat_ssl USING (pid)
            WHERE backend_type = 'walsender' AND datname = current_database() AND ssl`
        )[0]?.wait_event;
      await expect.poll(waitsFor).toBe("WalSenderWriteData");
      await blocker`COMMIT`;
      blocker.release();
      expect((await changesAfter(store, start)).map(({ objectId }) => objectId)).toEqual(ids);
    },
  );

  it("has readers query again after a transaction that is too large for the log, and goes on after it", async () => {
    const store = await open("decoding");
    await store.changeClass("Post", () => POST);
    const start = await subscribe(store);
    await sql`INSERT INTO "Post" (id, created_at, updated_at, doc)
      SELECT 'large' || n, ${AT}::text, ${AT}::text, jsonb_build_object('text', repeat('x', 100000))
      FROM generate_series(1, 400) AS n`;
    await expect.poll(async () => (await logOf(store).check(start)).isContinuous).toBe(false);
    const position = await subscribe(store);
    await create(store, "later");
    expect((await changesAfter(store, position)).map(({ objectId }) => objectId)).toEqual(["later"]);
  });

  it("begins anew without its publication, as in a copy of a database, with decoding and with triggers", async () => {
    const dropPublication = async () => {
      const [publication] = await sql`SELECT pubname FROM pg_publication`;
      await sql`DROP PUBLICATION ${sql(String(publication?.pubname))}`;
    };
    const first = await open("decoding");
    await first.changeClass("Post", () => POST);
    const start = await subscribe(first);
    await close(first);
    await dropPublication();
    const second = await open("decoding");
    await expect.poll(async () => (await logOf(second).check(start)).isContinuous).toBe(false);
    let position = await subscribe(second);
    await create(second, "decoded");
    expect((await changesAfter(second, position)).map(({ objectId }) => objectId)).toEqual(["decoded"]);
    expect(await slots()).toBe(1);
    await close(second);
    await dropPublication();
    const third = await open("triggers");
    expect(await slots()).toBe(0);
    position = await subscribe(third);
    await create(third, "triggered");
    expect((await changesAfter(third, position)).map(({ objectId }) => objectId)).toEqual(["triggered"]);
  });

  it("ends with the last process that decodes, and leaves nothing behind", async () => {
    const first = await open("decoding");
    await first.changeClass("Post", () => POST);
    const start = await subscribe(first);
    const second = await open("triggers");
    expect(await slots()).toBe(1);
    await create(second, "decoded");
    expect((await changesAfter(second, start)).map(({ objectId }) => objectId)).toEqual(["decoded"]);
    await close(first);
    await second.deleteExpired();
    expect(await slots()).toBe(0);
    expect(await sql`SELECT pubname FROM pg_publication`).toEqual([]);
    expect(await logOf(second).check(start)).toMatchObject({ isContinuous: false });
    const position = await subscribe(second);
    await create(second, "triggered");
    expect((await changesAfter(second, position)).map(({ objectId }) => objectId)).toEqual(["triggered"]);
  });

  it("is refused to a role that may not use slots or create the publication, with what it needs", async () => {
    const limited = new URL(url);
    limited.username = "limited";
    const opening = () =>
      openStore({ kind: "postgres", url: limited.href, connections: 4, changes: "decoding" });
    const database = sql(limited.pathname.slice(1));
    await sql`CREATE ROLE limited LOGIN`;
    await sql`ALTER DATABASE ${database} OWNER TO limited`;
    await expect(opening()).rejects.toThrow("needs the attribute REPLICATION for the role limited");
    await sql`ALTER ROLE limited REPLICATION`;
    await sql`ALTER DATABASE ${database} OWNER TO purse`;
    await sql`GRANT CREATE ON SCHEMA public TO limited`;
    await expect(opening()).rejects.toThrow(
      "needs the privilege CREATE on the database for the role limited",
    );

    await sql`GRANT CREATE ON DATABASE ${database} TO limited`;
    const first = await opening();
    await first.changeClass("Post", () => POST);
    await subscribe(first);
    await first.close();
    // The publication is there, and its owner may add tables to it without the privilege.
    await sql`REVOKE CREATE ON DATABASE ${database} FROM limited`;
    const second = await opening();
    await second.changeClass("Comment", () => ({ ...POST, className: "Comment", table: "Comment" }));
    await logOf(second).subscribe("Comment", Date.now() + 600_000);
    const position = await subscribe(second);
    await create(second, "later");
    expect((await changesAfter(second, position)).map(({ objectId }) => objectId)).toEqual(["later"]);
    await second.close();
    const [publication] = await sql`SELECT pubname FROM pg_publication`;
    await sql`ALTER PUBLICATION ${sql(String(publication?.pubname))} OWNER TO purse`;
    await expect(opening()).rejects.toThrow(
      `needs the role limited to own the publication ${publication?.pubname}`,
    );
  });

  it("is refused by a database that cannot decode, with the setting to change", async () => {
    const other = await newDatabase(inject("postgresUrl"));
    const opening = openStore({ kind: "postgres", url: other, connections: 4, changes: "decoding" });
    await expect(opening).rejects.toThrow(
      "PURSE_CHANGES=decoding needs wal_level = logical in PostgreSQL, and it is replica",
    );
  });
});
