import { describe, expect, it } from "vitest";
import { layoutOf, NODE } from "./layout.ts";

const edges = [
  { parent: "readers", child: "writers" },
  { parent: "writers", child: "editors" },
  { parent: "readers", child: "holders" },
  { parent: "readers", child: "editors" },
];
const ids = ["editors", "holders", "lonely", "readers", "writers"];

describe("the picture of roles", () => {
  const { nodes, edges: drawn, width, height } = layoutOf(ids, edges);
  const at = (id: string) => nodes.find((node) => node.id === id) ?? { x: -1, y: -1 };

  it("has parents above their children, however long the way", () => {
    expect(at("readers").y).toBeLessThan(at("writers").y);
    expect(at("writers").y).toBeLessThan(at("editors").y);
    expect(at("holders").y).toBe(at("writers").y);
    expect(at("lonely").y).toBeGreaterThan(at("editors").y);
  });

  it("has room for all, none over another", () => {
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

  it("draws cycles too, and marks the edges that make them", () => {
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

  it("is empty where there is none", () => {
    expect(layoutOf([], [])).toMatchObject({ nodes: [], edges: [] });
  });
});
