import { stringParam } from "@purse/ui";
import { createRoute, lazyRouteComponent, retainSearchParams } from "@tanstack/react-router";
import { root } from "../../root.tsx";

/** `chain` is a hex chain ID such as `0x539`; defaults to the server's first chain. */
type ExplorerSearch = { chain?: string | undefined };

/** The selected tab and the cursor of its list. */
export interface ListSearch {
  tab?: string | undefined;
  cursor?: string | undefined;
}

function parseListSearch(search: Record<string, unknown>): ListSearch {
  return { tab: stringParam(search.tab), cursor: stringParam(search.cursor) };
}

const explorer = createRoute({
  getParentRoute: () => root,
  path: "/explorer",
  validateSearch: ({ chain }): ExplorerSearch => ({ chain: stringParam(chain) }),
  search: { middlewares: [retainSearchParams<ExplorerSearch>(["chain"])] },
  component: lazyRouteComponent(() => import("./Explorer.tsx"), "Explorer"),
});

const children = [
  createRoute({
    getParentRoute: () => explorer,
    path: "/",
    validateSearch: (search): { q?: string | undefined; date?: string | undefined } => ({
      q: stringParam(search.q),
      date: stringParam(search.date),
    }),
    component: lazyRouteComponent(() => import("./Overview.tsx"), "Overview"),
  }),
  createRoute({
    getParentRoute: () => explorer,
    path: "/block/$block",
    validateSearch: parseListSearch,
    component: lazyRouteComponent(() => import("./BlockPage.tsx"), "BlockPage"),
  }),
  createRoute({
    getParentRoute: () => explorer,
    path: "/tx/$hash",
    validateSearch: (search): ListSearch & { unit?: string | undefined } => ({
      ...parseListSearch(search),
      unit: stringParam(search.unit),
    }),
    component: lazyRouteComponent(() => import("./TransactionPage.tsx"), "TransactionPage"),
  }),
  createRoute({
    getParentRoute: () => explorer,
    path: "/address/$address",
    validateSearch: parseListSearch,
    component: lazyRouteComponent(() => import("./AddressPage.tsx"), "AddressPage"),
  }),
  createRoute({
    getParentRoute: () => explorer,
    path: "/token/$address",
    validateSearch: (search): ListSearch & { range?: string | undefined } => ({
      ...parseListSearch(search),
      range: stringParam(search.range),
    }),
    component: lazyRouteComponent(() => import("./TokenPage.tsx"), "TokenPage"),
  }),
  createRoute({
    getParentRoute: () => explorer,
    path: "/nft/$address",
    validateSearch: parseListSearch,
    component: lazyRouteComponent(() => import("./CollectionPage.tsx"), "CollectionPage"),
  }),
  createRoute({
    getParentRoute: () => explorer,
    path: "/nft/$address/$id",
    validateSearch: parseListSearch,
    component: lazyRouteComponent(() => import("./NftPage.tsx"), "NftPage"),
  }),
  createRoute({
    getParentRoute: () => explorer,
    path: "/pair/$a/$b",
    validateSearch: (search): { exchange?: string | undefined; range?: string | undefined } => ({
      exchange: stringParam(search.exchange),
      range: stringParam(search.range),
    }),
    component: lazyRouteComponent(() => import("./PairPage.tsx"), "PairPage"),
  }),
];

export const explorerRoutes = [explorer.addChildren(children)];
