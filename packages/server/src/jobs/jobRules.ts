import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { Config } from "../config/loadConfig.ts";
import type { PendingWrite } from "../data/objects/pendingWrite.ts";
import { type ClassRules, writtenOnlyThrough } from "../data/objects/rules.ts";
import { SYSTEM_CLASS_FIELDS } from "../data/schema/systemClasses.ts";
import { scheduleProblem } from "./schedule.ts";

/**
 * Rules of the classes for jobs and their schedules, which require the master key. With the compatibility with Parse
 * Server it also writes the status of jobs, which other programs may run.
 */
export function jobRules({ compatibility }: Pick<Config, "compatibility">): readonly ClassRules[] {
  const statusRules = compatibility === "parse" ? {} : writtenOnlyThrough("/jobs");
  return [
    { ...SYSTEM_CLASS_FIELDS._JobStatus, ...statusRules },
    { ...SYSTEM_CLASS_FIELDS._JobSchedule, beforeCreate: assertSchedule, beforeUpdate: assertSchedule },
  ];
}

/** Throws 142 for an invalid schedule. */
function assertSchedule(pending: PendingWrite): void {
  const fields = { ...pending.original };
  for (const [name, operation] of Object.entries(pending.operations)) {
    if (operation.op === "Set") fields[name] = operation.value;
    else delete fields[name];
  }
  const problem = scheduleProblem(fields);
  if (problem !== undefined) throw new ProtocolError(ErrorCode.VALIDATION_ERROR, problem);
}
