import { PageError } from "@purse/ui";
import {
  createRoute,
  createRouter,
  lazyRouteComponent,
  parseSearchWith,
  stringifySearchWith,
} from "@tanstack/react-router";
import { accountRoutes } from "./pages/account/routes.ts";
import { contractRoutes } from "./pages/contract/routes.ts";
import { dataRoutes } from "./pages/data/routes.ts";
import { explorerRoutes } from "./pages/explorer/routes.ts";
import { filesRoutes } from "./pages/files/routes.ts";
import { homeRoutes } from "./pages/home/routes.ts";
import { portfolioRoutes } from "./pages/portfolio/routes.ts";
import { sendRoutes } from "./pages/send/routes.ts";
import { signInRoutes } from "./pages/signIn/routes.ts";
import { swapRoutes } from "./pages/swap/routes.ts";
import { root } from "./root.tsx";

const pages = [
  ...homeRoutes,
  ...signInRoutes,
  ...accountRoutes,
  ...portfolioRoutes,
  ...sendRoutes,
  ...swapRoutes,
  ...contractRoutes,
  ...dataRoutes,
  ...filesRoutes,
  createRoute({
    getParentRoute: () => root,
    path: "/design",
    component: lazyRouteComponent(() => import("./pages/Design.tsx"), "Design"),
  }),
  ...explorerRoutes,
];

/** Numbers in the URL stay text: amounts and IDs exceed the precision of numbers, and need no quotes. */
function parseParam(text: string): unknown {
  if (/^([[{"]|(true|false|null)$)/.test(text)) return JSON.parse(text);
  throw new SyntaxError();
}

export const router = createRouter({
  routeTree: root.addChildren(pages),
  parseSearch: parseSearchWith(parseParam),
  stringifySearch: stringifySearchWith(JSON.stringify, parseParam),
  scrollRestoration: true,
  defaultPreload: "intent",
  // Below the shell: the root route's would replace it.
  defaultErrorComponent: PageError,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
