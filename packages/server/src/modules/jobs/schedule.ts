import { isJsonObject, isoTime, type JsonObject, type JsonValue } from "@purse/protocol";
import { cronTimes, type Schedule } from "../../core/schedule.ts";

/**
 * Describes what is wrong with a row of `_JobSchedule`; undefined if it is valid. It has a `cron` expression, or what
 * Parse Dashboard writes: `startAfter` (a time), with `repeatMinutes` or with `daysOfWeek` (0 to 6) and `timeOfDay` (UTC).
 * One without a time never runs.
 */
export function scheduleProblem(row: JsonObject): string | undefined {
  const { jobName, catchUp, deadlineMs } = row;
  if (typeof jobName !== "string" || jobName === "") return "jobName must name a job";
  if (catchUp !== undefined && catchUp !== "once" && catchUp !== "skip") {
    return 'catchUp must be "once" or "skip"';
  }
  if (deadlineMs !== undefined && !(typeof deadlineMs === "number" && deadlineMs > 0)) {
    return "deadlineMs must be a number of milliseconds";
  }
  try {
    paramsOf(row);
    nextTimeOf(row);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Describes that a valid row has no time; undefined if it has one. */
export function missingTime({ cron, startAfter, daysOfWeek }: JsonObject): string | undefined {
  const isGiven = (value: JsonValue | undefined) =>
    (typeof value === "string" || Array.isArray(value)) && value.length > 0;
  const hasTime = isGiven(cron) || isGiven(startAfter) || isGiven(daysOfWeek);
  return hasTime ? undefined : "A schedule needs cron, or startAfter, or daysOfWeek and timeOfDay";
}

/** Parses a row of `_JobSchedule`. Throws Error. */
export function parseSchedule(row: JsonObject): Schedule {
  const { objectId, updatedAt, jobName, catchUp, deadlineMs } = row;
  const { cron, startAfter, repeatMinutes, daysOfWeek, timeOfDay } = row;
  const timing = JSON.stringify([cron, startAfter, repeatMinutes, daysOfWeek, timeOfDay]);
  return {
    key: `row ${String(objectId)} ${timing}`.slice(0, 500),
    jobName: String(jobName),
    params: paramsOf(row),
    catchUp: catchUp === "once" ? "once" : "skip",
    deadlineMs: typeof deadlineMs === "number" ? deadlineMs : undefined,
    rowId: String(objectId),
    changedAt: typeof updatedAt === "string" ? Date.parse(updatedAt) : undefined,
    onlyTime: onlyTimeOf(row),
    next: nextTimeOf(row),
  };
}

function onlyTimeOf({ cron, startAfter, repeatMinutes, daysOfWeek }: JsonObject): number | undefined {
  const isRepeated =
    Boolean(cron) || Boolean(repeatMinutes) || (Array.isArray(daysOfWeek) && daysOfWeek.length > 0);
  return isRepeated || typeof startAfter !== "string" || startAfter === "" ? undefined : isoTime(startAfter);
}

function paramsOf({ params }: JsonObject): JsonObject {
  if (params === undefined || params === "") return {};
  const parsed: unknown = typeof params === "string" ? JSON.parse(params) : params;
  if (isJsonObject(parsed)) return parsed;
  throw new Error("params must be the JSON of an object");
}

function nextTimeOf({
  cron,
  startAfter,
  repeatMinutes,
  daysOfWeek,
  timeOfDay,
}: JsonObject): Schedule["next"] {
  if (typeof cron === "string" && cron !== "") return cronTimes(cron);
  const hasStart = typeof startAfter === "string" && startAfter !== "";
  const start = hasStart ? isoTime(startAfter) : undefined;
  if (hasStart && start === undefined)
    throw new Error("startAfter must be a time, as in 2026-01-01T00:00:00.000Z");
  if (Array.isArray(daysOfWeek) && daysOfWeek.length > 0) {
    const [, hours, minutes] = /^(\d{1,2}):(\d{2})/.exec(String(timeOfDay ?? "00:00")) ?? [];
    if (hours === undefined || minutes === undefined) throw new Error("timeOfDay must be as in 13:30");
    const times = cronTimes(`${Number(minutes)} ${Number(hours)} * * ${daysOfWeek.map(Number).join(",")}`);
    return (after) => times(Math.max(after, (start ?? 0) - 1));
  }
  if (start === undefined) return () => undefined;
  if (repeatMinutes === undefined || repeatMinutes === 0)
    return (after) => (start > after ? start : undefined);
  if (typeof repeatMinutes !== "number" || !(repeatMinutes >= 1)) {
    throw new Error("repeatMinutes must be a number of minutes from 1");
  }
  const step = repeatMinutes * 60_000;
  return (after) => (after < start ? start : start + (Math.floor((after - start) / step) + 1) * step);
}
