import { ErrorCode, ProtocolError } from "./errors.ts";
import { MAX_BATCH_OPERATIONS, MAX_RELATION_OBJECTS } from "./limits.ts";
import {
  assertStorable,
  isJsonObject,
  isPointer,
  type JsonObject,
  type JsonValue,
  jsonKey,
  type WirePointer,
} from "./values.ts";

/** What a write does to one field. `value` and `objects` are wire values. */
export type Operation =
  | { op: "Set"; value: JsonValue }
  | { op: "Delete" }
  | { op: "Increment"; amount: number }
  | { op: "Add"; objects: JsonValue[] }
  | { op: "AddUnique"; objects: JsonValue[] }
  | { op: "Remove"; objects: JsonValue[] }
  | { op: "Relation"; add: WirePointer[]; remove: WirePointer[] };

/** Reads an operation, or a plain value as Set, from the wire. Throws 107 or 111. */
export function parseOperation(value: unknown): Operation {
  if (!isJsonObject(value) || !("__op" in value)) {
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
      return { op: value.__op, objects: objectsOf(value.objects, value.__op) };
    case "AddRelation":
      return { op: "Relation", add: pointersOf(value.objects), remove: [] };
    case "RemoveRelation":
      return { op: "Relation", add: [], remove: pointersOf(value.objects) };
    case "Batch":
      return parseBatch(value.ops);
    default:
      throw new ProtocolError(
        ErrorCode.COMMAND_UNAVAILABLE,
        `The ${String(value.__op).slice(0, 64)} operator is not supported.`,
      );
  }
}

function objectsOf(value: unknown, op: string): JsonValue[] {
  if (!Array.isArray(value))
    throw new ProtocolError(
      ErrorCode.INVALID_JSON,
      `objects to ${op === "Remove" ? "remove" : "add"} must be an array`,
    );
  assertStorable(value);
  return value;
}

function pointersOf(value: unknown): WirePointer[] {
  if (!Array.isArray(value) || !value.every(isPointer)) {
    throw new ProtocolError(ErrorCode.INVALID_JSON, "the objects of a relation must be pointers");
  }
  if (value.length > MAX_RELATION_OBJECTS) throw tooManyRelated();
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
  if (add.length + remove.length > MAX_RELATION_OBJECTS) throw tooManyRelated();
  return { op: "Relation", add, remove };
}

function tooManyRelated(): ProtocolError {
  return new ProtocolError(
    ErrorCode.INVALID_JSON,
    `an operation on a relation takes ${MAX_RELATION_OBJECTS} objects at most`,
  );
}

/** An operation whose result the client cannot know by itself, so that the answer must tell it. */
export function isEchoed(operation: Operation): boolean {
  return operation.op !== "Set" && operation.op !== "Delete" && operation.op !== "Relation";
}

/**
 * The field's value after the operation; undefined when the field is gone.
 * Relations live outside the object and are not applied here. Throws 111 on a type clash.
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
      return [...arrayOf(current), ...operation.objects];
    case "AddUnique":
      return withUnique(arrayOf(current), operation.objects);
    case "Remove": {
      const removed = new Set(operation.objects.map(jsonKey));
      return arrayOf(current).filter((item) => !removed.has(jsonKey(item)));
    }
    case "Relation":
      return current;
  }
}

function withUnique(items: readonly JsonValue[], added: readonly JsonValue[]): JsonValue[] {
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

function arrayOf(value: JsonValue | undefined): JsonValue[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value))
    throw new ProtocolError(ErrorCode.INCORRECT_TYPE, "cannot add to or remove from a non-array");
  return value;
}

/**
 * Applies operations, by field or dotted path, to a copy of an object; nested objects on the way are
 * made where they are missing. Positions in arrays are those before the operations. Relations are left out. Throws 111
 * on a type clash.
 */
export function applyOperations(
  object: JsonObject,
  operations: Readonly<Record<string, Operation>>,
): JsonObject {
  const changed = new ChangedObject(object);
  for (const [path, operation] of Object.entries(operations)) {
    if (operation.op !== "Relation") changed.apply(path.split("."), operation);
  }
  return changed.close();
}

/**
 * A copy of an object, of which only what is changed is copied, and that once however many operations change it: an
 * object may have as many keys as a save has paths into it.
 */
class ChangedObject {
  readonly #root: JsonObject;
  /** Objects that are copies, and so may be changed. */
  readonly #copies = new WeakSet<JsonObject>();
  /** Arrays that are being changed: their items by position, and where they are. */
  readonly #arrays = new Map<JsonObject, { holder: JsonObject; key: string }>();

  constructor(object: JsonObject) {
    this.#root = { ...object };
    this.#copies.add(this.#root);
  }

  apply(path: readonly string[], operation: Operation): void {
    let target = this.#root;
    for (const key of path.slice(0, -1)) {
      const current = own(target, key);
      if (current === undefined && operation.op === "Delete") return;
      target = this.#open(target, key, current);
    }
    const key = path.at(-1) ?? "";
    const current = own(target, key);
    // An operation on the whole of an array, parts of which have been changed.
    const isOpen = isJsonObject(current) && this.#arrays.has(current);
    const value = applyOperation(isOpen ? this.#closeArray(current) : current, operation);
    if (value === undefined) delete target[key];
    else target[key] = value;
  }

  /** The object with its arrays as arrays again. */
  close(): JsonObject {
    // Those within others were opened after them.
    for (const items of [...this.#arrays.keys()].reverse()) this.#closeArray(items);
    return this.#root;
  }

  /** What is at a key of an object, so that it may be changed; an array as an object of its items. */
  #open(holder: JsonObject, key: string, current: JsonValue | undefined): JsonObject {
    if (isJsonObject(current) && (this.#copies.has(current) || this.#arrays.has(current))) return current;
    if (current !== undefined && current !== null && typeof current !== "object") {
      throw new ProtocolError(ErrorCode.INCORRECT_TYPE, `cannot set a key of ${key}, which is not an object`);
    }
    const opened: JsonObject = Array.isArray(current)
      ? Object.fromEntries(current.entries())
      : { ...current };
    if (Array.isArray(current)) this.#arrays.set(opened, { holder, key });
    else this.#copies.add(opened);
    holder[key] = opened;
    return opened;
  }

  #closeArray(items: JsonObject): JsonValue[] {
    const place = this.#arrays.get(items);
    this.#arrays.delete(items);
    const array = Object.values(items).filter((item) => item !== undefined);
    if (place && own(place.holder, place.key) === items) place.holder[place.key] = array;
    return array;
  }
}

function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
