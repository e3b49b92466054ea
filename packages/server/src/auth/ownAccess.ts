import { isJsonObject, type JsonObject } from "@purse/protocol";
import type { RequestContext } from "../core/authContext.ts";
import { operationForbidden } from "../core/operationForbidden.ts";
import { type PendingWrite, setField, setValueOf } from "../data/objects/pendingWrite.ts";

/** Fields by which a user signs in, or gets back into the account. */
const CREDENTIALS = ["password", "authData", "email", "username"] as const;

/** Throws 119 where a user changes the credentials of another one, which would take over the account. */
export function assertOwnCredentials(pending: PendingWrite, { auth }: RequestContext): void {
  const { objectId, operations, original } = pending;
  if (!original || auth.kind !== "user" || auth.userId === objectId) return;
  const field = CREDENTIALS.find((name) => name in operations);
  // Clients may send back the name that they have read.
  const isUnchanged = field === "username" && setValueOf(pending, field) === original.username;
  if (field === undefined || isUnchanged) return;
  throw operationForbidden(`The ${field} of another user can only be changed with the master key.`);
}

/** Gives users access to themselves in the ACL of a write; `fallback` is the ACL of a write without one. */
export function ensureOwnAccess(pending: PendingWrite, fallback: JsonObject): void {
  const requested = setValueOf(pending, "ACL");
  const acl = isJsonObject(requested) ? requested : fallback;
  setField(pending, "ACL", { ...acl, [pending.objectId]: { read: true, write: true } });
}
