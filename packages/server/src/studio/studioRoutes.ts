import { relative } from "node:path";
import type { Config } from "../config/loadConfig.ts";
import { accessEndpoints, type StudioRouteInfo } from "../studioApi/access.ts";
import type { BackupSchedule } from "./backupSchedule.ts";
import type { Backups } from "./backups.ts";
import { BackupUploads } from "./backupUploads.ts";
import { studioOpenApi } from "./openApi.ts";
import type { Restores } from "./restores.ts";
import { route, type StudioRoute } from "./route.ts";
import { type AccessDependencies, accessRoutes } from "./routes/access.ts";
import { backupRoutes } from "./routes/backups.ts";
import { type ChainDependencies, chainRoutes } from "./routes/chains.ts";
import { type CodeDependencies, codeRoutes } from "./routes/code.ts";
import { type ConsoleDependencies, consoleRoutes } from "./routes/console.ts";
import { type DataDependencies, dataRoutes } from "./routes/data.ts";
import { type OverviewDependencies, overviewRoutes } from "./routes/overview.ts";
import { passkeyRoutes } from "./routes/passkeys.ts";
import { type PermissionDependencies, permissionRoutes } from "./routes/permissions.ts";
import { type SchemaDependencies, schemaRoutes } from "./routes/schema.ts";
import { viewRoutes } from "./routes/views.ts";
import type { SavedViews } from "./savedViews.ts";

/** What the studio itself opens for its routes. */
export interface StudioServices
  extends Pick<AccessDependencies, "classes" | "operators" | "sessions" | "passkeys" | "signIn" | "audit"> {
  views: SavedViews;
  backups: Backups;
  backupSchedule: BackupSchedule;
  restores: Restores;
}

export interface StudioRoutesDependencies
  extends Omit<AccessDependencies, "appName">,
    Omit<DataDependencies, "maxLimit">,
    Omit<CodeDependencies, "pluginFiles">,
    ChainDependencies,
    ConsoleDependencies,
    SchemaDependencies,
    OverviewDependencies,
    Pick<PermissionDependencies, "evaluateGates">,
    StudioServices {
  config: Config;
}

/** Creates the routes of the admin API. The module is loaded with the first request: see `createStudio`. */
export function createStudioRoutes(
  dependencies: StudioRoutesDependencies,
  ofModules: readonly StudioRoute[],
): StudioRoute[] {
  const { config, backups, restores } = dependencies;
  const { appName } = config;
  const routes: StudioRoute[] = [
    route(accessEndpoints.routes, async () => ({
      results: routes.map(({ endpoint }) => describeRoute(endpoint)),
    })),
    route(accessEndpoints.openApi, async () => studioOpenApi()),
    ...accessRoutes({ ...dependencies, appName }),
    ...passkeyRoutes({ ...dependencies, appName }),
    ...dataRoutes({ ...dependencies, maxLimit: config.maxLimit }),
    ...viewRoutes(dependencies),
    ...schemaRoutes(dependencies),
    ...permissionRoutes({ ...dependencies, protectedFields: config.protectedFields }),
    ...codeRoutes({ ...dependencies, pluginFiles: (config.plugins ?? []).map(displayPath) }),
    ...consoleRoutes(dependencies),
    ...chainRoutes(dependencies),
    ...overviewRoutes(dependencies),
    ...backupRoutes({
      backups,
      uploads: new BackupUploads(backups),
      restores,
      schedule: dependencies.backupSchedule,
      sendsAlerts: config.alertEmails.length > 0 || config.alertWebhookUrl !== undefined,
    }),
    ...ofModules,
  ];
  return routes;
}

/** Formats a path relative to the current folder if possible. */
function displayPath(file: string): string {
  const relativePath = relative(process.cwd(), file);
  return relativePath.startsWith("..") ? file : relativePath;
}

function describeRoute({ method, path, needs }: StudioRouteInfo): StudioRouteInfo {
  return { method, path, needs };
}
