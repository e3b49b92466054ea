/** Classes that have a path of their own can be asked for by both. */
const PATHS: ReadonlyMap<string, string> = new Map([
  ["_User", "users"],
  ["_Role", "roles"],
  ["_Session", "sessions"],
  ["_Installation", "installations"],
]);

/**
 * The segments of a path as the router reads them, each route by one name, so that no way of writing a path leads
 * around a limit: `//classes/%5FUser/` is `users`. Throws URIError on broken escapes.
 */
export function routeSegments(path: string): string[] {
  const segments = path
    .replace(/\/{2,}/g, "/")
    .slice(1)
    .split("/");
  if (segments.at(-1) === "") segments.pop();
  return canonicalSegments(segments.map((each) => (each.includes("%") ? decodeURIComponent(each) : each)));
}

/** Segments with `classes/_User` and its like as the path of their own. */
export function canonicalSegments(segments: string[]): string[] {
  const [first, second = "", ...rest] = segments;
  const own = first === "classes" ? PATHS.get(second) : undefined;
  return own === undefined ? segments : [own, ...rest];
}
