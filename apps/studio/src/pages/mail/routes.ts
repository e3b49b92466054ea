import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../root.tsx";

export const mailRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/mail",
    component: lazyRouteComponent(() => import("./Mail.tsx"), "Mail"),
  }),
];
