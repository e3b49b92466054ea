import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../root.tsx";

export const logsRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/logs",
    component: lazyRouteComponent(() => import("./Logs.tsx"), "Logs"),
  }),
];
