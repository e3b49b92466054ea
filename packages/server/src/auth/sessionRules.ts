import { ErrorCode, isJsonObject, isWireDate, jsonEqual, ProtocolError } from "@purse/protocol";
import { bypassesPermissions } from "../core/authContext.ts";
import { invalidSessionError } from "../core/invalidSessionError.ts";
import { operationForbidden } from "../core/operationForbidden.ts";
import type { ClassRules } from "../data/objects/classRules.ts";
import { setValueOf } from "../data/objects/pendingWrite.ts";
import { SYSTEM_CLASS_FIELDS } from "../data/schema/systemClasses.ts";
import { seesSecrets } from "./seesSecrets.ts";
import { sessionRevocationWrites } from "./sessionRecord.ts";
import type { Sessions } from "./sessions.ts";

/** Fields of a session that only the server sets, and the master key `expiresAt`. */
export const READ_ONLY_FIELDS = [
  "sessionToken",
  "user",
  "createdWith",
  "expiresAt",
  "restricted",
  "installationId",
  "ACL",
] as const;

/** Fields that the server maintains. Values that clients send are ignored, because clients send back what they have read. */
const SERVER_MANAGED_FIELDS = ["userAgent", "lastUsedAt"] as const;

/** Rules of `_Session`: created by signing in, readable and deletable by its user, immutable otherwise. */
export function sessionRules(sessions: Sessions): ClassRules {
  return {
    ...SYSTEM_CLASS_FIELDS._Session,
    derivedFields: [...READ_ONLY_FIELDS, ...SERVER_MANAGED_FIELDS],
    async prepareFind(params, { auth }) {
      if (auth.kind !== "master") return params;
      if (!isJsonObject(params.where)) return params;
      const { sessionToken, ...others } = params.where;
      if (typeof sessionToken !== "string") return params;
      // Tokens are found by their hashes.
      const objectId = (await sessions.idOf(sessionToken)) ?? "";
      return { ...params, where: { $and: [others, { objectId }] } };
    },
    beforeRead(_operation, { auth }) {
      if (auth.kind === "anonymous") throw invalidSessionError();
    },
    beforeCreate() {
      throw operationForbidden("Sessions are created by signing in.");
    },
    beforeWrite(operation, _objectId, { auth }) {
      if (auth.kind !== "anonymous") return;
      throw operation === "update" ? missingSessionTokenError() : invalidSessionError();
    },
    async beforeUpdate(pending, { auth }) {
      // Clients may send back the user that they have read.
      const { user } = pending.operations;
      if (user?.op === "Set" && jsonEqual(user.value, pending.original?.user)) delete pending.operations.user;
      for (const name of SERVER_MANAGED_FIELDS) delete pending.operations[name];
      const expiresAt = setValueOf(pending, "expiresAt");
      const mayExpire = bypassesPermissions(auth) && isWireDate(expiresAt);
      const field = READ_ONLY_FIELDS.find(
        (name) => name in pending.operations && !(name === "expiresAt" && mayExpire),
      );
      if (field !== undefined) throw readOnlyFieldError(field);
      if (!isWireDate(expiresAt)) return;
      pending.additionalWrites.push(
        ...(await sessions.expiryWrites(pending.objectId, Date.parse(expiresAt.iso))),
      );
      pending.afterCommit.push(() => sessions.invalidate({ sessionId: pending.objectId }));
    },
    beforeDelete(pending) {
      pending.additionalWrites.push(...sessionRevocationWrites(pending.objectId));
      pending.afterCommit.push(() => sessions.invalidate({ sessionId: pending.objectId }));
    },
    serialize(object, { auth }) {
      if (auth.kind === "user" && auth.sessionId === object.objectId) object.sessionToken = auth.sessionToken;
      return object;
    },
    async serializeAll(objects, { auth }) {
      if (seesSecrets(auth)) await sessions.addStoredTokens(objects);
    },
  };
}

export function missingSessionTokenError(): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_SESSION_TOKEN, "Session token required.");
}

export function readOnlyFieldError(field: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_KEY_NAME, `Cannot change ${field} of a session.`);
}
