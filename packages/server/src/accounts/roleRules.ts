import { ErrorCode, isRoleName, ProtocolError } from "@purse/protocol";
import type { ClassRules } from "../objects/rules.ts";
import { CLAIM } from "./parts.ts";
import type { Sessions } from "./sessions.ts";
import { SYSTEM_CLASS_FIELDS } from "./systemClasses.ts";

/** `_Role`: a name that is unique and stays, and an ACL that says who may change the members. */
export function roleRules(sessions: Sessions): ClassRules {
  return {
    ...SYSTEM_CLASS_FIELDS._Role,
    beforeCreate(draft) {
      const operation = draft.operations.name;
      const name = operation?.op === "Set" ? operation.value : undefined;
      if (name === undefined) throw new ProtocolError(ErrorCode.INCORRECT_TYPE, "name is required.");
      if (typeof name !== "string" || !isRoleName(name)) {
        throw new ProtocolError(
          ErrorCode.INVALID_ROLE_NAME,
          "A role's name can only contain alphanumeric characters, _, -, and spaces.",
        );
      }
      if (!("ACL" in draft.operations)) {
        throw new ProtocolError(ErrorCode.INCORRECT_TYPE, "ACL is required.");
      }
      draft.writes.push({ kind: "claim", scope: CLAIM.role, value: name, owner: draft.objectId });
      draft.afterwards.push(() => sessions.forget());
    },
    beforeUpdate(draft) {
      const operation = draft.operations.name;
      if (operation && !(operation.op === "Set" && operation.value === draft.original?.name)) {
        throw new ProtocolError(
          ErrorCode.INVALID_ROLE_NAME,
          "A role's name can only be set before it has been saved.",
        );
      }
      draft.afterwards.push(() => sessions.forget());
    },
    beforeDelete(draft) {
      draft.writes.push({ kind: "releaseAll", scope: CLAIM.role, owner: draft.objectId });
      draft.afterwards.push(() => sessions.forget());
    },
    onClaimTaken: () => new ProtocolError(ErrorCode.DUPLICATE_VALUE, "A role with this name exists."),
  };
}
