import type { FieldType, JsonObject } from "@purse/protocol";

export type ClassOperation = "get" | "find" | "count" | "create" | "update" | "delete" | "addField";

/** Who may carry out an operation on a class: `*`, user ids, `role:` names, `requiresAuthentication`, `pointerFields`. */
export type ClassPermission = Record<string, boolean | string[]>;

export type ClassLevelPermissions = Partial<Record<ClassOperation, ClassPermission>> & {
  /** The ACL of new objects that bring none; `currentUser` stands for whoever creates them. */
  ACL?: JsonObject;
  /** By principal, or `userField:` and a field that points to the user, the fields that it does not get to see. */
  protectedFields?: Record<string, string[]>;
  readUserFields?: string[];
  writeUserFields?: string[];
};

/** `text` for a full-text search. */
export type IndexDirection = 1 | -1 | "text";

/** The fields, permissions and indexes of one class. */
export interface ClassSchema {
  className: string;
  /** The name of its table; differs from the class where two classes differ only by case. */
  table: string;
  /** Without the fields that every object has (objectId, createdAt, updatedAt, ACL). */
  fields: Record<string, FieldType>;
  classLevelPermissions: ClassLevelPermissions;
  /** Index name → fields with their direction. */
  indexes: Record<string, Record<string, IndexDirection>>;
  /** Those of them that the application's code has defined: they go when it defines them no more. */
  definedIndexes?: string[];
}
