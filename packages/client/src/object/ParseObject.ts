import {
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ProtocolError,
  type WirePointer,
} from "@purse/protocol";
import { uuid } from "../identity.ts";
import { DEFAULT_PIN, keepDestroyed, keepSynced, localStore } from "../local/pins.ts";
import { type Method, type RequestOptions, request } from "../transport.ts";
import { ACL } from "./ACL.ts";
import { decode, decodeFields } from "./decode.ts";
import { encode, encodeFields, isPlainObject } from "./encode.ts";
import {
  AddOp,
  AddUniqueOp,
  IncrementOp,
  type Op,
  opFromJSON,
  RelationOp,
  RemoveOp,
  SetOp,
  UnsetOp,
} from "./Op.ts";
import { Relation } from "./Relation.ts";
import { classNamed, type ObjectClass, setClass, setObjectFactory } from "./registry.ts";
import {
  destroyAllObjects,
  type FetchOptions,
  fetchAllObjects,
  includePaths,
  type SaveOptions,
  saveAllObjects,
  saveObject,
} from "./saving.ts";
import { ObjectState } from "./state.ts";

export type Attributes = Record<string, unknown>;

/** Fields that every object has. */
export interface BaseAttributes {
  objectId: string;
  createdAt: Date;
  updatedAt: Date;
  ACL: ACL;
}

type Fields<A extends object> = A & BaseAttributes;
export type FieldName<A extends object> = keyof Fields<A> & string;
type Item<V> = V extends readonly (infer I)[] ? I : unknown;

export interface SetOptions {
  unset?: boolean;
  ignoreValidation?: boolean;
  error?: (object: unknown, error: Error) => void;
}

const FIELD_KEY = /^[A-Za-z][0-9A-Za-z_.]*$/;

/**
 * An object of a class on the server. `A` are its fields. Changes gather locally as operations,
 * apart from the server's data, until `save` sends them.
 */
export class ParseObject<A extends object = Attributes> {
  readonly className: string;
  id: string | undefined;
  readonly #state = new ObjectState();

  constructor(
    className: string | ({ className: string } & Partial<NoInfer<A>>),
    attributes?: Partial<NoInfer<A>>,
  ) {
    const { className: name, ...rest } = typeof className === "string" ? { className } : className;
    this.className = name === "User" ? "_User" : name;
    const initial = { ...rest, ...attributes };
    if (Object.keys(initial).length > 0 && !this._set(initial))
      throw new Error("Can't create an invalid Parse Object");
  }

  /** All fields, with the changes that were not saved yet. Frozen; the same object until something changes. */
  get attributes(): Readonly<A> {
    return this._attributes() as Readonly<A>;
  }

  _attributes(): Readonly<Attributes> {
    return this.#state.attributes(() => this);
  }

  get createdAt(): Date | undefined {
    return dateOf(this.#state.serverData.createdAt);
  }

  get updatedAt(): Date | undefined {
    return dateOf(this.#state.serverData.updatedAt);
  }

  get<K extends FieldName<A>>(key: K): Fields<A>[K] {
    return this._get(key) as Fields<A>[K];
  }

  _get(key: string): unknown {
    if (key === "objectId") return this.id;
    const attributes = this._attributes();
    const value = Object.hasOwn(attributes, key) ? attributes[key] : undefined;
    if (value instanceof Relation) value.ensureParentAndKey(this, key);
    return value;
  }

  /** Whether the field has a value other than null. */
  has(key: FieldName<A>): boolean {
    const value = this._get(key);
    return value !== undefined && value !== null;
  }

  /** The field's value as text that is safe in HTML. */
  escape(key: FieldName<A>): string {
    const value = this._get(key) ?? "";
    const entities: Record<string, string> = {
      "&": "&amp;",
      "<": "&lt;",
      ">": "&gt;",
      '"': "&quot;",
      "'": "&#x27;",
      "/": "&#x2F;",
    };
    return String(value).replace(/[&<>'"/]/g, (character) => entities[character] ?? character);
  }

  relation<T extends ParseObject<object> = ParseObject>(key: FieldName<A>): Relation<T> {
    const value = this._get(key);
    if (value !== undefined && !(value instanceof Relation)) {
      throw new Error(`Called relation() on non-relation field ${key}`);
    }
    return new Relation<T>(this, key, value?.targetClassName);
  }

  /** Sets one field or many; false (and `options.error` is told) when a name or value is not allowed. */
  set<K extends FieldName<A>>(key: K, value: Fields<A>[K], options?: SetOptions): this | false;
  set(fields: Partial<A>, options?: SetOptions): this | false;
  set(key: string | object, value?: unknown, options?: SetOptions): this | false {
    if (typeof key === "string") return this._set({ [key]: value }, options);
    return this._set(key, isSetOptions(value) ? value : undefined);
  }

  _set(fields: object, options: SetOptions = {}): this | false {
    const operations = new Map<string, Op>();
    const readOnly = this._readOnlyAttributes();
    let id: string | undefined;
    for (const [key, value] of Object.entries(fields)) {
      if (key === "createdAt" || key === "updatedAt") continue;
      if (readOnly.includes(key)) throw new Error(`Cannot modify readonly attribute: ${key}`);
      if (key === "objectId" || key === "id") id = typeof value === "string" ? value : id;
      else operations.set(key, options.unset ? new UnsetOp() : this.#operationFor(key, value));
    }
    const values: Attributes = {};
    for (const [key, op] of operations)
      values[key] = op instanceof SetOp ? op.value : op.applyTo(this._get(key));
    const error = options.ignoreValidation ? false : this.validate(values);
    if (error) {
      options.error?.(this, error);
      return false;
    }
    if (id !== undefined) this.id = id;
    for (const [key, op] of operations) this.#state.setOperation(key, op);
    return this;
  }

  #operationFor(key: string, value: unknown): Op {
    if (isOp(value)) return value;
    if (isPlainObject(value) && typeof value.__op === "string") {
      const op = opFromJSON(encodeFields(value), decode);
      if (op) return op;
    }
    if (key === "ACL" && isPlainObject(value)) return new SetOp(aclOf(value));
    if (value instanceof Relation) return new SetOp(new Relation(this, key, value.targetClassName));
    return new SetOp(value);
  }

  /** Adds an operation without checks. */
  _setOperation(key: string, op: Op): void {
    this.#state.setOperation(key, op);
  }

  unset(key: FieldName<A>, options?: SetOptions): this | false {
    return this._set({ [key]: undefined }, { ...options, unset: true });
  }

  increment(key: FieldName<A>, amount = 1): this | false {
    if (typeof amount !== "number") throw new Error("Cannot increment by a non-numeric amount.");
    return this._set({ [key]: new IncrementOp(amount) });
  }

  decrement(key: FieldName<A>, amount = 1): this | false {
    if (typeof amount !== "number") throw new Error("Cannot decrement by a non-numeric amount.");
    return this._set({ [key]: new IncrementOp(-amount) });
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

  /** The operation that waits for one field. */
  op(key: FieldName<A>): Op | undefined {
    return this._operation(key);
  }

  _operation(key: string): Op | undefined {
    return this.#state.operation(key);
  }

  /** Whether changes wait to be saved: of one field, or any; a new object is always dirty. */
  dirty(key?: FieldName<A>): boolean {
    if (key === undefined && !this.id) return true;
    const keys = this.dirtyKeys();
    return key === undefined ? keys.length > 0 : keys.includes(key);
  }

  /** Fields with changes, those changed in place included. */
  dirtyKeys(): string[] {
    const keys = new Set(Object.keys(this.#state.changedInPlace(this._attributes())));
    for (const operations of this.#state.pending) {
      for (const key of operations.keys()) {
        keys.add(key);
        if (key.includes(".")) keys.add(key.split(".")[0] ?? key);
      }
    }
    return [...keys];
  }

  /** Whether the object's data came from the server already. */
  isDataAvailable(): boolean {
    return Object.keys(this.#state.serverData).some((key) => key !== "sessionToken");
  }

  isNew(): boolean {
    return !this.id;
  }

  /** Whether the object was on the server before this client saved it. */
  existed(): boolean {
    return this.#state.existed;
  }

  /** Asks the server whether the object is there. */
  async exists(options: RequestOptions = {}): Promise<boolean> {
    if (!this.id) return false;
    const payload = { where: { objectId: this.id }, limit: 1, keys: "objectId" };
    const { body } = await request("GET", `classes/${this.className}`, payload, options);
    return isJsonObject(body) && Array.isArray(body.results) && body.results.length > 0;
  }

  isValid(): boolean {
    return !this.validate(this._attributes());
  }

  /** Says what is wrong with these fields; false for nothing. Subclasses may be stricter. */
  validate(fields: Attributes): Error | false {
    if (Object.hasOwn(fields, "ACL") && fields.ACL !== undefined && !(fields.ACL instanceof ACL)) {
      return new ProtocolError(ErrorCode.OTHER_CAUSE, "ACL must be a Parse ACL.");
    }
    const bad = Object.keys(fields).find((key) => !FIELD_KEY.test(key));
    return bad !== undefined && new ProtocolError(ErrorCode.INVALID_KEY_NAME, `Invalid Key name: "${bad}"`);
  }

  getACL(): ACL | null {
    const acl = this._get("ACL");
    return acl instanceof ACL ? acl : null;
  }

  setACL(acl: ACL, options?: SetOptions): this | false {
    return this._set({ ACL: acl }, options);
  }

  /** Drops changes that were not saved: of some fields, or all. */
  revert(...keys: FieldName<A>[]): void {
    this.#state.dropOperations(keys.length > 0 ? keys : undefined);
  }

  /** Unsets all fields. */
  clear(): this | false {
    const readOnly = this._readOnlyAttributes();
    const keys = Object.keys(this._attributes()).filter(
      (key) => key !== "createdAt" && key !== "updatedAt" && !readOnly.includes(key),
    );
    return this._set(Object.fromEntries(keys.map((key) => [key, undefined])), { unset: true });
  }

  /** A new object with the same fields. */
  clone(): this {
    const copy = this.#instance();
    const readOnly = this._readOnlyAttributes();
    const fields = Object.entries(this._attributes()).filter(([key]) => !readOnly.includes(key));
    copy._set(Object.fromEntries(fields));
    return copy;
  }

  /** Another instance of the same object. */
  newInstance(): this {
    const copy = this.#instance();
    copy.id = this.id;
    copy._commit(this._attributes());
    return copy;
  }

  #instance(): this {
    return createObject(this.className) as this;
  }

  _commit(fields: Attributes): void {
    this.#state.commit(fields);
  }

  equals(other: unknown): boolean {
    if (this === other) return true;
    if (!(other instanceof ParseObject) || other.className !== this.className) return false;
    return this.id !== undefined && other.id === this.id;
  }

  /** Objects that were written already come as pointers, so that circles end. */
  toJSON(seen: readonly ParseObject<object>[] = []): JsonObject {
    const within = [...seen, this];
    const object = (value: { toPointer(): JsonValue }): JsonValue => {
      if (!(value instanceof ParseObject)) return value.toPointer();
      if (within.includes(value)) return value.id ? value.toPointer() : value.toOfflinePointer();
      return value._toFullJSON(within);
    };
    const json: JsonObject = {};
    for (const [key, value] of Object.entries(this._attributes())) {
      if ((key === "createdAt" || key === "updatedAt") && value instanceof Date)
        json[key] = value.toISOString();
      else json[key] = encode(value, { object });
    }
    for (const [key, op] of this.#state.pending[0] ?? []) {
      if (!key.includes(".") && !(op instanceof SetOp)) json[key] = op.toJSON();
    }
    if (this.id) json.objectId = this.id;
    return json;
  }

  _toFullJSON(seen: readonly ParseObject<object>[] = []): JsonObject {
    return { ...this.toJSON(seen), __type: "Object", className: this.className };
  }

  toPointer(): WirePointer {
    if (!this.id) throw new Error("Cannot create a pointer to an unsaved ParseObject");
    return { __type: "Pointer", className: this.className, objectId: this.id };
  }

  /** A reference to an object that has no id yet; only this client understands it. */
  toOfflinePointer(): { __type: "Object"; className: string; _localId: string } {
    return { __type: "Object", className: this.className, _localId: this._localId };
  }
  #localId: string | undefined;

  /** Stands for the id on this device until the object has one. */
  get _localId(): string {
    this.#localId ??= `local${uuid()}`;
    return this.#localId;
  }

  set _localId(localId: string) {
    this.#localId = localId;
  }

  _hasLocalId(): boolean {
    return this.#localId !== undefined;
  }

  /** Keeps the object, and those within, on this device; needs `enableLocalDatastore`. */
  pin(): Promise<void> {
    return this.pinWithName(DEFAULT_PIN);
  }

  unPin(): Promise<void> {
    return this.unPinWithName(DEFAULT_PIN);
  }

  pinWithName(name: string): Promise<void> {
    return ParseObject.pinAllWithName(name, [this]);
  }

  unPinWithName(name: string): Promise<void> {
    return ParseObject.unPinAllWithName(name, [this]);
  }

  async isPinned(): Promise<boolean> {
    return localStore().isPinned(this);
  }

  /** Takes over what is kept of the object on this device. */
  async fetchFromLocalDatastore(): Promise<this> {
    await localStore().restore(this);
    return this;
  }

  async fetch(options: FetchOptions = {}): Promise<this> {
    if (!this.id) throw new ProtocolError(ErrorCode.MISSING_OBJECT_ID, "Object does not have an ID");
    const include = includePaths(options.include);
    const { body } = await request("GET", this._path(), include ? { include } : {}, options);
    if (isJsonObject(body)) this._finishFetch(body, true);
    await this._afterSync();
    await keepSynced([this]);
    return this;
  }

  fetchWithInclude(keys: FetchOptions["include"], options: RequestOptions = {}): Promise<this> {
    return this.fetch({ ...options, include: keys });
  }

  /** Sends the changes, after setting the given fields. Unsaved objects and files within are saved first. */
  save<K extends FieldName<A>>(key: K, value: Fields<A>[K], options?: SaveOptions): Promise<this>;
  save(fields?: Partial<A> | null, options?: SaveOptions): Promise<this>;
  async save(key?: string | object | null, value?: unknown, last?: SaveOptions): Promise<this> {
    const fields = typeof key === "string" ? { [key]: value } : key;
    const options = last ?? (typeof key !== "string" && isPlainObject(value) ? value : {});
    if (fields) this._setOrThrow(fields);
    await saveObject(this, options);
    return this;
  }

  _setOrThrow(fields: object): void {
    let refusal: Error | undefined;
    const done = this._set(fields, {
      error: (_, error) => {
        refusal = error;
      },
    });
    if (!done) throw refusal ?? new Error("The fields are not valid");
  }

  async destroy(options: RequestOptions = {}): Promise<this> {
    if (!this.id) return this;
    await request("DELETE", this._path(), {}, options);
    await this._afterDestroy();
    await keepDestroyed([this]);
    return this;
  }

  /** After the object and the server agree again: what subclasses keep elsewhere follows. */
  async _afterSync(): Promise<void> {}

  async _afterDestroy(): Promise<void> {}

  /** Fields that only the server sets. */
  _readOnlyAttributes(): readonly string[] {
    const made = this.constructor;
    const own = "readOnlyAttributes" in made ? made.readOnlyAttributes : undefined;
    const list: unknown = typeof own === "function" ? own.call(made) : [];
    return Array.isArray(list) ? list : [];
  }

  _path(): string {
    const { className, id } = this;
    if (id) return `classes/${className}/${encodeURIComponent(id)}`;
    return className === "_User" ? "users" : `classes/${className}`;
  }

  _saveParams(): { method: Method; path: string; body: JsonObject } {
    const body = this.#state.saveBody(this._attributes());
    return { method: this.id ? "PUT" : "POST", path: this._path(), body };
  }

  _enqueue<T>(task: () => Promise<T>): Promise<T> {
    return this.#state.enqueue(task);
  }

  _beginSave(): void {
    this.#state.beginSave();
  }

  _failSave(): void {
    this.#state.failSave();
  }

  /** Status 201 means that the object was created; any other that it existed. */
  _finishSave(answer: JsonValue, status: number): void {
    const json = isJsonObject(answer) ? answer : {};
    if (typeof json.objectId === "string") this.id = json.objectId;
    this.#state.finishSave(serverFields(json), () => this);
    if (status !== 201) this.#state.existed = true;
  }

  /** Takes the server's data; with `whole`, instead of what was known. */
  _finishFetch(json: JsonObject, whole = false): void {
    if (typeof json.objectId === "string" && !this.id) this.id = json.objectId;
    const kept = whole ? this._keptOnFetch() : {};
    if (whole) this.#state.clear();
    this.#state.commit({ ...kept, ...serverFields(json) });
    if (this.id) this.#state.existed = true;
  }

  /** Fields that stay when the server's data replaces the known. */
  _keptOnFetch(): Attributes {
    return {};
  }

  /** Forgets one field, as nothing that the server tells. */
  _forget(key: string): void {
    this.#state.commit({ [key]: undefined });
  }

  /** Drops the server's data. */
  _clearServerData(): void {
    this.#state.clear();
  }

  _serverField(key: string): unknown {
    return this.#state.serverData[key];
  }

  /** An object from its JSON, of the subclass registered for its `className`. */
  static fromJSON(json: JsonObject, override = false): ParseObject {
    const { className, __type, ...fields } = json;
    if (typeof className !== "string") throw new Error("Cannot create an object without a className");
    const object = createObject(className);
    if (override) object._clearServerData();
    if (__type === "Pointer") object.id = String(fields.objectId);
    else object._finishFetch(fields);
    return object;
  }

  /** Objects of that class will be made by this constructor, which must work without arguments. */
  static registerSubclass(className: string, objectClass: ObjectClass): void {
    setClass(className === "User" ? "_User" : className, objectClass);
  }

  /** A subclass made at run time, as code without classes does it. */
  static extend(
    className: string | { className: string },
    prototype: object = {},
    statics: object = {},
  ): ObjectClass<ParseObject> & { new (attributes?: Attributes): ParseObject } {
    const given = typeof className === "string" ? className : className.className;
    const name = given === "User" ? "_User" : given;
    const Base = baseFor(name);
    const made = class extends Base {
      static readonly className = name;

      constructor(attributes?: Attributes) {
        super();
        if (attributes) this._set(attributes);
        if ("initialize" in this && typeof this.initialize === "function") this.initialize(attributes);
      }
    };
    for (const [key, value] of Object.entries(prototype)) {
      if (key !== "className")
        Object.defineProperty(made.prototype, key, { value, writable: true, configurable: true });
    }
    Object.assign(made, statics);
    setClass(name, made);
    return made;
  }

  /** Of a subclass: an object that is known only by its id. */
  static createWithoutData<T extends ParseObject<object>>(this: new () => T, id: string): T {
    const object = new this();
    object.id = id;
    return object;
  }

  static async saveAll<T extends ParseObject<object>>(
    list: readonly T[],
    options: SaveOptions = {},
  ): Promise<T[]> {
    await saveAllObjects(list, options);
    return [...list];
  }

  /** Throws AggregateParseError (600) when some could not be deleted. */
  static async destroyAll<T extends ParseObject<object>>(
    list: readonly T[],
    options: SaveOptions = {},
  ): Promise<T[]> {
    await destroyAllObjects(list, options);
    return [...list];
  }

  static async fetchAll<T extends ParseObject<object>>(
    list: readonly T[],
    options: FetchOptions = {},
  ): Promise<T[]> {
    await fetchAllObjects(list, false, options);
    return [...list];
  }

  static async fetchAllIfNeeded<T extends ParseObject<object>>(
    list: readonly T[],
    options: FetchOptions = {},
  ): Promise<T[]> {
    await fetchAllObjects(list, true, options);
    return [...list];
  }

  /** Keeps objects on this device; needs `enableLocalDatastore`. */
  static pinAll(list: readonly ParseObject<object>[]): Promise<void> {
    return ParseObject.pinAllWithName(DEFAULT_PIN, list);
  }

  static async pinAllWithName(name: string, list: readonly ParseObject<object>[]): Promise<void> {
    await localStore().pin(name, list);
  }

  static unPinAll(list: readonly ParseObject<object>[]): Promise<void> {
    return ParseObject.unPinAllWithName(DEFAULT_PIN, list);
  }

  static async unPinAllWithName(name: string, list: readonly ParseObject<object>[]): Promise<void> {
    await localStore().unpin(name, list);
  }

  /** Empties the pin without a name. */
  static unPinAllObjects(): Promise<void> {
    return ParseObject.unPinAllObjectsWithName(DEFAULT_PIN);
  }

  static async unPinAllObjectsWithName(name: string): Promise<void> {
    await localStore().unpinAll(name);
  }

  static fetchAllWithInclude<T extends ParseObject<object>>(
    list: readonly T[],
    include: FetchOptions["include"],
    options: RequestOptions = {},
  ): Promise<T[]> {
    return ParseObject.fetchAll(list, { ...options, include });
  }

  static fetchAllIfNeededWithInclude<T extends ParseObject<object>>(
    list: readonly T[],
    include: FetchOptions["include"],
    options: RequestOptions = {},
  ): Promise<T[]> {
    return ParseObject.fetchAllIfNeeded(list, { ...options, include });
  }
}

/** The class registered under that name, or one that makes plain objects of it. */
function baseFor(className: string): new () => ParseObject {
  return (
    classNamed(className) ??
    class extends ParseObject {
      constructor() {
        super(className);
      }
    }
  );
}

function createObject(className: string): ParseObject {
  const Registered = classNamed(className);
  return Registered ? new Registered() : new ParseObject(className);
}

function isOp(value: unknown): value is Op {
  return (
    value instanceof SetOp ||
    value instanceof UnsetOp ||
    value instanceof IncrementOp ||
    value instanceof AddOp ||
    value instanceof AddUniqueOp ||
    value instanceof RemoveOp ||
    value instanceof RelationOp
  );
}

function isSetOptions(value: unknown): value is SetOptions {
  return typeof value === "object" && value !== null;
}

function aclOf(value: Record<string, unknown>): ACL {
  const acl: Record<string, object> = {};
  for (const [principal, entry] of Object.entries(value)) {
    if (typeof entry !== "object" || entry === null)
      throw new TypeError("Tried to create an ACL with an invalid entry.");
    acl[principal] = entry;
  }
  return new ACL(acl);
}

/** The server's fields as applications see them; undefined for those that are gone. */
function serverFields(json: JsonObject): Attributes {
  const { objectId: _, ...rest } = json;
  const fields = decodeFields(rest);
  for (const [key, value] of Object.entries(fields)) {
    if (value instanceof UnsetOp) fields[key] = undefined;
    else if (key === "ACL" && isPlainObject(value)) fields[key] = aclOf(value);
    else if ((key === "createdAt" || key === "updatedAt") && typeof value === "string")
      fields[key] = new Date(value);
  }
  fields.updatedAt ??= fields.createdAt;
  if (fields.updatedAt === undefined) delete fields.updatedAt;
  return fields;
}

function dateOf(value: unknown): Date | undefined {
  return value instanceof Date ? value : undefined;
}

setObjectFactory({
  create: createObject,
  fromJSON: (json) => ParseObject.fromJSON(json),
  isObject: (value): value is ParseObject<object> => value instanceof ParseObject,
});
