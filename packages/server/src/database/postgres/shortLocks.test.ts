import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { expect, inject, it } from "vitest";
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

it("gives up dropping a class or an index that is in use, and lets requests of the class go on meanwhile", async () => {
  const name = `locks_${randomBytes(8).toString("hex")}`;
  const url = new URL(inject("postgresUrl"));
  const server = postgres(url.href, { max: 1, onnotice: () => undefined });
  await server.unsafe(`CREATE DATABASE ${name}`);
  await server.end();
  url.pathname = `/${name}`;
  const store = await openStore({ kind: "postgres", url: url.href, connections: 3 });
  const backup = postgres(url.href, { max: 1, onnotice: () => undefined });
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
}, 60_000);
