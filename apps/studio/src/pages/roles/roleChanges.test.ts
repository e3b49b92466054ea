import { describe, expect, it } from "vitest";
import { findCycle } from "./roleChanges.ts";

describe("a role that becomes part of another", () => {
  const edges = [
    { parent: "readers", child: "writers" },
    { parent: "writers", child: "editors" },
  ];

  it("closes no ring beside or below", () => {
    expect(findCycle(edges, "readers", "editors")).toBeUndefined();
    expect(findCycle(edges, "editors", "new")).toBeUndefined();
  });

  it("closes one where it leads back, and the way is told", () => {
    expect(findCycle(edges, "editors", "readers")).toEqual(["editors", "readers", "writers"]);
    expect(findCycle(edges, "writers", "readers")).toEqual(["writers", "readers"]);
    expect(findCycle(edges, "readers", "readers")).toEqual(["readers"]);
  });
});
