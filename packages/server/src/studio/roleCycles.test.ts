import { describe, expect, it } from "vitest";
import { findRoleCycles } from "./roleCycles.ts";

const edges = (...pairs: string[]) => pairs.map((pair) => ({ parent: pair[0] ?? "", child: pair[1] ?? "" }));

describe("rings", () => {
  it.each<[string, string[], string[][]]>([
    ["are none in a tree", ["ab", "ac", "cd"], []],
    ["are none where two ways lead to the same", ["ab", "ac", "bd", "cd"], []],
    ["are found wherever the walk begins", ["xb", "bc", "ca", "ab"], [["a", "b", "c"]]],
    ["may be of one", ["aa", "ab"], [["a"]]],
    [
      "may share what is in them",
      ["ab", "ba", "bc", "cb"],
      [
        ["a", "b"],
        ["b", "c"],
      ],
    ],
  ])("%s", (_, pairs, cycles) => {
    expect(findRoleCycles(edges(...pairs))).toEqual(cycles);
  });

  it("are looked for in little time, however deep", () => {
    const chain = Array.from({ length: 20_000 }, (_, i) => ({ parent: String(i), child: String(i + 1) }));
    expect(findRoleCycles([...chain, { parent: "20000", child: "19999" }])).toHaveLength(1);
  });
});
