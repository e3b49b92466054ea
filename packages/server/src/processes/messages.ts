import type { MetricObjectWithValues, MetricValue } from "prom-client";
import { z } from "zod";

/** The metrics of a process as prom-client aggregates them. */
export type ProcessMetrics = MetricObjectWithValues<MetricValue<string>>[];

const processMetrics = z.custom<ProcessMetrics>((value) => Array.isArray(value));

/** Messages of a server process to its supervisor. */
export const PROCESS_MESSAGE = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ready"), url: z.string() }),
  z.object({ kind: z.literal("pong") }),
  z.object({ kind: z.literal("metricsRequest"), id: z.int() }),
  z.object({ kind: z.literal("metrics"), id: z.int(), metrics: processMetrics }),
  /** The last ones, of a process that is about to end. */
  z.object({ kind: z.literal("lastMetrics"), metrics: processMetrics }),
]);
export type ProcessMessage = z.infer<typeof PROCESS_MESSAGE>;

/** Messages of the supervisor to a server process. */
export const SUPERVISOR_MESSAGE = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("stop"), how: z.enum(["now", "drain", "replaced"]) }),
  z.object({ kind: z.literal("ping") }),
  z.object({ kind: z.literal("collectMetrics"), id: z.int() }),
  z.object({ kind: z.literal("metricsResponse"), id: z.int(), metrics: z.array(processMetrics) }),
]);
export type SupervisorMessage = z.infer<typeof SUPERVISOR_MESSAGE>;

/**
 * How a process stops. `now`: accepted requests get a few seconds. `drain`: it first reports that it is not ready.
 * `replaced`: another process of the same supervisor has taken over, so it drains without reporting that.
 */
export type StopMode = Extract<SupervisorMessage, { kind: "stop" }>["how"];
