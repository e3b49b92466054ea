import { ErrorCode, isRoleName, type JsonValue, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../caller.ts";
import type { Draft } from "../objects/draft.ts";
import type { ClassRules } from "../objects/rules.ts";
import type { AccountLimits } from "./accountLimits.ts";
import { parseGate } from "./gate.ts";
import { type AccountsConfig, CLAIM } from "./parts.ts";
import type { Sessions } from "./sessions.ts";
import { SYSTEM_CLASS_FIELDS } from "./systemClasses.ts";

/**
 * `_Role`: a name that is unique and stays, an ACL that says who may change the members, and a gate by which the
 * operator makes those members who hold a token.
 */
export function roleRules(
  sessions: Sessions,
  chainIdOf: (selector: JsonValue) => number,
  limits: AccountLimits,
  { allowAnonymousRoles }: Pick<AccountsConfig, "allowAnonymousRoles">,
): ClassRules {
  return {
    ...SYSTEM_CLASS_FIELDS._Role,
    async beforeCreate(draft, request) {
      // Role names are unique, so a stranger could reserve names that the operator needs.
      if (request.caller.kind === "anonymous" && !allowAnonymousRoles) {
        throw new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, "Clients must be signed in to create roles.");
      }
      // A role's name is unique and stays, so names must not be taken in bulk.
      await limits.countUser("role", request);
      assertGate(draft, request);
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
    beforeUpdate(draft, request) {
      assertGate(draft, request);
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

  /** Who could set a gate could let themselves in. */
  function assertGate({ operations }: Draft, { caller }: RequestContext): void {
    for (const [path, operation] of Object.entries(operations)) {
      if (path.split(".", 1)[0] !== "gate") continue;
      if (caller.kind !== "master") {
        throw new ProtocolError(
          ErrorCode.OPERATION_FORBIDDEN,
          "The gate of a role is set by the master key.",
        );
      }
      if (operation.op === "Delete" && path === "gate") continue;
      if (operation.op !== "Set" || path !== "gate") {
        throw new ProtocolError(ErrorCode.VALIDATION_ERROR, "The gate of a role is set as a whole.");
      }
      if (operation.value !== null) parseGate(operation.value, chainIdOf);
    }
  }
}
