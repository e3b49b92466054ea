import { flushCompileCache } from "node:module";
import { join, resolve } from "node:path";
import type { DevChain } from "@purse/devchain";
import {
  type Config,
  createServer,
  type DocsSource,
  type Logger,
  type ProcessGroup,
  type PurseServer,
  type ServerOptions,
} from "@purse/server";
import { appConfig, chainsFor, type LocalChain } from "./chains.ts";
import { docsSource } from "./docsSource.ts";
import { packageSource } from "./packageSource.ts";

const ROOT = resolve(import.meta.dirname, "../../..");

/** A server that may restart itself. */
export interface RunningServer {
  readonly url: string;
  /** Lets clients go to other servers, and finishes accepted requests. */
  drain(options: { isReplaced: boolean }): Promise<void>;
  stop(): Promise<void>;
}

export interface ServerRunOptions {
  config: Config;
  logger: Logger;
  localChain: LocalChain | undefined;
  /** The documentation: by default that of this installation. */
  docs?: DocsSource;
  processes?: ProcessGroup | undefined;
  /** Called when the process has to be restarted. */
  onFatal(error: Error): void;
  /** Called when a server that stopped to restart could not start again. */
  onRestartFailed(error: unknown): never;
}

/** Starts the server of this process. */
export async function runServer(options: ServerRunOptions): Promise<RunningServer> {
  const { config, logger, localChain, processes, onFatal } = options;
  const startServer = async (): Promise<PurseServer> => {
    const server = await createServer(config, {
      logger,
      chains: chainsFor(config, localChain),
      appDirs: [join(ROOT, "apps/web/dist"), join(ROOT, "apps/studio/dist")],
      docs: options.docs ?? docsSource(config, logger),
      docsDir: join(ROOT, "docs"),
      packages: packageSource(config, logger),
      appConfig: appConfig(config, localChain),
      connectTo: localChain ? [localChain.url, localChain.url.replace(/^http/, "ws")] : [],
      ...(processes && { processes }),
      restart,
      onFatal,
    });
    // What composing the server has left would stay in memory until enough requests have come. A regular collection
    // keeps the pages of the young generation.
    globalThis.gc?.({ type: "major", flavor: "last-resort", execution: "sync" });
    // Until it is written, what the compile cache has of the loaded modules stays in memory too: two megabytes.
    flushCompileCache();
    await server.start();
    return server;
  };
  /** Restarts run one after the other, so that no server is stopped before it has started. */
  let lastRestart: Promise<void> = Promise.resolve();
  let isExiting = false;
  let server: PurseServer;
  const restart: ServerOptions["restart"] = (whileStopped) => {
    lastRestart = lastRestart.then(async () => {
      if (isExiting) return;
      await server.stop();
      const undo = await whileStopped();
      try {
        server = await startServer();
      } catch (error) {
        if (!undo) throw error;
        logger.error("the server did not start with the restored data", { error });
        await undo();
        server = await startServer();
      }
      logger.info("the server has restarted");
    });
    // Exit, so that a supervisor restarts the process.
    lastRestart.catch(options.onRestartFailed);
  };
  server = await startServer();
  return {
    get url() {
      return server.url;
    },
    async drain(drainOptions) {
      isExiting = true;
      await lastRestart;
      await server.drain(drainOptions);
    },
    async stop() {
      isExiting = true;
      await lastRestart;
      await server.stop();
    },
  };
}

/** Starts the local chain if it is enabled; a failure is logged, because everything else works without it. */
export async function startLocalChain(
  config: Config,
  logger: Logger,
  { autoSave = true }: { autoSave?: boolean } = {},
): Promise<DevChain | undefined> {
  if (!config.devChain) return undefined;
  try {
    const { startDevChain } = await import("@purse/devchain");
    return await startDevChain({
      port: config.devChainPort,
      dataDir: join(config.dataDir, "devchain"),
      autoSave,
      log: (line) => logger.debug(line),
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    logger.warn(
      `The local chain did not start: ${reason} Sign-in and data work; balances and transfers do not.`,
    );
    return undefined;
  }
}
