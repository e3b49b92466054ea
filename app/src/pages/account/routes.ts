import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../root.tsx";

export const ACCOUNT_TABS = ["profile", "security", "sessions", "data"] as const;
export type AccountTab = (typeof ACCOUNT_TABS)[number];

export const accountRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/account",
    validateSearch: (search): { tab?: AccountTab | undefined } => ({
      tab: ACCOUNT_TABS.find((each) => each === search.tab),
    }),
    component: lazyRouteComponent(() => import("./Account.tsx"), "Account"),
  }),
];
