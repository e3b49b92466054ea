import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../root.tsx";

export const backupRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/backup",
    component: lazyRouteComponent(() => import("./Backup.tsx"), "Backup"),
  }),
];
