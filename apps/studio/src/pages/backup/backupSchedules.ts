/** The cron expressions that are offered by name, in UTC. The minute is not 0, when many other jobs begin. */
export const SCHEDULES = {
  hourly: "17 * * * *",
  every6Hours: "17 */6 * * *",
  every12Hours: "17 */12 * * *",
  daily: "17 3 * * *",
  weekly: "17 3 * * 0",
} as const;

export type ScheduleName = keyof typeof SCHEDULES;

/** In the order in which they are offered. */
export const SCHEDULE_NAMES: readonly ScheduleName[] = [
  "hourly",
  "every6Hours",
  "every12Hours",
  "daily",
  "weekly",
];

export const SCHEDULE_LABELS: Readonly<Record<ScheduleName | "custom", string>> = {
  hourly: "Every hour",
  every6Hours: "Every 6 hours",
  every12Hours: "Every 12 hours",
  daily: "Every day at 3:17 UTC",
  weekly: "Every Sunday at 3:17 UTC",
  custom: "Cron expression",
};

/** The name of a cron expression; `custom` if it has none. */
export function scheduleName(cron: string): ScheduleName | "custom" {
  return SCHEDULE_NAMES.find((name) => SCHEDULES[name] === cron) ?? "custom";
}
