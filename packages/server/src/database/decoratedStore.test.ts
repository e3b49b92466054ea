import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ClassSchema } from "./classSchema.ts";
import { decorateStore } from "./decoratedStore.ts";
import { openStore } from "./openStore.ts";
import type { Store } from "./store.ts";

const NOTE: ClassSchema = {
  className: "Note",
  table: "Note",
  fields: {},
  classLevelPermissions: {},
  indexes: {},
};
const AT = "2026-01-01T00:00:00.000Z";

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "purse-decorated-"));
  store = await openStore({ kind: "sqlite", path: join(folder, "purse.sqlite") });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

describe("decorateStore()", () => {
  it("passes each operation with its subject, and returns what the store returns", async () => {
    const calls: unknown[] = [];
    const decorated = decorateStore(store, (operation, subject, run) => {
      calls.push([operation, subject]);
      return run();
    });
    const schema = await decorated.changeClass("Note", () => NOTE);
    const create = { kind: "create" as const, schema, id: "a", at: AT, object: { objectId: "a" } };
    await decorated.write([create]);
    expect(JSON.parse(String(await decorated.get(schema, "a", null)))).toMatchObject({ objectId: "a" });
    await decorated.probeWrite?.();
    expect(calls).toEqual([
      ["changeClass", "Note"],
      ["write", [create]],
      ["get", schema],
      ["probeWrite", undefined],
    ]);
  });

  it("rejects with what the decoration throws, and leaves everything else to the store", async () => {
    const decorated = decorateStore(store, async (operation) => {
      throw new Error(`no ${operation}`);
    });
    await expect(decorated.loadClasses()).rejects.toThrow("no loadClasses");
    expect(await store.loadClasses()).toEqual([]);
    expect(decorated.leases).toBe(store.leases);
    expect(decorated.now()).toBeGreaterThan(0);
    expect(decorated.sizeBytes).toBeUndefined();
  });
});
