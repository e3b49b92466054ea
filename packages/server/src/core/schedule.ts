import type { JsonObject } from "@purse/protocol";
import { Cron } from "croner";

/** Schedule of a job, defined by cloud code, a row of `_JobSchedule` or the server itself. Times are in ms since the epoch. */
export interface Schedule {
  /** Stable key; it changes when the timing changes. */
  key: string;
  jobName: string;
  params: JsonObject;
  catchUp: "once" | "skip";
  deadlineMs: number | undefined;
  /** Object ID of the row; undefined for schedules that are none. */
  rowId: string | undefined;
  /** When the row was last changed; undefined for schedules of the cloud code. */
  changedAt: number | undefined;
  /** The time of a schedule that is due only once. */
  onlyTime: number | undefined;
  /** The next due time after the given one; undefined if there is none. */
  next(after: number): number | undefined;
  /** Runs a job of the server itself, which requests cannot start; resolves to its success message. */
  run?(): Promise<string | undefined>;
}

/** Takes the schedules of the server itself. */
export interface ServerSchedules {
  /** Adds schedules. Call `schedulesChanged` when `load` would return others. */
  addSchedules(load: () => Promise<Schedule[]>): void;
  /** Makes all processes load the schedules again. */
  schedulesChanged(): void;
}

/** Parses a cron expression in UTC. Throws Error. */
export function cronTimes(expression: string): Schedule["next"] {
  const cron = new Cron(expression, { paused: true, timezone: "UTC" });
  return (after) => cron.nextRun(new Date(after))?.getTime();
}
