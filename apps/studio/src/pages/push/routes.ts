import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../root.tsx";

export const pushRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/push",
    component: lazyRouteComponent(() => import("./Push.tsx"), "Push"),
  }),
];
