import { ErrorCode, ProtocolError } from "./errors.ts";
import { MAX_ACL_ENTRIES } from "./limits.ts";
import { isRoleName } from "./names.ts";
import { isJsonObject } from "./values.ts";

export interface AclEntry {
  read?: boolean;
  write?: boolean;
}

/** Who may read and write one object: by user id, `role:` and a role's name, or `*` for everyone. */
export type Acl = Record<string, AclEntry>;

export const PUBLIC = "*";
export const ROLE_PREFIX = "role:";

/** Checks an ACL from outside. Throws 123 and says what is wrong. */
export function parseAcl(value: unknown): Acl {
  if (!isJsonObject(value)) throw new ProtocolError(ErrorCode.INVALID_ACL, "An ACL must be an object");
  const acl: Acl = {};
  const entries = Object.entries(value);
  if (entries.length > MAX_ACL_ENTRIES) {
    throw new ProtocolError(ErrorCode.INVALID_ACL, `An ACL takes ${MAX_ACL_ENTRIES} entries at most`);
  }
  for (const [principal, entry] of entries) {
    assertPrincipal(principal);
    if (!isJsonObject(entry)) {
      throw new ProtocolError(ErrorCode.INVALID_ACL, `The ACL entry of ${principal} must be an object`);
    }
    const parsed: AclEntry = {};
    for (const [permission, allowed] of Object.entries(entry)) {
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
    acl[principal] = parsed;
  }
  return acl;
}

function assertPrincipal(principal: string): void {
  const valid = principal.startsWith(ROLE_PREFIX)
    ? isRoleName(principal.slice(ROLE_PREFIX.length))
    : principal === PUBLIC || /^[0-9A-Za-z_-]{1,128}$/.test(principal);
  if (valid && principal !== "__proto__") return;
  throw new ProtocolError(
    ErrorCode.INVALID_ACL,
    `'${principal.slice(0, 128)}' names neither a user, a role nor *`,
  );
}

/** The principals that an ACL gives a permission; null where everyone has it (no ACL, or `*`). */
export function principalsWith(acl: Acl | undefined, permission: "read" | "write"): string[] | null {
  if (!acl || acl[PUBLIC]?.[permission]) return null;
  return Object.keys(acl).filter((principal) => acl[principal]?.[permission]);
}
