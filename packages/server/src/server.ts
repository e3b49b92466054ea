import type { ChainConfig } from "@purse/chain";
import { isPublicAddress } from "@purse/outbound";
import type { JsonObject } from "@purse/protocol";
import { type Apis, openApis } from "./apis.ts";
import type { Config } from "./config/loadConfig.ts";
import { Lifecycle } from "./core/lifecycle.ts";
import { createLogBuffer, type LogBuffer } from "./core/logBuffer.ts";
import type { Logger } from "./core/logger.ts";
import { createFileReader } from "./files/index.ts";
import { openServices, type Services } from "./services.ts";
import type { Restart } from "./studio/restores.ts";

export interface ServerOptions {
  logger: Logger;
  /** The chains of the data API. */
  chains: ChainConfig[];
  /** The folders of the built apps; without them `/` and `/studio` are not served. */
  appDirs?: readonly string[];
  /** Settings of the app at `/config.json`, besides the server's URL. */
  appConfig?: JsonObject;
  /** Further origins that the app may connect to (a local chain). */
  connectTo?: string[];
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
  const { chains, onFatal } = options;
  const services = await openServices({ config, chains, lifecycle, logger, report, onFatal });
  const apis = await openApis({
    config,
    services,
    logBuffer,
    lifecycle,
    report,
    appDirs: options.appDirs ?? [],
    appConfig: options.appConfig,
    connectTo: options.connectTo ?? [],
    restart: options.restart,
  });
  await loadCloudCode(services, apis);
  return {
    get url() {
      return apis.server.url;
    },
    start: () => lifecycle.stopOnFailure(() => startServer(services, apis, lifecycle)),
    stop: () => lifecycle.stop(),
  };
}

/** Loads the cloud code once everything that it may call exists. */
async function loadCloudCode(services: Services, apis: Apis) {
  const { chain, cloud, data, files, fileUrls, jobs, mail, webhooks } = services;
  const { mailer } = mail;
  await cloud.start({
    dispatch: apis.dispatch,
    userOf: data.userOf,
    download: createFileReader({ files: files.files, urls: fileUrls, isAllowed: isPublicAddress }),
    sendMail: mailer && ((message) => mailer.send(message)),
    jobs: jobs.service,
    callChain: (selector, method, params) => chain.request(chain.resolveChainId(selector), method, params),
    remote: webhooks.client,
  });
}

async function startServer(services: Services, apis: Apis, lifecycle: Lifecycle): Promise<void> {
  const { chain, jobs, auth, chainEvents, push, live } = services;
  const { server, studio } = apis;
  const start = async (name: string, run: () => unknown, stop: () => unknown) => {
    lifecycle.onStop(name, stop);
    await run();
  };
  await start("chains", chain.start, chain.stop);
  await start("jobs", jobs.start, jobs.stop);
  await start("accounts", auth.start, auth.stop);
  await start(
    "chain events",
    () => chainEvents.start(),
    () => chainEvents.stop(),
  );
  await start("push", push.start, push.stop);
  lifecycle.onStop("open requests", async () => {
    await live.stop();
    await server.drained();
  });
  await start("port", server.listen, server.close);
  await start("studio", () => studio.start(server.url), studio.stop);
}
