import { stringParam } from "@purse/ui";
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../root.tsx";

export const homeRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/",
    validateSearch: (search): { code?: string | undefined } => ({ code: stringParam(search.code) }),
    component: lazyRouteComponent(() => import("./Home.tsx"), "Home"),
  }),
];
