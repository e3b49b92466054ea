import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { root, text } from "../../root.tsx";
import type { DataSearch } from "./search.ts";

export const dataRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/data",
    validateSearch: (search): DataSearch => ({
      class: text(search.class),
      where: text(search.where),
      sort: text(search.sort),
      whose: search.whose === "own" || search.whose === "shared" ? search.whose : undefined,
      record: text(search.record),
    }),
    component: lazyRouteComponent(() => import("./Data.tsx"), "Data"),
  }),
  // Where the sample's notes were before they became records as any other.
  createRoute({
    getParentRoute: () => root,
    path: "/notes",
    beforeLoad: () => {
      throw redirect({ to: "/data", search: { class: "Note" }, replace: true });
    },
  }),
];
