import { createRouter } from "@tanstack/react-router";
import { auditRoutes } from "./rooms/audit/routes.ts";
import { backupRoutes } from "./rooms/backup/routes.ts";
import { chainsRoutes } from "./rooms/chains/routes.ts";
import { classesRoutes } from "./rooms/classes/routes.ts";
import { configRoutes } from "./rooms/config/routes.ts";
import { dataRoutes } from "./rooms/data/routes.ts";
import { filesRoutes } from "./rooms/files/routes.ts";
import { functionsRoutes } from "./rooms/functions/routes.ts";
import { hooksRoutes } from "./rooms/hooks/routes.ts";
import { jobsRoutes } from "./rooms/jobs/routes.ts";
import { keysRoutes } from "./rooms/keys/routes.ts";
import { logsRoutes } from "./rooms/logs/routes.ts";
import { mailRoutes } from "./rooms/mail/routes.ts";
import { operatorsRoutes } from "./rooms/operators/routes.ts";
import { overviewRoutes } from "./rooms/overview/routes.ts";
import { permissionsRoutes } from "./rooms/permissions/routes.ts";
import { pluginsRoutes } from "./rooms/plugins/routes.ts";
import { pushRoutes } from "./rooms/push/routes.ts";
import { rolesRoutes } from "./rooms/roles/routes.ts";
import { securityRoutes } from "./rooms/security/routes.ts";
import { root } from "./root.tsx";

const rooms = [
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

/** What is in the address bar is read as texts and numbers, as in the app; the studio is below /studio. */
export const router = createRouter({
  routeTree: root.addChildren(rooms),
  basepath: "/studio",
  scrollRestoration: true,
  defaultPreload: "intent",
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
