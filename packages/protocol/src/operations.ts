import { ErrorCode, ProtocolError } from "./errors.ts";
import { itemIndex } from "./itemIndex.ts";
import { MAX_ARRAY_PADDING, MAX_BATCH_OPERATIONS, MAX_RELATION_OBJECTS } from "./limits.ts";
import { assertStorable, numberDecimalOf } from "./storableValues.ts";
import { ValueSet } from "./valueSet.ts";
import { canonicalDates } from "./wireDates.ts";
import {
  isJsonObject,
  isPointer,
  type JsonObject,
  type JsonValue,
  ownValue,
  type WirePointer,
} from "./wireValues.ts";

/** An operation of a write on one field. `value` and `objects` are wire values. */
export type Operation =
  | { op: "Set"; value: JsonValue }
  | { op: "Delete" }
  | { op: "Increment"; amount: number }
  | ListChange
  | { op: "Batch"; changes: ListChange[] }
  | { op: "Relation"; add: WirePointer[]; remove: WirePointer[] };

/** An operation on an array; a Batch applies several, one after the other. */
export interface ListChange {
  op: "Add" | "AddUnique" | "Remove";
  objects: JsonValue[];
}

/**
 * Parses an operation from the wire; a plain value is a Set. Dates get one format. Throws 107 or 111; `name` is that of
 * the field in the message.
 */
export function parseOperation(value: unknown, name = "value"): Operation {
  if (!isJsonObject(value) || !("__op" in value)) {
    const number = numberDecimalOf(value);
    if (number !== undefined) return { op: "Set", value: number };
    assertStorable(value);
    return { op: "Set", value: canonicalDates(value, name) };
  }
  switch (value.__op) {
    case "Delete":
      return { op: "Delete" };
    case "Increment":
      if (typeof value.amount !== "number" || !Number.isFinite(value.amount)) {
        throw new ProtocolError(ErrorCode.INVALID_JSON, "incrementing must provide a number");
      }
      return { op: "Increment", amount: value.amount };
    case "Add":
    case "AddUnique":
    case "Remove":
      return { op: value.__op, objects: parseObjects(value.objects, value.__op, name) };
    case "AddRelation":
      return { op: "Relation", add: parsePointers(value.objects), remove: [] };
    case "RemoveRelation":
      return { op: "Relation", add: [], remove: parsePointers(value.objects) };
    case "Batch":
      return parseBatch(value.ops, name);
    default:
      throw new ProtocolError(
        ErrorCode.COMMAND_UNAVAILABLE,
        `The ${String(value.__op).slice(0, 64)} operator is not supported.`,
      );
  }
}

function parseObjects(value: unknown, op: string, name: string): JsonValue[] {
  if (!Array.isArray(value))
    throw new ProtocolError(
      ErrorCode.INVALID_JSON,
      `objects to ${op === "Remove" ? "remove" : "add"} must be an array`,
    );
  assertStorable(value);
  return value.map((item) => canonicalDates(item, name));
}

function parsePointers(value: unknown): WirePointer[] {
  if (!Array.isArray(value) || !value.every(isPointer)) {
    throw new ProtocolError(ErrorCode.INVALID_JSON, "the objects of a relation must be pointers");
  }
  if (value.length > MAX_RELATION_OBJECTS) throw tooManyRelatedError();
  return value;
}

function parseBatch(ops: unknown, name: string): Operation {
  if (!Array.isArray(ops))
    throw new ProtocolError(ErrorCode.INVALID_JSON, "the ops of a Batch must be an array");
  if (ops.length > MAX_BATCH_OPERATIONS) {
    throw new ProtocolError(
      ErrorCode.INVALID_JSON,
      `a Batch takes ${MAX_BATCH_OPERATIONS} operations at most`,
    );
  }
  const parsed = ops.map((entry) => {
    if (isJsonObject(entry) && entry.__op === "Batch") {
      throw new ProtocolError(ErrorCode.INVALID_JSON, "a Batch cannot hold a Batch");
    }
    return parseOperation(entry, name);
  });
  if (parsed.length > 0 && parsed.every(isListChange)) return { op: "Batch", changes: parsed };
  const relations = parsed.filter((operation) => operation.op === "Relation");
  if (relations.length < parsed.length) {
    throw new ProtocolError(
      ErrorCode.INVALID_JSON,
      "a Batch can only add to and remove from a relation, or an array",
    );
  }
  const add = relations.flatMap((operation) => operation.add);
  const remove = relations.flatMap((operation) => operation.remove);
  if (add.length + remove.length > MAX_RELATION_OBJECTS) throw tooManyRelatedError();
  return { op: "Relation", add, remove };
}

function isListChange(operation: Operation): operation is ListChange {
  return operation.op === "Add" || operation.op === "AddUnique" || operation.op === "Remove";
}

/** Whatever a write has in an operation: what it sets, adds or removes. */
export function valuesIn(operation: Operation): readonly JsonValue[] {
  switch (operation.op) {
    case "Set":
      return [operation.value];
    case "Delete":
    case "Increment":
      return [];
    case "Batch":
      return operation.changes.flatMap(({ objects }) => objects);
    case "Relation":
      return [...operation.add, ...operation.remove].map((pointer) => ({ ...pointer }));
    default:
      return operation.objects;
  }
}

function tooManyRelatedError(): ProtocolError {
  return new ProtocolError(
    ErrorCode.INVALID_JSON,
    `an operation on a relation takes ${MAX_RELATION_OBJECTS} objects at most`,
  );
}

/** Whether the client cannot compute the result of an operation, so that the response must return it. */
export function isResultReturned(operation: Operation): boolean {
  return operation.op !== "Set" && operation.op !== "Delete" && operation.op !== "Relation";
}

/**
 * Returns the value of the field after the operation; undefined if it is deleted. Relations are stored outside of the
 * object and are not applied here. Throws 111 on a type mismatch.
 */
export function applyOperation(current: JsonValue | undefined, operation: Operation): JsonValue | undefined {
  switch (operation.op) {
    case "Set":
      return operation.value;
    case "Delete":
      return undefined;
    case "Increment": {
      const base = current ?? 0;
      if (typeof base !== "number")
        throw new ProtocolError(ErrorCode.INCORRECT_TYPE, "cannot increment a non-number");
      const sum = base + operation.amount;
      if (!Number.isFinite(sum)) {
        throw new ProtocolError(ErrorCode.INCORRECT_TYPE, "the result of an Increment is too large a number");
      }
      return sum;
    }
    case "Add":
      return [...toArray(current), ...operation.objects];
    case "AddUnique":
      return addUnique(toArray(current), operation.objects);
    case "Remove": {
      const removed = new ValueSet(operation.objects);
      return toArray(current).filter((item) => !removed.has(item));
    }
    case "Batch": {
      let items: JsonValue = toArray(current);
      for (const change of operation.changes) items = applyOperation(items, change) ?? items;
      return items;
    }
    case "Relation":
      return current;
  }
}

function addUnique(items: readonly JsonValue[], added: readonly JsonValue[]): JsonValue[] {
  const result = [...items];
  const known = new ValueSet(items);
  for (const object of added) if (known.add(object)) result.push(object);
  return result;
}

function toArray(value: JsonValue | undefined): JsonValue[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value))
    throw new ProtocolError(ErrorCode.INCORRECT_TYPE, "cannot add to or remove from a non-array");
  return value;
}

/**
 * Applies operations, by field or dotted path, to a copy of an object. Missing nested objects are created, and missing
 * arrays of the fields in `lists`. As in MongoDB, a path writes to an array only by the index of an item: it is padded
 * with null up to the item, and a deleted item becomes null. Relations are skipped. Throws 111 on a type mismatch, 107
 * for an index too far beyond the end of an array.
 */
export function applyOperations(
  object: JsonObject,
  operations: Readonly<Record<string, Operation>>,
  lists: ReadonlySet<string> = NO_LISTS,
): JsonObject {
  return new ChangedObject({ ...object }, lists, false).applyAll(operations);
}

/**
 * Like `applyOperations`, but changes the object itself, which is much faster for one with very many keys. If it throws,
 * the object may have been changed in part. The operations stay as they are.
 */
export function changeObject(
  object: JsonObject,
  operations: Readonly<Record<string, Operation>>,
  lists: ReadonlySet<string> = NO_LISTS,
): JsonObject {
  return new ChangedObject(object, lists, true).applyAll(operations);
}

const NO_LISTS: ReadonlySet<string> = new Set();

/**
 * A copy-on-write view of an object. Each nested object or array is copied at most once, regardless of how many
 * operations change it: an object may have as many keys as a save has paths into it. What it owns is not copied.
 */
class ChangedObject {
  readonly root: JsonObject;
  readonly #lists: ReadonlySet<string>;
  readonly #ownsNested: boolean;
  /** Nested objects and arrays that are copies already and may be mutated. */
  readonly #copies = new WeakSet<JsonObject | JsonValue[]>();
  /** Those that contain values of operations, which are never owned. */
  readonly #borrowed = new WeakSet<JsonObject | JsonValue[]>();

  constructor(root: JsonObject, lists: ReadonlySet<string>, ownsNested: boolean) {
    this.root = root;
    this.#lists = lists;
    this.#ownsNested = ownsNested;
  }

  applyAll(operations: Readonly<Record<string, Operation>>): JsonObject {
    for (const path in operations) {
      const operation = operations[path];
      if (operation && operation.op !== "Relation") this.apply(path, operation);
    }
    return this.root;
  }

  /** `path` is a field, or a dotted path into one. */
  apply(path: string, operation: Operation): void {
    const keys = path.split(".");
    const last = keys.pop() ?? "";
    let target: JsonObject | JsonValue[] = this.root;
    let isOwned = this.#ownsNested;
    for (const key of keys) {
      const current = valueAt(target, key);
      if ((current === undefined || current === null) && operation.op === "Delete") return;
      if (typeof current === "object" && current && this.#borrowed.has(current)) isOwned = false;
      target = this.#makeMutable(target, key, current, { path, isOwned });
    }
    const value = valueAt(target, last);
    if (value === undefined && operation.op === "Delete") return;
    const changed = applyOperation(value, operation);
    if (typeof changed === "object" && changed) this.#borrowed.add(changed);
    setAt(target, last, changed, path);
  }

  /** Makes the value at a key mutable; creates it if it is missing or null. */
  #makeMutable(
    parent: JsonObject | JsonValue[],
    key: string,
    current: JsonValue | undefined,
    { path, isOwned }: { path: string; isOwned: boolean },
  ): JsonObject | JsonValue[] {
    const isMissing = current === undefined || current === null;
    if (!isMissing && typeof current !== "object") {
      throw pathError(path, `${key} is not an object`);
    }
    if (!isMissing && (isOwned || this.#copies.has(current))) return current;
    const isList = isMissing ? parent === this.root && this.#lists.has(key) : Array.isArray(current);
    const copy = isList ? [...toArray(current)] : { ...(isJsonObject(current) && current) };
    setAt(parent, key, copy, path);
    this.#copies.add(copy);
    if (!isOwned) this.#borrowed.add(copy);
    return copy;
  }
}

function valueAt(target: JsonObject | JsonValue[], key: string): JsonValue | undefined {
  if (!Array.isArray(target)) return ownValue(target, key);
  const index = itemIndex(key);
  return index === undefined ? undefined : target[index];
}

function setAt(
  target: JsonObject | JsonValue[],
  key: string,
  value: JsonValue | undefined,
  path: string,
): void {
  if (Array.isArray(target)) {
    setItem(target, key, value, path);
  } else if (value === undefined) delete target[key];
  else target[key] = value;
}

/** Sets an item of an array, and pads the array with null up to it; undefined counts as null. */
function setItem(items: JsonValue[], key: string, value: JsonValue | undefined, path: string): void {
  const index = itemIndex(key);
  if (index === undefined) throw pathError(path, `${key.slice(0, 64)} is not the index of an item`);
  if (index - items.length > MAX_ARRAY_PADDING) {
    throw new ProtocolError(
      ErrorCode.INVALID_JSON,
      `an item can be set ${MAX_ARRAY_PADDING} positions beyond the end of an array at most`,
    );
  }
  while (items.length < index) items.push(null);
  items[index] = value ?? null;
}

function pathError(path: string, reason: string): ProtocolError {
  return new ProtocolError(ErrorCode.INCORRECT_TYPE, `cannot set ${path.slice(0, 128)}: ${reason}`);
}
