import { adjacency, type RoleEdge, reachableFrom } from "../../components/roles.ts";

/** Size of a node, in px. */
export const NODE = { width: 156, height: 44 } as const;
const GAP = { x: 28, y: 64 } as const;
/** Width reserved for an edge that passes a layer, in px. */
const EDGE_WIDTH = 20;
const MARGIN = 16;
const SWEEPS = 6;
/** Unlinked roles are placed below in rows of this length. */
const UNLINKED_PER_ROW = 5;

export interface NodePosition {
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

interface Slot {
  key: string;
  width: number;
  x: number;
  /** Linked slots in the layers above and below. */
  up: Slot[];
  down: Slot[];
}

/**
 * Lays out the role graph in layers, parents above children, with few crossings. A cycle has no layered order: one of its
 * edges points upward.
 */
export function layoutOf(ids: readonly string[], all: readonly RoleEdge[]): Layout {
  const known = new Set(ids);
  const edges = all.filter(({ parent, child }) => known.has(parent) && known.has(child));
  const linked = new Set(edges.flatMap(({ parent, child }) => [parent, child]));
  const depths = depthsOf(
    ids.filter((id) => linked.has(id)),
    edges,
  );
  const layers: Slot[][] = [];
  const slots = new Map<string, Slot>();
  const add = (key: string, width: number, depth: number): Slot => {
    const slot: Slot = { key, width, x: 0, up: [], down: [] };
    while (layers.length <= depth) layers.push([]);
    layers[depth]?.push(slot);
    return slot;
  };
  for (const [id, depth] of depths) slots.set(id, add(id, NODE.width, depth));
  // An edge gets a slot in each layer it passes, so that no node covers it.
  const routes = edges.flatMap((edge) => {
    const [top, bottom] = [slots.get(edge.parent), slots.get(edge.child)];
    if (!top || !bottom || edge.parent === edge.child) return [];
    const [from = 0, to = 0] = [depths.get(edge.parent), depths.get(edge.child)];
    const step = to >= from ? 1 : -1;
    const route = [top];
    for (let depth = from + step; depth !== to && from !== to; depth += step) {
      route.push(add(`${edge.parent}>${edge.child}@${depth}`, EDGE_WIDTH, depth));
    }
    route.push(bottom);
    for (let i = 1; i < route.length; i += 1) {
      const [a, b] = [route[i - 1], route[i]];
      if (!a || !b) continue;
      const [high, low] = step > 0 ? [a, b] : [b, a];
      high.down.push(low);
      low.up.push(high);
    }
    return [{ edge, route, from, step }];
  });
  arrange(layers);
  const y = (depth: number) => MARGIN + NODE.height / 2 + depth * (NODE.height + GAP.y);
  const left = Math.min(0, ...layers.flat().map((slot) => slot.x - slot.width / 2));
  const right = Math.max(NODE.width, ...layers.flat().map((slot) => slot.x + slot.width / 2));
  const shift = MARGIN - left;
  const x = (slot: Slot) => Math.round(slot.x + shift);
  const nodes = [...depths].flatMap(([id, depth]): NodePosition[] => {
    const slot = slots.get(id);
    return slot ? [{ id, x: x(slot), y: y(depth) }] : [];
  });
  const up = adjacency(edges, "up");
  const drawn = routes.map(({ edge, route, from, step }) => ({
    ...edge,
    isInCycle: reachableFrom(edge.parent, up).has(edge.child),
    path: pathOf(route.map((slot, i): [number, number] => [x(slot), y(from + i * step)]).reverse()),
  }));
  const unlinked = ids.filter((id) => !linked.has(id));
  const top = layers.length === 0 ? 0 : y(layers.length - 1) + NODE.height / 2 + GAP.y / 2;
  unlinked.forEach((id, i) => {
    nodes.push({
      id,
      x: MARGIN + NODE.width / 2 + (i % UNLINKED_PER_ROW) * (NODE.width + GAP.x),
      y: top + MARGIN + NODE.height / 2 + Math.floor(i / UNLINKED_PER_ROW) * (NODE.height + MARGIN),
    });
  });
  const unlinkedWidth =
    Math.min(unlinked.length, UNLINKED_PER_ROW) * (NODE.width + GAP.x) - GAP.x + 2 * MARGIN;
  return {
    width: Math.max(right - left + 2 * MARGIN, unlinkedWidth),
    height: Math.max(0, ...nodes.map((node) => node.y)) + NODE.height / 2 + MARGIN,
    nodes,
    edges: drawn,
  };
}

/** Depth of each role below the roots; back edges are ignored. */
function depthsOf(ids: readonly string[], edges: readonly RoleEdge[]): Map<string, number> {
  const down = adjacency(edges, "down");
  const hasParent = new Set(edges.filter(({ parent, child }) => parent !== child).map(({ child }) => child));
  /** Postorder of a depth-first search. */
  const order: string[] = [];
  const state = new Map<string, "open" | "done">();
  const forward: RoleEdge[] = [];
  const starts = [...ids.filter((id) => !hasParent.has(id)), ...ids.filter((id) => hasParent.has(id))];
  for (const start of starts) {
    if (state.has(start)) continue;
    const path = [{ id: start, next: 0 }];
    state.set(start, "open");
    for (let at = path.at(-1); at; at = path.at(-1)) {
      const child = down.get(at.id)?.[at.next++];
      if (child === undefined) {
        state.set(at.id, "done");
        order.push(at.id);
        path.pop();
      } else if (state.get(child) !== "open") {
        forward.push({ parent: at.id, child });
        if (!state.has(child)) {
          state.set(child, "open");
          path.push({ id: child, next: 0 });
        }
      }
    }
  }
  const below = adjacency(forward, "down");
  const depths = new Map(ids.map((id) => [id, 0]));
  for (const id of order.reverse()) {
    const depth = depths.get(id) ?? 0;
    for (const child of below.get(id) ?? []) depths.set(child, Math.max(depths.get(child) ?? 0, depth + 1));
  }
  return depths;
}

/** Orders each layer by the mean position of its neighbors in several sweeps, then assigns positions. */
function arrange(layers: Slot[][]): void {
  for (const layer of layers) placeSlots(layer, () => undefined);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const isDown = sweep % 2 === 0;
    const side = (slot: Slot) => (isDown ? slot.up : slot.down);
    for (const layer of isDown ? layers : layers.toReversed()) {
      const desired = new Map(layer.map((slot) => [slot, mean(side(slot)) ?? slot.x]));
      layer.sort((a, b) => (desired.get(a) ?? 0) - (desired.get(b) ?? 0));
      placeSlots(layer, (slot) => desired.get(slot));
    }
  }
}

/** Places slots as close to their desired position as the layer allows. */
function placeSlots(layer: readonly Slot[], desired: (slot: Slot) => number | undefined): void {
  let free = Number.NEGATIVE_INFINITY;
  let offset = 0;
  for (const slot of layer) {
    const desiredX = desired(slot);
    const first = free === Number.NEGATIVE_INFINITY ? 0 : free + GAP.x + slot.width / 2;
    slot.x = desiredX === undefined ? first : Math.max(desiredX, free + GAP.x + slot.width / 2);
    offset += (desiredX ?? 0) - slot.x;
    free = slot.x + slot.width / 2;
  }
  const shift = layer.length === 0 ? 0 : offset / layer.length;
  for (const slot of layer) slot.x += shift;
}

function mean(slots: readonly Slot[]): number | undefined {
  return slots.length === 0 ? undefined : slots.reduce((sum, { x }) => sum + x, 0) / slots.length;
}

/** A curve from the child's top to the parent's bottom. */
function pathOf(points: readonly [number, number][]): string {
  const [first, ...others] = points;
  const last = others.at(-1);
  if (!first || !last) return "";
  const half = NODE.height / 2;
  const halfHeight = last[1] <= first[1] ? -half : half;
  const line: [number, number][] = [
    [first[0], first[1] + halfHeight],
    ...others.slice(0, -1),
    // Leaves space for the arrowhead.
    [last[0], last[1] - halfHeight * (1 + 8 / half)],
  ];
  const curves = line.slice(1).map(([x, y], i) => {
    const [fromX, fromY] = line[i] ?? [x, y];
    const middle = (fromY + y) / 2;
    return `C ${fromX} ${middle} ${x} ${middle} ${x} ${y}`;
  });
  return `M ${line[0]?.join(" ")} ${curves.join(" ")}`;
}
