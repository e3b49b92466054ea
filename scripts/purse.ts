/*
 * The program behind `npm start`: settings, local chain, server, and a clean end. `--help` lists the settings.
 */
import { readFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import type { DevChain } from "@purse/devchain";
import {
  type Config,
  createLogger,
  createServer,
  type Logger,
  loadConfig,
  type PurseServer,
  type ServerOptions,
} from "@purse/server";
import { appConfig, chainsFor } from "./chains.ts";
import { helpText } from "./help.ts";

const ROOT = resolve(import.meta.dirname, "..");
/** Timeout of a graceful shutdown, in ms. */
const STOP_DEADLINE_MS = 10_000;

/** How long the process keeps running, not ready, after a fatal error, in ms. */
const FATAL_GRACE_MS = 15_000;

interface Running {
  readonly url: string;
  chain: DevChain | undefined;
  stop(): Promise<void>;
}

await main(process.argv.slice(2));

async function main(argv: string[]): Promise<void> {
  if (argv.includes("--help") || argv.includes("-h")) return print(helpText());
  if (argv.includes("--version") || argv.includes("-v")) return print(await version());

  const config = await loadConfig({ argv, env: process.env, cwd: process.cwd() }).catch(fail);
  const logger = createLogger({
    level: config.logLevel,
    format: config.logFormat,
    write: (line) => process.stderr.write(`${line}\n`),
  });
  const exit = watchExit(logger);
  const running = await start(config, logger, exit.fatal).catch((error: unknown) =>
    fail(explainStartError(error, config)),
  );
  print(await banner(config, running));

  const code = await exit.requested;
  await running.stop();
  process.exit(code);
}

async function start(config: Config, logger: Logger, onFatal: (error: Error) => void): Promise<Running> {
  const chain = config.devChain ? await startChain(config, logger) : undefined;
  const startServer = async (): Promise<PurseServer> => {
    const server = await createServer(config, {
      logger,
      chains: chainsFor(config, chain),
      appDirs: [join(ROOT, "apps/web/dist"), join(ROOT, "apps/studio/dist")],
      appConfig: appConfig(config, chain),
      connectTo: chain ? [chain.url, chain.url.replace(/^http/, "ws")] : [],
      restart,
      onFatal,
    });
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
    lastRestart.catch(fail);
  };
  try {
    server = await startServer();
    return {
      get url() {
        return server.url;
      },
      chain,
      async stop() {
        isExiting = true;
        await lastRestart;
        await server.stop();
        await chain?.stop();
      },
    };
  } catch (error) {
    await chain?.stop();
    throw error;
  }
}

/** Starts the local chain; a failure is logged, because everything else works without it. */
async function startChain(config: Config, logger: Logger): Promise<DevChain | undefined> {
  try {
    const { startDevChain } = await import("@purse/devchain");
    return await startDevChain({
      port: config.devChainPort,
      dataDir: join(config.dataDir, "devchain"),
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

async function banner(config: Config, { url, chain }: Running): Promise<string> {
  const displayPath = (path: string): string => {
    const relativePath = relative(process.cwd(), path);
    return relativePath.startsWith("..") ? path : `./${relativePath}`;
  };
  const rows: [string, string][] = [
    ["Open", url],
    ["Data", displayPath(config.dataDir)],
    [
      "Keys",
      config.keysPath
        ? `${displayPath(config.keysPath)} (application id and master key)`
        : "from the environment",
    ],
  ];
  if (config.cloudFile) rows.push(["Cloud code", displayPath(config.cloudFile)]);
  if (chain) rows.push(["Local chain", `${chain.url} (chain ${chain.chainId})`]);
  for (const { name, id } of config.chains) rows.push(["Chain", `${name} (${id})`]);
  if (chain && !config.chains.some(({ id }) => id === 1)) {
    rows.push(["", `It also answers for "eth", until PURSE_CHAIN_ETH_RPC_URL names a real node.`]);
  }
  const lines = rows.map(([label, value]) => `  ${label.padEnd(12)} ${value}`);
  return ["", `  Purse ${await version()}`, "", ...lines, "", "  Ctrl-C ends it.", ""].join("\n");
}

interface ExitControl {
  /** Resolves with the exit code when the process must exit; the shutdown timeout starts then. */
  requested: Promise<number>;
  /** Reports a fatal error. */
  fatal(error: Error): void;
}

/**
 * Decides when the process exits: on a signal with 0 (a second Ctrl-C exits immediately), after an uncaught error with
 * 1, and some time after a fatal error, so that load balancers have seen that it is not ready.
 */
function watchExit(logger: Logger): ExitControl {
  const { promise, resolve } = Promise.withResolvers<number>();
  let isExiting = false;
  const exit = (code: number): void => {
    if (isExiting) return;
    isExiting = true;
    process.once("SIGINT", () => process.exit(130));
    setTimeout(() => {
      logger.error("the shutdown timed out", { ms: STOP_DEADLINE_MS });
      process.exit(1);
    }, STOP_DEADLINE_MS).unref();
    resolve(code);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => exit(0));
  // The state after an uncaught error is undefined. Errors of cloud code stay in its own thread.
  process.on("uncaughtException", (error, origin) => {
    logger.error("uncaught error: the process exits", { origin, error });
    exit(1);
  });
  return {
    requested: promise,
    fatal(error) {
      logger.error("fatal error: the process exits", { error, ms: FATAL_GRACE_MS });
      setTimeout(() => exit(1), FATAL_GRACE_MS).unref();
    },
  };
}

function explainStartError(error: unknown, { host, port }: Config): unknown {
  if (!(error instanceof Error) || !("code" in error)) return error;
  if (error.code === "EADDRINUSE")
    return new Error(
      `Port ${port} of ${host} is in use: stop the process that uses it, or choose another with --port`,
    );
  if (error.code === "EACCES")
    return new Error(
      `Port ${port} of ${host} needs permissions that this user does not have: choose another with --port`,
    );
  return error;
}

function fail(error: unknown): never {
  process.stderr.write(`purse: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function version(): Promise<string> {
  const manifest: { version: string } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  return manifest.version;
}
