import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../root.tsx";

export const rolesRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/roles",
    component: lazyRouteComponent(() => import("./Roles.tsx"), "Roles"),
  }),
];
