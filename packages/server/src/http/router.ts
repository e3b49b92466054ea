import type { Method } from "./api.ts";

/** What the router needs to know of a route. */
export interface Routed {
  method: Method;
  /** With named segments: `/classes/:className`. */
  path: string;
}

interface Node<R> {
  literals: Map<string, Node<R>>;
  parameter: { name: string; node: Node<R> } | undefined;
  routes: Map<Method, R>;
}

export type Match<R> =
  | { kind: "found"; route: R; names: Record<string, string> }
  | { kind: "unknown" }
  | { kind: "method"; allowed: Method[] };

/** Routes by segment; a literal segment goes before a named one where it takes the method. Prepared once at start. */
export class Router<R extends Routed> {
  readonly #root = newNode<R>();

  constructor(routes: readonly R[]) {
    for (const route of routes) this.#add(route);
  }

  /** `path` begins with a slash and holds no query. Throws URIError on broken escapes. */
  match(method: Method, path: string): Match<R> {
    const segments = path === "/" ? [] : path.slice(1).split("/");
    if (segments.at(-1) === "") segments.pop();
    const names: Record<string, string> = {};
    const node = walk(this.#root, segments, 0, names, (each) => each.routes.has(method));
    const route = node?.routes.get(method);
    if (route) return { kind: "found", route, names };
    const other = walk(this.#root, segments, 0, {}, (each) => each.routes.size > 0);
    return other ? { kind: "method", allowed: [...other.routes.keys()] } : { kind: "unknown" };
  }

  #add(route: R): void {
    let node = this.#root;
    for (const segment of route.path.slice(1).split("/")) {
      if (segment.startsWith(":")) {
        node.parameter ??= { name: segment.slice(1), node: newNode<R>() };
        if (node.parameter.name !== segment.slice(1))
          throw new Error(`Two names for one segment of ${route.path}`);
        node = node.parameter.node;
      } else {
        const next = node.literals.get(segment) ?? newNode<R>();
        node.literals.set(segment, next);
        node = next;
      }
    }
    if (node.routes.has(route.method)) throw new Error(`Two routes for ${route.method} ${route.path}`);
    node.routes.set(route.method, route);
  }
}

function newNode<R>(): Node<R> {
  return { literals: new Map(), parameter: undefined, routes: new Map() };
}

function walk<R>(
  node: Node<R>,
  segments: string[],
  at: number,
  names: Record<string, string>,
  isWanted: (node: Node<R>) => boolean,
): Node<R> | undefined {
  const segment = segments[at];
  if (segment === undefined) return isWanted(node) ? node : undefined;
  const literal = node.literals.get(segment);
  const found = literal && walk(literal, segments, at + 1, names, isWanted);
  if (found || !node.parameter || segment === "") return found;
  const value = segment.includes("%") ? decodeURIComponent(segment) : segment;
  const below = walk(node.parameter.node, segments, at + 1, names, isWanted);
  if (below) names[node.parameter.name] = value;
  return below;
}
