import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../root.tsx";

export const jobsRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/jobs",
    component: lazyRouteComponent(() => import("./Jobs.tsx"), "Jobs"),
  }),
];
