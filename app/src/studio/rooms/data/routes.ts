import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../root.tsx";

export const dataRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/data",
    component: lazyRouteComponent(() => import("./Data.tsx"), "Data"),
  }),
];
