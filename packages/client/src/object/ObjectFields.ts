import { ErrorCode, ProtocolError, type WirePointer } from "@purse/protocol";
import { escapeHtml } from "../escapeHtml.ts";
import { ACL } from "./ACL.ts";
import type { AnyObject } from "./AnyObject.ts";
import { decode } from "./decode.ts";
import { encodeFields, isPlainObject } from "./encode.ts";
import type { Attributes, FieldName, Fields, Item, SetOptions } from "./fieldTypes.ts";
import { AddOp, AddUniqueOp, IncrementOp, Op, opFromJSON, RemoveOp, SetOp, UnsetOp } from "./Op.ts";
import { Relation, type RelationParent } from "./Relation.ts";
import { storedClassName } from "./registry.ts";
import { isTimestamp } from "./serverFields.ts";
import { stateOf } from "./singleInstance.ts";
import { ObjectState } from "./state.ts";

const FIELD_KEY = /^[A-Za-z][0-9A-Za-z_.]*$/;

/**
 * The fields of an object and its unsaved changes, which are operations apart from the server's data.
 * `A` is the type of its fields.
 */
export abstract class ObjectFields<A extends object> {
  declare className: string;
  #id: string | undefined;
  /** @internal */
  _state = new ObjectState();

  constructor(
    className: string | ({ className: string } & Partial<NoInfer<A>>),
    attributes?: Partial<NoInfer<A>>,
  ) {
    const { className: name, ...rest } = typeof className === "string" ? { className } : className;
    this.className = storedClassName(name);
    // Classes created by `extend` call it themselves, with the attributes.
    if (!("__super__" in new.target)) this.initialize(className, attributes);
    const initial = { ...rest, ...attributes };
    if (Object.keys(initial).length > 0) this._init(initial);
  }

  /** Sets the initial fields. Throws if they are invalid. */
  _init(fields: object): void {
    if (!this._set(fields)) throw new Error("Can't create an invalid Parse Object");
  }

  /** A hook for subclasses: called for each new object before its initial fields are set. */
  initialize(..._arguments: unknown[]): void {}

  get id(): string | undefined {
    return this.#id;
  }

  set id(id: string | undefined) {
    this.#id = id;
    if (id) this._state = stateOf(this.className, id, this._state);
  }

  /** Sets the id without sharing state: for snapshots of an object that must not affect its other instances. */
  _setDetachedId(id: string): void {
    this.#id = id;
  }

  /** Saves the changes; see ParseObject. */
  abstract save(): Promise<this>;

  /** All fields, including unsaved changes. Frozen; the same object until something changes. */
  get attributes(): Readonly<A> {
    return this._state.attributes(this) as Readonly<A>;
  }

  get createdAt(): Date | undefined {
    return dateOf(this._state.serverValue("createdAt"));
  }

  get updatedAt(): Date | undefined {
    return dateOf(this._state.serverValue("updatedAt"));
  }

  get<K extends FieldName<A>>(key: K): Fields<A>[K] {
    return this._get(key) as Fields<A>[K];
  }

  _get(key: string): unknown {
    if (key === "objectId") return this.id;
    const value = this._state.field(key, this);
    if (value instanceof Relation) value.ensureParentAndKey(this, key);
    return value;
  }

  /** Whether the field has a value other than null. */
  has(key: FieldName<A>): boolean {
    const value = this._get(key);
    return value !== undefined && value !== null;
  }

  /** The field's value, escaped for HTML. */
  escape(key: FieldName<A>): string {
    return escapeHtml(this._get(key));
  }

  relation<T extends AnyObject = AnyObject>(key: FieldName<A>): Relation<T> {
    const value = this._get(key);
    if (value !== undefined && !(value instanceof Relation)) {
      throw new Error(`Called relation() on non-relation field ${key}`);
    }
    return new Relation<T>(this, key, value?.targetClassName);
  }

  /** Sets one or more fields; returns false (and calls `options.error`) if a name or value is invalid. */
  set<K extends FieldName<A>>(key: K, value: Fields<A>[K], options?: SetOptions): this | false;
  set(fields: Partial<A>, options?: SetOptions): this | false;
  set(key: string | object, value?: unknown, options?: SetOptions): this | false {
    if (typeof key === "string") return this._set({ [key]: value }, options);
    return this._set(key, isSetOptions(value) ? value : undefined);
  }

  _set(fields: object, options: SetOptions = {}): this | false {
    const error = this.#apply(fields, options);
    if (error) options.error?.(this, error);
    return !error && this;
  }

  /** @internal */
  _setOrThrow(fields: object): void {
    const error = this.#apply(fields);
    if (error) throw error;
  }

  /** Sets all of the fields or, if it returns an error, none. */
  #apply(fields: object | null, { unset, ignoreValidation }: SetOptions = {}): Error | false {
    const operations: [string, Op][] = [];
    const values: Attributes = {};
    const readOnly = this._readOnlyAttributes();
    let id = this.#id;
    for (const [key, value] of Object.entries(fields ?? {})) {
      if (isTimestamp(key)) continue;
      if (readOnly.includes(key)) throw new Error(`Cannot modify readonly attribute: ${key}`);
      if (key === "objectId" || key === "id") {
        if (typeof value === "string") id = value;
        continue;
      }
      const op = unset ? new UnsetOp() : operationFor(this, key, value);
      operations.push([key, op]);
      values[key] = op instanceof SetOp ? op.value : op.applyTo(this._get(key));
    }
    const error = !ignoreValidation && this.validate(values);
    if (error) return error;
    if (id !== this.#id) this.id = id;
    for (const [key, op] of operations) this._state.setOperation(key, op);
    return false;
  }

  unset(key: FieldName<A>, options?: SetOptions): this | false {
    return this._set({ [key]: undefined }, { ...options, unset: true });
  }

  increment(key: FieldName<A>, amount = 1): this | false {
    return this.#incrementBy(key, amount, "increment");
  }

  decrement(key: FieldName<A>, amount = 1): this | false {
    return this.#incrementBy(key, amount, "decrement", -1);
  }

  #incrementBy(key: string, amount: unknown, what: string, sign = 1): this | false {
    if (typeof amount !== "number") throw new Error(`Cannot ${what} by a non-numeric amount.`);
    return this._set({ [key]: new IncrementOp(amount * sign) });
  }

  add<K extends FieldName<A>>(key: K, item: Item<Fields<A>[K]>): this | false {
    return this._set({ [key]: new AddOp([item]) });
  }

  addAll<K extends FieldName<A>>(key: K, items: readonly Item<Fields<A>[K]>[]): this | false {
    return this._set({ [key]: new AddOp(items) });
  }

  addUnique<K extends FieldName<A>>(key: K, item: Item<Fields<A>[K]>): this | false {
    return this._set({ [key]: new AddUniqueOp([item]) });
  }

  addAllUnique<K extends FieldName<A>>(key: K, items: readonly Item<Fields<A>[K]>[]): this | false {
    return this._set({ [key]: new AddUniqueOp(items) });
  }

  remove<K extends FieldName<A>>(key: K, item: Item<Fields<A>[K]>): this | false {
    return this._set({ [key]: new RemoveOp([item]) });
  }

  removeAll<K extends FieldName<A>>(key: K, items: readonly Item<Fields<A>[K]>[]): this | false {
    return this._set({ [key]: new RemoveOp(items) });
  }

  /** The pending operation of a field. */
  op(key: FieldName<A>): Op | undefined {
    return this._state.operation(key);
  }

  /** Whether a field, or any field, has unsaved changes; a new object is always dirty. */
  dirty(key?: FieldName<A>): boolean {
    return key === undefined ? !this.id || this._state.isChanged() : this.dirtyKeys().includes(key);
  }

  /** Fields with unsaved changes, including those mutated in place. */
  dirtyKeys(): string[] {
    return this._state.changedKeys();
  }

  /** Whether the object's data has been fetched. */
  isDataAvailable(): boolean {
    return this._state.isAvailable();
  }

  isNew(): boolean {
    return !this.id;
  }

  /** Whether the object was on the server before this client saved it. */
  existed(): boolean {
    return this._state.existed;
  }

  isValid(): boolean {
    return !this.validate(this._state.attributes(this));
  }

  /** Returns an error if the fields are invalid, otherwise false. Subclasses may be stricter. */
  validate(fields: Attributes): Error | false {
    if (fields.ACL !== undefined && !(fields.ACL instanceof ACL)) {
      return new ProtocolError(ErrorCode.OTHER_CAUSE, "ACL must be a Parse ACL.");
    }
    const invalidKey = Object.keys(fields).find((key) => !FIELD_KEY.test(key));
    return (
      invalidKey !== undefined &&
      new ProtocolError(ErrorCode.INVALID_KEY_NAME, `Invalid Key name: "${invalidKey}"`)
    );
  }

  getACL(): ACL | null {
    const acl = this._get("ACL");
    return acl instanceof ACL ? acl : null;
  }

  setACL(acl: ACL, options?: SetOptions): this | false {
    return this._set({ ACL: acl }, options);
  }

  /** Discards unsaved changes of some fields, or of all. */
  revert(...keys: (FieldName<A> | readonly FieldName<A>[])[]): void {
    this._state.dropOperations(keys.length > 0 ? keys.flat() : undefined);
  }

  /** Unsets all fields. */
  clear(): this | false {
    const { createdAt, updatedAt, ...fields }: Attributes = this.attributes;
    for (const key of this._readOnlyAttributes()) delete fields[key];
    return this._set(fields, { unset: true });
  }

  toPointer(): WirePointer {
    if (!this.id) throw new Error("Cannot create a pointer to an unsaved ParseObject");
    return { __type: "Pointer", className: this.className, objectId: this.id };
  }

  /** Fields that only the server sets. */
  _readOnlyAttributes(): readonly string[] {
    const Class = this.constructor;
    const own = "readOnlyAttributes" in Class ? Class.readOnlyAttributes : undefined;
    const list: unknown = typeof own === "function" ? own.call(Class) : [];
    return Array.isArray(list) ? list : [];
  }
}

function operationFor(parent: RelationParent, key: string, value: unknown): Op {
  if (typeof value !== "object" || value === null) return new SetOp(value);
  if (value instanceof Op) return value;
  if (value instanceof Relation) return new SetOp(new Relation(parent, key, value.targetClassName));
  if (!isPlainObject(value)) return new SetOp(value);
  const op = typeof value.__op === "string" && opFromJSON(encodeFields(value), decode);
  return op || new SetOp(key === "ACL" ? ACL.fromJSON(value) : value);
}

function isSetOptions(value: unknown): value is SetOptions {
  return typeof value === "object" && value !== null;
}

function dateOf(value: unknown): Date | undefined {
  return value instanceof Date ? value : undefined;
}
