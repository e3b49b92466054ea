import { expect, it } from "vitest";
import { ReadQuota } from "./readQuota.ts";
import { runInGroup } from "./requestGroup.ts";

it("rejects reads of a client beyond its share, and serves those of others", async () => {
  const quota = new ReadQuota();
  const { promise, resolve } = Promise.withResolvers<string>();
  const reads = Array.from({ length: 50 }, () => runInGroup("greedy", () => quota.run(() => promise)));
  await expect(runInGroup("greedy", () => quota.run(async () => "late"))).rejects.toMatchObject({
    reason: "busy",
  });
  expect(await runInGroup("modest", () => quota.run(async () => "served"))).toBe("served");
  resolve("done");
  expect(new Set(await Promise.all(reads))).toEqual(new Set(["done"]));
  expect(await runInGroup("greedy", () => quota.run(async () => "again"))).toBe("again");
});

it("rejects all reads beyond the total, and counts failed ones as ended", async () => {
  const quota = new ReadQuota();
  const { promise, reject } = Promise.withResolvers<string>();
  const reads = Array.from({ length: 200 }, (_, i) =>
    runInGroup(`client ${i}`, () => quota.run(() => promise)),
  );
  await expect(runInGroup("another", () => quota.run(async () => "late"))).rejects.toMatchObject({
    reason: "busy",
  });
  reject(new Error("the database is gone"));
  const results = await Promise.allSettled(reads);
  expect(results.every(({ status }) => status === "rejected")).toBe(true);
  expect(await quota.run(async () => "again")).toBe("again");
});
