import { isJsonObject, type JsonObject, type JsonValue, ownValue, PUBLIC } from "@purse/protocol";
import type { AclSubjects } from "../../core/aclSubjects.ts";
import type { AuthContext } from "../../core/authContext.ts";
import type { ClassSchema } from "../../database/classSchema.ts";

export type AclPermission = "read" | "write";

/**
 * Whether the ACL of an object grants a permission to one of the subjects. Objects without an ACL are public; an
 * invalid ACL grants nothing.
 */
export function evaluateAcl(
  { ACL: acl }: JsonObject,
  permission: AclPermission,
  subjects: AclSubjects,
): boolean {
  return subjects === null || acl === undefined || grantingSubject(acl, permission, subjects) !== undefined;
}

/** Returns the subject by which an ACL grants a permission, `*` first; undefined if it does not. */
export function grantingSubject(
  acl: JsonValue,
  permission: AclPermission,
  subjects: readonly string[],
): string | undefined {
  if (!isJsonObject(acl)) return undefined;
  const isGranted = (subject: string): boolean => {
    const entry = ownValue(acl, subject);
    return isJsonObject(entry) && entry[permission] === true;
  };
  return isGranted(PUBLIC) ? PUBLIC : subjects.find(isGranted);
}

/**
 * Returns the ACL of a new object that has none: the one of the class, or `configured`. `currentUser` in it stands for
 * the user who creates the object. Undefined if the object stays public.
 */
export function defaultAcl(
  { className, classLevelPermissions }: ClassSchema,
  configured: JsonObject | undefined,
  auth: AuthContext,
): JsonObject | undefined {
  if (className.startsWith("_")) return undefined;
  const acl = classLevelPermissions.ACL ?? configured;
  // An ACL that grants everything to everyone is not stored.
  if (!acl || isOpen(acl)) return undefined;
  const { currentUser, ...others } = acl;
  const own = currentUser && auth.kind === "user" ? { [auth.userId]: currentUser } : {};
  return { ...others, ...own };
}

function isOpen(acl: JsonObject): boolean {
  return grantingSubject(acl, "read", []) === PUBLIC && grantingSubject(acl, "write", []) === PUBLIC;
}
