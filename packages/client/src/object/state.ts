import { isJsonObject, isWireDate, type JsonObject, type JsonValue, jsonKey } from "@purse/protocol";
import { copyOf, type EncodeOptions, encode, isPlainObject } from "./encode.ts";
import { type Op, RelationOp, SetOp, UnsetOp } from "./Op.ts";
import { Relation, type RelationParent } from "./Relation.ts";
import { objects } from "./registry.ts";
import { decodeField, holdsObject, isTimestamp, withPointers } from "./serverFields.ts";
import { sharesInstances } from "./sharing.ts";
import { isFile } from "./valueTypes.ts";

type Fields = Record<string, unknown>;
type Operations = Map<string, Op>;

/* Stand for what an object has nothing of: most stay as they came, and there are many. */
const NO_FIELDS: JsonObject = Object.freeze({});
const NO_OPERATIONS: readonly Operations[] = [];

/**
 * What is known of one object: the server's data, and apart from it the operations that were not sent
 * yet. While a save is under way, its operations are the first of `pending` and new ones gather behind.
 */
export class ObjectState {
  /** Whether the object was on the server before this client's first save. */
  existed = false;
  pending: readonly Operations[] = NO_OPERATIONS;
  /** The server's data as it travels. What is within is never changed: other objects may hold it too. */
  #wire = NO_FIELDS;
  /**
   * Those structured fields that somebody has asked for or set, decoded. They may be changed in place, which shows
   * beside what travelled.
   */
  #values: Fields | undefined = undefined;
  #estimate: Readonly<Fields> | undefined = undefined;
  /** What the last save sent. */
  #sent = NO_FIELDS;
  /** What is under way with the object; see inTurn. */
  queue: Promise<unknown> | undefined = undefined;

  /** What the server has in a field. */
  served(key: string): unknown {
    // Every object has a few members by name.
    if (!Object.hasOwn(this.#wire, key)) return undefined;
    const wire = this.#wire[key];
    return (wire && typeof wire === "object") || isTimestamp(key) ? this.#decoded(key, wire) : wire;
  }

  #decoded(key: string, wire: JsonValue | undefined): unknown {
    this.#values ??= {};
    const known = this.#values[key];
    if (typeof known === "object") return known;
    const value = decodeField(key, wire);
    this.#values[key] = value;
    return value;
  }

  /** Server data with all pending operations applied. Frozen; the same object until something changes. */
  attributes(owner: RelationParent): Readonly<Fields> {
    if (this.#estimate) return this.#estimate;
    const fields: Fields = {};
    for (const key in this.#wire) if (isField(key)) fields[key] = this.served(key);
    for (const operations of this.pending) {
      for (const [key, op] of operations) assign(fields, key, op, owner);
    }
    for (const key in fields) if (fields[key] === undefined) delete fields[key];
    this.#estimate = Object.freeze(fields);
    return fields;
  }

  /** One of the attributes. */
  field(key: string, owner: RelationParent): unknown {
    if (!this.#touches(key)) return this.served(key);
    const fields = this.attributes(owner);
    return Object.hasOwn(fields, key) ? fields[key] : undefined;
  }

  /** Whether an operation is about the field or a place within it. */
  #touches(field: string): boolean {
    for (const operations of this.pending) if (touches(operations, field)) return true;
    return false;
  }

  /** Whether the server's data is known, more of it than its session. */
  isAvailable(): boolean {
    for (const key in this.#wire) if (isField(key) && key !== "sessionToken") return true;
    return false;
  }

  /** All values in which objects or files can be that are not saved. */
  held(): unknown[] {
    const values: unknown[] = [];
    for (const key in this.#values) {
      const op = this.operation(key);
      if (!(op instanceof SetOp || op instanceof UnsetOp)) values.push(this.#values[key]);
    }
    for (const operations of this.pending) {
      for (const { value, items } of operations.values()) values.push(value, items);
    }
    return values;
  }

  operation(key: string): Op | undefined {
    return this.pending.findLast((operations) => operations.has(key))?.get(key);
  }

  setOperation(key: string, op: Op): void {
    const operations = this.#last();
    const previous = operations.get(key);
    operations.set(key, previous ? op.mergeWith(previous) : op);
    this.#estimate = undefined;
  }

  /** Takes the changes over that were made to another instance of the object. */
  adopt(other: ObjectState): void {
    for (const operations of other.pending) {
      for (const [key, op] of operations) this.setOperation(key, op);
    }
  }

  /** Becomes like the state of another instance. */
  take(other: ObjectState): void {
    this.#wire = other.#wire;
    this.adopt(other);
  }

  dropOperations(keys?: readonly string[]): void {
    const operations = this.pending.at(-1);
    for (const key of keys ?? operations?.keys() ?? []) operations?.delete(key);
    this.#estimate = undefined;
  }

  #last(): Operations {
    const last = this.pending.at(-1) ?? new Map<string, Op>();
    if (this.pending.length === 0) this.pending = [last];
    return last;
  }

  /** Separates what is being sent from what will be set meanwhile. */
  beginSave(): void {
    this.#last();
    this.pending = [...this.pending, new Map()];
  }

  /** The save failed: its operations wait again, beneath those set meanwhile. */
  failSave(): void {
    const [sent, next, ...rest] = this.pending;
    if (!sent || !next) return;
    this.pending = [sent, ...rest];
    for (const [key, op] of next) sent.set(key, this.#merged(key, sent.get(key), op));
    this.#estimate = undefined;
  }

  /** Both operations as one. Where no operation does the same, what the field has become is sent whole. */
  #merged(key: string, before: Op | undefined, op: Op): Op {
    try {
      return op.mergeWith(before);
    } catch (error) {
      if (!before || key.includes(".") || op instanceof RelationOp) throw error;
      return new SetOp(op.applyTo(before.applyTo(this.served(key))));
    }
  }

  /**
   * The save succeeded. What the answer does not tell follows from what was sent; what it tells wins.
   * Plain objects in the answer are laid over the known ones, as servers tell only what changed.
   */
  finishSave(answer: JsonObject, owner: RelationParent): void {
    const [sent, ...rest] = this.pending;
    const fields: Fields = {};
    const travelled: JsonObject = {};
    if (sent && rest.length > 0) {
      this.pending = rest;
      for (const [key, op] of sent) {
        if (!(op instanceof RelationOp) && Object.hasOwn(answer, key)) continue;
        const field = fieldOf(key);
        if (!Object.hasOwn(fields, field)) fields[field] = this.served(field);
        assign(fields, key, op, owner);
        if (op instanceof SetOp) travelled[key] = this.#sent[key] ?? null;
      }
    }
    this.#sent = NO_FIELDS;
    this.commitValues(fields, travelled);
    const told: JsonObject = { ...answer };
    for (const key in told) {
      const [value, known] = [told[key], this.#wire[key]];
      if (key !== "ACL" && isPlain(value) && isPlain(known)) told[key] = { ...known, ...value };
    }
    this.commit(told);
  }

  /** Takes fields from the server, as they travel; those not named stay. The JSON is the object's from now on. */
  commit(fields: JsonObject): void {
    // Objects within that others share become what is told now, and not when somebody asks for them.
    const shared: Fields = {};
    if (sharesInstances()) {
      for (const key in fields) if (holdsObject(fields[key])) shared[key] = decodeField(key, fields[key]);
    }
    const { createdAt, updatedAt = createdAt } = fields;
    const wire = this.#wire === NO_FIELDS ? fields : { ...this.#wire, ...fields };
    if (updatedAt) wire.updatedAt = updatedAt;
    for (const key in fields) {
      const value = fields[key];
      if (this.#values) this.#values[key] = undefined;
      if (key === "__proto__" || (isJsonObject(value) && value.__op === "Delete")) delete wire[key];
      else if (isTimestamp(key) && isWireDate(value)) wire[key] = value.iso;
    }
    this.#become(wire, shared);
  }

  /** Takes values as applications know them, as if the server had told them; undefined ones go. */
  commitValues(fields: Fields, travelled = NO_FIELDS): void {
    const wire = { ...this.#wire };
    const values: Fields = {};
    for (const key in fields) {
      const value = fields[key];
      values[key] = typeof value === "object" && value !== null ? value : undefined;
      if (value === undefined) delete wire[key];
      else wire[key] = travelled[key] ?? wireOf(key, value);
    }
    this.#become(wire, values);
  }

  #become(wire: JsonObject, values: Fields): void {
    this.#wire = wire;
    this.#estimate = undefined;
    for (const key in values) {
      this.#values ??= {};
      this.#values[key] = values[key];
    }
  }

  clear(): void {
    this.#wire = NO_FIELDS;
    this.#values = undefined;
    this.#estimate = undefined;
  }

  /** The fields whose structured values were changed in place: they are sent whole. */
  changedInPlace(): string[] {
    const changed: string[] = [];
    for (const key in this.#values) {
      const value = this.#values[key];
      if (isStructured(value) && !isTimestamp(key) && isChanged(key, value, this.#wire[key]))
        changed.push(key);
    }
    return changed;
  }

  /** What is changed: fields, places within and the fields in which those are. */
  changedKeys(): string[] {
    const keys = this.pending.flatMap((operations) => [...operations.keys()]);
    return [...new Set([...this.changedInPlace(), ...keys, ...keys.map(fieldOf)])];
  }

  /** Whether there is something to save. */
  isChanged(): boolean {
    for (const { size } of this.pending) if (size > 0) return true;
    return this.changedInPlace().length > 0;
  }

  /** What a save sends. */
  saveBody(): JsonObject {
    const operations = this.#last();
    const body: JsonObject = {};
    for (const key of this.changedInPlace()) {
      if (!touches(operations, key)) operations.set(key, new SetOp(this.#values?.[key]));
    }
    for (const [key, op] of operations) {
      if (!(op instanceof SetOp) || isSent(op.value)) body[key] = op.toJSON();
    }
    this.#sent = body;
    return body;
  }

  /** All fields as they travel, in copies; operations where only the server knows what they make. */
  toJSON(owner: RelationParent, options: EncodeOptions): JsonObject {
    if (this.pending.every(({ size }) => size === 0)) return this.#servedJSON(options);
    const json: JsonObject = {};
    const fields = this.attributes(owner);
    for (const key in fields) json[key] = travelling(key, fields[key], options);
    for (const [key, op] of this.pending[0] ?? []) {
      if (!key.includes(".") && !(op instanceof SetOp)) json[key] = op.toJSON();
    }
    return json;
  }

  #servedJSON(options: EncodeOptions): JsonObject {
    const json: JsonObject = { ...this.#wire };
    for (const key in json) {
      const wire = json[key];
      if (typeof wire !== "object" || wire === null) continue;
      const value = this.#values?.[key];
      if (typeof value === "object") json[key] = encode(value, options);
      else if (sharesInstances() && holdsObject(wire)) json[key] = encode(this.served(key), options);
      else json[key] = copyOf(wire);
    }
    return json;
  }
}

/** Whether a key of what travelled is a field. */
function isField(key: string): boolean {
  return key !== "objectId";
}

/** The field that an operation on "field.place.within" is about. */
function fieldOf(key: string): string {
  return key.split(".", 1)[0] ?? key;
}

/** Whether one of the operations is about the field or a place within it. */
function touches(operations: Operations, field: string): boolean {
  if (operations.size === 0) return false;
  if (operations.has(field)) return true;
  for (const key of operations.keys()) if (key.startsWith(`${field}.`)) return true;
  return false;
}

function isSent(value: unknown): boolean {
  return value !== undefined && typeof value !== "function";
}

function isStructured(value: unknown): value is object {
  return (
    typeof value === "object" &&
    value !== null &&
    !objects().isObject(value) &&
    !isFile(value) &&
    !(value instanceof Relation)
  );
}

/** Whether a value is another one than what travelled. One that cannot travel is. */
function isChanged(key: string, value: object, wire: JsonValue = null): boolean {
  try {
    const now = jsonKey(encode(value));
    return now !== jsonKey(wire) && now !== jsonKey(encode(decodeField(key, withPointers(wire))));
  } catch {
    return true;
  }
}

function travelling(key: string, value: unknown, options?: EncodeOptions): JsonValue {
  return isTimestamp(key) && value instanceof Date ? value.toISOString() : encode(value, options);
}

/** A value as the server has it now; an empty object stands for what cannot travel. */
function wireOf(key: string, value: unknown): JsonValue {
  try {
    return travelling(key, value);
  } catch {
    return {};
  }
}

/** An object without a type: servers tell only what changed in it. */
function isPlain(value: JsonValue | undefined): value is JsonObject {
  return isJsonObject(value) && value.__type === undefined && value.__op === undefined;
}

function assign(fields: Fields, key: string, op: Op, owner: RelationParent): void {
  if (op instanceof RelationOp) {
    fields[key] = new Relation(owner, key, op.targetClassName);
    return;
  }
  const [field = key, ...path] = key.split(".");
  fields[field] = applyAt(fields[field], path, op);
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
