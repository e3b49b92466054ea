import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { connection } from "../connection.ts";
import { DEFAULT_PIN, localStore } from "../local/pins.ts";
import { type RequestOptions, request } from "../transport.ts";
import { uuid } from "../uuid.ts";
import { type FetchOptions, includePaths, type SaveOptions } from "./callOptions.ts";
import { deepCopy, isPlainObject, mapFields } from "./encode.ts";
import type { Attributes, FieldName, Fields } from "./fieldTypes.ts";
import {
  type ObjectClass,
  registerClass,
  registeredClass,
  setObjectFactory,
  storedClassName,
  unregisterClass,
} from "./registry.ts";
import { SyncedObject } from "./SyncedObject.ts";
import { saveObject } from "./saving.ts";
import { clearInstances } from "./singleInstance.ts";
import { setSingleInstance } from "./singleInstanceMode.ts";

export type { Attributes, BaseAttributes, FieldName, SetOptions } from "./fieldTypes.ts";

/**
 * An object of a class on the server. `A` is the type of its fields. Changes are collected as operations,
 * separate from the server's data, until `save` sends them.
 */
export class ParseObject<A extends object = Attributes> extends SyncedObject<A> {
  /** Whether the object exists on the server. */
  async exists(options?: RequestOptions): Promise<boolean> {
    return (await batches()).existsOnServer(this, options);
  }

  /** A new object with the same fields. */
  clone(): this {
    const copy = instanceOf(this);
    const readOnly = this._readOnlyAttributes();
    const fields = Object.entries(this.attributes).filter(([key]) => !readOnly.includes(key));
    copy._set(Object.fromEntries(fields));
    return copy;
  }

  /** Another instance of the same object. */
  newInstance(): this {
    const copy = instanceOf(this);
    copy.id = this.id;
    if (copy._state !== this._state) copy._state.copyFrom(this._state);
    return copy;
  }

  equals(other: unknown): boolean {
    if (!(other instanceof ParseObject) || other.className !== this.className) return false;
    return this === other || (this.id !== undefined && other.id === this.id);
  }

  /** Objects that were already serialized become pointers, so that cycles end. */
  toJSON(seen: readonly ParseObject<object>[] = []): JsonObject {
    const ancestors = [...seen, this];
    const object = (value: { toPointer(): JsonValue }): JsonValue => {
      if (!(value instanceof ParseObject)) return value.toPointer();
      if (ancestors.some((other) => value.equals(other)))
        return value.id ? value.toPointer() : value.toOfflinePointer();
      return value.isDataAvailable() || value.dirty() ? value._toFullJSON(ancestors) : value.toPointer();
    };
    const json = this._state.toJSON(this, { object });
    if (this.id) json.objectId = this.id;
    else delete json.objectId;
    return json;
  }

  _toFullJSON(seen: readonly ParseObject<object>[] = []): JsonObject {
    return { ...this.toJSON(seen), __type: "Object", className: this.className };
  }

  /** A reference to an object without an id; only this client understands it. */
  toOfflinePointer(): { __type: "Object"; className: string; _localId: string } {
    return { __type: "Object", className: this.className, _localId: this._localId };
  }
  #localId: string | undefined;

  /** Replaces the id on this device until the object has one. */
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

  /** Pins the object and its nested objects in the local datastore; needs `enableLocalDatastore`. */
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

  /** Restores the object from the local datastore. */
  async fetchFromLocalDatastore(): Promise<this> {
    await localStore().restore(this);
    return this;
  }

  async fetch(options?: FetchOptions): Promise<this> {
    if (!this.id) throw new ProtocolError(ErrorCode.MISSING_OBJECT_ID, "Object does not have an ID");
    const include = includePaths(options?.include);
    const { body } = await request("GET", this._path(), include ? { include } : {}, options);
    if (isJsonObject(body)) this._finishFetch(body, true);
    await this._afterSync();
    await connection().local?.synced([this]);
    return this;
  }

  fetchWithInclude(keys: FetchOptions["include"], options?: RequestOptions): Promise<this> {
    return this.fetch({ ...options, include: keys });
  }

  /** Saves the changes, after setting the given fields. Unsaved nested objects and files are saved first. */
  save<K extends FieldName<A>>(key: K, value: Fields<A>[K], options?: SaveOptions): Promise<this>;
  save(fields?: Partial<A> | null, options?: SaveOptions): Promise<this>;
  save(key?: string | object | null, value?: unknown, lastOptions?: SaveOptions): Promise<this> {
    return this._save(key, value, lastOptions);
  }

  async _save(key?: string | object | null, value?: unknown, lastOptions?: SaveOptions): Promise<this> {
    const fields = typeof key === "string" ? { [key]: value } : key;
    const options = lastOptions ?? (typeof key !== "string" && isPlainObject(value) ? value : {});
    if (fields) this._setOrThrow(fields);
    await saveObject(this, options);
    return this;
  }

  async destroy(options?: RequestOptions): Promise<this> {
    if (!this.id) return this;
    await request("DELETE", this._path(), {}, options);
    await this._afterDestroy();
    await connection().local?.destroyed([this]);
    return this;
  }

  /** Creates an object from its JSON, of the subclass that is registered for its `className`. */
  static fromJSON(json: JsonObject, override = false): ParseObject {
    return objectFrom(mapFields(json, deepCopy), override);
  }

  /** Registers the constructor for objects of a class; it must work without arguments. */
  static registerSubclass(className: string, objectClass: ObjectClass): void {
    if (typeof className !== "string") throw new TypeError("The first argument must be a valid class name.");
    if (objectClass === undefined) throw new TypeError("You must supply a subclass constructor.");
    if (!("className" in objectClass)) Object.assign(objectClass, { className });
    registerClass(className, objectClass);
  }

  static unregisterSubclass(className: string): void {
    if (typeof className !== "string") throw new TypeError("The first argument must be a valid class name.");
    unregisterClass(className);
  }

  /**
   * Creates a subclass at run time, for code without `class`: with the methods of `prototype`, of which
   * `initialize` is called for each new object, and of `statics`.
   */
  static extend(
    className: string | { className?: string },
    prototype: object = {},
    statics: object = {},
  ): ExtendedClass {
    if (typeof className !== "string") {
      const name = className?.className ?? ("className" in this && this.className);
      if (typeof name === "string") return this.extend(name, className, prototype);
      throw new TypeError("The first argument must be a valid class name.");
    }
    const name = storedClassName(className);
    return subclass(name, baseClassFor(name, this), prototype, statics);
  }

  /** Makes all instances of one object share its data; enabled in pages, disabled elsewhere. */
  static enableSingleInstance(): void {
    setSingleInstance(true);
  }

  static disableSingleInstance(): void {
    setSingleInstance(false);
  }

  /** @internal */
  static _clearAllState(): void {
    clearInstances();
  }

  /** The included paths as a flat list. */
  static handleIncludeOptions({ include }: FetchOptions): unknown[] {
    return Array.isArray(include) ? include.flat() : [include];
  }

  /** Creates an object of a subclass of which only the id is known. */
  static createWithoutData<T extends ParseObject<object>>(this: new () => T, id: string): T {
    const object = new this();
    object.id = id;
    return object;
  }

  static async saveAll<T extends ParseObject<object>>(
    list: readonly T[],
    options?: SaveOptions,
  ): Promise<T[]> {
    return (await batches()).saveAllObjects(list, options);
  }

  /** Throws AggregateParseError (600) if some objects could not be deleted. */
  static async destroyAll<T extends ParseObject<object>>(
    list: readonly T[],
    options?: SaveOptions,
  ): Promise<T[]> {
    return (await batches()).destroyAllObjects(list, options);
  }

  static async fetchAll<T extends ParseObject<object>>(
    list: readonly T[],
    options?: FetchOptions,
  ): Promise<T[]> {
    return (await batches()).fetchAllObjects(list, options);
  }

  static async fetchAllIfNeeded<T extends ParseObject<object>>(
    list: readonly T[],
    options?: FetchOptions,
  ): Promise<T[]> {
    return (await batches()).fetchAllObjects(list, options, true);
  }

  /** Pins objects in the local datastore; needs `enableLocalDatastore`. */
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
    options?: RequestOptions,
  ): Promise<T[]> {
    return ParseObject.fetchAll(list, { ...options, include });
  }

  static fetchAllIfNeededWithInclude<T extends ParseObject<object>>(
    list: readonly T[],
    include: FetchOptions["include"],
    options?: RequestOptions,
  ): Promise<T[]> {
    return ParseObject.fetchAllIfNeeded(list, { ...options, include });
  }
}

/** The batch operations are loaded on first use. */
const batches = () => import("./batches.ts");

/** A class created by `extend`. */
export interface ExtendedClass extends ObjectClass<ParseObject> {
  new (attributes?: Attributes): ParseObject;
}

function subclass(
  name: string,
  Base: new () => ParseObject,
  prototype: object,
  statics: object,
): ExtendedClass {
  const Class = class extends Base {
    static readonly className = name;
    static readonly __super__ = Base.prototype;

    constructor(attributes?: Attributes) {
      super();
      this.className = name;
      // Called once, by the class that is instantiated.
      if (new.target === Class || !Object.hasOwn(new.target, "__super__")) this.initialize(attributes);
      if (attributes) this._init(attributes);
    }
  };
  addMembers(Class.prototype, prototype);
  addMembers(Class, statics);
  registerClass(name, Class);
  return Class;
}

/** Adds methods and values to a class or its prototype. */
export function addMembers(target: object, members: object): void {
  for (const [key, value] of Object.entries(members)) {
    if (key !== "className")
      Object.defineProperty(target, key, { value, writable: true, configurable: true });
  }
}

/** The class registered under that name, or else the class that is extended. */
function baseClassFor(className: string, parent: { prototype: object }): new () => ParseObject {
  for (const Class of [registeredClass(className), parent])
    if (Class && isClassOfObjects(Class)) return Class;
  return class extends ParseObject {
    static readonly __super__ = ParseObject.prototype;

    constructor() {
      super(className);
    }
  };
}

function isClassOfObjects(Class: { prototype: object }): Class is ObjectClass<ParseObject> {
  return Class.prototype instanceof ParseObject;
}

function instanceOf<T extends ParseObject<object>>(object: T): T {
  return createObject(object.className) as object as T;
}

function createObject(className: string): ParseObject {
  const Registered = registeredClass(className);
  return Registered && isClassOfObjects(Registered) ? new Registered() : new ParseObject(className);
}

/** Takes ownership of the JSON. */
function objectFrom({ className, __type, ...fields }: JsonObject, override = false): ParseObject {
  if (typeof className !== "string") throw new Error("Cannot create an object without a className");
  const object = createObject(className);
  if (typeof fields.objectId === "string") {
    // Fields that the constructor sets are not changes of an existing object.
    object._state.dropOperations();
    object.id = fields.objectId;
  }
  if (__type !== "Pointer") object._finishFetch(fields, override);
  return object;
}

setObjectFactory({
  fromJSON: objectFrom,
  detachedFromJSON({ className, objectId, ...fields }) {
    const object = createObject(String(className));
    if (typeof objectId === "string") object._setDetachedId(objectId);
    object._finishFetch(fields);
    return object;
  },
  isObject: (value): value is ParseObject<object> => value instanceof ParseObject,
  loadValues: () => import("./lazyClasses.ts").then(({ VALUES }) => VALUES),
});
