import { type EdgeLabel, Graph, type GraphLabel, layout, type NodeLabel } from "@dagrejs/dagre";
import { curveBasis, line } from "d3-shape";
import { adjacency, type RoleEdge, reachableFrom } from "../../components/useRoles.ts";

/** Size of a node, in px. */
export const NODE = { width: 156, height: 44 } as const;
const GAP = { x: 28, y: 64 } as const;
const MARGIN = 16;
/** Unlinked roles are placed below in rows of this length. */
const UNLINKED_PER_ROW = 5;

interface NodePosition {
  id: string;
  /** Center of the node. */
  x: number;
  y: number;
}

export interface Layout {
  width: number;
  height: number;
  nodes: NodePosition[];
  /** Edges from child to parent; `path` is an SVG path. */
  edges: (RoleEdge & { path: string; isInCycle: boolean })[];
}

const pathOf = line<{ x: number; y: number }>(
  ({ x }) => x,
  ({ y }) => y,
).curve(curveBasis);

/** Lays out the role graph in layers, parents above children. In a cycle, one of the edges points the other way. */
export function layoutOf(ids: readonly string[], all: readonly RoleEdge[]): Layout {
  const known = new Set(ids);
  const edges = all.filter(({ parent, child }) => parent !== child && known.has(parent) && known.has(child));
  const linked = new Set(edges.flatMap(({ parent, child }) => [parent, child]));
  const graph = new Graph<GraphLabel, NodeLabel, EdgeLabel>();
  graph.setGraph({ nodesep: GAP.x, ranksep: GAP.y, marginx: MARGIN, marginy: MARGIN });
  for (const id of linked) graph.setNode(id, { ...NODE });
  for (const { parent, child } of edges) graph.setEdge(parent, child, {});
  if (linked.size > 0) layout(graph);
  const nodes = [...linked].map((id): NodePosition => {
    const { x = 0, y = 0 } = graph.node(id);
    return { id, x: Math.round(x), y: Math.round(y) };
  });
  const up = adjacency(edges, "up");
  const drawn = edges.map((edge) => ({
    ...edge,
    isInCycle: reachableFrom(edge.parent, up).has(edge.child),
    path: pathOf(graph.edge(edge.parent, edge.child).points?.toReversed() ?? []) ?? "",
  }));
  const { width = 0, height: top = 0 } = graph.graph();
  const unlinked = ids.filter((id) => !linked.has(id));
  unlinked.forEach((id, i) => {
    nodes.push({
      id,
      x: MARGIN + NODE.width / 2 + (i % UNLINKED_PER_ROW) * (NODE.width + GAP.x),
      y: top + MARGIN + NODE.height / 2 + Math.floor(i / UNLINKED_PER_ROW) * (NODE.height + MARGIN),
    });
  });
  return {
    width: Math.max(width, ...nodes.map(({ x }) => x + NODE.width / 2 + MARGIN)),
    height: Math.max(0, ...nodes.map(({ y }) => y + NODE.height / 2 + MARGIN)),
    nodes,
    edges: drawn,
  };
}
