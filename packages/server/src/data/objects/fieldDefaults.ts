import {
  canonicalDates,
  ErrorCode,
  type JsonObject,
  type Operation,
  ownValue,
  ProtocolError,
} from "@purse/protocol";
import type { RequestContext } from "../../core/authContext.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { defaultAcl } from "../permissions/acl.ts";
import type { DefaultAccess } from "../permissions/classAccess.ts";
import { canonicalValue } from "./parseFields.ts";
import type { PendingWrite } from "./pendingWrite.ts";

/**
 * Adds default values and the default ACL to a new object. Returns the names of the fields that it has set, without the
 * ACL. Throws 142 if a required field is missing.
 */
export function applyDefaults(
  pending: PendingWrite,
  schema: ClassSchema,
  { auth }: RequestContext,
  { configuredAcl, access }: { configuredAcl: JsonObject | undefined; access: DefaultAccess },
): string[] {
  const { operations } = pending;
  const added: string[] = [];
  for (const name in schema.fields) {
    const field = schema.fields[name];
    if (!field || !isEmpty(ownValue(operations, name))) continue;
    if (field.defaultValue !== undefined) {
      operations[name] = { op: "Set", value: canonicalValue(canonicalDates(field.defaultValue, name)) };
      added.push(name);
    } else if (field.required) throw missingFieldError(name);
  }
  if ("ACL" in operations) return added;
  const acl = defaultAcl(schema, configuredAcl, auth, access);
  if (acl) operations.ACL = { op: "Set", value: acl };
  return added;
}

/** Throws 142 if a write would remove a required field. */
export function assertRequiredKept(operations: Record<string, Operation>, schema: ClassSchema): void {
  for (const [name, operation] of Object.entries(operations)) {
    if (schema.fields[name]?.required && isEmpty(operation)) throw missingFieldError(name);
  }
}

function isEmpty(operation: Operation | undefined): boolean {
  if (!operation || operation.op === "Delete") return true;
  return operation.op === "Set" && (operation.value === null || operation.value === "");
}

function missingFieldError(name: string): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, `${name} is required`);
}
