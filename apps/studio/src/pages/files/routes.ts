import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../root.tsx";

export const filesRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/files",
    component: lazyRouteComponent(() => import("./Files.tsx"), "Files"),
  }),
];
