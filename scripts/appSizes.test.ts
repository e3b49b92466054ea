import { describe, expect, it } from "vitest";
import { FIRST_LOAD_LIMIT, measureApp } from "./appSizes.ts";

describe("what the app loads before its first page", () => {
  const loads = measureApp();

  it.each(["app", "studio"])("is within its limit: %s", async (wanted) => {
    const load = (await loads).find(({ name }) => name === wanted);
    expect(load?.scripts).toBeGreaterThan(50_000);
    expect(load?.styles).toBeGreaterThan(1_000);
    expect(load?.total).toBeLessThan(FIRST_LOAD_LIMIT);
  });

  it("has no part in it that only some pages need", async () => {
    const files = (await loads).flatMap(({ modules }) => modules.map(({ file }) => file));
    expect(files.filter((file) => /viem|ox\/|d3-|react-virtual|react-table|uqr/.test(file))).toEqual([]);
    const ofTheApp = (await loads).find(({ name }) => name === "app")?.modules ?? [];
    expect(ofTheApp.filter(({ file }) => /src\/studio\/|react-query/.test(file))).toEqual([]);
  });
});
