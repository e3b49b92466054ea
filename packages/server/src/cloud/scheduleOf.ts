import { isJsonObject } from "@purse/protocol";
import { Cron } from "croner";
import type { ScheduleDefinition } from "./messages.ts";
import { encodeResult } from "./wire.ts";

export interface ScheduleOptions {
  /** What the job is given. */
  params?: object;
  /** Of runs that were missed while no server ran, `once` makes up for one, `skip` (the default) for none. */
  catchUp?: "once" | "skip";
  /** How long a run may take, in ms; after that its status is failed. */
  deadlineMs?: number;
}

/** Reads a schedule. Throws Error that says what is wrong with it. */
export function scheduleOf(jobName: string, cron: string, options: ScheduleOptions): ScheduleDefinition {
  const { params = {}, catchUp = "skip", deadlineMs } = options;
  const wrong = (reason: string) => new Error(`The schedule of ${jobName}: ${reason}`);
  const problem = cronProblem(cron);
  if (problem !== undefined) throw wrong(problem);
  if (catchUp !== "once" && catchUp !== "skip") throw wrong('catchUp must be "once" or "skip"');
  if (deadlineMs !== undefined && !(Number.isFinite(deadlineMs) && deadlineMs > 0)) {
    throw wrong("deadlineMs must be a number of milliseconds");
  }
  const encoded = encodeResult(params);
  if (!isJsonObject(encoded)) throw wrong("params must be an object");
  return { jobName, cron, params: encoded, catchUp, deadlineMs };
}

/** What is wrong with a cron expression, if something is. */
export function cronProblem(cron: string): string | undefined {
  try {
    new Cron(cron, { paused: true, timezone: "UTC" });
    return undefined;
  } catch (error) {
    return `"${cron}" is not a cron expression: ${error instanceof Error ? error.message : String(error)}`;
  }
}
