import { ErrorCode, jsonEqual, ProtocolError } from "@purse/protocol";
import type { ClassRules } from "../objects/rules.ts";
import { sessionEnd } from "./sessionRecord.ts";
import { invalidSession, type Sessions } from "./sessions.ts";
import { SYSTEM_CLASS_FIELDS } from "./systemClasses.ts";

/** Fields of a session that only the server sets. */
export const READ_ONLY = [
  "sessionToken",
  "user",
  "createdWith",
  "expiresAt",
  "restricted",
  "installationId",
  "ACL",
] as const;

/** What the server notes by itself: what clients send of them counts for nothing, as they send back what they have read. */
const NOTED = ["userAgent", "lastUsedAt"] as const;

/** `_Session`: begun by signing in, seen and ended by its user, changed by nobody. */
export function sessionRules(sessions: Sessions): ClassRules {
  return {
    ...SYSTEM_CLASS_FIELDS._Session,
    derivedFields: [...READ_ONLY, ...NOTED],
    beforeRead(_operation, { caller }) {
      if (caller.kind === "anonymous") throw invalidSession();
    },
    beforeCreate() {
      throw new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, "Sessions begin by signing in.");
    },
    beforeUpdate(draft) {
      // Clients that send back what they have read change nothing by it.
      const { user } = draft.operations;
      if (user?.op === "Set" && jsonEqual(user.value, draft.original?.user)) delete draft.operations.user;
      for (const name of NOTED) delete draft.operations[name];
      const field = READ_ONLY.find((name) => name in draft.operations);
      if (field !== undefined) throw readOnlyField(field);
    },
    beforeDelete(draft) {
      draft.writes.push(...sessionEnd(draft.objectId));
      draft.afterwards.push(() => sessions.forget({ sessionId: draft.objectId }));
    },
    onRead(object, request) {
      const { caller } = request;
      if (caller.kind === "user" && caller.sessionId === object.objectId)
        object.sessionToken = caller.sessionToken;
      return object;
    },
  };
}

export function readOnlyField(field: string): ProtocolError {
  return new ProtocolError(
    ErrorCode.INVALID_KEY_NAME,
    `Cannot change ${field} of a session. Invalid Key name`,
  );
}
