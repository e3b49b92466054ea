import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../root.tsx";

export const chainsRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/chains",
    component: lazyRouteComponent(() => import("./Chains.tsx"), "Chains"),
  }),
];
