import { randomUUID } from "node:crypto";
import { type ClassSchema, openStore, type Store, type Write } from "@purse/server";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { hasProgram, PGBOUNCER } from "../../scripts/programs.mjs";
import { ALL_CASES, casesOf } from "../support/allCases.ts";
import { type PgBouncer, startPgBouncer } from "../support/pgbouncer.ts";
import { type CommitFault, type PostgresProxy, startPostgresProxy } from "../support/postgresProxy.ts";
import { newDatabase } from "../support/postgresServer.ts";

const AT = "2026-01-01T00:00:00.000Z";
const schema: ClassSchema = {
  className: "Post",
  table: "Post",
  fields: { n: { type: "Number" } },
  classLevelPermissions: {},
  indexes: {},
};

const FAULTS = ["loseResponse", "loseRequest", "deliverLate"] as const satisfies CommitFault[];
const HAPPENS = {
  loseResponse: "was committed and the response is lost",
  loseRequest: "was not committed",
  deliverLate: "is committed after the connection was lost",
};

const PLACES = [
  { where: "on the way to PostgreSQL", isPooled: false },
  { where: "on the way to PgBouncer and PostgreSQL", isPooled: true },
];

/** `npm test` takes the fault after which a client knows least. */
const CASES = casesOf(
  PLACES.flatMap((place) => FAULTS.map((fault) => ({ ...place, fault }))),
  ({ isPooled, fault }) => ALL_CASES || (!isPooled && fault === "loseResponse"),
);

const TITLE = "a store with the COMMIT fault $fault $where";
describe.each(CASES.filter(({ isPooled }) => !isPooled))(TITLE, testFault);
const POOLED = CASES.filter(({ isPooled }) => isPooled);
describe.skipIf(POOLED.length > 0 && !hasProgram(PGBOUNCER)).each(POOLED)(TITLE, testFault);

function testFault({ fault, isPooled }: (typeof CASES)[number]): void {
  let bouncer: PgBouncer | undefined;
  let proxy: PostgresProxy;
  let store: Store;
  let sql: postgres.Sql;

  beforeAll(async () => {
    const url = await newDatabase(inject("postgresUrl"));
    sql = postgres(url, { max: 1, onnotice: () => undefined });
    if (isPooled) bouncer = await startPgBouncer(url, 2);
    proxy = await startPostgresProxy(bouncer?.urlOf(url) ?? url);
    store = await openStore({
      kind: "postgres",
      url: proxy.url(url),
      ...(isPooled && { directUrl: url }),
      connections: 5,
    });
    await store.changeClass("Post", () => schema);
  });
  afterAll(async () => {
    await store.close();
    await proxy.close();
    await bouncer?.stop();
    await sql.end();
  });

  /** Runs a function while one COMMIT is lost; throws if none was. */
  async function withFault<T>(work: () => Promise<T>): Promise<T> {
    let left = 1;
    proxy.onCommit(() => (left-- > 0 ? fault : undefined));
    const lost = proxy.lost;
    try {
      return await work();
    } finally {
      proxy.onCommit(undefined);
      expect(proxy.lost - lost).toBe(1);
    }
  }

  function create(id: string = randomUUID(), n = 0): Extract<Write, { kind: "create" }> {
    const object = { objectId: id, createdAt: AT, updatedAt: AT, n };
    return { kind: "create", schema, id, at: AT, object };
  }
  function increment(id: string): Write {
    const operations = { n: { op: "Increment", amount: 1 } } as const;
    return { kind: "update", schema, id, at: AT, operations, subjects: null };
  }
  async function numbersOf(ids: string[]): Promise<number[]> {
    const rows = await sql<
      { n: number }[]
    >`SELECT (doc ->> 'n')::int AS n FROM "Post" WHERE id IN ${sql(ids)}`;
    return rows.map(({ n }) => n);
  }

  it(`applies each increment of a group once, although it ${HAPPENS[fault]}`, async () => {
    const ids = Array.from({ length: 6 }, () => randomUUID());
    for (const id of ids) await store.write([create(id)]);
    const results = await withFault(() =>
      Promise.all(Array.from({ length: 60 }, (_, i) => store.write([increment(ids[i % 6] ?? "")]))),
    );
    expect(await numbersOf(ids)).toEqual([10, 10, 10, 10, 10, 10]);
    // Each response has a distinct state.
    const seen = results.map(([result]) => JSON.parse(result?.after ?? "{}"));
    expect(new Set(seen.map(({ objectId, n }) => `${objectId} ${n}`)).size).toBe(60);
  });

  it(`creates each object of a group once, although it ${HAPPENS[fault]}`, async () => {
    const ids = Array.from({ length: 40 }, () => randomUUID());
    const results = await withFault(() => Promise.all(ids.map((id) => store.write([create(id, 7)]))));
    expect(results.every(([result]) => result?.after !== null)).toBe(true);
    expect(await numbersOf(ids)).toEqual(Array(40).fill(7));
  });

  it(`rejects only the object that already existed, although it ${HAPPENS[fault]}`, async () => {
    const [there = "", ...others] = Array.from({ length: 10 }, () => randomUUID());
    await store.write([create(there, 1)]);
    const outcomes = await withFault(() =>
      Promise.allSettled([there, ...others].map((id) => store.write([create(id, 2)]))),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", ...Array(9).fill("fulfilled")]);
    expect(await numbersOf([there])).toEqual([1]);
    expect(await numbersOf(others)).toEqual(Array(9).fill(2));
  });

  it(`deletes an object once and reports success, although it ${HAPPENS[fault]}`, async () => {
    const id = randomUUID();
    await store.write([create(id)]);
    const [result] = await withFault(() => store.write([{ kind: "delete", schema, id, subjects: null }]));
    expect(JSON.parse(result?.before ?? "{}").objectId).toBe(id);
    expect(await numbersOf([id])).toEqual([]);
  });

  it(`writes a transaction of several steps once, although it ${HAPPENS[fault]}`, async () => {
    const [counter, made, name] = [randomUUID(), randomUUID(), randomUUID()];
    await store.write([create(counter)]);
    await withFault(() =>
      store.write([
        { kind: "reserveUnique", scope: "name", value: name, owner: made },
        create(made, 3),
        increment(counter),
        { kind: "incrementCounter", scope: "tries", value: name, max: 1, expiresAt: Date.now() + 60_000 },
      ]),
    );
    expect(await numbersOf([counter])).toEqual([1]);
    expect(await store.getUniqueOwner("name", name)).toBe(made);
    expect(await store.getCounter("tries", name)).toBe(1);
  });

  // Behind a pooler, classes are changed through the direct connection.
  it.skipIf(isPooled)(`changes a class once, although it ${HAPPENS[fault]}`, async () => {
    let edits = 0;
    const changed = await withFault(() =>
      store.changeClass(`Made${fault}`, (current) => {
        edits += 1;
        if (current) throw new Error("it is there already");
        return { ...schema, className: `Made${fault}`, table: `Made${fault}` };
      }),
    );
    expect(changed.className).toBe(`Made${fault}`);
    // Made again after it was rolled back, for which there are other reasons (a table in use), and not otherwise.
    expect(edits).toBeGreaterThanOrEqual(fault === "loseRequest" ? 2 : 1);
  });
}
