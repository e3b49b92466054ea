import { PageError } from "@purse/ui";
import { createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
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
import { parseSearch, stringifySearch } from "./searchParams.ts";

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

export const router = createRouter({
  routeTree: root.addChildren(pages),
  parseSearch,
  stringifySearch,
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
