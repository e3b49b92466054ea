import { ErrorCode, type FieldType, isJsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import type { ClassLevelPermissions } from "./classSchema.ts";
import { CLOSED_PERMISSIONS, COMMON_FIELDS } from "./describe.ts";

const OPERATIONS: ReadonlySet<string> = new Set([
  "ACL",
  "find",
  "count",
  "get",
  "create",
  "update",
  "delete",
  "addField",
]);
const USER_ID = /^[0-9A-Za-z_-]+$/;

/**
 * Reads class-level permissions from the wire; operations that are left out are for the master key
 * alone, and so is everything where they are no object at all. Throws 107 and says what is wrong.
 */
export function parsePermissions(
  value: JsonValue | undefined,
  fields: Readonly<Record<string, FieldType>>,
): ClassLevelPermissions {
  if (!isJsonObject(value)) return { ...CLOSED_PERMISSIONS };
  for (const [operation, permission] of Object.entries(value)) {
    if (operation === "readUserFields" || operation === "writeUserFields") {
      if (!Array.isArray(permission)) throw badValue(permission, operation, "must be an array");
      for (const field of permission) assertPointsToUsers(field, fields, operation);
      continue;
    }
    if (operation !== "protectedFields" && !OPERATIONS.has(operation)) {
      throw invalid(`${operation} is not a valid operation for class level permissions`);
    }
    if (!isJsonObject(permission)) throw badValue(permission, operation, "must be an object");
    for (const [entity, permit] of Object.entries(permission)) {
      if (operation === "protectedFields") assertProtected(entity, permit, fields);
      else assertPermit(operation, entity, permit, fields);
    }
  }
  return { ...CLOSED_PERMISSIONS, ...value };
}

function assertPermit(
  operation: string,
  entity: string,
  permit: JsonValue,
  fields: Readonly<Record<string, FieldType>>,
): void {
  const special = entity === "*" || entity === "requiresAuthentication" || entity === "pointerFields";
  if (!special && !entity.startsWith("role:") && !USER_ID.test(entity)) throw badKey(entity);
  if (entity === "pointerFields") {
    if (!Array.isArray(permit)) {
      throw invalid(
        `'${textOf(permit)}' is not a valid value for ${operation}[${entity}] - expected an array.`,
      );
    }
    for (const field of permit) assertPointsToUsers(field, fields, operation);
  } else if (operation === "ACL") {
    if (!isJsonObject(permit)) {
      throw invalid(`'${textOf(permit)}' is not a valid value for class level permissions acl`);
    }
    for (const [right, allowed] of Object.entries(permit)) {
      if (right !== "read" && right !== "write") {
        throw invalid(`'${right}' is not a valid key for class level permissions acl`);
      }
      if (typeof allowed !== "boolean") {
        throw invalid(`'${textOf(allowed)}' is not a valid value for class level permissions acl`);
      }
    }
  } else if (permit !== true) {
    throw invalid(
      `'${textOf(permit)}' is not a valid value for class level permissions acl ${operation}:${entity}`,
    );
  }
}

function assertProtected(
  entity: string,
  hidden: JsonValue,
  fields: Readonly<Record<string, FieldType>>,
): void {
  const special = entity === "*" || entity === "authenticated";
  const prefixed = entity.startsWith("role:") || entity.startsWith("userField:");
  if (!special && !prefixed && !USER_ID.test(entity)) throw badKey(entity);
  if (!Array.isArray(hidden)) {
    throw invalid(
      `'${textOf(hidden)}' is not a valid value for protectedFields[${entity}] - expected an array.`,
    );
  }
  for (const field of hidden) {
    if (typeof field !== "string") {
      throw invalid(`'${textOf(field)}' is not a valid value for protectedFields[${entity}]`);
    }
    if (Object.hasOwn(COMMON_FIELDS, field)) throw invalid(`Default field '${field}' can not be protected`);
    if (!Object.hasOwn(fields, field)) {
      throw invalid(`Field '${field}' in protectedFields:${entity} does not exist`);
    }
  }
}

/** Users are pointed to by a pointer, or by the items of an array. */
function assertPointsToUsers(
  field: JsonValue,
  fields: Readonly<Record<string, FieldType>>,
  operation: string,
): void {
  const type = typeof field === "string" && Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (type?.type === "Array" || (type?.type === "Pointer" && type.targetClass === "_User")) return;
  throw invalid(`'${textOf(field)}' is not a valid column for class level pointer permissions ${operation}`);
}

function badKey(key: string): ProtocolError {
  return invalid(`'${key}' is not a valid key for class level permissions`);
}

function badValue(value: JsonValue, operation: string, rule: string): ProtocolError {
  return invalid(
    `'${textOf(value)}' is not a valid value for class level permissions ${operation} - ${rule}`,
  );
}

function textOf(value: JsonValue | undefined): string {
  return (typeof value === "object" ? JSON.stringify(value) : String(value)).slice(0, 200);
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_JSON, message);
}
