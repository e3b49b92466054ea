import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../root.tsx";
import { ACCOUNT_TABS, type AccountTab } from "./tabs.ts";

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
