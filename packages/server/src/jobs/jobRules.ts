import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { Config } from "../config/loadConfig.ts";
import { type ClassRules, writtenOnlyThrough } from "../data/objects/classRules.ts";
import type { PendingWrite } from "../data/objects/pendingWrite.ts";
import { SYSTEM_CLASS_FIELDS } from "../data/schema/systemClasses.ts";
import { missingTime, scheduleProblem } from "./schedule.ts";

/**
 * Rules of the classes for jobs and their schedules, which require the master key. With the compatibility with Parse
 * Server it also writes the status of jobs, which other programs may run, and schedules without a time.
 */
export function jobRules({ compatibility }: Pick<Config, "compatibility">): readonly ClassRules[] {
  const statusRules = compatibility === "parse" ? {} : writtenOnlyThrough("/jobs");
  const assertValid = (pending: PendingWrite) => assertSchedule(pending, compatibility === "strict");
  return [
    { ...SYSTEM_CLASS_FIELDS._JobStatus, ...statusRules },
    { ...SYSTEM_CLASS_FIELDS._JobSchedule, beforeCreate: assertValid, beforeUpdate: assertValid },
  ];
}

/** Throws 142 for an invalid schedule, and for one without a time if it `needsTime`. */
function assertSchedule(pending: PendingWrite, needsTime: boolean): void {
  const fields = { ...pending.original };
  for (const [name, operation] of Object.entries(pending.operations)) {
    if (operation.op === "Set") fields[name] = operation.value;
    else delete fields[name];
  }
  const problem = scheduleProblem(fields) ?? (needsTime ? missingTime(fields) : undefined);
  if (problem !== undefined) throw new ProtocolError(ErrorCode.VALIDATION_ERROR, problem);
}
