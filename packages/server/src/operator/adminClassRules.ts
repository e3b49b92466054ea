import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { PendingWrite } from "../data/objects/pendingWrite.ts";
import type { ClassRules } from "../data/objects/rules.ts";
import { SYSTEM_CLASS_FIELDS } from "../data/schema/systemClasses.ts";
import { scheduleProblem } from "../jobs/schedule.ts";

/** Rules of the classes that require the master key. Classes with routes of their own are changed through these only. */
export function adminClassRules(): ClassRules[] {
  return [
    { ...SYSTEM_CLASS_FIELDS._GlobalConfig, ...onlyWrittenBy("/config") },
    { ...SYSTEM_CLASS_FIELDS._Hooks, ...onlyWrittenBy("/hooks") },
    { ...SYSTEM_CLASS_FIELDS._JobStatus, ...onlyWrittenBy("/jobs") },
    { ...SYSTEM_CLASS_FIELDS._JobSchedule, beforeCreate: assertSchedule, beforeUpdate: assertSchedule },
  ];
}

function onlyWrittenBy(path: string): Pick<ClassRules, "beforeCreate" | "beforeWrite"> {
  const rejectWrite = () => {
    throw new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, `This class can only be changed through ${path}`);
  };
  return { beforeCreate: rejectWrite, beforeWrite: rejectWrite };
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
