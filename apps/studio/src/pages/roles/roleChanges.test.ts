import { describe, expect, it } from "vitest";
import { findCycle } from "./roleChanges.ts";

describe("findCycle()", () => {
  const edges = [
    { parent: "readers", child: "writers" },
    { parent: "writers", child: "editors" },
  ];

  it("returns undefined if the role has no path back", () => {
    expect(findCycle(edges, "readers", "editors")).toBeUndefined();
    expect(findCycle(edges, "editors", "new")).toBeUndefined();
  });

  it("returns the path of the cycle that the new edge would close", () => {
    expect(findCycle(edges, "editors", "readers")).toEqual(["editors", "readers", "writers"]);
    expect(findCycle(edges, "writers", "readers")).toEqual(["writers", "readers"]);
    expect(findCycle(edges, "readers", "readers")).toEqual(["readers"]);
  });
});
