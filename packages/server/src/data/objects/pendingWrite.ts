import {
  assertStorableTexts,
  type JsonObject,
  type JsonValue,
  type Operation,
  valuesIn,
} from "@purse/protocol";
import type { AuthContext } from "../../core/authContext.ts";
import type { Write } from "../../database/store.ts";
import type { WriteOptions } from "./writeOptions.ts";

/** A write before it is stored; class rules and triggers may change it. */
export interface PendingWrite {
  className: string;
  objectId: string;
  /** Set if the client chose the id of a new object. */
  customId?: string;
  /** Operations by field or dotted path. ACL is included as a Set. */
  operations: Record<string, Operation>;
  /** The object before an update, if rules or triggers need it; undefined for a create. */
  original: JsonObject | undefined;
  /** Merged into the object's secret; null removes a key. */
  secret: JsonObject;
  /** Additional writes in the same transaction. */
  additionalWrites: Write[];
  /** Fields that the response contains besides objectId and the timestamps. */
  returnedFields: JsonObject;
  /** Fields that are stored outside of the object, and shown to the trigger after the write. */
  triggerFields?: JsonObject;
  /** The caller that the response is for, if it is not the one of the request: a new user reads its own object. */
  responseAuth?: AuthContext;
  /** Callbacks after the write has been committed. */
  afterCommit: (() => Promise<void>)[];
}

/** Sets a field of a write. */
export function setField(pending: PendingWrite, field: string, value: JsonValue): void {
  pending.operations[field] = { op: "Set", value };
}

/** The value that a write sets a field to; undefined if it does not, or changes it by another operation. */
export function setValueOf(pending: PendingWrite, field: string): JsonValue | undefined {
  const operation: Operation | undefined = pending.operations[field];
  return operation?.op === "Set" ? operation.value : undefined;
}

/** Removes a field from the write and returns its value; it is not stored in the object. */
export function extractField(pending: PendingWrite, field: string): JsonValue | undefined {
  const value = setValueOf(pending, field);
  delete pending.operations[field];
  return value;
}

export function createPendingWrite(
  className: string,
  objectId: string,
  operations: Record<string, Operation>,
  original: JsonObject | undefined,
  { additionalWrites = [] }: Pick<WriteOptions, "additionalWrites"> = {},
): PendingWrite {
  return {
    className,
    objectId,
    operations,
    original,
    secret: {},
    additionalWrites: [...additionalWrites],
    returnedFields: {},
    afterCommit: [],
  };
}

/** Throws 107 if a value contains a string that cannot be stored. */
export function assertStorable({ operations }: PendingWrite): void {
  for (const path in operations) {
    const operation = operations[path];
    if (operation) valuesIn(operation).forEach(assertStorableTexts);
  }
}

/** The paths whose operations are new or others than before. */
export function changedPaths(before: Record<string, Operation>, after: Record<string, Operation>): string[] {
  return Object.keys(after).filter((path) => before[path] !== after[path]);
}
