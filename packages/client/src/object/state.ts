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
  #pending: Map<string, Op>[] = [];
  /**
   * Structured values that were handed out, as text of what the server has, to notice changes made in place.
   * What nobody has asked for nobody has changed.
   */
  #handedOut: Map<string, string> | undefined;
  #estimate: Readonly<Fields> | undefined;
  #queue: Promise<unknown> | undefined;

  /** Server data with all pending operations applied. The same object until something changes. */
  attributes(owner: () => RelationParent): Readonly<Fields> {
    this.#estimate ??= Object.freeze(this.#estimated(owner));
    return this.#estimate;
  }

  #estimated(owner: () => RelationParent): Fields {
    if (this.#pending.every((operations) => operations.size === 0)) return this.serverData;
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
    return fields;
  }

  /** One of the attributes, for somebody who may change it in place. */
  field(key: string, owner: () => RelationParent): unknown {
    this.#handOut(key);
    const isAsServed = !this.#estimate && !this.#pending.some((operations) => touches(operations, key));
    const fields = isAsServed ? this.serverData : this.attributes(owner);
    return Object.hasOwn(fields, key) ? fields[key] : undefined;
  }

  /** All attributes, for somebody who may change them in place. */
  fields(owner: () => RelationParent): Readonly<Fields> {
    for (const key of Object.keys(this.serverData)) this.#handOut(key);
    return this.attributes(owner);
  }

  #handOut(key: string): void {
    if (this.#handedOut?.has(key)) return;
    const value = this.serverData[key];
    if (!isStructured(value)) return;
    this.#handedOut ??= new Map();
    this.#handedOut.set(key, textOf(value) ?? "");
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
    const last = this.#pending.at(-1) ?? new Map<string, Op>();
    if (this.#pending.length === 0) this.#pending.push(last);
    return last;
  }

  /** Separates what is being sent from what will be set meanwhile. */
  beginSave(): void {
    if (this.#pending.length === 0) this.#pending.push(new Map());
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
    const changed = Object.keys(this.changedInPlace(before));
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
    this.#become(fields, Object.keys(answer));
    // What was sent is in the hands of whoever has set it.
    for (const key of [...changed, ...(sent?.keys() ?? [])]) {
      const [field = key] = key.split(".");
      this.#handedOut?.delete(field);
      this.#handOut(field);
    }
  }

  /** Takes fields from the server; undefined ones go, those not named stay. */
  commit(fields: Fields): void {
    const all: Fields = { ...this.serverData, ...fields };
    for (const key in all) if (all[key] === undefined) delete all[key];
    this.#become(all, Object.keys(fields));
  }

  clear(): void {
    this.#become({}, Object.keys(this.serverData));
  }

  #become(serverData: Fields, changed: readonly string[]): void {
    this.serverData = serverData;
    if (this.#handedOut) for (const key of changed) this.#handedOut.delete(key);
    this.#estimate = undefined;
  }

  /** Structured values that were changed in place: they are sent whole. */
  changedInPlace(attributes: Readonly<Fields>): Fields {
    const changed: Fields = {};
    for (const [key, text] of this.#handedOut ?? []) {
      const value = attributes[key];
      if (isStructured(value) && text !== textOf(value)) changed[key] = value;
    }
    return changed;
  }

  /** What a save sends. */
  saveBody(attributes: Readonly<Fields>): JsonObject {
    const [operations = new Map<string, Op>()] = this.#pending;
    const body: JsonObject = {};
    for (const [key, value] of Object.entries(this.changedInPlace(attributes))) {
      if (!touches(operations, key)) body[key] = encode(value);
    }
    for (const [key, op] of operations) body[key] = op.toJSON();
    return body;
  }

  /** Runs tasks of one object one after the other. */
  enqueue<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#queue ? this.#queue.then(task) : task();
    const settled = done.then(
      () => undefined,
      () => undefined,
    );
    this.#queue = settled;
    return done;
  }
}

/** Whether an operation is about the field or a place within it. */
function touches(operations: ReadonlyMap<string, Op>, field: string): boolean {
  if (operations.size === 0) return false;
  return operations.has(field) || [...operations.keys()].some((key) => key.startsWith(`${field}.`));
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
  if (value instanceof Date) return String(value.getTime());
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
