import { neighbours, type RoleEdge, reached } from "../parts/roles.ts";

/** Of a role in the picture, in px. */
export const NODE = { width: 156, height: 44 } as const;
const GAP = { x: 28, y: 64 } as const;
/** What an edge takes that passes a layer. */
const PASSING = 20;
const MARGIN = 16;
const SWEEPS = 6;
/** Roles that hang together with none stand below, so many in a row. */
const ALONE_IN_A_ROW = 5;

export interface Place {
  id: string;
  /** Of its middle. */
  x: number;
  y: number;
}

export interface Layout {
  width: number;
  height: number;
  nodes: Place[];
  /** From the child up to the parent, as the `d` of a path. */
  edges: (RoleEdge & { path: string; isRing: boolean })[];
}

interface Spot {
  key: string;
  width: number;
  x: number;
  /** In the layers above and below. */
  up: Spot[];
  down: Spot[];
}

/**
 * Where roles stand: parents above their children, in layers, in an order with few crossings. An edge that leads back
 * would have no place: where roles form a ring, one of its edges goes up a layer against the others.
 */
export function layoutOf(ids: readonly string[], all: readonly RoleEdge[]): Layout {
  const known = new Set(ids);
  const edges = all.filter(({ parent, child }) => known.has(parent) && known.has(child));
  const tied = new Set(edges.flatMap(({ parent, child }) => [parent, child]));
  const depths = depthsOf(
    ids.filter((id) => tied.has(id)),
    edges,
  );
  const layers: Spot[][] = [];
  const spots = new Map<string, Spot>();
  const add = (key: string, width: number, depth: number): Spot => {
    const spot: Spot = { key, width, x: 0, up: [], down: [] };
    while (layers.length <= depth) layers.push([]);
    layers[depth]?.push(spot);
    return spot;
  };
  for (const [id, depth] of depths) spots.set(id, add(id, NODE.width, depth));
  // An edge has a spot in each layer that it passes, so that nothing stands in its way.
  const ways = edges.flatMap((edge) => {
    const [top, bottom] = [spots.get(edge.parent), spots.get(edge.child)];
    if (!top || !bottom || edge.parent === edge.child) return [];
    const [from = 0, to = 0] = [depths.get(edge.parent), depths.get(edge.child)];
    const step = to >= from ? 1 : -1;
    const way = [top];
    for (let depth = from + step; depth !== to && from !== to; depth += step) {
      way.push(add(`${edge.parent}>${edge.child}@${depth}`, PASSING, depth));
    }
    way.push(bottom);
    for (let i = 1; i < way.length; i += 1) {
      const [a, b] = [way[i - 1], way[i]];
      if (!a || !b) continue;
      const [high, low] = step > 0 ? [a, b] : [b, a];
      high.down.push(low);
      low.up.push(high);
    }
    return [{ edge, way, from, step }];
  });
  arrange(layers);
  const y = (depth: number) => MARGIN + NODE.height / 2 + depth * (NODE.height + GAP.y);
  const left = Math.min(0, ...layers.flat().map((spot) => spot.x - spot.width / 2));
  const right = Math.max(NODE.width, ...layers.flat().map((spot) => spot.x + spot.width / 2));
  const shift = MARGIN - left;
  const x = (spot: Spot) => Math.round(spot.x + shift);
  const nodes = [...depths].flatMap(([id, depth]): Place[] => {
    const spot = spots.get(id);
    return spot ? [{ id, x: x(spot), y: y(depth) }] : [];
  });
  const up = neighbours(edges, "up");
  const drawn = ways.map(({ edge, way, from, step }) => ({
    ...edge,
    isRing: reached(edge.parent, up).has(edge.child),
    path: pathOf(way.map((spot, i): [number, number] => [x(spot), y(from + i * step)]).reverse()),
  }));
  const alone = ids.filter((id) => !tied.has(id));
  const top = layers.length === 0 ? 0 : y(layers.length - 1) + NODE.height / 2 + GAP.y / 2;
  alone.forEach((id, i) => {
    nodes.push({
      id,
      x: MARGIN + NODE.width / 2 + (i % ALONE_IN_A_ROW) * (NODE.width + GAP.x),
      y: top + MARGIN + NODE.height / 2 + Math.floor(i / ALONE_IN_A_ROW) * (NODE.height + MARGIN),
    });
  });
  const aloneWidth = Math.min(alone.length, ALONE_IN_A_ROW) * (NODE.width + GAP.x) - GAP.x + 2 * MARGIN;
  return {
    width: Math.max(right - left + 2 * MARGIN, aloneWidth),
    height: Math.max(0, ...nodes.map((node) => node.y)) + NODE.height / 2 + MARGIN,
    nodes,
    edges: drawn,
  };
}

/** How far below the topmost each stands; edges that lead back to where the walk came from do not count. */
function depthsOf(ids: readonly string[], edges: readonly RoleEdge[]): Map<string, number> {
  const down = neighbours(edges, "down");
  const hasParent = new Set(edges.filter(({ parent, child }) => parent !== child).map(({ child }) => child));
  /** From the last to be left on: each stands before those that it leads to. */
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
  const below = neighbours(forward, "down");
  const depths = new Map(ids.map((id) => [id, 0]));
  for (const id of order.reverse()) {
    const depth = depths.get(id) ?? 0;
    for (const child of below.get(id) ?? []) depths.set(child, Math.max(depths.get(child) ?? 0, depth + 1));
  }
  return depths;
}

/** Orders each layer by where its neighbours stand, some times up and down, and gives each spot its place. */
function arrange(layers: Spot[][]): void {
  for (const layer of layers) place(layer, () => undefined);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const isDown = sweep % 2 === 0;
    const side = (spot: Spot) => (isDown ? spot.up : spot.down);
    for (const layer of isDown ? layers : layers.toReversed()) {
      const wish = new Map(layer.map((spot) => [spot, mean(side(spot)) ?? spot.x]));
      layer.sort((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0));
      place(layer, (spot) => wish.get(spot));
    }
  }
}

/** As near to where each wants to be as its neighbours in the layer let it. */
function place(layer: readonly Spot[], wish: (spot: Spot) => number | undefined): void {
  let free = Number.NEGATIVE_INFINITY;
  let off = 0;
  for (const spot of layer) {
    const wanted = wish(spot);
    const first = free === Number.NEGATIVE_INFINITY ? 0 : free + GAP.x + spot.width / 2;
    spot.x = wanted === undefined ? first : Math.max(wanted, free + GAP.x + spot.width / 2);
    off += (wanted ?? 0) - spot.x;
    free = spot.x + spot.width / 2;
  }
  const shift = layer.length === 0 ? 0 : off / layer.length;
  for (const spot of layer) spot.x += shift;
}

function mean(spots: readonly Spot[]): number | undefined {
  return spots.length === 0 ? undefined : spots.reduce((sum, { x }) => sum + x, 0) / spots.length;
}

/** A soft line from the top of the lowest to the foot of the highest. */
function pathOf(points: readonly [number, number][]): string {
  const [first, ...others] = points;
  const last = others.at(-1);
  if (!first || !last) return "";
  const half = NODE.height / 2;
  const turn = last[1] <= first[1] ? -half : half;
  const line: [number, number][] = [
    [first[0], first[1] + turn],
    ...others.slice(0, -1),
    // Before the tip of the arrow.
    [last[0], last[1] - turn * (1 + 8 / half)],
  ];
  const bows = line.slice(1).map(([x, y], i) => {
    const [fromX, fromY] = line[i] ?? [x, y];
    const middle = (fromY + y) / 2;
    return `C ${fromX} ${middle} ${x} ${middle} ${x} ${y}`;
  });
  return `M ${line[0]?.join(" ")} ${bows.join(" ")}`;
}
