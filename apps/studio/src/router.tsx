import { createRouter } from "@tanstack/react-router";
import { auditRoutes } from "./pages/audit/routes.ts";
import { backupRoutes } from "./pages/backup/routes.ts";
import { chainsRoutes } from "./pages/chains/routes.ts";
import { classesRoutes } from "./pages/classes/routes.ts";
import { configRoutes } from "./pages/config/routes.ts";
import { dataRoutes } from "./pages/data/routes.ts";
import { filesRoutes } from "./pages/files/routes.ts";
import { functionsRoutes } from "./pages/functions/routes.ts";
import { hooksRoutes } from "./pages/hooks/routes.ts";
import { jobsRoutes } from "./pages/jobs/routes.ts";
import { keysRoutes } from "./pages/keys/routes.ts";
import { logsRoutes } from "./pages/logs/routes.ts";
import { mailRoutes } from "./pages/mail/routes.ts";
import { operatorsRoutes } from "./pages/operators/routes.ts";
import { overviewRoutes } from "./pages/overview/routes.ts";
import { permissionsRoutes } from "./pages/permissions/routes.ts";
import { pluginsRoutes } from "./pages/plugins/routes.ts";
import { pushRoutes } from "./pages/push/routes.ts";
import { rolesRoutes } from "./pages/roles/routes.ts";
import { securityRoutes } from "./pages/security/routes.ts";
import { root } from "./root.tsx";

const routes = [
  ...auditRoutes,
  ...backupRoutes,
  ...chainsRoutes,
  ...classesRoutes,
  ...configRoutes,
  ...dataRoutes,
  ...filesRoutes,
  ...functionsRoutes,
  ...hooksRoutes,
  ...jobsRoutes,
  ...keysRoutes,
  ...logsRoutes,
  ...mailRoutes,
  ...operatorsRoutes,
  ...overviewRoutes,
  ...permissionsRoutes,
  ...pluginsRoutes,
  ...pushRoutes,
  ...rolesRoutes,
  ...securityRoutes,
];

/** Search params are parsed as strings and numbers, as in the app. */
export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: "/studio",
  scrollRestoration: true,
  defaultPreload: "intent",
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
