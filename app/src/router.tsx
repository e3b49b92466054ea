import { createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { contractRoutes } from "./pages/contract/routes.ts";
import { Home } from "./pages/home/Home.tsx";
import { portfolioRoutes } from "./pages/portfolio/routes.ts";
import { sendRoutes } from "./pages/send/routes.ts";
import { root, text } from "./root.tsx";

const pages = [
  createRoute({
    getParentRoute: () => root,
    path: "/",
    validateSearch: (search): { code?: string | undefined } => ({ code: text(search.code) }),
    component: Home,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/sign-in",
    validateSearch: (search): { next?: string | undefined } => ({ next: text(search.next) }),
    component: lazyRouteComponent(() => import("./pages/SignIn.tsx"), "SignIn"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/account",
    component: lazyRouteComponent(() => import("./pages/Account.tsx"), "Account"),
  }),
  ...portfolioRoutes,
  ...sendRoutes,
  ...contractRoutes,
  createRoute({
    getParentRoute: () => root,
    path: "/notes",
    component: lazyRouteComponent(() => import("./pages/Notes.tsx"), "Notes"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/design",
    component: lazyRouteComponent(() => import("./pages/Design.tsx"), "Design"),
  }),
];

export const router = createRouter({
  routeTree: root.addChildren(pages),
  scrollRestoration: true,
  defaultPreload: "intent",
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
