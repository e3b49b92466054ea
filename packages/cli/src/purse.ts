/*
 * The program behind `npm start`: settings, local chain, server, and a clean end. `--help` lists the settings.
 */
import { readFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import type { DevChain } from "@purse/devchain";
import {
  type Config,
  createLogger,
  joinProcessGroup,
  type Logger,
  loadConfig,
  openUrl,
  processCount,
  protectDataFolder,
} from "@purse/server";
import { helpText } from "./help.ts";
import { runProcess, stopDeadline, superviseProcesses } from "./processes.ts";
import { runServer, startLocalChain } from "./serverRun.ts";
import { explainStartError } from "./startErrors.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
/** Timeout of a shutdown that is not graceful, in ms. */
const STOP_DEADLINE_MS = 10_000;

/** How long the process keeps running, not ready, after a fatal error, in ms. */
const FATAL_GRACE_MS = 15_000;

interface Running {
  readonly url: string;
  chain: DevChain | undefined;
  /** Lets clients go to other servers, and finishes accepted requests. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

// In watch mode (`purse dev`), threads of Node.js would send the modules that they load among our own messages.
delete process.env.WATCH_REPORT_DEPENDENCIES;
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
  const failStart = (error: unknown) => fail(explainStartError(error, config));
  await protectDataFolder(config.dataDir, logger).catch(failStart);
  const group = joinProcessGroup();
  if (!group)
    for (const { name, advice } of config.unknownVariables) logger.warn(`${name} is ignored. ${advice}`);
  if (group) return runProcess(group, config, logger.with({ process: group.number }), failStart);

  const count = countProcesses(config);
  const exit = watchExit(config, logger, count > 1);
  const start = count > 1 ? startProcesses(config, count, logger) : startServer(config, logger, exit.fatal);
  const running = await start.catch(failStart);
  print(await banner(config, running, count));

  const { code, isGraceful } = await exit.requested;
  if (isGraceful) await running.drain();
  await running.stop();
  process.exit(code);
}

/** Starts the server in this process. */
async function startServer(
  config: Config,
  logger: Logger,
  onFatal: (error: Error) => void,
): Promise<Running> {
  const chain = await startLocalChain(config, logger);
  try {
    const server = await runServer({ config, logger, localChain: chain, onFatal, onRestartFailed: fail });
    return {
      get url() {
        return server.url;
      },
      chain,
      drain: () => server.drain({ isReplaced: false }),
      async stop() {
        await server.stop();
        await chain?.stop();
      },
    };
  } catch (error) {
    await chain?.stop();
    throw error;
  }
}

/** Starts the server in several processes. */
async function startProcesses(config: Config, count: number, logger: Logger): Promise<Running> {
  const chain = await startLocalChain(config, logger);
  try {
    const supervisor = await superviseProcesses(config, count, logger, chain);
    return {
      url: supervisor.url,
      chain,
      drain: () => supervisor.stop("drain"),
      async stop() {
        await supervisor.stop("now");
        await chain?.stop();
      },
    };
  } catch {
    await chain?.stop();
    // The process that did not start has logged the reason.
    process.exit(1);
  }
}

function countProcesses(config: Config): number {
  try {
    return processCount(config);
  } catch (error) {
    return fail(error);
  }
}

async function banner(config: Config, { url, chain }: Running, processes: number): Promise<string> {
  const displayPath = (path: string): string => {
    const relativePath = relative(process.cwd(), path);
    return relativePath.startsWith("..") ? path : `./${relativePath}`;
  };
  const rows: [string, string][] = [
    ["Open", openUrl(config, url)],
    ["Docs", `${openUrl(config, url)}/docs`],
    ["Data", displayPath(config.dataDir)],
    [
      "Keys",
      config.keysPath
        ? `${displayPath(config.keysPath)} (application id and master key)`
        : "from the environment",
    ],
  ];
  if (openUrl(config, url) !== url) rows.push(["Listens at", url]);
  if (config.cloudFile) rows.push(["Cloud code", displayPath(config.cloudFile)]);
  if (chain) rows.push(["Local chain", `${chain.url} (chain ${chain.chainId})`]);
  if (processes > 1) rows.push(["Processes", String(processes)]);
  for (const { name, id } of config.chains) rows.push(["Chain", `${name} (${id})`]);
  if (chain && !config.chains.some(({ id }) => id === 1)) {
    rows.push(["", `It also answers for "eth", until PURSE_CHAIN_ETH_RPC_URL names a real node.`]);
  }
  const lines = rows.map(([label, value]) => `  ${label.padEnd(12)} ${value}`);
  return ["", `  Purse ${await version()}`, "", ...lines, "", "  Ctrl-C ends it.", ""].join("\n");
}

interface Exit {
  code: number;
  /** Whether clients are handed over to other servers first. */
  isGraceful: boolean;
}

interface ExitControl {
  /** Resolves when the process must exit; the shutdown timeout starts then. */
  requested: Promise<Exit>;
  /** Reports a fatal error. */
  fatal(error: Error): void;
}

/**
 * Decides when the process exits: on a signal with 0 (gracefully on SIGTERM; a second Ctrl-C exits immediately), after an
 * uncaught error with 1, and some time after a fatal error, so that load balancers have seen that it is not ready.
 */
function watchExit(config: Config, logger: Logger, hasProcesses: boolean): ExitControl {
  const { promise, resolve } = Promise.withResolvers<Exit>();
  let isExiting = false;
  const exit = (code: number, isGraceful: boolean): void => {
    if (isExiting) return;
    isExiting = true;
    process.once("SIGINT", () => process.exit(130));
    const ms = isGraceful ? stopDeadline(config) : STOP_DEADLINE_MS;
    setTimeout(() => {
      logger.error("the shutdown timed out", { ms });
      process.exit(1);
    }, ms).unref();
    resolve({ code, isGraceful });
  };
  process.once("SIGINT", () => exit(0, false));
  process.on("SIGTERM", () => exit(0, true));
  // Without a terminal, it replaces the processes.
  if (!hasProcesses || process.stdin.isTTY) process.once("SIGHUP", () => exit(0, false));
  // The state after an uncaught error is undefined. Errors of cloud code stay in its own thread.
  process.on("uncaughtException", (error, origin) => {
    logger.error("uncaught error: the process exits", { origin, error });
    exit(1, false);
  });
  return {
    requested: promise,
    fatal(error) {
      logger.error("fatal error: the process exits", { error, ms: FATAL_GRACE_MS });
      setTimeout(() => exit(1, false), FATAL_GRACE_MS).unref();
    },
  };
}

function fail(error: unknown): never {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  const reason = cause instanceof Error && !message.includes(cause.message) ? ` (${cause.message})` : "";
  process.stderr.write(`purse: ${message}${reason}\n`);
  process.exit(1);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function version(): Promise<string> {
  const manifest: { version: string } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  return manifest.version;
}
