import { expect, it } from "vitest";
import { routeSegments } from "./routeSegments.ts";

it.each([
  ["/users", ["users"]],
  ["/users/", ["users"]],
  ["//classes///_User//", ["users"]],
  ["/classes/%5FUser/a1", ["users", "a1"]],
  ["/cl%61sses/_Role", ["roles"]],
  ["/classes/Note", ["classes", "Note"]],
  ["/classes/a%2Fb", ["classes", "a/b"]],
  ["/", []],
])("the path %s is the route %j, whatever its spelling", (path, segments) => {
  expect(routeSegments(path)).toEqual(segments);
});

it("an invalid escape throws URIError", () => {
  expect(() => routeSegments("/classes/%E0%A4%A")).toThrow(URIError);
});
