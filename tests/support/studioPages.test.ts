import { expect, it } from "vitest";
import { STUDIO_VIEWS, studioRoutes } from "./appPages.ts";

it("Each page of the studio is among those that the tests open", () => {
  const opened: ReadonlySet<string> = new Set(STUDIO_VIEWS.map(([path]) => path.split("?")[0] || "/"));
  expect(studioRoutes().filter((route) => !opened.has(route))).toEqual([]);
});
