import { expect, it } from "vitest";
import { ALL_APP_PAGES, appRoutes, isOfRoute } from "./appPages.ts";

it("every page of the app is in the list of pages that tests open", () => {
  const routes = appRoutes();
  expect(routes.length).toBeGreaterThan(15);
  const missing = routes.filter((route) => !ALL_APP_PAGES.some((path) => isOfRoute(path, route)));
  expect(missing).toEqual([]);
});
