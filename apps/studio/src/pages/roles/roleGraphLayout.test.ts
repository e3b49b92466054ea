import { describe, expect, it } from "vitest";
import { layoutOf, NODE } from "./roleGraphLayout.ts";

const edges = [
  { parent: "readers", child: "writers" },
  { parent: "writers", child: "editors" },
  { parent: "readers", child: "holders" },
  { parent: "readers", child: "editors" },
];
const ids = ["editors", "holders", "lonely", "readers", "writers"];

describe("the layout of roles", () => {
  const { nodes, edges: drawn, width, height } = layoutOf(ids, edges);
  const at = (id: string) => nodes.find((node) => node.id === id) ?? { x: -1, y: -1 };

  it("places parents above their children, at any distance", () => {
    expect(at("readers").y).toBeLessThan(at("writers").y);
    expect(at("writers").y).toBeLessThan(at("editors").y);
    expect(at("holders").y).toBe(at("writers").y);
    expect(at("lonely").y).toBeGreaterThan(at("editors").y);
  });

  it("fits all nodes without overlaps", () => {
    for (const a of nodes) {
      expect(a.x - NODE.width / 2).toBeGreaterThanOrEqual(0);
      expect(a.x + NODE.width / 2).toBeLessThanOrEqual(width);
      expect(a.y + NODE.height / 2).toBeLessThanOrEqual(height);
      for (const b of nodes) {
        const isApart = Math.abs(a.x - b.x) >= NODE.width || Math.abs(a.y - b.y) >= NODE.height;
        expect(a === b || isApart).toBe(true);
      }
    }
    expect(drawn).toHaveLength(4);
    expect(drawn.every(({ path, isInCycle }) => path.startsWith("M") && !isInCycle)).toBe(true);
  });

  it("draws cycles and marks their edges", () => {
    const cyclic = layoutOf(ids, [...edges, { parent: "editors", child: "writers" }]);
    const marked = cyclic.edges.filter(({ isInCycle }) => isInCycle);
    expect(marked.map(({ parent, child }) => `${parent}>${child}`).sort()).toEqual([
      "editors>writers",
      "writers>editors",
    ]);
    const only = layoutOf(
      ["a", "b"],
      [
        { parent: "a", child: "b" },
        { parent: "b", child: "a" },
        { parent: "a", child: "a" },
      ],
    );
    expect(only.nodes).toHaveLength(2);
  });

  it("is empty without roles", () => {
    expect(layoutOf([], [])).toMatchObject({ nodes: [], edges: [] });
  });
});
