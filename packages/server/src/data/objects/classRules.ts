import type { Condition, JsonObject, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../../core/authContext.ts";
import { operationForbidden } from "../../core/operationForbidden.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import type { UniqueConstraintError } from "../../database/store.ts";
import type { RestrictedFields } from "../permissions/protectedFields.ts";
import type { PendingWrite } from "./pendingWrite.ts";

/**
 * Rules of a built-in class, declared in one file per class; the object service contains no class names. All methods
 * may throw ProtocolError to reject the operation.
 */
export interface ClassRules {
  className: string;
  /** The fields of the class when it is created. */
  fields: ClassSchema["fields"];
  /** Indexes for the server's own queries. */
  indexes?: ClassSchema["indexes"];
  classLevelPermissions?: ClassSchema["classLevelPermissions"];
  /**
   * Whether clients may access the class, subject to its permissions and ACLs. By default the class is internal:
   * clients can neither read it nor store pointers to its objects.
   */
  clientAccess?: boolean;
  /**
   * Fields that the server derives or stores outside of the object. Dotted keys into them are rejected with 105, so
   * that rules see every write to such a field under its own name.
   */
  derivedFields?: readonly string[];
  /** Fields that are hidden unless the protected fields of the class open them. */
  restrictedFields?: RestrictedFields;
  /** Rejects reads of the class before any object is read. */
  beforeRead?(operation: "find" | "get", request: RequestContext): void;
  /**
   * Changes the conditions of a query, such as those on fields that are stored outside of the object. `where` is an object
   * unless it is invalid.
   */
  prepareFind?(params: JsonObject, request: RequestContext): Promise<JsonObject>;
  /** Rejects writes before the object is read. */
  beforeWrite?(operation: "update" | "delete", objectId: string, request: RequestContext): void;
  /** The error of a write to an object that does not exist or that the caller may not write; 101 if undefined. */
  onNotWritable?(request: RequestContext): ProtocolError | undefined;
  /**
   * Removes, rejects or replaces derived fields of a request. Runs before triggers, so that cloud code only sees
   * verified values. `pending.original` is set for an update.
   */
  normalize?(pending: PendingWrite, request: RequestContext): Promise<void> | void;
  beforeCreate?(pending: PendingWrite, request: RequestContext): Promise<void> | void;
  /** `pending.original` is set. */
  beforeUpdate?(pending: PendingWrite, request: RequestContext): Promise<void> | void;
  beforeDelete?(pending: PendingWrite, request: RequestContext): Promise<void> | void;
  /** Returns an additional condition on the objects that a client may read. Not called for the master key. */
  readCondition?(request: RequestContext): Condition | undefined;
  /**
   * Modifies an object before it is returned to a client. Receives a copy, which may be mutated, and the object's secret
   * if it has been read already.
   */
  serialize?(
    object: JsonObject,
    request: RequestContext,
    secret?: JsonObject,
  ): JsonObject | Promise<JsonObject>;
  /**
   * Adds fields to the objects of one response after `serialize`, such as those of their secrets: with one read for all
   * of them. Receives copies, which are mutated.
   */
  serializeAll?(objects: readonly JsonObject[], request: RequestContext): Promise<void>;
  /** Translates the error of a unique value that is already taken. */
  onUniqueConstraint?(error: UniqueConstraintError): Error;
}

/** Rules of a class whose objects can be changed only through a route of their own. */
export function writtenOnlyThrough(path: string): Pick<ClassRules, "beforeCreate" | "beforeWrite"> {
  const rejectWrite = () => {
    throw operationForbidden(`This class can only be changed through ${path}`);
  };
  return { beforeCreate: rejectWrite, beforeWrite: rejectWrite };
}
