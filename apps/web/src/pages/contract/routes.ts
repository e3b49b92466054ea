import { stringParam } from "@purse/ui";
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../root.tsx";

export interface ContractSearch {
  address?: string | undefined;
  /** Hex chain ID. */
  chain?: string | undefined;
  /** The full signature of the function. */
  fn?: string | undefined;
  /** The drafts of its arguments, as JSON. */
  args?: string | undefined;
  /** The typed value of the call. */
  value?: string | undefined;
  /** The hash of the sent transaction. */
  tx?: string | undefined;
}

export const contractRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/contract",
    validateSearch: (search): ContractSearch => ({
      address: stringParam(search.address),
      chain: stringParam(search.chain),
      fn: stringParam(search.fn),
      args: Array.isArray(search.args) ? JSON.stringify(search.args) : stringParam(search.args),
      value: stringParam(search.value),
      tx: stringParam(search.tx),
    }),
    component: lazyRouteComponent(() => import("./Contract.tsx"), "Contract"),
  }),
];
