import type { ChainService } from "@purse/chain";
import type { OpenedModule } from "@purse/kernel";
import type { JsonObject } from "@purse/protocol";
import type { FastifyInstance, FastifyPluginAsync } from "fastify";
import type { Config } from "../config/loadConfig.ts";
import { walletServiceSources } from "../config/walletServices.ts";
import type { DrainState } from "../core/drainState.ts";
import type { ApiReply } from "../core/http/apiRoute.ts";
import { sendNotFound } from "../core/http/notFound.ts";
import { STUDIO_PATH } from "../core/http/paths.ts";
import { respond } from "../core/http/reply.ts";
import { requestFactsOf } from "../core/http/requestFacts.ts";
import { requestIdOf } from "../core/http/requestId.ts";
import { dataUrlOf } from "../core/http/serverUrl.ts";
import type { RateLimiter } from "../core/limits/rateLimiter.ts";
import type { UnsentBytes } from "../core/limits/unsentBytes.ts";
import type { Logger } from "../core/logger.ts";
import type { Database } from "../database/openDatabase.ts";
import { indexerHealth } from "../monitoring/indexerHealth.ts";
import type { Metrics } from "../monitoring/metrics.ts";
import type { openMonitoring } from "../monitoring/openMonitoring.ts";
import { replicaHealth } from "../monitoring/replicaHealth.ts";
import { createAccessLog } from "./accessLog.ts";
import { type AppOptions, createApp } from "./app.ts";
import { createHints } from "./developmentHints.ts";
import { createDocsPages, type DocsSource } from "./docsPages.ts";
import type { HttpContext } from "./httpContext.ts";
import { createPages } from "./pages.ts";
import { createProviderApi } from "./providerApi.ts";
import { type PublicApisDependencies, registerEndpoints, registerPublicApis } from "./publicApis.ts";
import { scriptSandbox } from "./scriptSandbox.ts";

export interface OpenAppDependencies
  extends Pick<PublicApisDependencies, "parseApi" | "dataApi" | "ownPackages" | "respondInScope"> {
  config: Config;
  drainState: DrainState;
  unsent: UnsentBytes;
  http: HttpContext;
  database: Database;
  chain: Pick<ChainService, "status" | "indexer">;
  modules: readonly OpenedModule[];
  limiter: RateLimiter;
  metrics: Metrics;
  monitoring: ReturnType<typeof openMonitoring>;
  logger: Logger;
  /** Receives the access log, if it is enabled. */
  accessLogger: Logger;
  adminApi: FastifyPluginAsync;
  /** The folders of the built apps; without them `/` and `/studio` are not served. */
  appDirs: readonly string[];
  /** The documentation site; without it `/docs` is a page of the app. */
  docs: DocsSource | undefined;
  /** Settings of the app at `/config.json`, besides the server's URL. */
  appConfig: JsonObject | undefined;
  /** Further origins that the app may connect to. */
  connectTo: readonly string[];
  report(error: unknown, activity: string, requestId?: string): void;
}

/** Classes have names of any number. */
const MAX_LOGGED_HINTS = 100;

/** Creates the HTTP application of a server from its APIs, with the pages of the apps and the monitoring endpoints. */
export async function openApp(dependencies: OpenAppDependencies): Promise<FastifyInstance> {
  const { config, http, database, chain, metrics, monitoring } = dependencies;
  const sources = walletServiceSources(config.walletServices);
  const appConfig = JSON.stringify({
    appId: config.appId,
    ...(config.javascriptKey !== undefined && { javascriptKey: config.javascriptKey }),
    serverUrl: http.publicUrl,
    wallets: config.walletServices,
    ...Object.assign({}, ...dependencies.modules.map(({ contributions }) => contributions.appConfig)),
    ...dependencies.appConfig,
  });
  const providerApi = createProviderApi({
    dataUrl: dataUrlOf(http.publicUrl),
    keyFetch: config.keyFetch,
    isTracking: config.tracking,
    limiter: dependencies.limiter,
    clientAddressOf: http.clientAddressOf,
    countEvent: metrics.countEvent,
  });
  const healthEndpoints = {
    "/health": async () => {
      const missingChains = [
        ...new Set(
          dependencies.modules.flatMap(({ contributions }) => contributions.missingChains?.() ?? []),
        ),
      ];
      return ok(
        JSON.stringify({
          status: "ok",
          chains: chain.status(),
          ...(missingChains.length > 0 && { missingChains }),
          indexer: indexerHealth(chain.indexer),
          leases: database.leases.list(),
          ...healthOfModules(dependencies.modules),
          ...(database.store.replica && { replica: replicaHealth(database.store.replica()) }),
        }),
      );
    },
    "/ready": monitoring.routes.ready,
  };
  const logAccess = createAccessLog({
    accessLogger: config.accessLog ? dependencies.accessLogger : undefined,
    logger: dependencies.logger,
    slowMs: config.slowRequestMs,
    clientAddressOf: http.clientAddressOf,
  });
  const apis: FastifyPluginAsync[] = [
    (app) =>
      registerPublicApis(app, {
        ...dependencies,
        appId: config.appId,
        providerApi,
        endpoints: { ...healthEndpoints, "/config.json": async () => ok(appConfig) },
      }),
    async (app) => {
      await app.register(dependencies.adminApi, { prefix: STUDIO_PATH });
    },
    ...dependencies.modules.flatMap(({ contributions }) => contributions.http ?? []),
    scriptSandbox,
    ...(dependencies.docs ? [createDocsPages(dependencies.docs)] : []),
    createPages(dependencies.appDirs, {
      ...sources,
      connect: [...dependencies.connectTo, ...sources.connect],
    }),
  ];
  const withoutApis: FastifyPluginAsync = async (app) => {
    registerEndpoints(app, healthEndpoints);
    app.setNotFoundHandler(sendNotFound);
  };
  return createApp({
    http,
    unsent: dependencies.unsent,
    requestTimeoutMs: config.requestTimeoutMs,
    keepAliveMs: config.keepAliveSeconds * 1_000,
    drainState: dependencies.drainState,
    report: dependencies.report,
    ...(config.environment === "development" && developmentHints(dependencies)),
    plugins: [
      // Pages of other origins cannot read the metrics: no CORS headers.
      async (app) => {
        app.get("/metrics", ({ raw }, reply) => respond(reply, monitoring.routes.metrics(raw)));
      },
      ...(config.roles.includes("api") ? apis : [withoutApis]),
    ],
    onResponse(api, message, path, status, ms) {
      const { method = "" } = message;
      metrics.recordRequest(api, method, status, ms);
      // Requests of operators are not part of the server's load, and some last as long as a page is open.
      if (api === "studio") return;
      // Pages, their files and health checks would displace the requests of clients.
      const isListed = api !== "other" || status >= 400;
      const request = {
        method,
        path,
        status,
        ms,
        requestId: requestIdOf(message),
        ...requestFactsOf(message),
      };
      monitoring.history.record({ ...request, isListed });
      logAccess(message, path, status, ms);
    },
  });
}

/** Hints for developers, each of which is also logged once: clients of others show only the message. */
function developmentHints({
  http,
  parseApi,
  logger,
}: OpenAppDependencies): Pick<AppOptions, "hintFor" | "onHint"> {
  const logged = new Set<string>();
  return {
    hintFor: createHints({ serverUrl: http.publicUrl, paths: parseApi.routes.map(({ path }) => path) }),
    onHint(hint) {
      if (logged.has(hint) || logged.size >= MAX_LOGGED_HINTS) return;
      logged.add(hint);
      logger.warn("a request was refused", { hint });
    },
  };
}

/** What modules say of their health, by their names. */
function healthOfModules(modules: readonly OpenedModule[]): { modules?: JsonObject } {
  const health = modules.flatMap(({ name, contributions }) =>
    contributions.health ? [[name, contributions.health()]] : [],
  );
  return health.length > 0 ? { modules: Object.fromEntries(health) } : {};
}

/** Returns a reply with status 200 and JSON text. */
function ok(body: string): ApiReply {
  return { status: 200, body };
}
