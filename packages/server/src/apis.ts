import type { Lifecycle } from "@purse/kernel";
import type { JsonObject } from "@purse/protocol";
import { distinctSockets } from "./api/distinctRoutes.ts";
import type { DocsSource } from "./api/docsPages.ts";
import { createHttpServer, type HttpServer } from "./api/httpServer.ts";
import { openApp } from "./api/openApp.ts";
import { openDataApi } from "./api/openDataApi.ts";
import { openParseApi } from "./api/openParseApi.ts";
import { serverRoutes } from "./api/serverRoutes.ts";
import { createRelyingParty } from "./auth/passkeys/relyingParty.ts";
import type { Config } from "./config/loadConfig.ts";
import { defaultSiweDomains } from "./config/siweDomains.ts";
import type { Dispatch } from "./core/http/apiRoute.ts";
import { baseUrlOf } from "./core/http/serverUrl.ts";
import type { LogBuffer } from "./core/logBuffer.ts";
import type { Logger } from "./core/logger.ts";
import { API_KEYS } from "./modules/apiKeys/token.ts";
import { FILES } from "./modules/files/token.ts";
import { GRAPHQL } from "./modules/graphql/token.ts";
import { IMAGES } from "./modules/images/token.ts";
import { IPFS } from "./modules/ipfs/token.ts";
import { JOBS } from "./modules/jobs/token.ts";
import { PUSH } from "./modules/push/token.ts";
import { SECURITY_REPORT } from "./modules/security/token.ts";
import { WEBHOOKS } from "./modules/webhooks/token.ts";
import { createOwnPackages, type PackageSource } from "./ownPackages/index.ts";
import type { Services } from "./services.ts";
import type { Restart } from "./studio/restores.ts";
import { createStudio, type Studio } from "./studio/studio.ts";

export interface ApiDependencies {
  config: Config;
  services: Services;
  logBuffer: LogBuffer;
  /** Receives the access log, whose lines are not kept in the buffer. */
  accessLogger: Logger;
  lifecycle: Lifecycle;
  report(error: unknown, activity: string, requestId?: string): void;
  appDirs: readonly string[];
  docs: DocsSource | undefined;
  packages: PackageSource | undefined;
  appConfig: JsonObject | undefined;
  connectTo: readonly string[];
  restart: Restart | undefined;
}

export interface Apis {
  server: HttpServer;
  studio: Studio;
  /** Executes requests of cloud code. */
  dispatch: Dispatch;
}

/** Interval of removing expired data, in ms. */
const SWEEP_MS = 10 * 60_000;

/** Opens the HTTP APIs over the services of a server. */
export async function openApis(dependencies: ApiDependencies): Promise<Apis> {
  const { config, services, logBuffer, lifecycle, report } = dependencies;
  const { http, limiter, database, data, auth, cloud, chain, modules } = services;
  const { store } = database;

  const parseApi = openParseApi({
    config,
    http,
    store,
    data,
    auth,
    cloud,
    limiter,
    longReplies: services.valkey,
    logger: logBuffer.logger,
    routes: [
      ...serverRoutes({
        canPush: modules.get(PUSH).canSend,
        checksSecurity: modules.get(SECURITY_REPORT).isEnabled,
      }),
      ...auth.routes,
      ...cloud.routes,
    ],
    modules: modules.opened,
    report: (error, requestId) => report(error, "a request within the Parse API", requestId),
  });
  services.provideParseApi(parseApi);
  const dataApi = openDataApi({
    config,
    http,
    chain,
    data,
    files: modules.get(FILES),
    ipfs: modules.get(IPFS),
    images: modules.get(IMAGES),
    cloud,
    authenticate: modules.get(API_KEYS).authenticate,
    challenges: services.auth.challenges,
    report,
  });
  const studio = createStudio({
    ...http,
    ...data,
    config,
    store,
    limiter,
    logBuffer,
    logger: logBuffer.logger,
    clock: store.now,
    serializer: data.objects.serializer,
    aggregates: data.objects.aggregates,
    asUser: auth.authContextFor,
    endOperatorSessions: auth.endOperatorSessions,
    evaluateGates: auth.evaluateTokenGates,
    cloud,
    schedules: modules.get(JOBS),
    webhookFunctions: () => modules.get(WEBHOOKS).functionNames(),
    classes: services.studioClasses,
    moduleRoutes: async () => {
      const routes = await Promise.all(
        modules.opened.map(({ contributions }) => contributions.adminRoutes?.() ?? []),
      );
      return routes.flat();
    },
    chain,
    feed: services.feed,
    passwords: services.passwords,
    passkeyParty: createRelyingParty({
      publicUrl: http.publicUrl,
      domains: defaultSiweDomains(http.publicUrl, config.environment === "development"),
      name: `${config.appName} studio`,
      id: config.passkeyRpId,
      origins: config.passkeyOrigins,
    }),
    metricsHistory: services.monitoring.history,
    restart: dependencies.restart,
    consoleApis: {
      executeRequest: parseApi.execute,
      executeGraphql: modules.get(GRAPHQL).execute,
    },
    reportError: (error, requestId) => report(error, "a request of the studio", requestId),
  });
  services.provideStudio(studio);
  const { packages } = dependencies;
  const app = await openApp({
    modules: modules.opened,
    ownPackages:
      packages &&
      createOwnPackages({
        source: packages,
        // In production, what clients receive does not depend on the host that they send.
        baseUrlOf: (message) =>
          baseUrlOf(config.environment === "development" ? http.serverUrlOf(message) : http.publicUrl),
      }),
    dataApi,
    respondInScope: services.respondInScope,
    config,
    http,
    database,
    chain,
    limiter,
    drainState: services.drainState,
    unsent: services.unsent,
    logger: logBuffer.logger,
    accessLogger: dependencies.accessLogger,
    metrics: services.metrics,
    monitoring: services.monitoring,
    parseApi,
    adminApi: studio.plugin,
    appDirs: dependencies.appDirs,
    docs: dependencies.docs,
    appConfig: dependencies.appConfig,
    connectTo: dependencies.connectTo,
    report,
  });
  const sweepTimer = setInterval(() => {
    store.deleteExpired().catch((error: unknown) => report(error, "sweeping the store"));
  }, SWEEP_MS);
  sweepTimer.unref();
  lifecycle.onStop("sweeping", () => clearInterval(sweepTimer));
  return {
    server: createHttpServer(config, app, {
      turns: http.requestTurns,
      live: config.roles.includes("live") ? services.live.upgrade : undefined,
      ofModules: distinctSockets(modules.opened),
    }),
    studio,
    dispatch: parseApi.dispatch,
  };
}
