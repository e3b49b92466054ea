import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../root.tsx";

export const hooksRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/hooks",
    component: lazyRouteComponent(() => import("./Hooks.tsx"), "Hooks"),
  }),
];
