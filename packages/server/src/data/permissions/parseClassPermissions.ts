import {
  ErrorCode,
  type FieldType,
  isJsonObject,
  isObjectId,
  type JsonValue,
  ProtocolError,
  readEmptyArrayAsObject,
} from "@purse/protocol";
import { type ClassLevelPermissions, COMMON_FIELDS } from "../../database/classSchema.ts";
import { CLOSED_PERMISSIONS } from "./defaultPermissions.ts";

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

/**
 * Parses class-level permissions from the wire. Omitted operations require the master key, as does everything if the
 * value is not an object. Throws 107 with the reason if it is invalid. `isUserId` says which other keys name users.
 */
export function parseClassPermissions(
  sent: JsonValue | undefined,
  fields: Readonly<Record<string, FieldType>>,
  isUserId = isObjectId,
): ClassLevelPermissions {
  if (!isJsonObject(sent)) return { ...CLOSED_PERMISSIONS };
  const value = Object.fromEntries(
    Object.entries(sent).map(([operation, permission]) => [
      operation,
      operation.endsWith("UserFields") ? permission : readEmptyArrayAsObject(permission),
    ]),
  );
  for (const [operation, permission] of Object.entries(value)) {
    if (operation === "readUserFields" || operation === "writeUserFields") {
      if (!Array.isArray(permission)) throw invalidValue(permission, operation, "must be an array");
      for (const field of permission) assertPointsToUsers(field, fields, operation);
      continue;
    }
    if (operation !== "protectedFields" && !OPERATIONS.has(operation)) {
      throw invalid(`${operation} is not a valid operation for class level permissions`);
    }
    if (!isJsonObject(permission)) throw invalidValue(permission, operation, "must be an object");
    for (const [entity, permit] of Object.entries(permission)) {
      if (!isSubject(operation, entity, isUserId)) throw invalidKey(entity);
      if (operation === "protectedFields") assertProtected(entity, permit, fields);
      else assertPermit(operation, entity, permit, fields);
    }
  }
  return { ...CLOSED_PERMISSIONS, ...value };
}

/** Whether a key of permissions names readers or writers. */
function isSubject(operation: string, key: string, isUserId: (text: string) => boolean): boolean {
  if (key === "*" || key.startsWith("role:")) return true;
  const isSpecial =
    operation === "protectedFields"
      ? key === "authenticated" || key.startsWith("userField:")
      : key === "requiresAuthentication" || key === "pointerFields";
  return isSpecial || isUserId(key);
}

function assertPermit(
  operation: string,
  entity: string,
  permit: JsonValue,
  fields: Readonly<Record<string, FieldType>>,
): void {
  if (entity === "pointerFields") {
    if (!Array.isArray(permit)) {
      throw invalid(
        `'${formatValue(permit)}' is not a valid value for ${operation}[${entity}] - expected an array.`,
      );
    }
    for (const field of permit) assertPointsToUsers(field, fields, operation);
  } else if (operation === "ACL") {
    if (!isJsonObject(permit)) {
      throw invalid(`'${formatValue(permit)}' is not a valid value for class level permissions acl`);
    }
    for (const [permission, allowed] of Object.entries(permit)) {
      if (permission !== "read" && permission !== "write") {
        throw invalid(`'${permission}' is not a valid key for class level permissions acl`);
      }
      if (typeof allowed !== "boolean") {
        throw invalid(`'${formatValue(allowed)}' is not a valid value for class level permissions acl`);
      }
    }
  } else if (permit !== true) {
    throw invalid(
      `'${formatValue(permit)}' is not a valid value for class level permissions acl ${operation}:${entity}`,
    );
  }
}

function assertProtected(
  entity: string,
  hidden: JsonValue,
  fields: Readonly<Record<string, FieldType>>,
): void {
  if (!Array.isArray(hidden)) {
    throw invalid(
      `'${formatValue(hidden)}' is not a valid value for protectedFields[${entity}] - expected an array.`,
    );
  }
  for (const field of hidden) {
    if (typeof field !== "string") {
      throw invalid(`'${formatValue(field)}' is not a valid value for protectedFields[${entity}]`);
    }
    if (Object.hasOwn(COMMON_FIELDS, field)) throw invalid(`Default field '${field}' can not be protected`);
    if (!Object.hasOwn(fields, field)) {
      throw invalid(`Field '${field}' in protectedFields:${entity} does not exist`);
    }
  }
}

/** Throws unless the field is a pointer to a user or an array, whose items may be. */
function assertPointsToUsers(
  field: JsonValue,
  fields: Readonly<Record<string, FieldType>>,
  operation: string,
): void {
  const type = typeof field === "string" && Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (type?.type === "Array" || (type?.type === "Pointer" && type.targetClass === "_User")) return;
  throw invalid(
    `'${formatValue(field)}' is not a valid column for class level pointer permissions ${operation}`,
  );
}

function invalidKey(key: string): ProtocolError {
  return invalid(`'${key}' is not a valid key for class level permissions`);
}

function invalidValue(value: JsonValue, operation: string, rule: string): ProtocolError {
  return invalid(
    `'${formatValue(value)}' is not a valid value for class level permissions ${operation} - ${rule}`,
  );
}

function formatValue(value: JsonValue | undefined): string {
  return (typeof value === "object" ? JSON.stringify(value) : String(value)).slice(0, 200);
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_JSON, message);
}
