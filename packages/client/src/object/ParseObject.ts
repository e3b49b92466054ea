import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { connection } from "../connection.ts";
import { uuid } from "../identity.ts";
import { DEFAULT_PIN, localStore } from "../local/pins.ts";
import { ClassQuery } from "../query/ClassQuery.ts";
import { type RequestOptions, request } from "../transport.ts";
import { type FetchOptions, includePaths, type SaveOptions } from "./callOptions.ts";
import { copyOf, isPlainObject, mapFields } from "./encode.ts";
import type { Attributes, FieldName, Fields } from "./fieldTypes.ts";
import {
  classNamed,
  type ObjectClass,
  removeClass,
  setClass,
  setObjectFactory,
  storedClassName,
} from "./registry.ts";
import { SyncedObject } from "./SyncedObject.ts";
import { saveObject } from "./saving.ts";
import { shareInstances } from "./sharing.ts";
import { forgetInstances } from "./singleInstance.ts";

export type { Attributes, BaseAttributes, FieldName, SetOptions } from "./fieldTypes.ts";

/**
 * An object of a class on the server. `A` are its fields. Changes gather locally as operations,
 * apart from the server's data, until `save` sends them.
 */
export class ParseObject<A extends object = Attributes> extends SyncedObject<A> {
  /** Asks the server whether the object is there. */
  async exists(options?: RequestOptions): Promise<boolean> {
    if (!this.id) return false;
    const query = new ClassQuery(this.className).equalTo("objectId", this.id).select("objectId");
    return (await query.first(options)) !== undefined;
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
    if (copy._state !== this._state) copy._state.take(this._state);
    return copy;
  }

  equals(other: unknown): boolean {
    if (!(other instanceof ParseObject) || other.className !== this.className) return false;
    return this === other || (this.id !== undefined && other.id === this.id);
  }

  /** Objects that were written already come as pointers, so that circles end. */
  toJSON(seen: readonly ParseObject<object>[] = []): JsonObject {
    const within = [...seen, this];
    const object = (value: { toPointer(): JsonValue }): JsonValue => {
      if (!(value instanceof ParseObject)) return value.toPointer();
      if (within.some((other) => value.equals(other)))
        return value.id ? value.toPointer() : value.toOfflinePointer();
      return value.isDataAvailable() || value.dirty() ? value._toFullJSON(within) : value.toPointer();
    };
    const json = this._state.toJSON(this, { object });
    if (this.id) json.objectId = this.id;
    else delete json.objectId;
    return json;
  }

  _toFullJSON(seen: readonly ParseObject<object>[] = []): JsonObject {
    return { ...this.toJSON(seen), __type: "Object", className: this.className };
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

  /** Sends the changes, after setting the given fields. Unsaved objects and files within are saved first. */
  save<K extends FieldName<A>>(key: K, value: Fields<A>[K], options?: SaveOptions): Promise<this>;
  save(fields?: Partial<A> | null, options?: SaveOptions): Promise<this>;
  save(key?: string | object | null, value?: unknown, last?: SaveOptions): Promise<this> {
    return this._save(key, value, last);
  }

  async _save(key?: string | object | null, value?: unknown, last?: SaveOptions): Promise<this> {
    const fields = typeof key === "string" ? { [key]: value } : key;
    const options = last ?? (typeof key !== "string" && isPlainObject(value) ? value : {});
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

  /** An object from its JSON, of the subclass registered for its `className`. */
  static fromJSON(json: JsonObject, override = false): ParseObject {
    return objectFrom(mapFields(json, copyOf), override);
  }

  /** Objects of that class will be made by this constructor, which must work without arguments. */
  static registerSubclass(className: string, objectClass: ObjectClass): void {
    if (typeof className !== "string") throw new TypeError("The first argument must be a valid class name.");
    if (objectClass === undefined) throw new TypeError("You must supply a subclass constructor.");
    if (!("className" in objectClass)) Object.assign(objectClass, { className });
    setClass(className, objectClass);
  }

  static unregisterSubclass(className: string): void {
    if (typeof className !== "string") throw new TypeError("The first argument must be a valid class name.");
    removeClass(className);
  }

  /**
   * A subclass made at run time, as code without classes does it: the methods of `prototype`, of which
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
    return subclass(name, baseFor(name, this), prototype, statics);
  }

  /** Lets all instances of one object share its data; on in pages, off elsewhere. */
  static enableSingleInstance(): void {
    shareInstances(true);
  }

  static disableSingleInstance(): void {
    shareInstances(false);
  }

  /** @internal */
  static _clearAllState(): void {
    forgetInstances();
  }

  /** The paths to include, as a flat list. */
  static handleIncludeOptions({ include }: FetchOptions): unknown[] {
    return Array.isArray(include) ? include.flat() : [include];
  }

  /** Of a subclass: an object that is known only by its id. */
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

  /** Throws AggregateParseError (600) when some could not be deleted. */
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

/** Calls about many objects are loaded with the first of them. */
const batches = () => import("./batches.ts");

/** A class that `extend` made. */
export interface ExtendedClass extends ObjectClass<ParseObject> {
  new (attributes?: Attributes): ParseObject;
}

function subclass(
  name: string,
  Base: new () => ParseObject,
  prototype: object,
  statics: object,
): ExtendedClass {
  const made = class extends Base {
    static readonly className = name;
    static readonly __super__ = Base.prototype;

    constructor(attributes?: Attributes) {
      super();
      this.className = name;
      // Once, by the class that is asked for.
      if (new.target === made || !Object.hasOwn(new.target, "__super__")) this.initialize(attributes);
      if (attributes) this._begin(attributes);
    }
  };
  addMembers(made.prototype, prototype);
  addMembers(made, statics);
  setClass(name, made);
  return made;
}

/** Gives a class or its objects the methods and values of code that is written without classes. */
export function addMembers(target: object, members: object): void {
  for (const [key, value] of Object.entries(members)) {
    if (key !== "className")
      Object.defineProperty(target, key, { value, writable: true, configurable: true });
  }
}

/** The class registered under that name, or else the one that is extended. */
function baseFor(className: string, extended: { prototype: object }): new () => ParseObject {
  for (const made of [classNamed(className), extended]) if (made && isClassOfObjects(made)) return made;
  return class extends ParseObject {
    static readonly __super__ = ParseObject.prototype;

    constructor() {
      super(className);
    }
  };
}

function isClassOfObjects(made: { prototype: object }): made is ObjectClass<ParseObject> {
  return made.prototype instanceof ParseObject;
}

function instanceOf<T extends ParseObject<object>>(object: T): T {
  return createObject(object.className) as object as T;
}

function createObject(className: string): ParseObject {
  const Registered = classNamed(className);
  return Registered && isClassOfObjects(Registered) ? new Registered() : new ParseObject(className);
}

/** Of JSON that nobody else changes. */
function objectFrom({ className, __type, ...fields }: JsonObject, override = false): ParseObject {
  if (typeof className !== "string") throw new Error("Cannot create an object without a className");
  const object = createObject(className);
  if (typeof fields.objectId === "string") {
    // What its class sets in new objects is not a change of one that the server has.
    object._state.dropOperations();
    object.id = fields.objectId;
  }
  if (__type !== "Pointer") object._finishFetch(fields, override);
  return object;
}

setObjectFactory({
  fromJSON: objectFrom,
  apartFromJSON({ className, objectId, ...fields }) {
    const object = createObject(String(className));
    if (typeof objectId === "string") object._takeIdApart(objectId);
    object._finishFetch(fields);
    return object;
  },
  isObject: (value): value is ParseObject<object> => value instanceof ParseObject,
  loadValues: () => import("./values.ts").then(({ VALUES }) => VALUES),
});
