import { token } from "@purse/kernel";
import type { JobProgressReporter } from "../../cloud/cloud.ts";
import type { ServerSchedules } from "../../core/schedule.ts";

/** Jobs of the cloud code, and schedules of the server itself. */
export interface Jobs extends JobProgressReporter, ServerSchedules {}

export const JOBS = token<Jobs>("jobs");
