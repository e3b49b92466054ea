import { ErrorCode, ProtocolError } from "@purse/protocol";
import { type Caller, principalsWithPublic } from "../caller.ts";
import type { ClassOperation, ClassSchema } from "../schema/classSchema.ts";

/** Whether class-level permissions let the caller carry out an operation. Without an entry everyone may. */
export function isAllowed(
  schema: ClassSchema | undefined,
  operation: ClassOperation,
  caller: Caller,
): boolean {
  if (caller.kind === "master") return true;
  const permission = schema?.classLevelPermissions[operation];
  if (!permission) return true;
  if (permission.requiresAuthentication === true && caller.kind === "user") return true;
  return (principalsWithPublic(caller) ?? []).some((principal) => permission[principal] === true);
}

/** Throws 119, with 101 for callers who are not signed in where only that is missing, as Parse does. */
export function authorise(schema: ClassSchema | undefined, operation: ClassOperation, caller: Caller): void {
  if (isAllowed(schema, operation, caller)) return;
  const className = schema?.className ?? "";
  if (
    schema?.classLevelPermissions[operation]?.requiresAuthentication === true &&
    caller.kind === "anonymous"
  ) {
    throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Permission denied, user needs to be authenticated.");
  }
  throw new ProtocolError(
    ErrorCode.OPERATION_FORBIDDEN,
    `Permission denied for action ${operation} on class ${className}.`,
  );
}

/** The fields that the caller does not get to see: those hidden from everyone that it is. */
export function protectedFieldsFor(schema: ClassSchema, caller: Caller): readonly string[] {
  const rules = schema.classLevelPermissions.protectedFields;
  if (!rules || caller.kind === "master") return [];
  const lists = (principalsWithPublic(caller) ?? []).flatMap((principal) => {
    const fields = rules[principal];
    return fields ? [fields] : [];
  });
  if (caller.kind === "user" && rules.authenticated) lists.push(rules.authenticated);
  const [first = [], ...others] = lists;
  return first.filter((field) => others.every((list) => list.includes(field)));
}
