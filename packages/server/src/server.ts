import { setTimeout as sleep } from "node:timers/promises";
import type { ChainConfig } from "@purse/chain";
import { Lifecycle } from "@purse/kernel";
import type { JsonObject } from "@purse/protocol";
import type { DocsSource } from "./api/docsPages.ts";
import { type Apis, openApis } from "./apis.ts";
import type { Config } from "./config/loadConfig.ts";
import { missingPackages } from "./core/featurePackages.ts";
import { createLogBuffer, type LogBuffer } from "./core/logBuffer.ts";
import type { Logger } from "./core/logger.ts";
import { openTracing } from "./core/tracing/openTracing.ts";
import type { MigrationOptions, MigrationReport } from "./modules/migrations/migrations.ts";
import { MIGRATIONS } from "./modules/migrations/token.ts";
import type { PackageSource } from "./ownPackages/index.ts";
import type { ProcessGroup } from "./processes/index.ts";
import { openServices, type Services } from "./services.ts";
import { loadCloudCode, startServices } from "./startServices.ts";
import type { Restart } from "./studio/restores.ts";

export interface ServerOptions {
  logger: Logger;
  /** The chains of the data API. */
  chains: ChainConfig[];
  /** The folders of the built apps; without them `/` and `/studio` are not served. */
  appDirs?: readonly string[];
  /** The documentation site of this version, which readers find at `/docs`. */
  docs?: DocsSource;
  /** The folder of the documentation's Markdown files, which AI tools search. */
  docsDir?: string;
  /** The packages of this version, which clients install from the server; without it `/packages` is not served. */
  packages?: PackageSource;
  /** Settings of the app at `/config.json`, besides the server's URL. */
  appConfig?: JsonObject;
  /** Further origins that the app may connect to (a local chain). */
  connectTo?: string[];
  /** The processes that serve the port together; undefined if it is one. */
  processes?: ProcessGroup;
  /** Restarts the server with the same settings; used when the studio restores a backup. */
  restart?: Restart;
  /**
   * Called when an essential component has failed permanently: the server is no longer ready and has to be restarted.
   */
  onFatal?(error: Error): void;
}

export interface PurseServer {
  /** The base URL, such as `http://127.0.0.1:1337`; known once started. */
  readonly url: string;
  start(): Promise<void>;
  /** Runs the migrations that a start would run, without one; as a dry run, only returns what they would change. */
  migrate(options: MigrationOptions): Promise<MigrationReport[]>;
  /**
   * Hands the clients over to other servers: `/ready` returns 503, and after `drainDelaySeconds` no more connections
   * are accepted, live queries receive a request to reconnect, and accepted requests finish, for `drainTimeoutSeconds`
   * at most. If another process of the same port has taken over (`isReplaced`), it stays ready and begins at once.
   */
  drain(options: { isReplaced: boolean }): Promise<void>;
  /** Ends open requests and sockets, then stops everything in reverse order of its start. */
  stop(): Promise<void>;
}

/** Creates a server from its modules. If it rejects, everything that was opened is closed again. */
export function createServer(config: Config, options: ServerOptions): Promise<PurseServer> {
  const logBuffer = createLogBuffer(options.logger, config.logLevel);
  const lifecycle = new Lifecycle(logBuffer.logger);
  return lifecycle.stopOnFailure(() => composeServer(config, options, logBuffer, lifecycle));
}

async function composeServer(
  config: Config,
  options: ServerOptions,
  logBuffer: LogBuffer,
  lifecycle: Lifecycle,
): Promise<PurseServer> {
  const { logger } = logBuffer;
  const report = (error: unknown, during: string, requestId?: string) =>
    logger.error("unexpected error", {
      during,
      requestId,
      error: error instanceof Error ? (error.stack ?? error.message) : error,
    });
  const missing = missingPackages();
  if (missing.length > 0) logger.info("features are off without their packages", { missing });
  await lifecycle.start("tracing", () => openTracing(process.env, logger, lifecycle));
  const { chains, processes, docsDir, onFatal } = options;
  const services = await openServices({
    config,
    chains,
    processes,
    docsDir,
    lifecycle,
    logBuffer,
    report,
    onFatal,
  });
  const apis = await lifecycle.start("APIs", () =>
    openApis({
      config,
      services,
      logBuffer,
      accessLogger: options.logger,
      lifecycle,
      report,
      appDirs: options.appDirs ?? [],
      docs: options.docs,
      packages: options.packages,
      appConfig: options.appConfig,
      connectTo: options.connectTo ?? [],
      restart: options.restart,
    }),
  );
  await lifecycle.start("cloud code", () => loadCloudCode(services, apis));
  return {
    get url() {
      return apis.server.url;
    },
    migrate: (how) => services.modules.get(MIGRATIONS).run(how),
    start: () => lifecycle.stopOnFailure(() => startServices(config, services, apis, lifecycle)),
    async drain({ isReplaced }) {
      services.drainState.begin({ isReplaced });
      const delayMs = isReplaced ? 0 : config.drainDelaySeconds * 1_000;
      await sleep(delayMs);
      await finishRequests(services, apis, {
        timeoutMs: config.drainTimeoutSeconds * 1_000,
        // Without a delay, no client reconnects to another server.
        idleMs: isReplaced || delayMs > 0 ? IDLE_DRAIN_MS : 0,
      });
    },
    stop: () => lifecycle.stop(),
  };
}

/** How long it may take to close the sockets of live queries, in ms. */
const MAX_SOCKET_DRAIN_MS = 10_000;
/** How long a client may still send a request on a connection that is idle when the server stops, in ms. */
const IDLE_DRAIN_MS = 5_000;

/** Accepts no more connections, and ends the open ones. */
async function finishRequests(
  { live, modules }: Pick<Services, "live" | "modules">,
  { server, studio }: Apis,
  options: { timeoutMs: number; idleMs: number },
): Promise<void> {
  // Streams of the studio last as long as a page is open.
  const studioStopped = studio.stop();
  await Promise.all([
    server.finishConnections(options),
    live.drain(Math.min(MAX_SOCKET_DRAIN_MS, options.timeoutMs / 2)),
    modules.drain(),
    studioStopped,
  ]);
}
