import { describe, expect, it } from "vitest";
import { findRoleCycles } from "./roleCycles.ts";

const edges = (...pairs: string[]) => pairs.map((pair) => ({ parent: pair[0] ?? "", child: pair[1] ?? "" }));

describe("role cycles", () => {
  it.each<[string, string[], string[][]]>([
    ["do not exist in a tree", ["ab", "ac", "cd"], []],
    ["do not exist if two paths lead to the same role", ["ab", "ac", "bd", "cd"], []],
    ["are found regardless of the starting role", ["xb", "bc", "ca", "ab"], [["a", "b", "c"]]],
    ["can consist of one role", ["aa", "ab"], [["a"]]],
    [
      "can share roles",
      ["ab", "ba", "bc", "cb"],
      [
        ["a", "b"],
        ["b", "c"],
      ],
    ],
  ])("%s", (_, pairs, cycles) => {
    expect(findRoleCycles(edges(...pairs))).toEqual(cycles);
  });

  it("are found quickly at any depth", () => {
    const chain = Array.from({ length: 20_000 }, (_, i) => ({ parent: String(i), child: String(i + 1) }));
    expect(findRoleCycles([...chain, { parent: "20000", child: "19999" }])).toHaveLength(1);
  });
});
