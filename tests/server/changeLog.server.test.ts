import { type ClassSchema, openStore, type Store } from "@purse/server";
import postgres from "postgres";
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { NIGHTLY } from "../support/allCases.ts";
import { newDatabase } from "../support/postgresServer.ts";

const AT = "2026-01-01T00:00:00.000Z";
const MINUTE_MS = 60_000;

function classOf(className: string): ClassSchema {
  return {
    className,
    table: className,
    fields: { n: { type: "Number" } },
    classLevelPermissions: {},
    indexes: {},
  };
}

async function createClasses(store: Store): Promise<void> {
  for (const name of ["Post", "Other"]) await store.changeClass(name, () => classOf(name));
}

type ChangeLog = NonNullable<Store["changeLog"]>;
type LogPosition = Awaited<ReturnType<ChangeLog["subscribe"]>>;

describe("the change log on PostgreSQL", () => {
  /** The name of a database with the classes. */
  let template: string;
  let url: string;
  let store: Store;
  let log: ChangeLog;
  beforeAll(async () => {
    const templateUrl = await newDatabase(inject("postgresUrl"));
    const first = await openStore({ kind: "postgres", url: templateUrl, connections: 4 });
    await createClasses(first);
    await first.close();
    template = new URL(templateUrl).pathname.slice(1);
  });
  beforeEach(async () => {
    url = await newDatabase(inject("postgresUrl"), template);
    store = await openStore({ kind: "postgres", url, connections: 4 });
    if (!store.changeLog) throw new Error("PostgreSQL has a log of changes");
    log = store.changeLog;
  });
  afterEach(() => store.close());

  let ids = 0;
  async function create(className: string): Promise<string> {
    const id = `object${++ids}`;
    const object = { objectId: id, createdAt: AT, updatedAt: AT, n: ids };
    await store.write([{ kind: "create", schema: classOf(className), id, at: AT, object }]);
    await log.head();
    return id;
  }
  const soon = () => Date.now() + MINUTE_MS;
  const changesAfter = async (
    position: LogPosition,
    classNames = ["Post", "Other", "Later"],
    limit = 1_000,
  ) => (await read(position, classNames, limit)).changes;
  /** Reads once the log has all that was committed until now. */
  async function read(...parameters: Parameters<ChangeLog["read"]>): ReturnType<ChangeLog["read"]> {
    await log.head();
    return log.read(...parameters);
  }

  it("contains changes of subscribed classes only", async () => {
    const head = await log.subscribe("Post", soon());
    await create("Other");
    const id = await create("Post");
    await store.write([{ kind: "delete", schema: classOf("Post"), id, subjects: null }]);
    const changes = await changesAfter(head);
    expect(changes.map(({ className, objectId }) => [className, objectId])).toEqual([
      ["Post", id],
      ["Post", id],
    ]);
    expect(changes.map(({ before, after }) => [before === null, after === null])).toEqual([
      [true, false],
      [false, true],
    ]);
    expect(await log.head()).toBe(changes[1]?.seq);
  });

  it("contains no uncommitted changes", async () => {
    const head = await log.subscribe("Post", soon());
    const id = await create("Post");
    const object = { objectId: "new", createdAt: AT, updatedAt: AT };
    const group = store.write([
      { kind: "create", schema: classOf("Post"), id: "new", at: AT, object },
      { kind: "create", schema: classOf("Post"), id, at: AT, object: { ...object, objectId: id } },
    ]);
    await expect(group).rejects.toMatchObject({ code: 137 });
    expect(await changesAfter(head)).toHaveLength(1);
  });

  it("numbers changes in commit order, so that readers miss none", async () => {
    const head = await log.subscribe("Post", soon());
    const seen: number[] = [];
    let isWriting = true;
    const writing = Promise.all(
      Array.from({ length: 200 }, (_, i) => (i % 3 ? create("Post") : createInBatch())),
    ).finally(() => {
      isWriting = false;
    });
    let last = head;
    for (let isLast = false; !isLast; ) {
      isLast = !isWriting;
      const { changes, position } = await read(last, ["Post"], 20);
      seen.push(...changes.map(({ seq }) => seq));
      if (position) last = { ...last, ...position };
      if (changes.length > 0) isLast = false;
    }
    await writing;
    expect(seen).toEqual((await changesAfter(head)).map(({ seq }) => seq));
    expect(seen).toHaveLength(200 + 67);
  });

  async function createInBatch(): Promise<void> {
    const steps = [1, 2].map(() => {
      const id = `object${++ids}`;
      const object = { objectId: id, createdAt: AT, updatedAt: AT };
      return { kind: "create" as const, schema: classOf("Post"), id, at: AT, object };
    });
    await store.write(steps);
  }

  describe("with a transaction that has logged a change and not ended", () => {
    let sql: postgres.Sql;
    let head: LogPosition;
    let end: (outcome: "commit" | "rollback") => Promise<void>;
    beforeEach(async () => {
      head = await log.subscribe("Post", soon());
      await log.subscribe("Other", soon());
      sql = postgres(url, { max: 2, onnotice: () => undefined });
      const session = await sql.reserve();
      await session`BEGIN`;
      await session`SET CONSTRAINTS ALL IMMEDIATE`;
      await session`INSERT INTO "Post" (id, created_at, updated_at, doc) VALUES ('early', ${AT}, ${AT}, '{}')`;
      end = async (outcome) => {
        await session.unsafe(outcome);
        session.release();
      };
    });
    afterEach(() => sql.end());

    it("commits later changes at once, and holds back only their delivery", async () => {
      const late = await create("Post");
      const before = await read(head, ["Post"], 10);
      expect(before.changes).toEqual([]);
      expect(before.finished).toBeLessThan(before.assigned);
      await end("commit");
      const { changes, position, assigned, finished } = await read(head, ["Post"], 10);
      expect(changes.map(({ objectId }) => objectId)).toEqual(["early", late]);
      expect([position?.seq, finished]).toEqual([changes[1]?.seq, assigned]);
    });

    it("goes on when it is rolled back", async () => {
      const late = await create("Post");
      await end("rollback");
      expect((await changesAfter(head)).map(({ objectId }) => objectId)).toEqual([late]);
    });

    it("delivers what was committed before it", async () => {
      await end("commit");
      const before = await create("Other");
      const session = await sql.reserve();
      await session`BEGIN`;
      await session`SET CONSTRAINTS ALL IMMEDIATE`;
      await session`DELETE FROM "Post" WHERE id = 'early'`;
      await create("Other");
      expect((await changesAfter(head)).map(({ objectId }) => objectId)).toEqual(["early", before]);
      await session`COMMIT`;
      session.release();
      expect(await changesAfter(head)).toHaveLength(4);
    });
  });

  it("numbers the changes of an object in commit order, whatever the order in which transactions began", async () => {
    const head = await log.subscribe("Post", soon());
    const id = await create("Post");
    const sql = postgres(url, { max: 2, onnotice: () => undefined });
    const [first, second] = [await sql.reserve(), await sql.reserve()];
    // The transaction that gets its number first changes the object last.
    for (const session of [first, second]) {
      await session`BEGIN`;
      await session`SELECT pg_current_xact_id()`;
    }
    await second`UPDATE "Post" SET doc = doc || '{"n":1}' WHERE id = ${id}`;
    const waiting = first`UPDATE "Post" SET doc = doc || '{"n":2}' WHERE id = ${id}`.execute();
    await second`COMMIT`;
    await waiting;
    await first`COMMIT`;
    const values = (await changesAfter(head)).map(({ after }) => JSON.parse(after ?? "{}").n);
    expect(values.slice(1)).toEqual([1, 2]);
    for (const session of [first, second]) session.release();
    await sql.end();
  });

  if (!NIGHTLY) return;

  it("reads the requested classes only, and continues after the others", async () => {
    const head = await log.subscribe("Post", soon());
    await log.subscribe("Other", soon());
    const id = await create("Post");
    await create("Other");
    const { changes, position, hasMore } = await read(head, ["Post"], 10);
    expect(changes.map(({ objectId }) => objectId)).toEqual([id]);
    expect(position?.seq).toBe(await log.head());
    expect(hasMore).toBe(false);
    expect(await read(head, ["Post", "Other"], 1)).toMatchObject({ changes: [{}], hasMore: true });
    expect(await read({ ...head, ...position }, ["Post"], 10)).toMatchObject({
      changes: [],
      position: undefined,
    });
  });

  it("announces changes with their classes, so that processes without subscribers of them do not read", async () => {
    for (const name of ["Post", "Other"]) await log.subscribe(name, soon());
    const messages: (string | undefined)[] = [];
    const unsubscribe = store.subscribe((message) => messages.push(message));
    // The first changes may be announced together with the subscriptions, which concern all processes.
    const messagesAfter = async (write: () => Promise<unknown>) => {
      await write();
      return messages;
    };
    await expect.poll(() => messagesAfter(createInBatch)).toContain("changes Post");
    await expect.poll(() => messagesAfter(() => create("Other"))).toContain("changes Other");
    unsubscribe();
  });

  it("announces each change to a class that is written all the time", async () => {
    const head = await log.subscribe("Post", soon());
    let announced = 0;
    const unsubscribe = store.subscribe((message) => {
      if (message === "changes Post") announced += 1;
    });
    await create("Post");
    await expect.poll(() => announced).toBeGreaterThan(0);
    for (let i = 0; i < 3; i++) {
      const before = announced;
      await create("Post");
      await expect.poll(() => announced).toBeGreaterThan(before);
    }
    expect(await changesAfter(head)).toHaveLength(4);
    unsubscribe();
  });

  it("sends its message after each transaction that is logged, except to sessions that publish their changes anyway", async () => {
    await log.subscribe("Post", soon());
    const messages: (string | undefined)[] = [];
    const sql = postgres(url, { max: 1, onnotice: ({ message }) => messages.push(message) });
    const messagesAfter = async (id: string) => {
      await sql`INSERT INTO "Post" (id, created_at, updated_at, doc) VALUES (${id}, ${AT}, ${AT}, '{}')`;
      return messages.length;
    };
    expect(await messagesAfter("first")).toBe(1);
    expect(await messagesAfter("second")).toBe(2);
    await sql`SET purse.published = 'on'`;
    expect(await messagesAfter("third")).toBe(2);
    await sql.end();
  });

  it("contains a class from its first subscription on, each change once and in order, for readers that have passed others", async () => {
    let position = await log.subscribe("Post", soon());
    const seen: string[] = [];
    const readOn = async (classNames: string[]) => {
      const page = await read(position, classNames, 1_000);
      if (page.position) position = { ...position, ...page.position };
      seen.push(...page.changes.map(({ objectId }) => objectId));
    };
    await create("Other");
    const ids = [await create("Post")];
    await readOn(["Post"]);
    // Another process has subscribers of the other class, whose changes this reader passes.
    await log.subscribe("Other", soon());
    await create("Other");
    ids.push(await create("Post"));
    await create("Other");
    await readOn(["Post"]);
    const { seq } = await log.subscribe("Other", soon());
    expect(position.seq).toBe(seq);
    for (const className of ["Other", "Post", "Other"]) ids.push(await create(className));
    await readOn(["Post", "Other"]);
    await readOn(["Post", "Other"]);
    expect(seen).toEqual(ids);
  });

  it("tells a reader that was too slow", async () => {
    const head = await log.subscribe("Post", soon());
    for (let i = 0; i < 3; i++) await create("Post");
    expect(await read(head, ["Post"], 10)).toMatchObject({ isTruncated: false });
    await log.trim(0, 1);
    expect(await read(head, ["Post"], 10)).toMatchObject({ isTruncated: true, changes: [{}] });
  });

  it("is continuous while its reader knows the last change, and after a reader has fallen behind", async () => {
    const position = await log.subscribe("Post", soon());
    await create("Post");
    expect(await log.check(position)).toMatchObject({ isContinuous: true });
    await log.trim(Date.now() + MINUTE_MS, 0);
    expect(await log.check(position)).toMatchObject({ isContinuous: true });
    const lost = { ...position, seq: position.seq + 1_000, fingerprint: "0 unknown" };
    const { head, isContinuous } = await log.check(lost);
    expect(isContinuous).toBe(false);
    await create("Post");
    expect(await read({ ...position, fingerprint: "0 unknown" }, ["Post"], 10)).toMatchObject({
      isContinuous: false,
      changes: [],
    });
    expect(head.epoch).not.toBe(position.epoch);
  });

  it("does not resume a subscription that had ended while nothing else changed", async () => {
    await log.subscribe("Post", Date.now() - 1);
    const known = await log.head();
    await log.trim(0, 100);
    await create("Post");
    await log.subscribe("Post", soon());
    expect(await log.changesSince("Post", known, await log.head(), 10)).toBe("truncated");
  });

  describe("beside processes of the previous version", () => {
    it("can be started by that version", async () => {
      const sql = postgres(url, { max: 1, onnotice: () => undefined });
      expect(await sql`SELECT version FROM purse_layout`).toEqual([{ version: 6 }]);
      await sql.end();
    });

    it("renews no subscription of a class that they have created without its trigger", async () => {
      await log.subscribe("Post", soon());
      await log.subscribe("Missing", soon());
      expect(await log.renew(["Post", "Missing"], soon())).toEqual([]);
      const sql = postgres(url, { max: 1, onnotice: () => undefined });
      await sql`DROP TRIGGER purse_append ON "Post"`;
      await sql.end();
      expect(await log.renew(["Post", "Missing"], soon())).toEqual(["Post"]);
      const head = await log.subscribe("Post", soon());
      await create("Post");
      expect(await changesAfter(head)).toHaveLength(1);
    });

    it("fills their log, also for new classes, until their subscriptions have expired", async () => {
      const sql = postgres(url, { max: 1, onnotice: () => undefined });
      const previous = async () =>
        (await sql`SELECT object_id FROM purse_changes ORDER BY seq`).map((row) => String(row.object_id));
      await sql`INSERT INTO purse_followed (class_name, since, until) VALUES ('Later', 0, ${soon()})`;
      await log.subscribe("Later", soon());
      await store.changeClass("Later", () => classOf("Later"));
      const head = await log.subscribe("Later", soon());
      const id = await create("Later");
      await log.trim(0, 100);
      const second = await create("Later");
      expect(await previous()).toEqual([id, second]);
      await sql`UPDATE purse_followed SET until = 0`;
      await log.trim(0, 100);
      await create("Later");
      expect(await previous()).toEqual([id, second]);
      expect(await changesAfter(head)).toHaveLength(3);
      await sql.end();
    });
  });

  it("contains each change once after a migration of its functions", async () => {
    const head = await log.subscribe("Post", soon());
    const sql = postgres(url, { max: 1, onnotice: () => undefined });
    await sql`UPDATE purse_layout SET migrations = 8`;
    await sql`CREATE OR REPLACE FUNCTION purse_append_change() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'this function is not the current one'; END $$`;
    const other = await openStore({ kind: "postgres", url, connections: 4 });
    const id = await create("Post");
    expect((await changesAfter(head)).map(({ objectId }) => objectId)).toEqual([id]);
    await other.close();
    await sql.end();
  });

  it("contains the changes of classes that an earlier version has read by logical decoding", async () => {
    await log.subscribe("Post", soon());
    const sql = postgres(url, { max: 1, onnotice: () => undefined });
    await sql`DROP TRIGGER purse_append ON "Post"`;
    await sql`ALTER TABLE "Post" REPLICA IDENTITY FULL`;
    await sql`CREATE TABLE purse_decoding (lsn pg_lsn NOT NULL, timeline text)`;
    await sql`CREATE TABLE purse_decoded_tables (id oid PRIMARY KEY, class_name text NOT NULL, is_active boolean NOT NULL)`;
    await sql`INSERT INTO purse_decoded_tables VALUES ('"Post"'::regclass, 'Post', true)`;
    const [names] = await sql`SELECT 'purse_' || oid || '_' || 'purse_decoding'::regclass::oid AS publication
      FROM pg_database WHERE datname = current_database()`;
    await sql.unsafe(`CREATE PUBLICATION ${names?.publication} FOR TABLE "Post"`);
    await sql`UPDATE purse_layout SET migrations = 9`;
    const opened = await openStore({ kind: "postgres", url, connections: 4 });
    expect(await sql`SELECT FROM pg_publication`).toEqual([]);
    expect(await log.renew(["Post"], soon())).toEqual(["Post"]);
    const head = await log.subscribe("Post", soon());
    const id = await create("Post");
    expect((await changesAfter(head)).map(({ objectId }) => objectId)).toEqual([id]);
    await opened.close();
    await sql.end();
  });

  it("trims old and excess entries, and reports a truncated history", async () => {
    const head = await log.subscribe("Post", soon());
    for (let i = 0; i < 5; i++) await create("Post");
    const end = await log.head();
    await log.trim(0, 2);
    expect(await changesAfter(head)).toHaveLength(2);
    expect(await log.changesSince("Post", head.seq, end, 10)).toBe("truncated");
    expect(await log.changesSince("Post", end - 2, end, 1)).toBe("truncated");
    expect(await log.changesSince("Post", end - 2, end, 10)).toMatchObject({
      changes: [{ seq: end - 1 }, { seq: end }],
    });
    await log.trim(Date.now() + MINUTE_MS, 100);
    expect(await log.head()).toBe(end);
    expect(await log.changesSince("Post", end, end, 10)).toEqual({ changes: [] });
  });

  it("ends expired subscriptions, and restarts them without missed changes", async () => {
    const head = await log.subscribe("Post", Date.now() - 1);
    await log.subscribe("Other", soon());
    await log.trim(0, 100);
    await create("Post");
    await create("Other");
    expect(await changesAfter(head)).toHaveLength(1);
    expect(await log.renew(["Post", "Other"], soon())).toEqual(["Post"]);
    await log.subscribe("Post", soon());
    await create("Post");
    expect(await log.changesSince("Post", head.seq, await log.head(), 10)).toBe("truncated");
    expect(await changesAfter(head)).toHaveLength(2);
  });

  it("records changes of a class that is created or recreated later", async () => {
    const head = await log.subscribe("Later", soon());
    await store.changeClass("Later", () => classOf("Later"));
    await create("Later");
    await store.dropClass(classOf("Later"));
    await store.changeClass("Later", () => classOf("Later"));
    await create("Later");
    expect(await changesAfter(head)).toHaveLength(2);
  });

  it("contains no changes of whole classes by operators", async () => {
    await create("Post");
    const head = await log.subscribe("Post", soon());
    await store.changeClass("Post", (known) => ({ ...(known ?? classOf("Post")), fields: {} }));
    await store.purge(classOf("Post"));
    expect(await changesAfter(head)).toEqual([]);
  });
});
