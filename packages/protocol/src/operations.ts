import { ErrorCode, ProtocolError } from "./errors.ts";
import { MAX_BATCH_OPERATIONS, MAX_RELATION_OBJECTS } from "./limits.ts";
import {
  assertStorable,
  isJsonObject,
  isPointer,
  type JsonObject,
  type JsonValue,
  jsonKey,
  numberDecimalOf,
  ownValue,
  type WirePointer,
} from "./wireValues.ts";

/** An operation of a write on one field. `value` and `objects` are wire values. */
export type Operation =
  | { op: "Set"; value: JsonValue }
  | { op: "Delete" }
  | { op: "Increment"; amount: number }
  | { op: "Add"; objects: JsonValue[] }
  | { op: "AddUnique"; objects: JsonValue[] }
  | { op: "Remove"; objects: JsonValue[] }
  | { op: "Relation"; add: WirePointer[]; remove: WirePointer[] };

/** Parses an operation from the wire; a plain value is a Set. Throws 107 or 111. */
export function parseOperation(value: unknown): Operation {
  if (!isJsonObject(value) || !("__op" in value)) {
    const number = numberDecimalOf(value);
    if (number !== undefined) return { op: "Set", value: number };
    assertStorable(value);
    return { op: "Set", value };
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
      return { op: value.__op, objects: parseObjects(value.objects, value.__op) };
    case "AddRelation":
      return { op: "Relation", add: parsePointers(value.objects), remove: [] };
    case "RemoveRelation":
      return { op: "Relation", add: [], remove: parsePointers(value.objects) };
    case "Batch":
      return parseBatch(value.ops);
    default:
      throw new ProtocolError(
        ErrorCode.COMMAND_UNAVAILABLE,
        `The ${String(value.__op).slice(0, 64)} operator is not supported.`,
      );
  }
}

function parseObjects(value: unknown, op: string): JsonValue[] {
  if (!Array.isArray(value))
    throw new ProtocolError(
      ErrorCode.INVALID_JSON,
      `objects to ${op === "Remove" ? "remove" : "add"} must be an array`,
    );
  assertStorable(value);
  return value;
}

function parsePointers(value: unknown): WirePointer[] {
  if (!Array.isArray(value) || !value.every(isPointer)) {
    throw new ProtocolError(ErrorCode.INVALID_JSON, "the objects of a relation must be pointers");
  }
  if (value.length > MAX_RELATION_OBJECTS) throw tooManyRelatedError();
  return value;
}

function parseBatch(ops: unknown): Operation {
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
    const operation = parseOperation(entry);
    if (operation.op === "Relation") return operation;
    throw new ProtocolError(ErrorCode.INVALID_JSON, "a Batch can only add to and remove from a relation");
  });
  const add = parsed.flatMap((operation) => operation.add);
  const remove = parsed.flatMap((operation) => operation.remove);
  if (add.length + remove.length > MAX_RELATION_OBJECTS) throw tooManyRelatedError();
  return { op: "Relation", add, remove };
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
      const removed = new Set(operation.objects.map(jsonKey));
      return toArray(current).filter((item) => !removed.has(jsonKey(item)));
    }
    case "Relation":
      return current;
  }
}

function addUnique(items: readonly JsonValue[], added: readonly JsonValue[]): JsonValue[] {
  const result = [...items];
  const known = new Set(items.map(jsonKey));
  for (const object of added) {
    const key = jsonKey(object);
    if (known.has(key)) continue;
    known.add(key);
    result.push(object);
  }
  return result;
}

function toArray(value: JsonValue | undefined): JsonValue[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value))
    throw new ProtocolError(ErrorCode.INCORRECT_TYPE, "cannot add to or remove from a non-array");
  return value;
}

/**
 * Applies operations, by field or dotted path, to a copy of an object. Missing nested objects are created. Array
 * indexes refer to the array before the operations. Relations are skipped. Throws 111 on a type mismatch.
 */
export function applyOperations(
  object: JsonObject,
  operations: Readonly<Record<string, Operation>>,
): JsonObject {
  const changed = new ChangedObject(object);
  for (const path in operations) {
    const operation = operations[path];
    if (operation && operation.op !== "Relation") changed.apply(path, operation);
  }
  return changed.finish();
}

/**
 * A copy-on-write view of an object. Each nested object is copied at most once, regardless of how many operations
 * change it: an object may have as many keys as a save has paths into it.
 */
class ChangedObject {
  readonly #root: JsonObject;
  /** Nested objects that are copies already and may be mutated. */
  readonly #copies = new WeakSet<JsonObject>();
  /** Arrays that are being changed, as objects of their items by index, with their location. */
  readonly #arrays = new Map<JsonObject, { parent: JsonObject; key: string }>();

  constructor(object: JsonObject) {
    this.#root = { ...object };
  }

  /** `path` is a field, or a dotted path into one. */
  apply(path: string, operation: Operation): void {
    if (!path.includes(".")) {
      this.#applyTo(this.#root, path, operation);
      return;
    }
    const keys = path.split(".");
    const last = keys.pop() ?? "";
    let target = this.#root;
    for (const key of keys) {
      const current = ownValue(target, key);
      if (current === undefined && operation.op === "Delete") return;
      target = this.#makeMutable(target, key, current);
    }
    this.#applyTo(target, last, operation);
  }

  #applyTo(target: JsonObject, key: string, operation: Operation): void {
    const current = ownValue(target, key);
    // The operation applies to a whole array of which some items have been changed already.
    const isMutableArray = isJsonObject(current) && this.#arrays.has(current);
    const value = applyOperation(isMutableArray ? this.#closeArray(current) : current, operation);
    if (value === undefined) delete target[key];
    else target[key] = value;
  }

  /** Converts the changed arrays back to arrays and returns the object. */
  finish(): JsonObject {
    // Nested arrays were added after the ones that contain them.
    for (const items of [...this.#arrays.keys()].reverse()) this.#closeArray(items);
    return this.#root;
  }

  /** Makes the value at a key of an object mutable; an array becomes an object of its items. */
  #makeMutable(parent: JsonObject, key: string, current: JsonValue | undefined): JsonObject {
    if (isJsonObject(current) && (this.#copies.has(current) || this.#arrays.has(current))) return current;
    if (current !== undefined && current !== null && typeof current !== "object") {
      throw new ProtocolError(ErrorCode.INCORRECT_TYPE, `cannot set a key of ${key}, which is not an object`);
    }
    const copy: JsonObject = Array.isArray(current) ? Object.fromEntries(current.entries()) : { ...current };
    if (Array.isArray(current)) this.#arrays.set(copy, { parent, key });
    else this.#copies.add(copy);
    parent[key] = copy;
    return copy;
  }

  #closeArray(items: JsonObject): JsonValue[] {
    const location = this.#arrays.get(items);
    this.#arrays.delete(items);
    const array = Object.values(items).filter((item) => item !== undefined);
    if (location && ownValue(location.parent, location.key) === items) location.parent[location.key] = array;
    return array;
  }
}
