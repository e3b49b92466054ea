import { ProtocolError } from "@purse/protocol";
import { bypassesPermissions, type RequestContext } from "../core/authContext.ts";
import { operationForbidden } from "../core/operationForbidden.ts";
import type { ClassRules } from "../data/objects/classRules.ts";
import { type PendingWrite, setField, setValueOf } from "../data/objects/pendingWrite.ts";
import { SYSTEM_CLASS_FIELDS } from "../data/schema/systemClasses.ts";
import type { AccountLimits } from "./accountLimits.ts";
import { assertInstallationLimits } from "./installationLimits.ts";

/** Parse error codes for a required field that is missing, and for a field that cannot be changed. */
const MISSING_FIELD_CODE = 135;
const IMMUTABLE_FIELD_CODE = 136;

/** Rules of `_Installation`, the devices that an app runs on. A device accesses its own; only the master key lists all. */
export function installationRules(limits: AccountLimits): ClassRules {
  return {
    ...SYSTEM_CLASS_FIELDS._Installation,
    beforeRead(operation, request) {
      if (operation === "find") assertMasterKey(operation, request);
    },
    async beforeCreate(pending, request) {
      assertInstallationLimits(pending, request);
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
      await limits.countAddress("installation", request);
    },
    beforeUpdate(pending, request) {
      assertInstallationLimits(pending, request);
      lowerCaseIds(pending);
      for (const field of ["installationId", "deviceType"] as const) {
        const before = pending.original?.[field];
        const operation = pending.operations[field];
        if (!operation || before === undefined) continue;
        if (operation.op === "Set" && operation.value === before) continue;
        throw immutableFieldError(field);
      }
      assertSameDevice(pending);
    },
    beforeDelete(_pending, request) {
      assertMasterKey("delete", request);
    },
  };
}

/** Returns the error 136 of a field that cannot be changed. */
export function immutableFieldError(field: string): ProtocolError {
  return new ProtocolError(IMMUTABLE_FIELD_CODE, `${field} may not be changed in this operation`);
}

/** The device token of an installation without an installationId is its identity. Throws 136. */
function assertSameDevice(pending: PendingWrite): void {
  const { deviceToken, installationId } = pending.original ?? {};
  const newToken = setValueOf(pending, "deviceToken");
  if (!deviceToken || !newToken || newToken === deviceToken) return;
  if (installationId || setValueOf(pending, "installationId")) return;
  throw immutableFieldError("deviceToken");
}

function assertMasterKey(operation: string, { auth }: RequestContext): void {
  if (bypassesPermissions(auth)) return;
  throw operationForbidden(
    `Clients aren't allowed to perform the ${operation} operation on the installation collection.`,
  );
}

/** Device tokens of 64 characters are hexadecimal: they are case-insensitive and stored in lowercase. */
export function normalizeDeviceToken<Token extends string | undefined>(token: Token): Token | string {
  return token?.length === 64 ? token.toLowerCase() : token;
}

/** Installation IDs are case-insensitive and stored in lowercase, too. */
function lowerCaseIds(pending: PendingWrite): void {
  const installationId = setValueOf(pending, "installationId");
  if (typeof installationId === "string") setField(pending, "installationId", installationId.toLowerCase());
  const deviceToken = setValueOf(pending, "deviceToken");
  if (typeof deviceToken === "string") setField(pending, "deviceToken", normalizeDeviceToken(deviceToken));
}
