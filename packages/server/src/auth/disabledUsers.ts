import { ErrorCode, isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import { type AuthContext, bypassesPermissions } from "../core/authContext.ts";
import { type PendingWrite, setValueOf } from "../data/objects/pendingWrite.ts";

/** Whether a write disables a user: the master key sets an empty ACL. */
export function disablesUser(pending: PendingWrite, auth: AuthContext): boolean {
  return bypassesPermissions(auth) && isEmptyAcl(setValueOf(pending, "ACL"));
}

/** Throws 101, as for a wrong password, if a user is disabled. */
export function assertNotDisabled({ ACL: acl }: JsonObject): void {
  if (isEmptyAcl(acl)) throw wrongCredentials();
}

/** The same error for a wrong username and a wrong password, so that it does not reveal which one is wrong. */
export function wrongCredentials(): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Invalid username/password.");
}

function isEmptyAcl(acl: JsonObject[string] | undefined): boolean {
  return isJsonObject(acl) && Object.keys(acl).length === 0;
}
