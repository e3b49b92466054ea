import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../root.tsx";

export const configRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/config",
    component: lazyRouteComponent(() => import("./Config.tsx"), "Config"),
  }),
];
