import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../root.tsx";

export const classesRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/classes",
    component: lazyRouteComponent(() => import("./Classes.tsx"), "Classes"),
  }),
];
