import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../root.tsx";

export const pluginsRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/plugins",
    component: lazyRouteComponent(() => import("./Plugins.tsx"), "Plugins"),
  }),
];
