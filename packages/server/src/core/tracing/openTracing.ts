import type { Lifecycle } from "@purse/kernel";
import { assertInstalled } from "../featurePackages.ts";
import type { Logger } from "../logger.ts";

/** Whether the standard variables of OpenTelemetry ask for traces. */
export function exportsTraces(env: NodeJS.ProcessEnv): boolean {
  if (env.OTEL_SDK_DISABLED === "true" || env.OTEL_TRACES_EXPORTER === "none") return false;
  return [env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, env.OTEL_EXPORTER_OTLP_ENDPOINT].some(
    (endpoint) => endpoint !== undefined && endpoint !== "",
  );
}

/** The servers of this process that export traces; the first starts the exporter, the last stops it. */
let users = 0;
let exporting: Promise<() => Promise<void>> | undefined;

/** Starts to export traces if the environment configures it. OpenTelemetry is loaded only then. Throws MissingPackageError without it. */
export async function openTracing(
  env: NodeJS.ProcessEnv,
  logger: Logger,
  lifecycle: Lifecycle,
): Promise<void> {
  if (!exportsTraces(env)) return;
  assertInstalled("@purse/tracing", "The export of traces to OTEL_EXPORTER_OTLP_ENDPOINT");
  exporting ??= import("./openTelemetry.ts").then(({ startOpenTelemetry }) =>
    startOpenTelemetry(env, logger),
  );
  users += 1;
  lifecycle.onStop("tracing", async () => {
    users -= 1;
    if (users > 0) return;
    const stop = exporting;
    exporting = undefined;
    await (await stop)?.();
  });
  await exporting;
}
