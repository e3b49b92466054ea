import { stringParam } from "@purse/ui";
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../root.tsx";

export interface SwapSearch {
  /** A token address; the native coin if omitted. */
  from?: string | undefined;
  /** A token address, or `native`. */
  to?: string | undefined;
  /** The amount to swap, without group separators. */
  amount?: string | undefined;
  /** In percent. */
  slippage?: string | undefined;
  /** Hex chain ID; defaults to the wallet's. */
  chain?: string | undefined;
  step?: "review" | undefined;
  /** The hash of the sent transaction. */
  tx?: string | undefined;
  /** Whether that transaction was an approval, which the swap follows. */
  sent?: "approve" | undefined;
  /** The wallet's ID of calls that were sent together. */
  calls?: string | undefined;
}

export const swapRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/swap",
    validateSearch: (search): SwapSearch => ({
      from: stringParam(search.from),
      to: stringParam(search.to),
      amount: stringParam(search.amount),
      slippage: stringParam(search.slippage),
      chain: stringParam(search.chain),
      step: search.step === "review" ? "review" : undefined,
      tx: stringParam(search.tx),
      sent: search.sent === "approve" ? "approve" : undefined,
      calls: stringParam(search.calls),
    }),
    component: lazyRouteComponent(() => import("./Swap.tsx"), "Swap"),
  }),
];
