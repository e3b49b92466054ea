import { describe, expect, it } from "vitest";
import { FIRST_LOAD_LIMIT, measureApps } from "./appSizes.ts";

describe("the code that an app loads for its first page", () => {
  const loads = measureApps();

  it.each(["web", "studio"])("is smaller than its limit: %s", (wanted) => {
    const load = loads.find(({ name }) => name === wanted);
    expect(load?.scripts).toBeGreaterThan(50_000);
    expect(load?.styles).toBeGreaterThan(1_000);
    expect(load?.total).toBeLessThan(FIRST_LOAD_LIMIT);
  });

  it("contains no modules that only some pages need", () => {
    const files = loads.flatMap(({ modules }) => modules.map(({ file }) => file));
    expect(files.filter((file) => /viem|ox\/|d3-|react-virtual|react-table|uqr/.test(file))).toEqual([]);
    const ofTheApp = loads.find(({ name }) => name === "web")?.modules ?? [];
    expect(ofTheApp.filter(({ file }) => /^apps\/studio\/|react-query/.test(file))).toEqual([]);
  });
});
