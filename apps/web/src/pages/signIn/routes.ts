import { stringParam } from "@purse/ui";
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../root.tsx";

export const signInRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/sign-in",
    validateSearch: (search): { next?: string | undefined; by?: "password" | undefined } => ({
      next: stringParam(search.next),
      by: search.by === "password" ? "password" : undefined,
    }),
    component: lazyRouteComponent(() => import("./SignIn.tsx"), "SignIn"),
  }),
];
