import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../root.tsx";

export const functionsRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/functions",
    component: lazyRouteComponent(() => import("./Functions.tsx"), "Functions"),
  }),
];
