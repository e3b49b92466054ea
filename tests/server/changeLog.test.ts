import { type ClassSchema, openStore, type Store } from "@purse/server";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
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

describe("the change log on PostgreSQL", () => {
  let store: Store;
  let log: NonNullable<Store["changeLog"]>;
  beforeEach(async () => {
    store = await openStore({
      kind: "postgres",
      url: await newDatabase(inject("postgresUrl")),
      connections: 4,
    });
    if (!store.changeLog) throw new Error("PostgreSQL has a log of changes");
    log = store.changeLog;
    for (const name of ["Post", "Other"]) await store.changeClass(name, () => classOf(name));
  });
  afterEach(() => store.close());

  let ids = 0;
  async function create(className: string): Promise<string> {
    const id = `object${++ids}`;
    const object = { objectId: id, createdAt: AT, updatedAt: AT, n: ids };
    await store.write([{ kind: "create", schema: classOf(className), id, at: AT, object }]);
    return id;
  }
  const soon = () => Date.now() + MINUTE_MS;

  it("contains changes of subscribed classes only", async () => {
    const { seq: head } = await log.subscribe("Post", soon());
    await create("Other");
    const id = await create("Post");
    await store.write([{ kind: "delete", schema: classOf("Post"), id, subjects: null }]);
    const changes = await log.read(head, 10);
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
    const { seq: head } = await log.subscribe("Post", soon());
    const id = await create("Post");
    const object = { objectId: "new", createdAt: AT, updatedAt: AT };
    const group = store.write([
      { kind: "create", schema: classOf("Post"), id: "new", at: AT, object },
      { kind: "create", schema: classOf("Post"), id, at: AT, object: { ...object, objectId: id } },
    ]);
    await expect(group).rejects.toMatchObject({ code: 137 });
    expect(await log.read(head, 10)).toHaveLength(1);
  });

  it("numbers changes in commit order, so that readers miss none", async () => {
    const { seq: head } = await log.subscribe("Post", soon());
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
      for (const { seq } of await log.read(last, 20)) {
        seen.push(seq);
        last = seq;
        isLast = false;
      }
    }
    await writing;
    expect(seen).toEqual((await log.read(head, 1_000)).map(({ seq }) => seq));
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

  it("trims old and excess entries, and reports a truncated history", async () => {
    const { seq: head } = await log.subscribe("Post", soon());
    for (let i = 0; i < 5; i++) await create("Post");
    const end = await log.head();
    await log.trim(0, 2);
    expect(await log.read(head, 10)).toHaveLength(2);
    expect(await log.changesSince("Post", head, end, 10)).toBe("truncated");
    expect(await log.changesSince("Post", end - 2, end, 1)).toBe("truncated");
    expect(await log.changesSince("Post", end - 2, end, 10)).toMatchObject({
      changes: [{ seq: end - 1 }, { seq: end }],
    });
    await log.trim(Date.now() + MINUTE_MS, 100);
    expect(await log.head()).toBe(end);
    expect(await log.changesSince("Post", end, end, 10)).toEqual({ changes: [] });
  });

  it("ends expired subscriptions, and restarts them without missed changes", async () => {
    const { seq: head } = await log.subscribe("Post", Date.now() - 1);
    await log.subscribe("Other", soon());
    await log.trim(0, 100);
    await create("Post");
    await create("Other");
    expect(await log.read(head, 10)).toHaveLength(1);
    expect(await log.renew(["Post", "Other"], soon())).toEqual(["Post"]);
    await log.subscribe("Post", soon());
    await create("Post");
    expect(await log.changesSince("Post", head, await log.head(), 10)).toBe("truncated");
    expect(await log.read(head, 10)).toHaveLength(2);
  });

  it("records changes of a class that is created or recreated later", async () => {
    const { seq: head } = await log.subscribe("Later", soon());
    await store.changeClass("Later", () => classOf("Later"));
    await create("Later");
    await store.dropClass(classOf("Later"));
    await store.changeClass("Later", () => classOf("Later"));
    await create("Later");
    expect(await log.read(head, 10)).toHaveLength(2);
  });

  it("contains no changes of whole classes by operators", async () => {
    await create("Post");
    const { seq: head } = await log.subscribe("Post", soon());
    await store.changeClass("Post", (known) => ({ ...(known ?? classOf("Post")), fields: {} }));
    await store.purge(classOf("Post"));
    expect(await log.read(head, 10)).toEqual([]);
  });
});
