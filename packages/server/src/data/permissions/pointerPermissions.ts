import type { Condition, JsonObject } from "@purse/protocol";
import type { AuthContext } from "../../core/authContext.ts";
import type { ClassOperation, ClassSchema } from "../../database/classSchema.ts";
import { pointsToUser, type UserPointers } from "../../database/userPointers.ts";
import { evaluateClassPermissions } from "./classPermissions.ts";

/** A condition that matches no object. */
export const MATCH_NOTHING: Condition = { kind: "or", conditions: [] };

/** Pointers that no object has. */
const NO_POINTERS: UserPointers = { fields: [], userId: "" };

/**
 * Returns the pointers that an object must have so that class-level permissions allow an operation on it; undefined if
 * they do not depend on the object. No object has the required pointers if the operation is denied, or if the client is
 * anonymous.
 */
export function requiredPointers(
  schema: ClassSchema,
  operation: ClassOperation,
  auth: AuthContext,
): UserPointers | undefined {
  const access = evaluateClassPermissions(schema, operation, auth);
  if (access.objects === "all") return undefined;
  if (access.objects === "none" || access.userId === undefined) return NO_POINTERS;
  return { fields: access.fields, userId: access.userId };
}

/** Whether class-level permissions allow an operation on an object in its current state. */
export function evaluatePointers(
  schema: ClassSchema,
  operation: ClassOperation,
  auth: AuthContext,
  object: JsonObject,
): boolean {
  const pointers = requiredPointers(schema, operation, auth);
  return pointers === undefined || pointsToUser(object, pointers);
}

/** Returns the condition on readable objects that results from class-level permissions; undefined for all objects. */
export function pointerCondition(
  schema: ClassSchema,
  operation: "get" | "find" | "count",
  auth: AuthContext,
): Condition | undefined {
  const pointers = requiredPointers(schema, operation, auth);
  if (!pointers) return undefined;
  if (pointers.fields.length === 0) return MATCH_NOTHING;
  const value = { __type: "Pointer" as const, className: "_User", objectId: pointers.userId };
  return {
    kind: "or",
    conditions: pointers.fields.map((field) => ({
      kind: "eq",
      path: [field],
      operand: { type: "pointer", value },
    })),
  };
}
