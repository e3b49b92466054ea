import type { ModuleFacts } from "@purse/kernel";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import { type ClassRules, writtenOnlyThrough } from "../../data/objects/classRules.ts";
import type { PendingWrite } from "../../data/objects/pendingWrite.ts";
import { missingTime, scheduleProblem } from "./schedule.ts";

/**
 * Rules of the classes for jobs and their schedules, which require the master key. With the compatibility with Parse
 * Server it also writes the status of jobs, which other programs may run, and schedules without a time.
 */
export function jobRules({ compatibility }: Pick<ModuleFacts, "compatibility">): readonly ClassRules[] {
  const statusRules = compatibility === "parse" ? {} : writtenOnlyThrough("/jobs");
  const assertValid = (pending: PendingWrite) => assertSchedule(pending, compatibility === "strict");
  return [
    {
      className: "_JobStatus",
      fields: {
        jobName: { type: "String" },
        source: { type: "String" },
        status: { type: "String" },
        message: { type: "String" },
        params: { type: "Object" },
        finishedAt: { type: "Date" },
      },
      indexes: { status: { status: 1 } },
      ...statusRules,
    },
    {
      className: "_JobSchedule",
      fields: {
        jobName: { type: "String" },
        description: { type: "String" },
        params: { type: "String" },
        startAfter: { type: "String" },
        daysOfWeek: { type: "Array" },
        timeOfDay: { type: "String" },
        lastRun: { type: "Number" },
        repeatMinutes: { type: "Number" },
        cron: { type: "String" },
        catchUp: { type: "String" },
        deadlineMs: { type: "Number" },
      },
      beforeCreate: assertValid,
      beforeUpdate: assertValid,
    },
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
