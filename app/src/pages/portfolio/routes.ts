import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root, stringParam } from "../../root.tsx";

export interface PortfolioSearch {
  /** Anybody's, instead of one's own. */
  address?: string | undefined;
  /** Hex; all chains where it is left out. */
  chain?: string | undefined;
  dust?: "hidden" | undefined;
  span?: string | undefined;
  /** The history with what moved nothing. */
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
