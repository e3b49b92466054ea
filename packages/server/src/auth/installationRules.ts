import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../core/authContext.ts";
import { type PendingWrite, setField, setValueOf } from "../data/objects/pendingWrite.ts";
import type { ClassRules } from "../data/objects/rules.ts";
import { SYSTEM_CLASS_FIELDS } from "../data/schema/systemClasses.ts";
import { assertInstallationLimits } from "./installationLimits.ts";

/** Parse error codes for a required field that is missing, and for a field that cannot be changed. */
const MISSING_FIELD_CODE = 135;
const IMMUTABLE_FIELD_CODE = 136;

/** Rules of `_Installation`, the devices that an app runs on. A device accesses its own; only the master key lists all. */
export function installationRules(): ClassRules {
  return {
    ...SYSTEM_CLASS_FIELDS._Installation,
    beforeRead(operation, request) {
      if (operation === "find") assertMasterKey(operation, request);
    },
    beforeCreate(pending) {
      assertInstallationLimits(pending);
      lowerCaseIds(pending);
      if (!setValueOf(pending, "installationId") && !setValueOf(pending, "deviceToken")) {
        throw new ProtocolError(
          MISSING_FIELD_CODE,
          "at least one ID field (deviceToken, installationId) must be specified in this operation",
        );
      }
      if (!setValueOf(pending, "deviceType")) {
        throw new ProtocolError(MISSING_FIELD_CODE, "deviceType must be specified in this operation");
      }
    },
    beforeUpdate(pending) {
      assertInstallationLimits(pending);
      lowerCaseIds(pending);
      for (const field of ["installationId", "deviceType"] as const) {
        const before = pending.original?.[field];
        const operation = pending.operations[field];
        if (!operation || before === undefined) continue;
        if (operation.op === "Set" && operation.value === before) continue;
        throw new ProtocolError(IMMUTABLE_FIELD_CODE, `${field} may not be changed in this operation`);
      }
    },
    beforeDelete(_pending, request) {
      assertMasterKey("delete", request);
    },
  };
}

function assertMasterKey(operation: string, { auth }: RequestContext): void {
  if (auth.kind === "master") return;
  throw new ProtocolError(
    ErrorCode.OPERATION_FORBIDDEN,
    `Clients aren't allowed to perform the ${operation} operation on the installation collection.`,
  );
}

/** Installation IDs and hexadecimal device tokens are case-insensitive and stored in lowercase. */
function lowerCaseIds(pending: PendingWrite): void {
  for (const field of ["installationId", "deviceToken"] as const) {
    const value = setValueOf(pending, field);
    const isHex = typeof value === "string" && (field === "installationId" || value.length === 64);
    if (isHex) setField(pending, field, value.toLowerCase());
  }
}
