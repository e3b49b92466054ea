import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openSchemas } from "../../data/schema/openSchemas.ts";
import { openStore } from "../../database/openStore.ts";
import { parsePushRequest } from "./pushRequest.ts";
import { PushStatuses, pushStatusRules } from "./pushStatus.ts";

const MINUTE_MS = 60_000;
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Two processes' views of one table, with a clock that is set by hand. */
async function openProcesses() {
  const folder = mkdtempSync(join(tmpdir(), "purse-push-"));
  const store = await openStore({ kind: "sqlite", path: join(folder, "purse.sqlite") });
  closers.push(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const schemas = await openSchemas(store, new Map([["_PushStatus", pushStatusRules]]));
  const clock = { now: Date.parse("2030-01-01T00:00:00Z") };
  const process = () =>
    new PushStatuses({ store, schemaOf: (name) => schemas.require(name), now: () => clock.now });
  const requestOf = (body: object) =>
    parsePushRequest({ where: {}, data: { alert: "x" }, ...body }, clock.now);
  return { clock, one: process(), two: process(), order: requestOf };
}

describe("a push", () => {
  it("is acquired by one of several contenders", async () => {
    const { one, two, order: requestOf } = await openProcesses();
    const id = await one.create(requestOf({}));
    const acquired = await Promise.all([one.acquire(id), two.acquire(id), two.acquire(id)]);
    expect(acquired.filter((push) => push !== undefined)).toHaveLength(1);
    expect(await two.acquire(id)).toBeUndefined();
  });

  it("is due at its time", async () => {
    const { one, clock, order: requestOf } = await openProcesses();
    const id = await one.create(requestOf({ push_time: "2030-01-01T01:00:00Z" }));
    expect(await one.findDue()).toEqual([]);
    clock.now += 60 * MINUTE_MS;
    expect(await one.findDue()).toEqual([id]);
  });

  it("that was abandoned is taken over after three minutes, at its last progress", async () => {
    const { one, two, clock, order: requestOf } = await openProcesses();
    const id = await one.create(requestOf({}));
    const push = await one.acquire(id);
    if (push) await one.saveProgress(push, "installation7");
    clock.now += MINUTE_MS;
    expect(await two.findDue()).toEqual([]);
    clock.now += 2 * MINUTE_MS;
    expect(await two.findDue()).toEqual([id]);
    const acquired = await Promise.all([one.acquire(id), two.acquire(id)]);
    expect(acquired.filter((push) => push?.after === "installation7")).toHaveLength(1);
  });

  it("that was taken over is sent by one process only, even if the first one resumes", async () => {
    const { one, two, clock, order: requestOf } = await openProcesses();
    const id = await one.create(requestOf({}));
    const frozen = await one.acquire(id);
    clock.now += 3 * MINUTE_MS;
    const acquired = await two.acquire(id);
    if (!frozen || !acquired) throw new Error("it was not acquired");
    await expect(one.saveProgress(frozen, "installation3")).rejects.toMatchObject({
      name: "UniqueConstraintError",
    });
    await expect(one.finish(frozen)).rejects.toMatchObject({ name: "UniqueConstraintError" });
    await two.saveProgress(acquired, "installation7");
    await two.finish(acquired);
    expect(await one.findDue()).toEqual([]);
  });

  it("that was released on shutdown continues after the next start", async () => {
    const { one, two, order: requestOf } = await openProcesses();
    const id = await one.create(requestOf({}));
    const push = await one.acquire(id);
    if (push) await one.saveProgress(push, "installation7");
    if (push) await one.release(push);
    expect(await two.findDue()).toEqual([id]);
    expect(await two.acquire(id)).toMatchObject({ after: "installation7", data: { alert: "x" } });
  });

  it("that is finished is not acquired again", async () => {
    const { one, two, clock, order: requestOf } = await openProcesses();
    const id = await one.create(requestOf({}));
    const push = await one.acquire(id);
    if (push) await one.finish(push);
    clock.now += 60 * MINUTE_MS;
    expect(await two.findDue()).toEqual([]);
    expect(await two.acquire(id)).toBeUndefined();
  });

  it("expires after an interval or at a time", async () => {
    const { one, clock, order: requestOf } = await openProcesses();
    const at = "2030-01-01T01:00:00Z";
    const later = await one.create(requestOf({ push_time: at, expiration_interval: 60 }));
    expect((await one.acquire(later))?.expiresAt).toBe(Date.parse(at) + MINUTE_MS);
    const now = await one.create(requestOf({ expiration_interval: 60 }));
    expect((await one.acquire(now))?.expiresAt).toBe(clock.now + MINUTE_MS);
    const fixed = await one.create(requestOf({ expiration_time: at }));
    expect((await one.acquire(fixed))?.expiresAt).toBe(Date.parse(at));
  });

  it.each(["2030-02-30T10:00:00Z", "2030-04-31T10:00:00", "2030-02-30", "Jan 5"])(
    "at a time that does not exist is rejected: %s",
    async (time) => {
      const { order: requestOf } = await openProcesses();
      for (const name of ["push_time", "expiration_time"]) {
        expect(() => requestOf({ [name]: time })).toThrow(`${time} is not valid time.`);
      }
    },
  );

  it.each([
    ["2030-01-01T20:00:00+0530", "2030-01-01T14:30:00.000Z"],
    ["2030-01-01T20:00:00z", "2030-01-01T20:00:00.000Z"],
    ["2030-01-01 20:00", "2030-01-01T20:00:00.000"],
    ["2030-01-01", "2030-01-01T00:00:00.000"],
  ])("has the time of its order: %s", async (time, pushTime) => {
    const { order: requestOf } = await openProcesses();
    expect(requestOf({ push_time: time })).toMatchObject({ pushTime });
  });

  it("without a time zone is sent in waves, once each, from the first to the last time zone", async () => {
    const { one, two, clock, order: requestOf } = await openProcesses();
    const id = await one.create(requestOf({ push_time: "2030-01-01T20:00:00" }));
    expect(await one.findDue()).toEqual([]);
    clock.now = Date.parse("2030-01-01T06:00:00Z");
    let from = 0;
    for (let wave = 0; wave <= 104; wave++) {
      expect(await one.findDue()).toEqual([id]);
      const acquired = (await Promise.all([one.acquire(id), two.acquire(id)])).filter(
        (each) => each !== undefined,
      );
      const [push] = acquired;
      expect(acquired.map((each) => each.wave)).toMatchObject([{ from, until: clock.now }]);
      if (push) await one.finishWave(push);
      expect(await one.findDue()).toEqual([]);
      from = clock.now;
      clock.now += 15 * MINUTE_MS;
    }
    // It was the last.
    expect(await one.findDue()).toEqual([]);
    expect(await one.acquire(id)).toBeUndefined();
  });
});
