import { describe, expect, it } from "vitest";
import { ringBy } from "./changes.ts";

describe("a role that becomes part of another", () => {
  const edges = [
    { parent: "readers", child: "writers" },
    { parent: "writers", child: "editors" },
  ];

  it("closes no ring beside or below", () => {
    expect(ringBy(edges, "readers", "editors")).toBeUndefined();
    expect(ringBy(edges, "editors", "new")).toBeUndefined();
  });

  it("closes one where it leads back, and the way is told", () => {
    expect(ringBy(edges, "editors", "readers")).toEqual(["editors", "readers", "writers"]);
    expect(ringBy(edges, "writers", "readers")).toEqual(["writers", "readers"]);
    expect(ringBy(edges, "readers", "readers")).toEqual(["readers"]);
  });
});
