import { stringParam } from "@purse/ui";
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../root.tsx";

export interface SendSearch {
  to?: string | undefined;
  /** The amount as typed. */
  amount?: string | undefined;
  /** `native`, a token address, or an NFT address and ID: `0x…/12`. */
  asset?: string | undefined;
  /** Hex chain ID; defaults to the wallet's. */
  chain?: string | undefined;
  step?: "review" | undefined;
  /** Revokes an approval of this kind: `asset` for the spender `to`. */
  revoke?: "erc20" | "nft" | "nft_collection" | undefined;
  /** The hash of the sent transaction. */
  tx?: string | undefined;
}

const REVOCATIONS = ["erc20", "nft", "nft_collection"] as const;

export const sendRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: "/send",
    validateSearch: (search): SendSearch => ({
      to: stringParam(search.to),
      amount: stringParam(search.amount),
      asset: stringParam(search.asset),
      chain: stringParam(search.chain),
      step: search.step === "review" ? "review" : undefined,
      revoke: REVOCATIONS.find((each) => each === search.revoke),
      tx: stringParam(search.tx),
    }),
    component: lazyRouteComponent(() => import("./Send.tsx"), "Send"),
  }),
];
