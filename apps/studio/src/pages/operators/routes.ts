import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../root.tsx";

export const operatorsRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/operators",
    component: lazyRouteComponent(() => import("./Operators.tsx"), "Operators"),
  }),
];
