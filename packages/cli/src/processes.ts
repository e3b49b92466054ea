import { type Config, type Logger, type ProcessGroup, ProcessSupervisor, type StopMode } from "@purse/server";
import type { LocalChain } from "./chains.ts";
import { type RunningServer, runServer } from "./serverRun.ts";

/** Passes what the server knows about the local chain from the supervisor to its processes. */
const LOCAL_CHAIN = "PURSE_LOCAL_CHAIN";

/** What a process may take to stop after its requests have ended, in ms. */
const STOP_MS = 10_000;

/** The time that a graceful stop may take, in ms. */
export function stopDeadline({ drainDelaySeconds, drainTimeoutSeconds }: Config): number {
  return (drainDelaySeconds + drainTimeoutSeconds) * 1_000 + STOP_MS;
}

/** Starts several processes of this program that serve one port. SIGHUP replaces one after the other. */
export async function superviseProcesses(
  config: Config,
  count: number,
  logger: Logger,
  localChain: LocalChain | undefined,
): Promise<ProcessSupervisor> {
  const supervisor = new ProcessSupervisor({
    count,
    // Longer than the deadline that each process has for itself.
    stopTimeoutMs: stopDeadline(config) + STOP_MS,
    ...(localChain && { env: { [LOCAL_CHAIN]: JSON.stringify(localChain) } }),
    logger,
  });
  // A closed terminal ends the program.
  if (!process.stdin.isTTY) {
    process.on("SIGHUP", () => {
      logger.info("the processes are replaced one after the other");
      // A failure has been logged.
      supervisor.reload().catch(() => undefined);
    });
  }
  await supervisor.start();
  return supervisor;
}

/** Runs one of several processes. Resolves never: the process ends when the supervisor stops it. */
export async function runProcess(
  group: ProcessGroup,
  config: Config,
  logger: Logger,
  fail: (error: unknown) => never,
): Promise<void> {
  const { [LOCAL_CHAIN]: chainText } = process.env;
  delete process.env[LOCAL_CHAIN];
  const localChain: LocalChain | undefined = chainText === undefined ? undefined : JSON.parse(chainText);
  let server: RunningServer | undefined;
  let isEnding = false;
  const end = async (code: number, how: StopMode): Promise<void> => {
    if (isEnding) return;
    isEnding = true;
    setTimeout(() => {
      logger.error("the shutdown timed out", { ms: stopDeadline(config) });
      process.exit(1);
    }, stopDeadline(config)).unref();
    if (how !== "now") await server?.drain({ isReplaced: how === "replaced" });
    await group.reportLastMetrics();
    await server?.stop();
    process.exit(code);
  };
  // Signals reach all processes of a terminal or a service; the supervisor decides what they mean.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  process.on("uncaughtException", (error, origin) => {
    logger.error("uncaught error: the process exits", { origin, error });
    end(1, "now").catch(() => process.exit(1));
  });
  group.onStop((how) => {
    end(0, how).catch((error: unknown) => {
      logger.error("the process did not stop cleanly", { error });
      process.exit(1);
    });
  });
  server = await runServer({
    config,
    logger,
    localChain,
    processes: group,
    // Another process takes over; the supervisor starts this one again.
    onFatal(error) {
      logger.error("fatal error: the process exits", { error });
      end(1, "replaced").catch(() => process.exit(1));
    },
    onRestartFailed: fail,
  }).catch(fail);
  if (!isEnding) group.reportReady(server.url);
}
