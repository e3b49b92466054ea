import { describe, expect, it } from "vitest";
import { resolveMemberships } from "./memberships.ts";

describe("memberships", () => {
  const edges = [
    { parent: "readers", child: "writers" },
    { parent: "writers", child: "editors" },
    { parent: "readers", child: "holders" },
  ];

  it("go up from the roles that somebody was given, and say through which one", () => {
    expect(resolveMemberships({ direct: ["editors"], gated: [], edges })).toEqual([
      { id: "editors", by: "user" },
      { id: "writers", by: "role", from: "editors" },
      { id: "readers", by: "role", from: "writers" },
    ]);
  });

  it("take the nearest way where there are several, and being named before a gate", () => {
    const found = resolveMemberships({ direct: ["editors"], gated: ["holders", "editors"], edges });
    expect(found).toContainEqual({ id: "readers", by: "role", from: "holders" });
    expect(found).toContainEqual({ id: "editors", by: "user" });
    expect(found).toContainEqual({ id: "holders", by: "gate" });
    expect(found).toHaveLength(4);
  });

  it("end where roles lead back to themselves", () => {
    const cyclic = [...edges, { parent: "editors", child: "readers" }];
    expect(resolveMemberships({ direct: ["readers"], gated: [], edges: cyclic }).map(({ id }) => id)).toEqual(
      ["readers", "editors", "writers"],
    );
  });
});
