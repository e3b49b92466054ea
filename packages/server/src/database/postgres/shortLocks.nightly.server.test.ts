import postgres from "postgres";
import { expect, it } from "vitest";
import { createDatabase } from "../../../test/postgresDatabase.ts";
import type { ClassSchema } from "../classSchema.ts";
import { openStore } from "../openStore.ts";
import { SCAN_START } from "../store.ts";
import { DatabaseBusyError } from "./errors.ts";

const NOTE: ClassSchema = {
  className: "Note",
  table: "Note",
  fields: { n: { type: "Number" } },
  classLevelPermissions: {},
  indexes: { byN: { n: 1 } },
};

it("PostgreSQL gives up dropping a class or an index that is in use, and lets requests of the class go on meanwhile", async () => {
  const url = await createDatabase();
  const store = await openStore({ kind: "postgres", url, connections: 3 });
  const backup = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    const schema = await store.changeClass("Note", () => NOTE);
    const changes = [
      () => store.dropClass(schema),
      () => store.changeClass("Note", () => ({ ...schema, indexes: {} })),
    ];
    await backup.begin(async (transaction) => {
      await transaction`LOCK TABLE "Note" IN ACCESS SHARE MODE`;
      let isOver = false;
      const failed = Promise.allSettled(changes.map((change) => change())).finally(() => {
        isOver = true;
      });
      let reads = 0;
      for (; !isOver; reads += 1) await store.scan(schema, SCAN_START, 10);
      const busy = { status: "rejected", reason: expect.any(DatabaseBusyError) };
      expect(await failed).toEqual([busy, busy]);
      // A lock that waits until the end would let few reads pass.
      expect(reads).toBeGreaterThan(5);
      expect(await store.loadClasses("Note")).toEqual([schema]);
    });
    await store.dropClass(schema);
    expect(await store.loadClasses("Note")).toEqual([]);
  } finally {
    await backup.end();
    await store.close();
  }
});
