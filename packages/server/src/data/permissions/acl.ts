import { isJsonObject, type JsonObject, type JsonValue, ownValue, PUBLIC } from "@purse/protocol";
import type { AclSubjects } from "../../core/aclSubjects.ts";
import { type AuthContext, bypassesPermissions } from "../../core/authContext.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { type DefaultAccess, hasUnsetPermissions, isApplicationClass } from "./classAccess.ts";

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

/** The ACL of objects that belong to the client who saves them. Those of anonymous clients belong to operators. */
const OWN_ACL: JsonObject = { currentUser: { read: true, write: true } };

/**
 * Returns the ACL of a new object that has none: the one of the class, or `configured`. `currentUser` in it stands for
 * the user who creates the object. Undefined if the object stays public. If classes are closed by default, objects that
 * clients save belong to them, unless nobody has set permissions of the class: it is open then.
 */
export function defaultAcl(
  schema: ClassSchema,
  configured: JsonObject | undefined,
  auth: AuthContext,
  access: DefaultAccess,
): JsonObject | undefined {
  if (!isApplicationClass(schema)) return undefined;
  const isOwned = !bypassesPermissions(auth) && ownsObjects(schema, access);
  const acl = schema.classLevelPermissions.ACL ?? configured ?? (isOwned ? OWN_ACL : undefined);
  // An ACL that grants everything to everyone is not stored.
  if (!acl || isOpen(acl)) return undefined;
  const { currentUser, ...others } = acl;
  const own = currentUser && auth.kind === "user" ? { [auth.userId]: currentUser } : {};
  return { ...others, ...own };
}

/** Whether objects that clients create in a class without an ACL belong to them, since the class has none either. */
export function ownsObjects(schema: ClassSchema, access: DefaultAccess): boolean {
  const { ACL: acl } = schema.classLevelPermissions;
  return (
    access === "closed" && acl === undefined && isApplicationClass(schema) && !hasUnsetPermissions(schema)
  );
}

function isOpen(acl: JsonObject): boolean {
  return grantingSubject(acl, "read", []) === PUBLIC && grantingSubject(acl, "write", []) === PUBLIC;
}
