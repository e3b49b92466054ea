import { type Condition, ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import { type AuthContext, aclSubjectsWithPublic } from "../authContext.ts";
import type { ClassOperation, ClassSchema } from "../schema/classSchema.ts";
import { pointsToUser, type UserPointers } from "../store/userPointers.ts";

/**
 * What class-level permissions let a caller do: everything, nothing, or only what concerns objects that
 * point to the caller by one of the fields (nobody, for callers who are not signed in).
 */
type Access = "all" | "none" | { fields: string[]; userId: string | undefined };

const READS: ReadonlySet<ClassOperation> = new Set(["get", "find", "count"]);

function accessOf(schema: ClassSchema | undefined, operation: ClassOperation, auth: AuthContext): Access {
  if (auth.kind === "master") return "all";
  const permissions = schema?.classLevelPermissions;
  const permission = permissions?.[operation];
  if (!permissions || !permission) return "all";
  const principals = aclSubjectsWithPublic(auth) ?? [];
  if (principals.some((principal) => permission[principal] === true)) return "all";
  if (permission.requiresAuthentication === true && auth.kind !== "user") return "none";
  const grouped = READS.has(operation) ? permissions.readUserFields : permissions.writeUserFields;
  const own = permission.pointerFields;
  const fields = [...new Set([...(Array.isArray(own) ? own : []), ...(grouped ?? [])])];
  // What does not exist yet points to nobody.
  if (fields.length > 0 && operation !== "create") {
    return { fields, userId: auth.kind === "user" ? auth.userId : undefined };
  }
  return permission.requiresAuthentication === true ? "all" : "none";
}

/** Whether class-level permissions let the caller carry out an operation, if only on some objects. */
export function isAllowed(
  schema: ClassSchema | undefined,
  operation: ClassOperation,
  auth: AuthContext,
): boolean {
  return accessOf(schema, operation, auth) !== "none";
}

/** Throws 119, with 101 for callers who are not signed in where only that is missing, as Parse does. */
export function authorise(
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

/** What no object fulfils. */
export const NOTHING: Condition = { kind: "or", conditions: [] };

/** The condition on the objects that the caller may read, where class-level permissions make one. */
export function pointerScope(
  schema: ClassSchema,
  operation: "get" | "find" | "count",
  auth: AuthContext,
): Condition | undefined {
  const access = accessOf(schema, operation, auth);
  if (access === "all") return undefined;
  if (access === "none" || access.userId === undefined) return NOTHING;
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

/** Whether an operation depends on who the object points to, so that it has to be read before it is written. */
export function dependsOnObject(schema: ClassSchema, operation: ClassOperation, auth: AuthContext): boolean {
  return typeof accessOf(schema, operation, auth) === "object";
}

/** Whether the caller may change an object as it is; `authorise` has let the operation pass. */
export function mayChange(
  schema: ClassSchema,
  operation: ClassOperation,
  auth: AuthContext,
  object: JsonObject,
): boolean {
  const access = accessOf(schema, operation, auth);
  if (typeof access === "string") return access === "all";
  const { fields, userId } = access;
  return userId !== undefined && pointsToUser(object, { fields, userId });
}

/**
 * The pointers that an object must have at the time of the write, if class-level permissions restrict the caller to
 * objects that point to it. The object may have changed since it was read.
 */
export function requiredPointers(
  schema: ClassSchema,
  operation: "update" | "delete",
  auth: AuthContext,
): UserPointers | undefined {
  const access = accessOf(schema, operation, auth);
  if (typeof access === "string" || access.userId === undefined) return undefined;
  return { fields: access.fields, userId: access.userId };
}

const USER_FIELD = "userField:";
const NO_FIELDS: readonly string[] = [];

/**
 * The fields that the caller does not get to see: those hidden from everyone that it is. With an
 * object, what the object says of the caller counts too.
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
  if (isOneself(schema, auth, object)) return [];
  const lists = (aclSubjectsWithPublic(auth) ?? []).flatMap((principal) => {
    const fields = rules[principal];
    return fields ? [fields] : [];
  });
  if (auth.kind === "user") {
    if (rules.authenticated) lists.push(rules.authenticated);
    for (const [principal, fields] of object ? Object.entries(rules) : []) {
      if (!principal.startsWith(USER_FIELD)) continue;
      const pointers = { fields: [principal.slice(USER_FIELD.length)], userId: auth.userId };
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
  for (const [principal, fields] of Object.entries(b)) {
    merged[principal] = [...new Set([...(merged[principal] ?? []), ...fields])];
  }
  return merged;
}

/** People see all of themselves. */
function isOneself(schema: ClassSchema, auth: AuthContext, object: JsonObject | undefined): boolean {
  return schema.className === "_User" && auth.kind === "user" && object?.objectId === auth.userId;
}
