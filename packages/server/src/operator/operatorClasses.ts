import { ErrorCode, ProtocolError } from "@purse/protocol";
import { SYSTEM_CLASS_FIELDS } from "../accounts/systemClasses.ts";
import { scheduleProblem } from "../jobs/storedSchedule.ts";
import type { Draft } from "../objects/draft.ts";
import type { ClassRules } from "../objects/rules.ts";

/** Classes that the operator alone sees. What has routes of its own is changed by these only. */
export function operatorClasses(): ClassRules[] {
  return [
    { ...SYSTEM_CLASS_FIELDS._GlobalConfig, ...writtenBy("/config") },
    { ...SYSTEM_CLASS_FIELDS._Hooks, ...writtenBy("/hooks") },
    { ...SYSTEM_CLASS_FIELDS._JobStatus, ...writtenBy("/jobs") },
    { ...SYSTEM_CLASS_FIELDS._JobSchedule, beforeCreate: assertSchedule, beforeUpdate: assertSchedule },
  ];
}

function writtenBy(path: string): Pick<ClassRules, "beforeCreate" | "beforeWrite"> {
  const refuse = () => {
    throw new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, `This class is changed by ${path}`);
  };
  return { beforeCreate: refuse, beforeWrite: refuse };
}

/** Throws 142 for a schedule that would never run. */
function assertSchedule(draft: Draft): void {
  const fields = { ...draft.original };
  for (const [name, operation] of Object.entries(draft.operations)) {
    if (operation.op === "Set") fields[name] = operation.value;
    else delete fields[name];
  }
  const problem = scheduleProblem(fields);
  if (problem !== undefined) throw new ProtocolError(ErrorCode.VALIDATION_ERROR, problem);
}
