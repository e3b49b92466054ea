import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root, stringParam } from "../../root.tsx";

export interface ContractSearch {
  address?: string | undefined;
  /** Hex. */
  chain?: string | undefined;
  /** The function's full signature. */
  fn?: string | undefined;
  /** What is typed into its fields, as JSON. */
  args?: string | undefined;
  /** What is sent along, as it is typed. */
  value?: string | undefined;
  /** The hash of what was sent. */
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
      value: typeof search.value === "number" ? String(search.value) : stringParam(search.value),
      tx: stringParam(search.tx),
    }),
    component: lazyRouteComponent(() => import("./Contract.tsx"), "Contract"),
  }),
];
