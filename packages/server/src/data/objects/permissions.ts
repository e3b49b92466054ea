import { type Condition, ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import { type AuthContext, aclSubjectsWithPublic } from "../../core/authContext.ts";
import type { ClassOperation, ClassSchema } from "../../database/classSchema.ts";
import { pointsToUser, type UserPointers } from "../../database/userPointers.ts";

/**
 * What class-level permissions allow: everything, nothing, or only operations on objects that point to the user by one
 * of the fields (`userId` is undefined for anonymous clients).
 */
type ClassAccess = "all" | "none" | { fields: string[]; userId: string | undefined };

const READ_OPERATIONS: ReadonlySet<ClassOperation> = new Set(["get", "find", "count"]);

function resolveAccess(
  schema: ClassSchema | undefined,
  operation: ClassOperation,
  auth: AuthContext,
): ClassAccess {
  if (auth.kind === "master") return "all";
  const permissions = schema?.classLevelPermissions;
  const permission = permissions?.[operation];
  if (!permissions || !permission) return "all";
  const subjects = aclSubjectsWithPublic(auth) ?? [];
  if (subjects.some((subject) => permission[subject] === true)) return "all";
  if (permission.requiresAuthentication === true && auth.kind !== "user") return "none";
  const grouped = READ_OPERATIONS.has(operation) ? permissions.readUserFields : permissions.writeUserFields;
  const own = permission.pointerFields;
  const fields = [...new Set([...(Array.isArray(own) ? own : []), ...(grouped ?? [])])];
  // An object that does not exist yet cannot point to a user.
  if (fields.length > 0 && operation !== "create") {
    return { fields, userId: auth.kind === "user" ? auth.userId : undefined };
  }
  return permission.requiresAuthentication === true ? "all" : "none";
}

/** Whether class-level permissions allow an operation, possibly only on some objects. */
export function isAllowed(
  schema: ClassSchema | undefined,
  operation: ClassOperation,
  auth: AuthContext,
): boolean {
  return resolveAccess(schema, operation, auth) !== "none";
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
  throw new ProtocolError(
    ErrorCode.OPERATION_FORBIDDEN,
    `Permission denied for action ${operation} on class ${className}.`,
  );
}

/** A condition that matches no object. */
export const MATCH_NOTHING: Condition = { kind: "or", conditions: [] };

/** Returns the condition on readable objects that results from pointer permissions, if any. */
export function pointerCondition(
  schema: ClassSchema,
  operation: "get" | "find" | "count",
  auth: AuthContext,
): Condition | undefined {
  const access = resolveAccess(schema, operation, auth);
  if (access === "all") return undefined;
  if (access === "none" || access.userId === undefined) return MATCH_NOTHING;
  const value = { __type: "Pointer" as const, className: "_User", objectId: access.userId };
  return {
    kind: "or",
    conditions: access.fields.map((field) => ({
      kind: "eq",
      path: [field],
      operand: { type: "pointer", value },
    })),
  };
}

/** Whether permission for an operation depends on pointers of the object, so that it has to be read before a write. */
export function dependsOnObject(schema: ClassSchema, operation: ClassOperation, auth: AuthContext): boolean {
  return typeof resolveAccess(schema, operation, auth) === "object";
}

/** Whether the client may change an object in its current state. Assumes that `authorizeOperation` has passed. */
export function canChange(
  schema: ClassSchema,
  operation: ClassOperation,
  auth: AuthContext,
  object: JsonObject,
): boolean {
  const access = resolveAccess(schema, operation, auth);
  if (typeof access === "string") return access === "all";
  const { fields, userId } = access;
  return userId !== undefined && pointsToUser(object, { fields, userId });
}

/**
 * Returns the pointers that an object must have at the time of the write, if class-level permissions restrict the
 * client to objects that point to it. The object may have changed since it was read.
 */
export function requiredPointers(
  schema: ClassSchema,
  operation: "update" | "delete",
  auth: AuthContext,
): UserPointers | undefined {
  const access = resolveAccess(schema, operation, auth);
  if (typeof access === "string" || access.userId === undefined) return undefined;
  return { fields: access.fields, userId: access.userId };
}

const USER_FIELD = "userField:";
const NO_FIELDS: readonly string[] = [];

/**
 * Returns the fields that are hidden from the client: those that all matching rules hide. If an object is given, rules
 * based on its pointers apply, too.
 */
export function protectedFieldsFor(
  schema: ClassSchema,
  configured: Readonly<Record<string, string[]>> | undefined,
  auth: AuthContext,
  object?: JsonObject,
): readonly string[] {
  const own = schema.classLevelPermissions.protectedFields;
  if (auth.kind === "master" || (!own && !configured)) return NO_FIELDS;
  const rules = configured ? mergeRules(own ?? {}, configured) : (own ?? {});
  if (isOwnUser(schema, auth, object)) return [];
  const lists = (aclSubjectsWithPublic(auth) ?? []).flatMap((subject) => {
    const fields = rules[subject];
    return fields ? [fields] : [];
  });
  if (auth.kind === "user") {
    if (rules.authenticated) lists.push(rules.authenticated);
    for (const [subject, fields] of object ? Object.entries(rules) : []) {
      if (!subject.startsWith(USER_FIELD)) continue;
      const pointers = { fields: [subject.slice(USER_FIELD.length)], userId: auth.userId };
      if (object && pointsToUser(object, pointers)) lists.push(fields);
    }
  }
  const [first = [], ...others] = lists;
  return first.filter((field) => others.every((list) => list.includes(field)));
}

function mergeRules(
  a: Readonly<Record<string, string[]>>,
  b: Readonly<Record<string, string[]>>,
): Record<string, string[]> {
  const merged: Record<string, string[]> = { ...a };
  for (const [subject, fields] of Object.entries(b)) {
    merged[subject] = [...new Set([...(merged[subject] ?? []), ...fields])];
  }
  return merged;
}

/** Users see all fields of their own user object. */
function isOwnUser(schema: ClassSchema, auth: AuthContext, object: JsonObject | undefined): boolean {
  return schema.className === "_User" && auth.kind === "user" && object?.objectId === auth.userId;
}
