import { stringParam } from "@purse/ui";
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../root.tsx";

export interface PortfolioSearch {
  /** Any address; defaults to the user's own. */
  address?: string | undefined;
  /** Hex chain ID; all chains if omitted. */
  chain?: string | undefined;
  dust?: "hidden" | undefined;
  span?: string | undefined;
  /** Includes dust and zero-value transfers. */
  history?: "all" | undefined;
}

export const portfolioRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/portfolio",
    validateSearch: (search): PortfolioSearch => ({
      address: stringParam(search.address),
      chain: stringParam(search.chain),
      dust: search.dust === "hidden" ? "hidden" : undefined,
      span: stringParam(search.span),
      history: search.history === "all" ? "all" : undefined,
    }),
    component: lazyRouteComponent(() => import("./Portfolio.tsx"), "Portfolio"),
  }),
];
