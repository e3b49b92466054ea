import { type Condition, ErrorCode, ProtocolError, PUBLIC } from "@purse/protocol";
import { type AuthContext, aclSubjectsOf, bypassesPermissions } from "../../core/authContext.ts";
import { operationForbidden } from "../../core/operationForbidden.ts";
import type { ClassOperation, ClassSchema } from "../../database/classSchema.ts";

/** The objects of a class that class-level permissions allow an operation on, in addition to the ACLs of the objects. */
export type ClassAccess =
  /** `grantedBy` is the entry that allows it; undefined if the operation is not restricted. */
  | { objects: "all"; grantedBy: string | undefined }
  | { objects: "none" }
  /** Those that point to the user by one of the fields. No object points to an anonymous client (undefined). */
  | { objects: "pointing"; fields: readonly string[]; userId: string | undefined };

const UNRESTRICTED: ClassAccess = { objects: "all", grantedBy: undefined };
const PUBLIC_ACCESS: ClassAccess = { objects: "all", grantedBy: PUBLIC };
const NO_ACCESS: ClassAccess = { objects: "none" };

const READ_OPERATIONS: ReadonlySet<ClassOperation> = new Set(["get", "find", "count"]);

/** Evaluates the class-level permissions of one operation. A class that does not exist restricts nothing. */
export function evaluateClassPermissions(
  schema: ClassSchema | undefined,
  operation: ClassOperation,
  auth: AuthContext,
): ClassAccess {
  if (bypassesPermissions(auth)) return UNRESTRICTED;
  const permissions = schema?.classLevelPermissions;
  const permission = permissions?.[operation];
  if (!permissions || !permission) return UNRESTRICTED;
  if (permission[PUBLIC] === true) return PUBLIC_ACCESS;
  const grantedBy = aclSubjectsOf(auth)?.find((subject) => permission[subject] === true);
  if (grantedBy !== undefined) return { objects: "all", grantedBy };
  const isAuthenticationRequired = permission.requiresAuthentication === true;
  if (isAuthenticationRequired && auth.kind === "anonymous") return NO_ACCESS;
  const grouped = READ_OPERATIONS.has(operation) ? permissions.readUserFields : permissions.writeUserFields;
  const own = permission.pointerFields;
  const fields = [...new Set([...(Array.isArray(own) ? own : []), ...(grouped ?? [])])];
  // An object that does not exist yet cannot point to a user.
  if (fields.length > 0 && operation !== "create") {
    return { objects: "pointing", fields, userId: auth.kind === "user" ? auth.userId : undefined };
  }
  return isAuthenticationRequired ? { objects: "all", grantedBy: "requiresAuthentication" } : NO_ACCESS;
}

/** The operation that a query needs: one for a single objectId is a `get`, as in Parse Server. */
export function queryOperation(where: Condition): "get" | "find" {
  if (where.kind === "and" && where.conditions.length === 1 && where.conditions[0])
    return queryOperation(where.conditions[0]);
  const isById =
    where.kind === "eq" && where.path.join(".") === "objectId" && where.operand.type === "string";
  return isById ? "get" : "find";
}

/** Whether class-level permissions allow an operation, possibly only on some objects. */
export function isAllowed(
  schema: ClassSchema | undefined,
  operation: ClassOperation,
  auth: AuthContext,
): boolean {
  return evaluateClassPermissions(schema, operation, auth).objects !== "none";
}

/** Throws 119, or 101 for anonymous clients if only authentication is missing, as in Parse Server. */
export function authorizeOperation(
  schema: ClassSchema | undefined,
  operation: ClassOperation,
  auth: AuthContext,
): void {
  if (isAllowed(schema, operation, auth)) return;
  const className = schema?.className ?? "";
  if (
    schema?.classLevelPermissions[operation]?.requiresAuthentication === true &&
    auth.kind === "anonymous"
  ) {
    throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Permission denied, user needs to be authenticated.");
  }
  throw operationForbidden(`Permission denied for action ${operation} on class ${className}.`);
}

/**
 * Whether a client may add fields to a class. `isOpenByDefault` applies to classes whose permissions do not mention
 * `addField`.
 */
export function mayAddFields(schema: ClassSchema, auth: AuthContext, isOpenByDefault: boolean): boolean {
  if (bypassesPermissions(auth)) return true;
  if (!isOpenByDefault && schema.classLevelPermissions.addField === undefined) return false;
  return isAllowed(schema, "addField", auth);
}
