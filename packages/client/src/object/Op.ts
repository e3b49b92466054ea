import { isJsonObject, isPointer, type JsonObject, type JsonValue, jsonKey } from "@purse/protocol";
import { encode } from "./encode.ts";

/** An unsaved change of one field. */
export abstract class Op {
  /** The new value of the field, if the operation determines it. */
  declare readonly value?: unknown;
  /** The items that are added to a list or removed from it. */
  declare readonly items?: readonly unknown[];
  /** What is applied before this one. */
  declare readonly before?: Op | undefined;

  /** The field's value after the operation. */
  abstract applyTo(value: unknown): unknown;
  /** Returns one operation with the effect of `previous` followed by this one. */
  abstract mergeWith(previous: Op | undefined): Op;
  abstract toJSON(): JsonValue;
}

export class SetOp extends Op {
  declare readonly value: unknown;

  constructor(value: unknown) {
    super();
    this.value = value;
  }

  applyTo(): unknown {
    return this.value;
  }

  mergeWith(): Op {
    return this;
  }

  toJSON(): JsonValue {
    return encode(this.value);
  }
}

export class UnsetOp extends Op {
  applyTo(): undefined {
    return undefined;
  }

  mergeWith(): Op {
    return this;
  }

  toJSON(): JsonValue {
    return { __op: "Delete" };
  }
}

/** An operation relative to the field's current value. */
abstract class ChangeOp extends Op {
  /** Merges an earlier operation of the same kind with this one. */
  protected abstract after(previous: Op): Op | undefined;

  mergeWith(previous: Op | undefined): Op {
    if (!previous) return this;
    if (previous instanceof SetOp || previous instanceof UnsetOp)
      return new SetOp(this.applyTo(previous.value));
    const merged = this.after(previous);
    if (merged) return merged;
    throw cannotMerge();
  }
}

export class IncrementOp extends ChangeOp {
  declare readonly amount: number;

  constructor(amount: number) {
    super();
    if (typeof amount !== "number")
      throw new TypeError("Increment Op must be initialized with a numeric amount.");
    this.amount = amount;
  }

  applyTo(value: unknown): number {
    if (value === undefined || value === null) return this.amount;
    if (typeof value !== "number") throw new TypeError("Cannot increment a non-numeric value.");
    return this.amount + value;
  }

  protected after(previous: Op): Op | undefined {
    return previous instanceof IncrementOp ? new IncrementOp(this.applyTo(previous.amount)) : undefined;
  }

  toJSON(): JsonValue {
    return { __op: "Increment", amount: this.amount };
  }
}

/** Adds items to a list or removes them. */
abstract class ListOp extends ChangeOp {
  declare readonly items: readonly unknown[];
  /** Changes of another kind of the same list, which are applied first. */
  declare readonly before?: ListOp | undefined;
  /** As in wire format. */
  protected abstract readonly name: string;

  constructor(items: unknown) {
    super();
    this.items = Array.isArray(items) ? items : [items];
  }

  protected abstract change(list: unknown[]): unknown[];

  applyTo(value: unknown): unknown[] {
    const list = this.before ? this.before.applyTo(value) : (value ?? []);
    if (Array.isArray(list)) return this.change(list);
    const action = this.name === "Remove" ? "remove elements from" : "add elements to";
    throw new TypeError(`Cannot ${action} a non-array value`);
  }

  protected after(earlier: Op): Op | undefined {
    const previous = this.before?.mergeWith(earlier) ?? earlier;
    if (!(previous instanceof ListOp)) return undefined;
    const isSame = isSameKind(this, previous);
    const items = isSame ? [...previous.items, ...this.items] : this.items;
    const merged: ListOp = Reflect.construct(this.constructor, [items]);
    return Object.assign(merged, { before: isSame ? previous.before : previous });
  }

  toJSON(): JsonValue {
    return batchOf(this.steps());
  }

  protected steps(): JsonObject[] {
    return [...(this.before?.steps() ?? []), { __op: this.name, objects: encode(this.items) }];
  }
}

export class AddOp extends ListOp {
  protected readonly name = "Add";

  protected change(list: unknown[]): unknown[] {
    return [...list, ...this.items];
  }
}

export class AddUniqueOp extends ListOp {
  protected readonly name = "AddUnique";

  constructor(items: unknown) {
    super(unique(items));
  }

  protected change(list: unknown[]): unknown[] {
    return unique([...list, ...this.items]);
  }
}

export class RemoveOp extends ListOp {
  protected readonly name = "Remove";

  constructor(items: unknown) {
    super(unique(items));
  }

  protected change(list: unknown[]): unknown[] {
    const removed = new Set(this.items.map(keyOf));
    return list.filter((item) => !removed.has(keyOf(item)));
  }

  override mergeWith(previous: Op | undefined): Op {
    return previous instanceof UnsetOp && !this.before ? previous : super.mergeWith(previous);
  }
}

function isSameKind<T extends object>(op: T, other: object): other is T {
  return op.constructor === other.constructor;
}

/** A member of a relation, or a pointer to it. */
interface Related {
  readonly className: string;
  readonly id?: string | undefined;
  readonly objectId?: string;
}

/** Adds objects to a relation and removes others; all must be saved and of the same class. */
export class RelationOp extends ChangeOp {
  declare targetClassName: string | undefined;
  /** Whether the object is added (true) or removed, by its id. */
  #changes = new Map<string, boolean>();

  constructor(
    adds: readonly (Related | string)[] = [],
    removes: readonly (Related | string)[] = [],
    targetClassName?: string,
  ) {
    super();
    this.targetClassName = targetClassName;
    for (const object of adds) this.#changes.set(this.#idOf(object), true);
    for (const object of removes) this.#changes.set(this.#idOf(object), false);
  }

  #idOf(object: Related | string): string {
    if (typeof object === "string") return object;
    const { className, id = object.objectId } = object;
    if (!id) throw new Error("You cannot add or remove an unsaved Parse Object from a relation");
    this.targetClassName = oneClass(this.targetClassName, className);
    return id;
  }

  get relationsToAdd(): string[] {
    return this.#ids(true);
  }

  get relationsToRemove(): string[] {
    return this.#ids(false);
  }

  #ids(added: boolean): string[] {
    return [...this.#changes].flatMap(([id, isAdded]) => (isAdded === added ? id : []));
  }

  /** The relation itself is created by its object. */
  applyTo(value: unknown): unknown {
    return value;
  }

  override mergeWith(previous: Op | undefined): Op {
    if (previous instanceof UnsetOp) throw new Error("You cannot modify a relation after deleting it.");
    if (previous instanceof SetOp) throw cannotMerge();
    return super.mergeWith(previous);
  }

  protected after(previous: Op): Op | undefined {
    if (!(previous instanceof RelationOp)) return undefined;
    const merged = new RelationOp([], [], oneClass(previous.targetClassName, this.targetClassName));
    merged.#changes = new Map([...previous.#changes, ...this.#changes]);
    return merged;
  }

  toJSON(): JsonValue {
    const className = this.targetClassName ?? "";
    const change = (__op: string, ids: readonly string[]): JsonObject[] =>
      ids.length > 0
        ? [{ __op, objects: ids.map((id) => ({ __type: "Pointer", className, objectId: id })) }]
        : [];
    const ops = [...change("AddRelation", this.#ids(true)), ...change("RemoveRelation", this.#ids(false))];
    return batchOf(ops);
  }
}

function batchOf(ops: JsonObject[]): JsonObject {
  return ops.length > 1 ? { __op: "Batch", ops } : (ops[0] ?? {});
}

/** Parses an operation in wire format; undefined for anything else. `decode` decodes its values. */
export function opFromJSON(
  { __op, amount, objects = [], ops }: JsonObject,
  decode: (value: JsonValue) => unknown,
): Op | undefined {
  const pointers = Array.isArray(objects) ? objects.filter(isPointer) : [];
  switch (__op) {
    case "Delete":
      return new UnsetOp();
    case "Increment":
      return new IncrementOp(Number(amount));
    case "Add":
      return new AddOp(decode(objects));
    case "AddUnique":
      return new AddUniqueOp(decode(objects));
    case "Remove":
      return new RemoveOp(decode(objects));
    case "AddRelation":
      return new RelationOp(pointers);
    case "RemoveRelation":
      return new RelationOp([], pointers);
    case "Batch": {
      let merged: Op | undefined;
      for (const entry of Array.isArray(ops) ? ops : []) {
        const op = isJsonObject(entry) && opFromJSON(entry, decode);
        if (op) merged = op.mergeWith(merged);
      }
      return merged;
    }
    default:
      return undefined;
  }
}

/** Throws for objects of different classes in one relation. */
function oneClass(target: string | undefined, className: string | undefined): string | undefined {
  if ((target ?? className) === (className ?? target)) return target ?? className;
  throw new Error(`Related object must be of class ${target}, but ${className} was passed in.`);
}

function unique(items: unknown): unknown[] {
  const byKey = new Map<unknown, unknown>();
  for (const item of Array.isArray(items) ? items : [items]) {
    const key = keyOf(item);
    if (!byKey.has(key)) byKey.set(key, item);
  }
  return [...byKey.values()];
}

/** A key that is equal for values that the server considers equal; unsaved objects equal only themselves. */
function keyOf(item: unknown): unknown {
  const isUnsaved = typeof item === "object" && item && "toPointer" in item && "id" in item && !item.id;
  return isUnsaved ? item : jsonKey(encode(item));
}

function cannotMerge(): Error {
  return new Error("Cannot merge this Op with the previous Op");
}
