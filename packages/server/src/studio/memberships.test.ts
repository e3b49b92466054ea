import { describe, expect, it } from "vitest";
import { resolveMemberships } from "./memberships.ts";

describe("resolveMemberships()", () => {
  const edges = [
    { parent: "readers", child: "writers" },
    { parent: "writers", child: "editors" },
    { parent: "readers", child: "holders" },
  ];

  it("includes the parents of the user's roles, and through which role", () => {
    expect(resolveMemberships({ direct: ["editors"], gated: [], edges })).toEqual([
      { id: "editors", by: "user" },
      { id: "writers", by: "role", from: "editors" },
      { id: "readers", by: "role", from: "writers" },
    ]);
  });

  it("uses the shortest path, and prefers direct membership to a token gate", () => {
    const found = resolveMemberships({ direct: ["editors"], gated: ["holders", "editors"], edges });
    expect(found).toContainEqual({ id: "readers", by: "role", from: "holders" });
    expect(found).toContainEqual({ id: "editors", by: "user" });
    expect(found).toContainEqual({ id: "holders", by: "gate" });
    expect(found).toHaveLength(4);
  });

  it("ends if the role hierarchy has a cycle", () => {
    const cyclic = [...edges, { parent: "editors", child: "readers" }];
    expect(resolveMemberships({ direct: ["readers"], gated: [], edges: cyclic }).map(({ id }) => id)).toEqual(
      ["readers", "editors", "writers"],
    );
  });
});
