import type { IncomingMessage, ServerResponse } from "node:http";
import type { ChainService } from "@purse/chain";
import type { JsonObject } from "@purse/protocol";
import type { Config } from "../config/loadConfig.ts";
import { walletServiceSources } from "../config/walletServices.ts";
import type { RateLimiter } from "../core/limits/rateLimiter.ts";
import type { Database } from "../database/openDatabase.ts";
import { indexerHealth } from "../monitoring/indexerHealth.ts";
import type { Metrics } from "../monitoring/metrics.ts";
import type { openMonitoring } from "../monitoring/openMonitoring.ts";
import { type AppDependencies, createApp, ok } from "./app.ts";
import type { HttpContext } from "./httpContext.ts";
import { dataUrlOf } from "./openDataApi.ts";
import { createProviderApi } from "./providerApi.ts";
import { createStaticApp } from "./staticApp.ts";

export interface OpenAppDependencies
  extends Pick<
    AppDependencies,
    "parseApi" | "files" | "adminApi" | "dataApi" | "dataDocs" | "nftImage" | "ipfs" | "report"
  > {
  config: Config;
  http: HttpContext;
  database: Database;
  chain: Pick<ChainService, "status" | "indexer">;
  limiter: RateLimiter;
  metrics: Metrics;
  monitoring: ReturnType<typeof openMonitoring>;
  /** The folders of the built apps; without them `/` and `/studio` are not served. */
  appDirs: readonly string[];
  /** Settings of the app at `/config.json`, besides the server's URL. */
  appConfig: JsonObject | undefined;
  /** Further origins that the app may connect to. */
  connectTo: readonly string[];
}

/** Creates the HTTP application of a server from its APIs, with the pages of the app and the monitoring endpoints. */
export function openApp(
  dependencies: OpenAppDependencies,
): (message: IncomingMessage, response: ServerResponse) => void {
  const { config, http, database, chain, metrics, monitoring } = dependencies;
  const sources = walletServiceSources(config.walletServices);
  const appConfig = JSON.stringify({
    appId: config.appId,
    serverUrl: http.publicUrl,
    wallets: config.walletServices,
    ...dependencies.appConfig,
  });
  return createApp({
    ...dependencies,
    clientAddressOf: http.clientAddressOf,
    replyLimits: { budget: database.replyMemory, maxAnswerBytes: config.maxAnswerBytes },
    providerApi: createProviderApi({
      dataUrl: dataUrlOf(http.publicUrl),
      keyFetch: config.keyFetch,
      isTracking: config.tracking,
      limiter: dependencies.limiter,
      clientAddressOf: http.clientAddressOf,
      countEvent: metrics.countEvent,
    }),
    endpoints: {
      "/health": async () =>
        ok(
          JSON.stringify({
            status: "ok",
            chains: chain.status(),
            indexer: indexerHealth(chain.indexer),
            leases: database.leases.list(),
          }),
        ),
      "/ready": monitoring.routes.ready,
      "/config.json": async () => ok(appConfig),
    },
    metrics: monitoring.routes.metrics,
    staticApp: createStaticApp(dependencies.appDirs, {
      ...sources,
      connect: [...dependencies.connectTo, ...sources.connect],
    }),
    onResponse(api, method = "", status, started, path) {
      metrics.recordRequest(api, method, status, started);
      // Requests of operators are not part of the server's load, and some last as long as a page is open.
      if (api === "studio") return;
      monitoring.history.record({ method, path, status, ms: performance.now() - started });
    },
  });
}
