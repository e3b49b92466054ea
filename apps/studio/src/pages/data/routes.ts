import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../root.tsx";
import { parseSearch } from "./search.ts";

export const dataRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/data",
    validateSearch: parseSearch,
    component: lazyRouteComponent(() => import("./Data.tsx"), "Data"),
  }),
];
