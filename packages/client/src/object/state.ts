import type { JsonObject } from "@purse/protocol";
import { encode, isPlainObject } from "./encode.ts";
import { ParseFile } from "./File.ts";
import { type Op, RelationOp, SetOp } from "./Op.ts";
import { Relation, type RelationParent } from "./Relation.ts";
import { objects } from "./registry.ts";

type Fields = Record<string, unknown>;

/**
 * What is known of one object: the server's data, and apart from it the operations that were not sent
 * yet. While a save is under way, its operations are the first of `#pending` and new ones gather behind.
 */
export class ObjectState {
  serverData: Fields = {};
  /** Whether the object was on the server before this client's first save. */
  existed = false;
  #pending: Map<string, Op>[] = [new Map()];
  /** Structured values as the server has them, as text, to notice changes made in place. */
  #committed = new Map<string, string>();
  #estimate: Readonly<Fields> | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  /** Server data with all pending operations applied. The same object until something changes. */
  attributes(owner: () => RelationParent): Readonly<Fields> {
    if (this.#estimate) return this.#estimate;
    const fields: Fields = { ...this.serverData };
    for (const operations of this.#pending) {
      for (const [key, op] of operations) {
        assign(
          fields,
          key,
          op instanceof RelationOp ? new SetOp(new Relation(owner(), key, op.targetClassName)) : op,
        );
      }
    }
    this.#estimate = Object.freeze(fields);
    return this.#estimate;
  }

  get pending(): readonly ReadonlyMap<string, Op>[] {
    return this.#pending;
  }

  operation(key: string): Op | undefined {
    return this.#pending.findLast((operations) => operations.has(key))?.get(key);
  }

  setOperation(key: string, op: Op): void {
    const operations = this.#last();
    operations.set(key, op.mergeWith(operations.get(key)));
    this.#estimate = undefined;
  }

  /** Takes the changes over that were made to another instance of the object. */
  adopt(other: ObjectState): void {
    for (const operations of other.pending) {
      for (const [key, op] of operations) this.setOperation(key, op);
    }
  }

  dropOperations(keys?: readonly string[]): void {
    const operations = this.#last();
    for (const key of keys ?? [...operations.keys()]) operations.delete(key);
    this.#estimate = undefined;
  }

  #last(): Map<string, Op> {
    const last = this.#pending.at(-1);
    if (last) return last;
    throw new Error("An object's state has no place for operations");
  }

  /** Separates what is being sent from what will be set meanwhile. */
  beginSave(): void {
    this.#pending.push(new Map());
  }

  /** The save failed: its operations wait again, beneath those set meanwhile. */
  failSave(): void {
    const [sent, next, ...rest] = this.#pending;
    if (!sent || !next) return;
    this.#pending = [sent, ...rest];
    for (const [key, op] of next) sent.set(key, this.#merged(key, sent.get(key), op));
    this.#estimate = undefined;
  }

  /** Both operations as one. Where no operation does the same, what the field has become is sent whole. */
  #merged(key: string, before: Op | undefined, op: Op): Op {
    try {
      return op.mergeWith(before);
    } catch (error) {
      if (!before || key.includes(".") || op instanceof RelationOp) throw error;
      return new SetOp(op.applyTo(before.applyTo(this.serverData[key])));
    }
  }

  /**
   * The save succeeded. What the answer does not tell follows from the operations; what it tells wins.
   * Plain objects in the answer are laid over the known ones, as servers tell only what changed.
   */
  finishSave(answer: Fields, owner: () => RelationParent): void {
    const sent = this.#pending.length > 1 ? this.#pending.shift() : undefined;
    const before = this.attributes(owner);
    const fields: Fields = { ...this.serverData };
    for (const [key, op] of sent ?? []) {
      if (op instanceof RelationOp) fields[key] = new Relation(owner(), key, op.targetClassName);
      else if (!(key in answer)) assign(fields, key, op);
    }
    for (const [key, value] of Object.entries(answer)) {
      const known = fields[key] ?? before[key];
      if (value === undefined) delete fields[key];
      else fields[key] = isPlainObject(value) && isPlainObject(known) ? { ...known, ...value } : value;
    }
    this.serverData = fields;
    this.#remember(Object.keys(fields));
  }

  /** Takes fields from the server; undefined ones go, those not named stay. */
  commit(fields: Fields): void {
    this.serverData = { ...this.serverData };
    for (const [key, value] of Object.entries(fields)) {
      if (value === undefined) delete this.serverData[key];
      else this.serverData[key] = value;
    }
    this.#remember(Object.keys(fields));
  }

  clear(): void {
    this.serverData = {};
    this.#committed.clear();
    this.#estimate = undefined;
  }

  #remember(keys: readonly string[]): void {
    for (const key of keys) {
      const value = this.serverData[key];
      if (isStructured(value)) this.#committed.set(key, textOf(value) ?? "");
      else this.#committed.delete(key);
    }
    this.#estimate = undefined;
  }

  /** Structured values that were changed in place: they are sent whole. */
  changedInPlace(attributes: Readonly<Fields>): Fields {
    const changed: Fields = {};
    for (const [key, value] of Object.entries(attributes)) {
      if (isStructured(value) && this.#committed.get(key) !== textOf(value)) changed[key] = value;
    }
    return changed;
  }

  /** What a save sends. */
  saveBody(attributes: Readonly<Fields>): JsonObject {
    const [operations = new Map<string, Op>()] = this.#pending;
    const body: JsonObject = {};
    const dotted = new Set(
      [...operations.keys()].filter((key) => key.includes(".")).map((key) => key.split(".")[0]),
    );
    for (const [key, value] of Object.entries(this.changedInPlace(attributes))) {
      if (!dotted.has(key)) body[key] = encode(value);
    }
    for (const [key, op] of operations) body[key] = op.toJSON();
    return body;
  }

  /** Runs tasks of one object one after the other. */
  enqueue<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(task, task);
    this.#queue = done.catch(() => undefined);
    return done;
  }
}

function isStructured(value: unknown): value is object {
  return (
    typeof value === "object" &&
    value !== null &&
    !objects().isObject(value) &&
    !(value instanceof ParseFile) &&
    !(value instanceof Relation)
  );
}

/** Undefined for what cannot be sent yet, as it holds objects that are not saved. */
function textOf(value: object): string | undefined {
  try {
    return JSON.stringify(encode(value));
  } catch {
    return undefined;
  }
}

function assign(fields: Fields, key: string, op: Op): void {
  const [field = key, ...path] = key.split(".");
  const value = applyAt(fields[field], path, op);
  if (value === undefined) delete fields[field];
  else fields[field] = value;
}

/** A copy of `value` in which the operation changed what is at the path. */
function applyAt(value: unknown, path: readonly string[], op: Op): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return op.applyTo(value);
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => (String(index) === key ? applyAt(item, rest, op) : item));
  }
  const copy: Fields = isPlainObject(value) ? { ...value } : {};
  const changed = applyAt(copy[key], rest, op);
  if (changed === undefined) delete copy[key];
  else copy[key] = changed;
  return copy;
}
