/** Classes that also have a path of their own. */
const ROUTE_BY_CLASS: ReadonlyMap<string, string> = new Map([
  ["_User", "users"],
  ["_Role", "roles"],
  ["_Session", "sessions"],
  ["_Installation", "installations"],
]);

/**
 * Splits a path into segments as the router does, and maps each route to one spelling, so that no spelling bypasses a
 * limit: `//classes/%5FUser/` is `users`. Throws URIError on invalid escapes.
 */
export function routeSegments(path: string): string[] {
  const segments = path
    .replace(/\/{2,}/g, "/")
    .slice(1)
    .split("/");
  if (segments.at(-1) === "") segments.pop();
  return canonicalSegments(segments.map((each) => (each.includes("%") ? decodeURIComponent(each) : each)));
}

/** Replaces `classes/_User` and the like with the path of their own. */
export function canonicalSegments(segments: string[]): string[] {
  const [first, second = "", ...rest] = segments;
  const route = first === "classes" ? ROUTE_BY_CLASS.get(second) : undefined;
  return route === undefined ? segments : [route, ...rest];
}
