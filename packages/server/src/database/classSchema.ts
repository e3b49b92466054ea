import {
  type FieldType,
  type FieldTypeName,
  type JsonObject,
  type Operation,
  ownValue,
} from "@purse/protocol";

export type ClassOperation = "get" | "find" | "count" | "create" | "update" | "delete" | "addField";

/** Who may perform an operation on a class: `*`, user ids, `role:` names, `requiresAuthentication`, `pointerFields`. */
type ClassPermission = Record<string, boolean | string[]>;

export type ClassLevelPermissions = Partial<Record<ClassOperation, ClassPermission>> & {
  /** The default ACL of new objects; `currentUser` stands for the user who creates them. */
  ACL?: JsonObject;
  /** Hidden fields by subject, or by `userField:` and the name of a field that points to the user. */
  protectedFields?: Record<string, string[]>;
  readUserFields?: string[];
  writeUserFields?: string[];
};

/** `text` for a full-text search. */
export type IndexDirection = 1 | -1 | "text";

/** The fields, permissions and indexes of one class. */
export interface ClassSchema {
  className: string;
  /** The name of its table; differs from the class name if another class differs only by case. */
  table: string;
  /** Excludes COMMON_FIELDS. */
  fields: Record<string, FieldType>;
  classLevelPermissions: ClassLevelPermissions;
  /** Fields and their direction, by index name. */
  indexes: Record<string, Record<string, IndexDirection>>;
  /**
   * Names of the indexes that the application's configuration defines; they are dropped once it no longer defines them.
   */
  definedIndexes?: string[];
  /** By field; maintained by the database. A column only applies to a field of its type. */
  columns?: Record<string, TypedColumn>;
}

/** A column in which the database also stores the values of a field, so that it can query them faster. */
export interface TypedColumn {
  name: string;
  type: FieldTypeName;
  /** Whether the column is also NULL for values that are too long for it. */
  isPartial?: true;
}

/** The fields that every object has; they are not part of stored schemas. */
export const COMMON_FIELDS: Readonly<Record<string, FieldType>> = {
  objectId: { type: "String" },
  createdAt: { type: "Date" },
  updatedAt: { type: "Date" },
  ACL: { type: "ACL" },
};

/** The array fields that operations have paths into. */
export function listsWithPaths(
  { fields }: ClassSchema,
  operations: Readonly<Record<string, Operation>>,
): ReadonlySet<string> {
  const lists = new Set<string>();
  for (const path in operations) {
    const dot = path.indexOf(".");
    const name = path.slice(0, Math.max(dot, 0));
    if (dot > 0 && ownValue(fields, name)?.type === "Array") lists.add(name);
  }
  return lists;
}
