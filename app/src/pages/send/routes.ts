import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root, stringParam } from "../../root.tsx";

export interface SendSearch {
  to?: string | undefined;
  /** As it is typed. */
  amount?: string | undefined;
  /** `native`, a token's address, or an NFT's address and number: `0x…/12`. */
  asset?: string | undefined;
  /** Hex; the wallet's where it is left out. */
  chain?: string | undefined;
  step?: "review" | undefined;
  /** The hash of what was sent. */
  tx?: string | undefined;
}

export const sendRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/send",
    validateSearch: (search): SendSearch => ({
      to: stringParam(search.to),
      // The address bar reads `1.5` as a number.
      amount: typeof search.amount === "number" ? String(search.amount) : stringParam(search.amount),
      asset: stringParam(search.asset),
      chain: stringParam(search.chain),
      step: search.step === "review" ? "review" : undefined,
      tx: stringParam(search.tx),
    }),
    component: lazyRouteComponent(() => import("./Send.tsx"), "Send"),
  }),
];
