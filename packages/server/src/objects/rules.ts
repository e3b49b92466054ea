import type { Condition, JsonObject } from "@purse/protocol";
import type { RequestContext } from "../authContext.ts";
import type { ClassSchema } from "../schema/classSchema.ts";
import type { ClaimTaken } from "../store/store.ts";
import type { Draft } from "./draft.ts";

/**
 * What is special about a class, declared in one file each; the pipeline knows no class by name.
 * Everything may throw ProtocolError to refuse.
 */
export interface ClassRules {
  className: string;
  /** The fields that the class has from the start. */
  fields: ClassSchema["fields"];
  /** The indexes that its own look-ups need. */
  indexes?: ClassSchema["indexes"];
  classLevelPermissions?: ClassSchema["classLevelPermissions"];
  /**
   * Whether clients may access the class, subject to its permissions and ACLs. Without it the class is internal: clients
   * cannot read it by any path and cannot store pointers to its objects.
   */
  clientAccess?: boolean;
  /**
   * Fields that the server derives or stores outside of the object. Dotted keys into them are refused with 105, so that
   * rules find every write to such a field under the field's own name.
   */
  derivedFields?: readonly string[];
  /** Fields that `onRead` hides from some: nobody but the master key may query or order by them. */
  hidden?: readonly string[];
  /** Refuses whoever may not ask for objects of the class at all. */
  beforeRead?(operation: "find" | "get", request: RequestContext): void;
  /** Refuses whoever may not change an object, whatever it is: asked before the object is read. */
  beforeWrite?(operation: "update" | "delete", objectId: string, request: RequestContext): void;
  /**
   * Removes, refuses or replaces derived fields that a request sends. Runs before triggers, so that cloud code only sees
   * verified values. `draft.original` is set for an update.
   */
  normalize?(draft: Draft, request: RequestContext): Promise<void> | void;
  beforeCreate?(draft: Draft, request: RequestContext): Promise<void> | void;
  /** `draft.original` is set. */
  beforeUpdate?(draft: Draft, request: RequestContext): Promise<void> | void;
  beforeDelete?(draft: Draft, request: RequestContext): Promise<void> | void;
  /** Narrows what a caller gets to see, beside ACLs. Not asked for the master key. */
  scope?(request: RequestContext): Condition | undefined;
  /** Takes from, or adds to, an object on its way out (a copy that may be changed). */
  onRead?(object: JsonObject, request: RequestContext): JsonObject | Promise<JsonObject>;
  /** The error that a client gets where a claim of this class is taken. */
  onClaimTaken?(taken: ClaimTaken): Error;
}
