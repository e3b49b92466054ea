import { ErrorCode, ProtocolError } from "./errors.ts";
import { MAX_ACL_ENTRIES } from "./limits.ts";
import { isObjectId } from "./objectId.ts";
import { isRoleName } from "./roleName.ts";
import { isJsonObject } from "./wireValues.ts";

export interface AclEntry {
  read?: boolean;
  write?: boolean;
}

/** Who may read and write one object: by user id, `role:` and a role's name, or `*` for everyone. */
export type Acl = Record<string, AclEntry>;

export const PUBLIC = "*";
export const ROLE_PREFIX = "role:";

/** Validates an ACL sent by a client. Throws 123 with the reason if it is invalid. */
export function parseAcl(value: unknown): Acl {
  if (!isJsonObject(value)) throw new ProtocolError(ErrorCode.INVALID_ACL, "An ACL must be an object");
  const acl: Acl = {};
  if (Object.keys(value).length > MAX_ACL_ENTRIES) {
    throw new ProtocolError(ErrorCode.INVALID_ACL, `An ACL takes ${MAX_ACL_ENTRIES} entries at most`);
  }
  for (const subject in value) {
    const entry = value[subject];
    assertSubject(subject);
    if (!isJsonObject(entry)) {
      throw new ProtocolError(ErrorCode.INVALID_ACL, `The ACL entry of ${subject} must be an object`);
    }
    const parsed: AclEntry = {};
    for (const permission in entry) {
      const allowed = entry[permission];
      if (permission !== "read" && permission !== "write") {
        throw new ProtocolError(
          ErrorCode.INVALID_ACL,
          `'${permission}' is not a permission: read and write are`,
        );
      }
      if (typeof allowed !== "boolean") {
        throw new ProtocolError(ErrorCode.INVALID_ACL, "ACL values must be booleans");
      }
      if (allowed) parsed[permission] = true;
    }
    acl[subject] = parsed;
  }
  return acl;
}

function assertSubject(subject: string): void {
  const isValid = subject.startsWith(ROLE_PREFIX)
    ? isRoleName(subject.slice(ROLE_PREFIX.length))
    : subject === PUBLIC || isObjectId(subject);
  if (isValid) return;
  throw new ProtocolError(
    ErrorCode.INVALID_ACL,
    `'${subject.slice(0, 128)}' names neither a user, a role nor *`,
  );
}

/** Returns the subjects that an ACL grants a permission; null if everyone has it (no ACL, or `*`). */
export function subjectsWith(acl: Acl | undefined, permission: "read" | "write"): string[] | null {
  if (!acl || acl[PUBLIC]?.[permission]) return null;
  return Object.keys(acl).filter((subject) => acl[subject]?.[permission]);
}
