import { isJsonObject, type JsonObject, type JsonValue, jsonEqual } from "@purse/protocol";
import { encode } from "./encode.ts";

/** A change of one field that was not sent yet. */
export interface Op {
  /** The field's value after the operation. */
  applyTo(value: unknown): unknown;
  /** One operation that does what `previous` and then this one do. */
  mergeWith(previous: Op | undefined): Op;
  toJSON(): JsonValue;
}

export class SetOp implements Op {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }

  applyTo(): unknown {
    return this.value;
  }

  mergeWith(): Op {
    return new SetOp(this.value);
  }

  toJSON(): JsonValue {
    return encode(this.value);
  }
}

export class UnsetOp implements Op {
  applyTo(): undefined {
    return undefined;
  }

  mergeWith(): Op {
    return new UnsetOp();
  }

  toJSON(): JsonValue {
    return { __op: "Delete" };
  }
}

export class IncrementOp implements Op {
  readonly amount: number;

  constructor(amount: number) {
    if (typeof amount !== "number")
      throw new TypeError("Increment Op must be initialized with a numeric amount.");
    this.amount = amount;
  }

  applyTo(value: unknown): number {
    if (value === undefined) return this.amount;
    if (typeof value !== "number") throw new TypeError("Cannot increment a non-numeric value.");
    return this.amount + value;
  }

  mergeWith(previous: Op | undefined): Op {
    if (!previous) return this;
    if (previous instanceof SetOp) return new SetOp(this.applyTo(previous.value));
    if (previous instanceof UnsetOp) return new SetOp(this.amount);
    if (previous instanceof IncrementOp) return new IncrementOp(this.applyTo(previous.amount));
    throw cannotMerge();
  }

  toJSON(): JsonValue {
    return { __op: "Increment", amount: this.amount };
  }
}

/** A change of a list by some items. */
export abstract class ListOp implements Op {
  readonly items: readonly unknown[];
  protected abstract readonly name: string;

  constructor(items: unknown) {
    this.items = Array.isArray(items) ? items : [items];
  }

  abstract applyTo(value: unknown): unknown[];

  /** The same operation with these items. */
  protected abstract with(items: readonly unknown[]): ListOp;

  mergeWith(previous: Op | undefined): Op {
    if (!previous) return this;
    if (previous instanceof SetOp) return new SetOp(this.applyTo(previous.value));
    if (previous instanceof UnsetOp) return new SetOp(this.applyTo(undefined));
    if (isSameKind(this, previous)) return this.with([...previous.items, ...this.items]);
    throw cannotMerge();
  }

  toJSON(): JsonValue {
    return { __op: this.name, objects: encode(this.items) };
  }
}

export class AddOp extends ListOp {
  protected readonly name = "Add";

  applyTo(value: unknown): unknown[] {
    return [...listOf(value, "add elements to"), ...this.items];
  }

  protected with(items: readonly unknown[]): AddOp {
    return new AddOp(items);
  }
}

export class AddUniqueOp extends ListOp {
  protected readonly name = "AddUnique";

  constructor(items: unknown) {
    super(unique(items));
  }

  applyTo(value: unknown): unknown[] {
    return unique([...listOf(value, "add elements to"), ...this.items]);
  }

  protected with(items: readonly unknown[]): AddUniqueOp {
    return new AddUniqueOp(items);
  }
}

export class RemoveOp extends ListOp {
  protected readonly name = "Remove";

  constructor(items: unknown) {
    super(unique(items));
  }

  applyTo(value: unknown): unknown[] {
    return listOf(value, "remove elements from").filter((item) => !holds(this.items, item));
  }

  override mergeWith(previous: Op | undefined): Op {
    return previous instanceof UnsetOp ? new UnsetOp() : super.mergeWith(previous);
  }

  protected with(items: readonly unknown[]): RemoveOp {
    return new RemoveOp(items);
  }
}

function isSameKind<T extends object>(op: T, other: object): other is T {
  return op.constructor === other.constructor;
}

/** An object that a relation holds. */
interface Related {
  readonly className: string;
  readonly id?: string | undefined;
}

/** Adds objects to a relation and removes others; all must be saved and of one class. */
export class RelationOp implements Op {
  targetClassName: string | undefined;
  readonly relationsToAdd: readonly string[];
  readonly relationsToRemove: readonly string[];

  constructor(
    adds: readonly (Related | string)[] = [],
    removes: readonly (Related | string)[] = [],
    targetClassName?: string,
  ) {
    this.targetClassName = targetClassName;
    this.relationsToAdd = [...new Set(adds.map((object) => this.#idOf(object)))];
    this.relationsToRemove = [...new Set(removes.map((object) => this.#idOf(object)))];
  }

  #idOf(object: Related | string): string {
    if (typeof object === "string") return object;
    if (!object.id) throw new Error("You cannot add or remove an unsaved Parse Object from a relation");
    this.targetClassName ??= object.className;
    if (this.targetClassName === object.className) return object.id;
    throw new Error(
      `Tried to create a Relation with 2 different object types: ${this.targetClassName} and ${object.className}.`,
    );
  }

  /** The relation itself is made by the object that holds it. */
  applyTo(value: unknown): unknown {
    return value;
  }

  mergeWith(previous: Op | undefined): Op {
    if (!previous) return this;
    if (previous instanceof UnsetOp) throw new Error("You cannot modify a relation after deleting it.");
    if (!(previous instanceof RelationOp)) throw cannotMerge();
    const target = previous.targetClassName;
    if (target && this.targetClassName && target !== this.targetClassName) {
      throw new Error(
        `Related object must be of class ${target}, but ${this.targetClassName} was passed in.`,
      );
    }
    const added = previous.relationsToAdd.filter((id) => !this.relationsToRemove.includes(id));
    const removed = previous.relationsToRemove.filter((id) => !this.relationsToAdd.includes(id));
    return new RelationOp(
      [...added, ...this.relationsToAdd],
      [...removed, ...this.relationsToRemove],
      target ?? this.targetClassName,
    );
  }

  toJSON(): JsonValue {
    const pointers = (ids: readonly string[]): JsonValue[] =>
      ids.map((objectId) => ({ __type: "Pointer", className: this.targetClassName ?? "", objectId }));
    const adds: JsonObject | null =
      this.relationsToAdd.length > 0 ? { __op: "AddRelation", objects: pointers(this.relationsToAdd) } : null;
    const removes: JsonObject | null =
      this.relationsToRemove.length > 0
        ? { __op: "RemoveRelation", objects: pointers(this.relationsToRemove) }
        : null;
    if (adds && removes) return { __op: "Batch", ops: [adds, removes] };
    return adds ?? removes ?? {};
  }
}

/** Reads an operation from the wire; undefined for what is none. `decode` reads the values in it. */
export function opFromJSON(json: JsonObject, decode: (value: JsonValue) => unknown): Op | undefined {
  switch (json.__op) {
    case "Delete":
      return new UnsetOp();
    case "Increment":
      return new IncrementOp(Number(json.amount));
    case "Add":
      return new AddOp(decode(json.objects ?? []));
    case "AddUnique":
      return new AddUniqueOp(decode(json.objects ?? []));
    case "Remove":
      return new RemoveOp(decode(json.objects ?? []));
    case "AddRelation":
      return relationOp(json.objects, []);
    case "RemoveRelation":
      return relationOp([], json.objects);
    case "Batch":
      return batchFromJSON(json, decode);
    default:
      return undefined;
  }
}

function batchFromJSON(json: JsonObject, decode: (value: JsonValue) => unknown): Op | undefined {
  let merged: Op | undefined;
  for (const entry of Array.isArray(json.ops) ? json.ops : []) {
    const op = isJsonObject(entry) ? opFromJSON(entry, decode) : undefined;
    if (op) merged = op.mergeWith(merged);
  }
  return merged;
}

function relationOp(adds: JsonValue | undefined, removes: JsonValue | undefined): RelationOp {
  const pointers = [adds, removes].map((list) => (Array.isArray(list) ? list.filter(isJsonObject) : []));
  const [added = [], removed = []] = pointers.map((list) => list.map((pointer) => String(pointer.objectId)));
  const className = pointers.flat()[0]?.className;
  return new RelationOp(added, removed, typeof className === "string" ? className : undefined);
}

function listOf(value: unknown, action: string): unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new TypeError(`Cannot ${action} a non-array value`);
  return value;
}

function unique(items: unknown): unknown[] {
  const kept: unknown[] = [];
  for (const item of Array.isArray(items) ? items : [items]) if (!holds(kept, item)) kept.push(item);
  return kept;
}

function holds(items: readonly unknown[], item: unknown): boolean {
  return items.some((other) => same(item, other));
}

/** Equality as the server judges it; objects that are not saved are equal only to themselves. */
function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return false;
  if (isUnsaved(a) || isUnsaved(b)) return false;
  return jsonEqual(encode(a), encode(b));
}

function isUnsaved(value: object): boolean {
  return "toPointer" in value && "id" in value && !value.id;
}

function cannotMerge(): Error {
  return new Error("Cannot merge this Op with the previous Op");
}
