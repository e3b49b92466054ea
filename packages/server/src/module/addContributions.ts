import type { OpenedModule } from "@purse/kernel";
import type { Cloud } from "../cloud/index.ts";
import { cronTimes, type ServerSchedules } from "../core/schedule.ts";
import type { Metrics } from "../monitoring/metrics.ts";

interface Receivers {
  cloud: Pick<Cloud, "define">;
  jobs: Pick<ServerSchedules, "addSchedules">;
  metrics: Pick<Metrics, "observeModule">;
}

/** Adds functions, schedules and metrics of modules to the server. Throws Error that names the module of an invalid one. */
export function addContributions(
  modules: readonly OpenedModule[],
  { cloud, jobs, metrics }: Receivers,
): void {
  for (const { name, contributions } of modules) {
    for (const { name: functionName, run } of contributions.functions ?? []) cloud.define(functionName, run);
    try {
      metrics.observeModule(contributions.metrics ?? []);
      addSchedules(name, contributions.schedules ?? [], jobs);
    } catch (error) {
      throw new Error(`The module "${name}": ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  }
}

function addSchedules(
  module: string,
  schedules: NonNullable<OpenedModule["contributions"]["schedules"]>,
  jobs: Pick<ServerSchedules, "addSchedules">,
): void {
  if (schedules.length === 0) return;
  const known = schedules.map(({ name, cron, run }) => ({
    key: `${module}.${name} ${cron}`,
    jobName: `${module}.${name}`,
    params: {},
    catchUp: "once" as const,
    deadlineMs: undefined,
    rowId: undefined,
    changedAt: undefined,
    onlyTime: undefined,
    next: cronTimes(cron),
    run,
  }));
  jobs.addSchedules(async () => known);
}
