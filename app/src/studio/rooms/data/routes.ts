import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../root.tsx";
import { searchOf } from "./search.ts";

export const dataRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/data",
    validateSearch: searchOf,
    component: lazyRouteComponent(() => import("./Data.tsx"), "Data"),
  }),
];
