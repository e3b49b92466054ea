/* Clients, classes and pointers for unit tests of permissions. */
import type { JsonObject } from "@purse/protocol";
import type { AuthContext } from "../src/core/authContext.ts";
import type { ClassLevelPermissions, ClassSchema } from "../src/database/classSchema.ts";

/** A signed-in user with roles, by their names without prefix. */
export function user(userId: string, ...roles: string[]): AuthContext & { kind: "user" } {
  return { kind: "user", userId, roles, sessionId: "s", sessionToken: "t" };
}

/** A class with permissions and fields. */
export function classWith(
  classLevelPermissions: ClassLevelPermissions,
  others: Partial<ClassSchema> = {},
): ClassSchema {
  return { className: "Note", table: "Note", fields: {}, indexes: {}, classLevelPermissions, ...others };
}

/** A pointer to a user. */
export function userPointer(objectId: string): JsonObject {
  return { __type: "Pointer", className: "_User", objectId };
}
