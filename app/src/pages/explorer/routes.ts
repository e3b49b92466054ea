import { createRoute, lazyRouteComponent, retainSearchParams } from "@tanstack/react-router";
import { root, text } from "../../root.tsx";

export interface ExplorerSearch {
  /** In hexadecimal, as `0x539`; the server's first chain otherwise. */
  chain?: string | undefined;
}

/** Which part of a page is shown, and where in its list. */
export interface PartSearch {
  tab?: string | undefined;
  cursor?: string | undefined;
}

function partOf(search: Record<string, unknown>): PartSearch {
  return { tab: text(search.tab), cursor: text(search.cursor) };
}

/** A number in the address bar is one already when it comes here. */
function words(value: unknown): string | undefined {
  return typeof value === "number" ? String(value) : text(value);
}

const explorer = createRoute({
  getParentRoute: () => root,
  path: "/explorer",
  validateSearch: ({ chain }): ExplorerSearch => ({ chain: words(chain) }),
  search: { middlewares: [retainSearchParams<ExplorerSearch>(["chain"])] },
  component: lazyRouteComponent(() => import("./Explorer.tsx"), "Explorer"),
});

const children = [
  createRoute({
    getParentRoute: () => explorer,
    path: "/",
    validateSearch: (search): { q?: string | undefined; date?: string | undefined } => ({
      q: words(search.q),
      date: text(search.date),
    }),
    component: lazyRouteComponent(() => import("./Overview.tsx"), "Overview"),
  }),
  createRoute({
    getParentRoute: () => explorer,
    path: "/block/$block",
    validateSearch: partOf,
    component: lazyRouteComponent(() => import("./BlockPage.tsx"), "BlockPage"),
  }),
  createRoute({
    getParentRoute: () => explorer,
    path: "/tx/$hash",
    validateSearch: partOf,
    component: lazyRouteComponent(() => import("./TransactionPage.tsx"), "TransactionPage"),
  }),
  createRoute({
    getParentRoute: () => explorer,
    path: "/address/$address",
    validateSearch: partOf,
    component: lazyRouteComponent(() => import("./AddressPage.tsx"), "AddressPage"),
  }),
  createRoute({
    getParentRoute: () => explorer,
    path: "/token/$address",
    validateSearch: (search): PartSearch & { range?: string | undefined } => ({
      ...partOf(search),
      range: text(search.range),
    }),
    component: lazyRouteComponent(() => import("./TokenPage.tsx"), "TokenPage"),
  }),
  createRoute({
    getParentRoute: () => explorer,
    path: "/nft/$address",
    validateSearch: partOf,
    component: lazyRouteComponent(() => import("./CollectionPage.tsx"), "CollectionPage"),
  }),
  createRoute({
    getParentRoute: () => explorer,
    path: "/nft/$address/$id",
    validateSearch: partOf,
    component: lazyRouteComponent(() => import("./NftPage.tsx"), "NftPage"),
  }),
  createRoute({
    getParentRoute: () => explorer,
    path: "/pair/$a/$b",
    validateSearch: (search): { exchange?: string | undefined; range?: string | undefined } => ({
      exchange: text(search.exchange),
      range: text(search.range),
    }),
    component: lazyRouteComponent(() => import("./PairPage.tsx"), "PairPage"),
  }),
];

export const explorerRoutes = [explorer.addChildren(children)];
