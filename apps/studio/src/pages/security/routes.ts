import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../root.tsx";

export const securityRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/security",
    component: lazyRouteComponent(() => import("./SecurityCheck.tsx"), "SecurityCheck"),
  }),
];
