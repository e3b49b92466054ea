import { ErrorCode, jsonEqual, ProtocolError } from "@purse/protocol";
import type { ClassRules } from "../data/objects/rules.ts";
import { SYSTEM_CLASS_FIELDS } from "../data/schema/systemClasses.ts";
import { sessionRevocationWrites } from "./sessionRecord.ts";
import { invalidSessionError, type Sessions } from "./sessions.ts";

/** Fields of a session that only the server sets. */
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
    beforeRead(_operation, { auth }) {
      if (auth.kind === "anonymous") throw invalidSessionError();
    },
    beforeCreate() {
      throw new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, "Sessions are created by signing in.");
    },
    beforeUpdate(pending) {
      // Clients may send back the user that they have read.
      const { user } = pending.operations;
      if (user?.op === "Set" && jsonEqual(user.value, pending.original?.user)) delete pending.operations.user;
      for (const name of SERVER_MANAGED_FIELDS) delete pending.operations[name];
      const field = READ_ONLY_FIELDS.find((name) => name in pending.operations);
      if (field !== undefined) throw readOnlyFieldError(field);
    },
    beforeDelete(pending) {
      pending.additionalWrites.push(...sessionRevocationWrites(pending.objectId));
      pending.afterCommit.push(() => sessions.invalidate({ sessionId: pending.objectId }));
    },
    serialize(object, request) {
      const { auth } = request;
      if (auth.kind === "user" && auth.sessionId === object.objectId) object.sessionToken = auth.sessionToken;
      return object;
    },
  };
}

export function readOnlyFieldError(field: string): ProtocolError {
  return new ProtocolError(
    ErrorCode.INVALID_KEY_NAME,
    `Cannot change ${field} of a session. Invalid Key name`,
  );
}
