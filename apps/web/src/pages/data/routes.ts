import { stringParam } from "@purse/ui";
import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { root } from "../../root.tsx";
import type { DataSearch } from "./search.ts";

export const dataRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/data",
    validateSearch: (search): DataSearch => ({
      class: stringParam(search.class),
      where: stringParam(search.where),
      sort: stringParam(search.sort),
      whose: search.whose === "own" || search.whose === "shared" ? search.whose : undefined,
      record: stringParam(search.record),
    }),
    component: lazyRouteComponent(() => import("./Data.tsx"), "Data"),
  }),
  // The former path of the sample notes.
  createRoute({
    getParentRoute: () => root,
    path: "/notes",
    beforeLoad: () => {
      throw redirect({ to: "/data", search: { class: "Note" }, replace: true });
    },
  }),
];
