import { isJsonObject, isWireDate, type JsonObject, type JsonValue, ownValue } from "@purse/protocol";
import { deepCopy, type EncodeOptions, encode } from "./encode.ts";
import {
  affects,
  assign,
  fieldOf,
  isChanged,
  isField,
  isPlain,
  isSendable,
  isStructured,
  isWithin,
  toWire,
  toWireOrEmpty,
} from "./fieldValues.ts";
import { type Op, RelationOp, SetOp, UnsetOp } from "./Op.ts";
import type { RelationParent } from "./Relation.ts";
import { containsObject, decodeField, isTimestamp } from "./serverFields.ts";
import { isSingleInstance } from "./singleInstanceMode.ts";

type Fields = Record<string, unknown>;
type Operations = Map<string, Op>;

/* Shared by all unchanged objects to save memory. */
const NO_FIELDS: JsonObject = Object.freeze({});
const NO_OPERATIONS: readonly Operations[] = [];

/**
 * The state of one object: the server's data and, separately, the unsaved
 * operations. While a save is running, its operations are the first of `pending` and new ones follow.
 */
export class ObjectState {
  /** Whether the object was on the server before this client's first save. */
  existed = false;
  pending: readonly Operations[] = NO_OPERATIONS;
  /** The server's data in wire format. Nested values are never mutated: other objects may share them. */
  #wire = NO_FIELDS;
  /**
   * The decoded values of structured fields that were read or set. They may be mutated in place, which is
   * detected by comparison with the wire format.
   */
  #values: Fields | undefined = undefined;
  #estimate: Readonly<Fields> | undefined = undefined;
  /** The body of the last save. */
  #sent = NO_FIELDS;
  /** The pending tasks of the object; see taskQueue.ts. */
  queue: Promise<unknown> | undefined = undefined;

  /** The server's value of a field. */
  serverValue(key: string): unknown {
    // Names such as "constructor" must not be looked up in the prototype.
    if (!Object.hasOwn(this.#wire, key)) return undefined;
    const wire = this.#wire[key];
    return (wire && typeof wire === "object") || isTimestamp(key) ? this.#decodedValue(key, wire) : wire;
  }

  #decodedValue(key: string, wire: JsonValue | undefined): unknown {
    this.#values ??= {};
    const known = this.#values[key];
    if (typeof known === "object") return known;
    const value = decodeField(key, wire);
    this.#values[key] = value;
    return value;
  }

  /** The server's data with all pending operations applied. Frozen; the same object until something changes. */
  attributes(owner: RelationParent): Readonly<Fields> {
    if (this.#estimate) return this.#estimate;
    const fields: Fields = {};
    for (const key in this.#wire) if (isField(key)) fields[key] = this.serverValue(key);
    for (const operations of this.pending) {
      for (const [key, op] of operations) assign(fields, key, op, owner);
    }
    for (const key in fields) if (fields[key] === undefined) delete fields[key];
    this.#estimate = Object.freeze(fields);
    return fields;
  }

  /** One of the attributes. */
  field(key: string, owner: RelationParent): unknown {
    if (!this.#isAffected(key)) return this.serverValue(key);
    const fields = this.attributes(owner);
    return ownValue(fields, key);
  }

  /** Whether a pending operation affects the field or a path in it. */
  #isAffected(field: string): boolean {
    for (const operations of this.pending) if (affects(operations, field)) return true;
    return false;
  }

  /** Whether server data other than the session token is known. */
  isAvailable(): boolean {
    for (const key in this.#wire) if (isField(key) && key !== "sessionToken") return true;
    return false;
  }

  /** All values that may contain unsaved objects or files. */
  nestedValues(): unknown[] {
    const values: unknown[] = [];
    for (const key in this.#values) {
      const op = this.operation(key);
      if (!(op instanceof SetOp || op instanceof UnsetOp)) values.push(this.#values[key]);
    }
    for (const operations of this.pending) {
      for (const op of operations.values()) {
        for (let each: Op | undefined = op; each; each = each.before) values.push(each.value, each.items);
      }
    }
    return values;
  }

  operation(key: string): Op | undefined {
    return this.pending.findLast((operations) => operations.has(key))?.get(key);
  }

  setOperation(key: string, op: Op): void {
    const operations = this.#currentOperations();
    const previous = operations.get(key);
    setLast(operations, key, previous ? op.mergeWith(previous) : op);
    this.#estimate = undefined;
  }

  /** Merges the operations of another instance of the object. */
  mergeOperations(other: ObjectState): void {
    for (const operations of other.pending) {
      for (const [key, op] of operations) this.setOperation(key, op);
    }
  }

  /** Copies the state of another instance. */
  copyFrom(other: ObjectState): void {
    this.#wire = other.#wire;
    this.mergeOperations(other);
  }

  /** Discards operations on fields or paths and on parts of them, or all. */
  dropOperations(keys?: readonly string[]): void {
    const operations = this.pending.at(-1);
    if (operations) for (const key of keys ?? operations.keys()) drop(operations, key);
    this.#estimate = undefined;
  }

  #currentOperations(): Operations {
    const last = this.pending.at(-1) ?? new Map<string, Op>();
    if (this.pending.length === 0) this.pending = [last];
    return last;
  }

  /** Separates the operations that are being sent from later ones. */
  beginSave(): void {
    this.#currentOperations();
    this.pending = [...this.pending, new Map()];
  }

  /** After a failed save: its operations are pending again, before those set meanwhile. */
  failSave(): void {
    const [sent, next, ...rest] = this.pending;
    if (!sent || !next) return;
    this.pending = [sent, ...rest];
    for (const [key, op] of next) setLast(sent, key, this.#merged(key, sent.get(key), op));
    this.#estimate = undefined;
  }

  /** Merges both operations. If they cannot be merged, the resulting value is set instead. */
  #merged(key: string, before: Op | undefined, op: Op): Op {
    try {
      return op.mergeWith(before);
    } catch (error) {
      if (!before || key.includes(".") || op instanceof RelationOp) throw error;
      return new SetOp(op.applyTo(before.applyTo(this.serverValue(key))));
    }
  }

  /**
   * After a successful save: fields of the response win; others are derived from the sent operations.
   * Plain objects in the response are merged into the known ones, because servers send only what changed.
   */
  finishSave(response: JsonObject, owner: RelationParent): void {
    const [sent, ...rest] = this.pending;
    const fields: Fields = {};
    const wireValues: JsonObject = {};
    if (sent && rest.length > 0) {
      this.pending = rest;
      for (const [key, op] of sent) {
        if (!(op instanceof RelationOp) && Object.hasOwn(response, key)) continue;
        const field = fieldOf(key);
        if (!Object.hasOwn(fields, field)) fields[field] = this.serverValue(field);
        assign(fields, key, op, owner);
        if (op instanceof SetOp) wireValues[key] = this.#sent[key] ?? null;
      }
    }
    this.#sent = NO_FIELDS;
    this.commitValues(fields, wireValues);
    const merged: JsonObject = { ...response };
    for (const key in merged) {
      const [value, known] = [merged[key], this.#wire[key]];
      if (key !== "ACL" && isPlain(value) && isPlain(known)) merged[key] = { ...known, ...value };
    }
    this.commit(merged);
  }

  /** Merges fields from the server, in wire format. Takes ownership of the JSON. */
  commit(fields: JsonObject): void {
    // Shared nested objects are updated now, not when the field is first read.
    const shared: Fields = {};
    if (isSingleInstance()) {
      for (const key in fields) if (containsObject(fields[key])) shared[key] = decodeField(key, fields[key]);
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
    this.#replace(wire, shared);
  }

  /** Merges decoded values as if they came from the server; undefined removes a field. */
  commitValues(fields: Fields, wireValues = NO_FIELDS): void {
    const wire = { ...this.#wire };
    const values: Fields = {};
    for (const key in fields) {
      const value = fields[key];
      values[key] = typeof value === "object" && value !== null ? value : undefined;
      if (value === undefined) delete wire[key];
      else wire[key] = ownValue(wireValues, key) ?? toWireOrEmpty(key, value);
    }
    this.#replace(wire, values);
  }

  #replace(wire: JsonObject, values: Fields): void {
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

  /** The fields whose structured values were mutated in place: they are sent as a whole. */
  mutatedKeys(): string[] {
    const changed: string[] = [];
    for (const key in this.#values) {
      const value = this.#values[key];
      if (isStructured(value) && !isTimestamp(key) && isChanged(key, value, this.#wire[key]))
        changed.push(key);
    }
    return changed;
  }

  /** The changed keys: fields, dotted paths and the fields of those. */
  changedKeys(): string[] {
    const keys = this.pending.flatMap((operations) => [...operations.keys()]);
    return [...new Set([...this.mutatedKeys(), ...keys, ...keys.map(fieldOf)])];
  }

  /** Whether there are unsaved changes. */
  isChanged(): boolean {
    for (const { size } of this.pending) if (size > 0) return true;
    return this.mutatedKeys().length > 0;
  }

  /** The body of a save. */
  saveBody(): JsonObject {
    const operations = this.#currentOperations();
    const body: JsonObject = {};
    for (const key of this.mutatedKeys()) {
      if (!affects(operations, key)) operations.set(key, new SetOp(this.#values?.[key]));
    }
    for (const [key, op] of operations) {
      if (!(op instanceof SetOp) || isSendable(op.value)) body[key] = op.toJSON();
    }
    this.#sent = body;
    return body;
  }

  /** All fields in wire format, as copies; operations if only the server knows their result. */
  toJSON(owner: RelationParent, options: EncodeOptions): JsonObject {
    if (this.pending.every(({ size }) => size === 0)) return this.#servedJSON(options);
    const json: JsonObject = {};
    const fields = this.attributes(owner);
    for (const key in fields) json[key] = toWire(key, fields[key], options);
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
      else if (isSingleInstance() && containsObject(wire)) json[key] = encode(this.serverValue(key), options);
      else json[key] = deepCopy(wire);
    }
    return json;
  }
}

/**
 * Sets an operation that applies after the others, as operations do in the order in which they are made. A value replaces
 * what is pending for its parts.
 */
function setLast(operations: Operations, key: string, op: Op): void {
  if (op instanceof SetOp || op instanceof UnsetOp) drop(operations, key);
  else operations.delete(key);
  operations.set(key, op);
}

/** Removes the operations on a field or path and on parts of it. */
function drop(operations: Operations, key: string): void {
  for (const each of operations.keys()) if (isWithin(each, key)) operations.delete(each);
}
