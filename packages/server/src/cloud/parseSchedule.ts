import { isJsonObject } from "@purse/protocol";
import { Cron } from "croner";
import { encodeResult } from "./encodeValues.ts";
import type { ScheduleDefinition } from "./workerMessages.ts";

export interface ScheduleOptions {
  /** Parameters of the job. */
  params?: object;
  /** Of runs that were missed while no server was running, `once` makes up for one, `skip` (the default) for none. */
  catchUp?: "once" | "skip";
  /** Time limit of a run, in ms; after that it has failed. */
  deadlineMs?: number;
}

/** Parses a schedule. Throws Error with the reason if it is invalid. */
export function parseSchedule(jobName: string, cron: string, options: ScheduleOptions): ScheduleDefinition {
  const { params = {}, catchUp = "skip", deadlineMs } = options;
  const invalidSchedule = (reason: string) => new Error(`The schedule of ${jobName}: ${reason}`);
  const error = cronError(cron);
  if (error !== undefined) throw invalidSchedule(error);
  if (catchUp !== "once" && catchUp !== "skip") throw invalidSchedule('catchUp must be "once" or "skip"');
  if (deadlineMs !== undefined && !(Number.isFinite(deadlineMs) && deadlineMs > 0)) {
    throw invalidSchedule("deadlineMs must be a number of milliseconds");
  }
  const encoded = encodeResult(params);
  if (!isJsonObject(encoded)) throw invalidSchedule("params must be an object");
  return { jobName, cron, params: encoded, catchUp, deadlineMs };
}

/** Returns the error of a cron expression, or undefined if it is valid. */
function cronError(cron: string): string | undefined {
  try {
    new Cron(cron, { paused: true, timezone: "UTC" });
    return undefined;
  } catch (error) {
    return `"${cron}" is not a cron expression: ${error instanceof Error ? error.message : String(error)}`;
  }
}
