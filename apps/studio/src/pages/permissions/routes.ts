import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../root.tsx";

export const permissionsRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/permissions",
    component: lazyRouteComponent(() => import("./Permissions.tsx"), "Permissions"),
  }),
];
