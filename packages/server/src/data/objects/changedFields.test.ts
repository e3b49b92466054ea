import type { Operation } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { changedNames, returnedPaths } from "./changedFields.ts";

const operations: Record<string, Operation> = {
  title: { op: "Set", value: "Tea" },
  votes: { op: "Increment", amount: 1 },
  "stats.views": { op: "Increment", amount: 1 },
};

describe("the paths that the response of a write returns", () => {
  it("are those whose result the client cannot compute", () => {
    expect(returnedPaths(operations, [])).toEqual(["votes", "stats.views"]);
  });

  it("contain those that triggers changed, each of them once", () => {
    expect(returnedPaths(operations, ["title", "votes"])).toEqual(["votes", "stats.views", "title"]);
  });

  it("belong to top-level fields", () => {
    expect(changedNames({ ...operations, "stats.likes": { op: "Increment", amount: 1 } }, [])).toEqual([
      "votes",
      "stats",
    ]);
  });
});
