import { describe, expect, it } from "vitest";
import { measure, SUBJECTS } from "./sizes.ts";

describe("the size that the client adds to a page", () => {
  const limited = SUBJECTS.filter(({ budget }) => budget !== undefined);

  it.each(limited)("is smaller than its limit: $name", async (subject) => {
    const { compressed } = await measure(subject);
    expect(compressed).toBeGreaterThan(1000);
    expect(compressed).toBeLessThan(subject.budget ?? 0);
  });

  it("is zero for unused imports", async () => {
    const size = await measure({
      name: "",
      what: "",
      entry: 'import "@purse/client"; import "@purse/react";',
    });
    expect(size.modules).toEqual([]);
    expect(size.minified).toBeLessThan(100);
  });

  it("includes no wallet code if only data is used", async () => {
    const core = SUBJECTS.find(({ name }) => name === "core");
    const { modules } = await measure(core ?? { name: "", what: "", entry: "" });
    expect(modules.filter(({ file }) => /\/wallet\/|viem|noble|web3api/.test(file))).toEqual([]);
  });
});
