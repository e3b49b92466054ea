import { ErrorCode, isRoleName, type JsonValue, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../core/authContext.ts";
import { operationForbidden } from "../core/operationForbidden.ts";
import type { ClassRules } from "../data/objects/classRules.ts";
import type { PendingWrite } from "../data/objects/pendingWrite.ts";
import { SYSTEM_CLASS_FIELDS } from "../data/schema/systemClasses.ts";
import type { AccountLimits } from "./accountLimits.ts";
import type { AuthConfig } from "./authDependencies.ts";
import { parseTokenGate } from "./parseTokenGate.ts";
import type { Sessions } from "./sessions.ts";
import { UNIQUE_KEYS } from "./uniqueKeys.ts";

/**
 * Rules of `_Role`: its name is unique and cannot be changed, its ACL defines who may change the members, and with a
 * token gate, set with the master key, holders of a token are members too.
 */
export function roleRules(
  sessions: Sessions,
  chainIdOf: (selector: JsonValue) => number,
  limits: AccountLimits,
  { allowAnonymousRoles }: Pick<AuthConfig, "allowAnonymousRoles">,
): ClassRules {
  return {
    ...SYSTEM_CLASS_FIELDS._Role,
    async beforeCreate(pending, request) {
      // Role names are unique, so an anonymous client could reserve names that the operator needs.
      if (request.auth.kind === "anonymous" && !allowAnonymousRoles) {
        throw operationForbidden("Clients must be signed in to create roles.");
      }
      // Role names are unique and permanent, so they must not be reserved in bulk.
      await limits.countUser("role", request);
      assertTokenGate(pending, request);
      const operation = pending.operations.name;
      const name = operation?.op === "Set" ? operation.value : undefined;
      if (name === undefined) throw new ProtocolError(ErrorCode.INCORRECT_TYPE, "name is required.");
      if (typeof name !== "string" || !isRoleName(name)) {
        throw new ProtocolError(
          ErrorCode.INVALID_ROLE_NAME,
          "A role's name can only contain alphanumeric characters, _, -, and spaces.",
        );
      }
      if (!("ACL" in pending.operations)) {
        throw new ProtocolError(ErrorCode.INCORRECT_TYPE, "ACL is required.");
      }
      pending.additionalWrites.push({
        kind: "reserveUnique",
        scope: UNIQUE_KEYS.role,
        value: name,
        owner: pending.objectId,
      });
      pending.afterCommit.push(() => sessions.invalidate());
    },
    beforeUpdate(pending, request) {
      assertTokenGate(pending, request);
      const operation = pending.operations.name;
      if (operation && !(operation.op === "Set" && operation.value === pending.original?.name)) {
        throw new ProtocolError(
          ErrorCode.INVALID_ROLE_NAME,
          "A role's name can only be set before it has been saved.",
        );
      }
      pending.afterCommit.push(() => sessions.invalidate());
    },
    beforeDelete(pending) {
      pending.additionalWrites.push({
        kind: "releaseAllUnique",
        scope: UNIQUE_KEYS.role,
        owner: pending.objectId,
      });
      pending.afterCommit.push(() => sessions.invalidate());
    },
    onUniqueConstraint: () => new ProtocolError(ErrorCode.DUPLICATE_VALUE, "A role with this name exists."),
  };

  /** Only the master key may set a token gate; anyone else could use one to become a member. Throws 119. */
  function assertTokenGate({ operations }: PendingWrite, { auth }: RequestContext): void {
    for (const [path, operation] of Object.entries(operations)) {
      if (path.split(".", 1)[0] !== "gate") continue;
      if (auth.kind !== "master") {
        throw operationForbidden("The gate of a role can only be set with the master key.");
      }
      if (operation.op === "Delete" && path === "gate") continue;
      if (operation.op !== "Set" || path !== "gate") {
        throw new ProtocolError(ErrorCode.VALIDATION_ERROR, "The gate of a role can only be set as a whole.");
      }
      if (operation.value !== null) parseTokenGate(operation.value, chainIdOf);
    }
  }
}
