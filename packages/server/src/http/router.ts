import type { Method } from "./api.ts";

/** What the router needs to know of a route. */
export interface Routed {
  method: Method;
  /** With named segments: `/classes/:className`. */
  path: string;
}

interface Node<R> {
  literals: Map<string, Node<R>>;
  /** Below a named segment; what its name is depends on the route. */
  named: Node<R> | undefined;
  routes: Map<Method, { route: R; names: string[] }>;
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
    const values: string[] = [];
    const found = walk(this.#root, segments, 0, values, (each) => each.routes.has(method))?.routes.get(
      method,
    );
    if (found) {
      // The walk ends at the last segment, and so finds the values from behind.
      const names = Object.fromEntries(found.names.map((name, i) => [name, values.at(-1 - i) ?? ""]));
      return { kind: "found", route: found.route, names };
    }
    const other = walk(this.#root, segments, 0, [], (each) => each.routes.size > 0);
    return other ? { kind: "method", allowed: [...other.routes.keys()] } : { kind: "unknown" };
  }

  #add(route: R): void {
    let node = this.#root;
    const names: string[] = [];
    for (const segment of route.path.slice(1).split("/")) {
      if (segment.startsWith(":")) {
        names.push(segment.slice(1));
        node.named ??= newNode<R>();
        node = node.named;
      } else {
        const next = node.literals.get(segment) ?? newNode<R>();
        node.literals.set(segment, next);
        node = next;
      }
    }
    if (node.routes.has(route.method)) throw new Error(`Two routes for ${route.method} ${route.path}`);
    node.routes.set(route.method, { route, names });
  }
}

function newNode<R>(): Node<R> {
  return { literals: new Map(), named: undefined, routes: new Map() };
}

function walk<R>(
  node: Node<R>,
  segments: string[],
  at: number,
  values: string[],
  isWanted: (node: Node<R>) => boolean,
): Node<R> | undefined {
  const segment = segments[at];
  if (segment === undefined) return isWanted(node) ? node : undefined;
  const literal = node.literals.get(segment);
  const found = literal && walk(literal, segments, at + 1, values, isWanted);
  if (found || !node.named || segment === "") return found;
  const value = segment.includes("%") ? decodeURIComponent(segment) : segment;
  const below = walk(node.named, segments, at + 1, values, isWanted);
  if (below) values.push(value);
  return below;
}
