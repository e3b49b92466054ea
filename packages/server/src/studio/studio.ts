import type { IncomingMessage } from "node:http";
import { join, relative } from "node:path";
import type { FastifyPluginAsync } from "fastify";
import type { Passwords } from "../auth/password.ts";
import type { Config } from "../config/loadConfig.ts";
import type { BodyMemory } from "../core/http/bodyMemory.ts";
import type { ClientAddressOf } from "../core/http/clientAddress.ts";
import type { Logger } from "../core/logger.ts";
import { openStudioClasses } from "../data/schema/studioClasses.ts";
import { accessEndpoints, type StudioRouteInfo } from "../studioApi/access.ts";
import type { StudioFinding } from "../studioApi/permissions.ts";
import { createAdminApi } from "./adminApi.ts";
import { Audit } from "./audit.ts";
import { Backups } from "./backups.ts";
import { BackupUploads } from "./backupUploads.ts";
import { ConfigHistory } from "./configHistory.ts";
import { studioOpenApi, studioReferencePage } from "./openApi.ts";
import { Operators } from "./operators.ts";
import { type Restart, Restores } from "./restores.ts";
import { route, type StudioRoute } from "./route.ts";
import { accessRoutes } from "./routes/access.ts";
import { backupRoutes } from "./routes/backups.ts";
import { type ChainDependencies, chainRoutes } from "./routes/chains.ts";
import { type CodeDependencies, codeRoutes } from "./routes/code.ts";
import { type DataDependencies, dataRoutes } from "./routes/data.ts";
import { type FileDependencies, fileRoutes } from "./routes/files.ts";
import { type MailDependencies, mailRoutes } from "./routes/mails.ts";
import { type OverviewDependencies, overviewRoutes } from "./routes/overview.ts";
import { type PermissionDependencies, permissionRoutes } from "./routes/permissions.ts";
import { type PushAndConfigDependencies, pushAndConfigRoutes } from "./routes/pushAndConfig.ts";
import { type SchemaDependencies, schemaRoutes } from "./routes/schema.ts";
import { findSecurityIssues } from "./securityCheck.ts";
import { StudioSessions } from "./sessions.ts";
import { SignIn } from "./signIn.ts";

export interface StudioDependencies
  extends Omit<DataDependencies, "maxLimit">,
    Omit<CodeDependencies, "pluginFiles">,
    ChainDependencies,
    FileDependencies,
    Pick<PushAndConfigDependencies, "push" | "globalConfig">,
    SchemaDependencies,
    Pick<MailDependencies, "mailer" | "mails" | "outbox">,
    OverviewDependencies,
    Pick<PermissionDependencies, "evaluateGates"> {
  config: Config;
  bodyMemory: BodyMemory;
  /** Restarts the server with an action in between; undefined if that is not possible. */
  restart: Restart | undefined;
  passwords: Passwords;
  serverUrlOf(message: IncomingMessage): string;
  clientAddressOf: ClientAddressOf;
  /** Milliseconds since the epoch. */
  clock(): number;
  logger: Logger;
  reportError(error: unknown, requestId: string): void;
}

/** The admin API, `/studio/api`, with accounts and sessions of its own. */
export interface Studio {
  /** The admin API. */
  plugin: FastifyPluginAsync;
  /** Logs how to set up the first operator if there is none. `url` is the address of the server. */
  start(url: string): Promise<void>;
  /** Insecure settings and permissions, the most severe first. */
  findSecurityIssues(): Promise<StudioFinding[]>;
  stop(): Promise<void>;
}

export async function createStudio(dependencies: StudioDependencies): Promise<Studio> {
  const { store, clock, limiter, logger, config } = dependencies;
  const base = { store, classes: await openStudioClasses(store), clock };
  const operators = new Operators({ ...base, passwords: dependencies.passwords });
  const sessions = new StudioSessions(base);
  const audit = new Audit(base);
  const signIn = new SignIn({ ...base, operators, sessions, limiter });
  const stopController = new AbortController();
  const history = new ConfigHistory(base);
  const backups = new Backups(config.database, join(config.dataDir, "backups"), logger);
  const restores = new Restores({ backups, restart: dependencies.restart, logger });
  const security = { config, operators: () => operators.list() };
  const routes: StudioRoute[] = [
    route(accessEndpoints.routes, async () => ({
      results: routes.map(({ endpoint }) => describeRoute(endpoint)),
    })),
    route(accessEndpoints.openApi, async () => studioOpenApi()),
    route(accessEndpoints.docs, async () => studioReferencePage()),
    ...accessRoutes({ ...base, operators, sessions, limiter, signIn, audit, appName: config.appName }),
    ...dataRoutes({ ...dependencies, maxLimit: config.maxLimit }),
    ...schemaRoutes(dependencies),
    ...permissionRoutes({
      ...dependencies,
      protectedFields: config.protectedFields,
      security,
    }),
    ...codeRoutes({ ...dependencies, pluginFiles: (config.plugins ?? []).map(displayPath) }),
    ...pushAndConfigRoutes({ ...dependencies, history }),
    ...mailRoutes({ ...dependencies, appName: config.appName }),
    ...chainRoutes(dependencies),
    ...fileRoutes(dependencies),
    ...overviewRoutes(dependencies),
    ...backupRoutes({ backups, uploads: new BackupUploads(backups), restores }),
  ];
  return {
    async stop() {
      stopController.abort();
      await backups.stop();
    },
    findSecurityIssues: () => findSecurityIssues(security, dependencies.schemas.all()),
    plugin: createAdminApi({
      ...dependencies,
      routes,
      operators,
      sessions,
      audit,
      stopSignal: stopController.signal,
      maxBodyBytes: config.maxBodyBytes,
    }),
    async start(url) {
      await restores.recordInAudit(audit);
      const code = await signIn.createSetupCode();
      if (code === undefined) return;
      // The code is in the fragment, which is not sent to servers, proxies or as referrer.
      logger.info(
        `set up the studio at ${url}/studio#setup=${code} within a day, or: npm run purse -- operator add`,
      );
    },
  };
}

/** Formats a path relative to the current folder if possible. */
function displayPath(file: string): string {
  const relativePath = relative(process.cwd(), file);
  return relativePath.startsWith("..") ? file : relativePath;
}

function describeRoute({ method, path, needs }: StudioRouteInfo): StudioRouteInfo {
  return { method, path, needs };
}
