import type { Method } from "./apiRoute.ts";
import { publishRoutes } from "./routeChannel.ts";

/** The properties of a route that the router uses. */
export interface RouteDefinition {
  method: Method;
  /** Path pattern with named segments: `/classes/:className`. */
  path: string;
}

interface Node<R> {
  literals: Map<string, Node<R>>;
  /** The child below a named segment, whose name depends on the route. */
  parameter: Node<R> | undefined;
  routes: Map<Method, { route: R; pathParams: string[] }>;
}

export type Match<R> =
  | { kind: "found"; route: R; pathParams: Record<string, string> }
  | { kind: "notFound" }
  | { kind: "methodNotAllowed"; allowed: Method[] };

/**
 * Matches routes by segment; a literal segment takes precedence over a named one if it supports the method. Built once
 * at startup.
 */
export class Router<R extends RouteDefinition> {
  readonly #root = newNode<R>();
  readonly #emptyValues: boolean;

  /**
   * `mountPath` is the path below which requests are matched. With `emptyValues`, named segments may be empty: their
   * handlers say what is missing.
   */
  constructor(routes: readonly R[], mountPath = "", { emptyValues = false } = {}) {
    this.#emptyValues = emptyValues;
    for (const route of routes) this.#add(route);
    publishRoutes(mountPath, routes);
  }

  /** `path` begins with a slash and has no query string. Throws URIError on invalid escapes. */
  match(method: Method, path: string): Match<R> {
    const segments = path === "/" ? [] : path.slice(1).split("/");
    if (segments.at(-1) === "") segments.pop();
    const values: string[] = [];
    const match = this.#walk(this.#root, segments, 0, values, (each) => each.routes.has(method))?.routes.get(
      method,
    );
    if (match) {
      // The walk returns from the last segment, so values are in reverse order.
      const pathParams = Object.fromEntries(
        match.pathParams.map((name, i) => [name, values.at(-1 - i) ?? ""]),
      );
      return { kind: "found", route: match.route, pathParams };
    }
    const other = this.#walk(this.#root, segments, 0, [], (each) => each.routes.size > 0);
    return other ? { kind: "methodNotAllowed", allowed: [...other.routes.keys()] } : { kind: "notFound" };
  }

  #add(route: R): void {
    let node = this.#root;
    const pathParams: string[] = [];
    for (const segment of route.path.slice(1).split("/")) {
      if (segment.startsWith(":")) {
        pathParams.push(segment.slice(1));
        node.parameter ??= newNode<R>();
        node = node.parameter;
      } else {
        const next = node.literals.get(segment) ?? newNode<R>();
        node.literals.set(segment, next);
        node = next;
      }
    }
    if (node.routes.has(route.method)) throw new Error(`Two routes for ${route.method} ${route.path}`);
    node.routes.set(route.method, { route, pathParams });
  }

  /** Returns the node of a path, and adds the values of its named segments, the last one first. */
  #walk(
    node: Node<R>,
    segments: string[],
    depth: number,
    values: string[],
    isMatch: (node: Node<R>) => boolean,
  ): Node<R> | undefined {
    const segment = segments[depth];
    if (segment === undefined) return isMatch(node) ? node : undefined;
    const literal = node.literals.get(segment);
    const match = literal && this.#walk(literal, segments, depth + 1, values, isMatch);
    if (match || !node.parameter || (segment === "" && !this.#emptyValues)) return match;
    const value = segment.includes("%") ? decodeURIComponent(segment) : segment;
    const below = this.#walk(node.parameter, segments, depth + 1, values, isMatch);
    if (below) values.push(value);
    return below;
  }
}

function newNode<R>(): Node<R> {
  return { literals: new Map(), parameter: undefined, routes: new Map() };
}
