import { PageError } from "@purse/ui";
import { createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { parseSearch } from "./pages/data/searchParams.ts";
import { root } from "./root.tsx";

/** The route of a page, whose code loads when it is visited. */
function page<Path extends string, Name extends string>(
  path: Path,
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
) {
  return createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load, name) });
}

const routes = [
  page("/", () => import("./pages/overview/Overview.tsx"), "Overview"),
  page("/audit", () => import("./pages/audit/Audit.tsx"), "Audit"),
  page("/backup", () => import("./pages/backup/Backup.tsx"), "Backup"),
  page("/chains", () => import("./pages/chains/Chains.tsx"), "Chains"),
  page("/classes", () => import("./pages/classes/Classes.tsx"), "Classes"),
  page("/config", () => import("./pages/config/Config.tsx"), "Config"),
  page("/console", () => import("./pages/console/Console.tsx"), "Console"),
  page("/files", () => import("./pages/files/Files.tsx"), "Files"),
  page("/functions", () => import("./pages/functions/Functions.tsx"), "Functions"),
  page("/hooks", () => import("./pages/hooks/Hooks.tsx"), "Hooks"),
  page("/jobs", () => import("./pages/jobs/Jobs.tsx"), "Jobs"),
  page("/keys", () => import("./pages/keys/ApiKeys.tsx"), "ApiKeys"),
  page("/logs", () => import("./pages/logs/Logs.tsx"), "Logs"),
  page("/mail", () => import("./pages/mail/Mail.tsx"), "Mail"),
  page("/operators", () => import("./pages/operators/Operators.tsx"), "Operators"),
  page("/permissions", () => import("./pages/permissions/Permissions.tsx"), "Permissions"),
  page("/plugins", () => import("./pages/plugins/Plugins.tsx"), "Plugins"),
  page("/push", () => import("./pages/push/Push.tsx"), "Push"),
  page("/roles", () => import("./pages/roles/Roles.tsx"), "Roles"),
  page("/security", () => import("./pages/security/SecurityCheck.tsx"), "SecurityCheck"),
  createRoute({
    getParentRoute: () => root,
    path: "/data",
    validateSearch: parseSearch,
    component: lazyRouteComponent(() => import("./pages/data/Data.tsx"), "Data"),
  }),
];

/** Search params are parsed as strings and numbers, as in the app. */
export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: "/studio",
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
