import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createDatabase } from "../../../test/postgresDatabase.ts";
import { createLogger } from "../../core/logger.ts";
import type { ClassSchema } from "../classSchema.ts";
import { createLocalLeases } from "../localLeases.ts";
import { openStore } from "../openStore.ts";
import type { Store, Write } from "../store.ts";
import { fencedStore, LeaseHolder } from "./leaseHolder.ts";

const AT = "2026-01-01T00:00:00.000Z";
const schema: ClassSchema = {
  className: "Done",
  table: "Done",
  fields: {},
  classLevelPermissions: {},
  indexes: {},
};

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function openDatabase(kind: "SQLite" | "PostgreSQL"): Promise<Store> {
  if (kind === "SQLite") {
    const folder = mkdtempSync(join(tmpdir(), "purse-leases-"));
    closers.push(async () => rmSync(folder, { recursive: true }));
    return openStore({ kind: "sqlite", path: join(folder, "purse.sqlite") });
  }
  return openStore({ kind: "postgres", url: await createDatabase(), connections: 4 });
}

/** A process that competes for a lease; it has its own clock, which can be frozen. */
function contender(store: Store, lines: string[] = []) {
  let frozenAt: number | undefined;
  const logger = createLogger({ level: "info", format: "text", write: (line) => lines.push(line) });
  const clock = () => frozenAt ?? performance.now();
  const holder = new LeaseHolder({ leases: store.leases, name: "work", logger, clock });
  const freeze = () => {
    frozenAt = performance.now();
  };
  return { keeper: holder, freeze, lines };
}

let ids = 0;
function create(): Write {
  const id = `done${++ids}`;
  return { kind: "create", schema, id, at: AT, object: { objectId: id, createdAt: AT, updatedAt: AT } };
}

describe.each(["SQLite", "PostgreSQL"] as const)("a lease on %s", (kind) => {
  async function open(): Promise<Store> {
    const store = await openDatabase(kind);
    closers.push(() => store.close());
    await store.changeClass("Done", () => schema);
    return store;
  }

  it("is held by one of several contenders, and by another one after its release", async () => {
    const store = await open();
    const all = Array.from({ length: 5 }, () => contender(store).keeper);
    await Promise.all(all.map((holder) => holder.renew()));
    const [first, ...none] = all.filter(({ term }) => term !== undefined);
    expect(none).toEqual([]);
    const before = first?.term ?? 0;
    await first?.stop();
    const others = all.filter((holder) => holder !== first);
    await Promise.all(others.map((holder) => holder.renew()));
    const [second] = others.filter(({ term }) => term !== undefined);
    expect(second?.term).toBeGreaterThan(before);
  });

  it("keeps its term while it is renewed", async () => {
    const { keeper: holder } = contender(await open());
    await holder.renew();
    const { term } = holder;
    await holder.renew();
    expect(holder.term).toBe(term);
  });

  it("is taken over from a frozen holder, whose writes are rejected from then on", async () => {
    const store = await open();
    const [one, two] = [contender(store), contender(store)];
    await one.keeper.renew();
    const fenced = fencedStore(store, one.keeper);
    await fenced.write([create()]);
    one.freeze();
    // It still considers its term current, because its own clock is frozen.
    expect(one.keeper.term).toBeDefined();
    await expect
      .poll(() => two.keeper.renew().then(() => two.keeper.term), { timeout: 10_000, interval: 100 })
      .toBeDefined();
    expect(two.keeper.term).toBeGreaterThan(one.keeper.term ?? 0);
    await expect(fenced.write([create()])).rejects.toMatchObject({ name: "LeaseLostError" });
    await fencedStore(store, two.keeper).write([create()]);
    await one.keeper.renew();
    expect(one.keeper.term).toBeUndefined();
    expect(one.lines.join()).toContain("stands down");
  });

  it("rejects a whole transaction once its term is over", async () => {
    const store = await open();
    const { keeper: holder } = contender(store);
    await holder.renew();
    const fence = holder.fence();
    await holder.stop();
    const made = create();
    const group = store.write([made, { kind: "reserveUnique", scope: "s", value: "v", owner: "o" }, fence]);
    await expect(group).rejects.toMatchObject({ name: "LeaseLostError" });
    expect(await store.getUniqueOwner("s", "v")).toBeUndefined();
    expect(made.kind === "create" && (await store.get(schema, made.id, null))).toBeUndefined();
  });
});

describe("a process that holds a lease", () => {
  it("does not consider itself the holder for longer than the database does, while it cannot renew the lease", async () => {
    let now = 0;
    const leases = createLocalLeases(() => now);
    const acquire = leases.acquire.bind(leases);
    let isReachable = true;
    leases.acquire = async (...args) => {
      if (!isReachable) throw new Error("the database cannot be reached");
      return acquire(...args);
    };
    const logger = createLogger({ level: "silent", format: "text", write: () => undefined });
    const holder = new LeaseHolder({ leases, name: "work", logger, clock: () => now });
    await holder.renew();
    const { term = 0 } = holder;
    isReachable = false;
    now += 2_000;
    await holder.renew();
    expect(holder.term).toBe(term);
    now += 1_001;
    expect(holder.term).toBeUndefined();
    expect(leases.isHeld({ lease: "work", holder: holder.id, fence: term })).toBe(false);
  });

  it("goes on after a term that had ended by its own clock when the database confirmed it", async () => {
    let now = 0;
    const leases = createLocalLeases(() => now);
    const acquire = leases.acquire.bind(leases);
    let response: Promise<void> | undefined;
    leases.acquire = async (...args) => {
      const fence = await acquire(...args);
      await response;
      return fence;
    };
    const terms: (number | undefined)[] = [];
    const logger = createLogger({ level: "silent", format: "text", write: () => undefined });
    const holder: LeaseHolder = new LeaseHolder({
      leases,
      name: "work",
      logger,
      clock: () => now,
      onChange: () => terms.push(holder.term),
    });
    await holder.renew();
    const { term } = holder;
    const late = Promise.withResolvers<void>();
    response = late.promise;
    now += 1_000;
    const renewal = holder.renew();
    now += 2_500;
    expect(holder.term).toBeUndefined();
    late.resolve();
    await renewal;
    expect(holder.term).toBe(term);
    expect(terms).toEqual([term, term]);
  });
});
