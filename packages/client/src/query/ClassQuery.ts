import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { connection } from "../connection.ts";
import type { Subscription } from "../live/Subscription.ts";
import { DEFAULT_PIN, localStore } from "../local/pins.ts";
import type { AnyObject } from "../object/AnyObject.ts";
import { encodeFields } from "../object/encode.ts";
import {
  type ObjectClass,
  objects,
  registerClass,
  registeredClass,
  storedClassName,
} from "../object/registry.ts";
import { isSingleInstance } from "../object/singleInstanceMode.ts";
import { pathOf } from "../pathOf.ts";
import { type RequestOptions, requestResults } from "../transport.ts";
import type { BatchOptions } from "./iteration.ts";
import { type QueryKey, QueryParameters } from "./QueryParameters.ts";

export type { BatchOptions } from "./iteration.ts";
export type { QueryKey } from "./QueryParameters.ts";

/** The result of `find` after `withCount`. */
export interface CountedResults<T> {
  results: T[];
  count: number;
}

/** Operations that send more than one request are loaded on first use. */
const iteration = () => import("./iteration.ts");

/** A query for the objects of one class. */
export class ClassQuery<T extends AnyObject = AnyObject> extends QueryParameters<T> {
  declare readonly className: string;
  #running: AbortController | undefined;
  /** The source if not the server: a pin, or the whole local datastore. */
  #local: { pin: string | undefined } | undefined;

  constructor(objectClass: string | ObjectClass<T>) {
    super();
    const name =
      typeof objectClass === "string" ? objectClass : (objectClass.className ?? new objectClass().className);
    this.className = storedClassName(name);
    // Results are instances of the class that was passed.
    if (typeof objectClass !== "string" && !registeredClass(this.className))
      registerClass(this.className, objectClass);
  }

  /** Finds an object by its id. Throws 101 if there is none. */
  async get(objectId: string, options?: RequestOptions): Promise<T> {
    const { results } = await this.#fetch({ where: { ...this._where, objectId }, limit: 1 }, options);
    const [object] = results;
    if (object) return object;
    throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Object not found.");
  }

  async first(options?: RequestOptions): Promise<T | undefined> {
    const { results } = await this.#fetch({ limit: 1 }, options);
    return results[0];
  }

  /** Finds objects; see `findWithCount` for the total count. */
  async find(options?: RequestOptions): Promise<T[]> {
    if (this._parameters.explain) return (await iteration()).explain<T>(this, options);
    const { results, count } = await this.#fetch({}, options);
    if (!this._parameters.count) return results;
    // After withCount() the Parse SDKs return this object instead of the array.
    const counted: unknown = { results, count };
    return counted as T[];
  }

  /** Finds objects, and counts them regardless of limit and skip. */
  async findWithCount(options?: RequestOptions): Promise<CountedResults<T>> {
    return this.#fetch({ count: 1 }, options);
  }

  /** Finds all objects, in several requests if needed. */
  async findAll(options?: BatchOptions): Promise<T[]> {
    return (await iteration()).findAll(this, options);
  }

  async count(options?: RequestOptions): Promise<number> {
    const { count } = await this.#fetch({ limit: 0, count: 1 }, options);
    return count;
  }

  /** The distinct values of a field. Needs the master key. */
  async distinct(key: QueryKey<T>, options?: RequestOptions): Promise<JsonValue[]> {
    return (await iteration()).distinct(this, key, options);
  }

  /** Runs an aggregation pipeline on the matching objects. Needs the master key. */
  async aggregate(pipeline: object | readonly object[], options?: RequestOptions): Promise<JsonValue[]> {
    return (await iteration()).aggregate(this, pipeline, options);
  }

  /** Calls back for each object, one after the other, waiting for each. */
  async each(callback: (object: T) => unknown, options?: BatchOptions): Promise<void> {
    await (await iteration()).each(this, callback, options);
  }

  /** Calls back for each batch, in the order of objectId, waiting for each. */
  async eachBatch(callback: (batch: T[]) => unknown, options?: BatchOptions): Promise<void> {
    await (await iteration()).eachBatch(this, callback, options);
  }

  async map<R>(
    callback: (object: T, index: number, query: this) => R | Promise<R>,
    options?: BatchOptions,
  ): Promise<R[]> {
    return (await iteration()).map(this, callback, options);
  }

  async reduce<R>(
    callback: (accumulator: R, object: T, index: number) => R | Promise<R>,
    initial: R,
    options?: BatchOptions,
  ): Promise<R> {
    return (await iteration()).reduce(this, callback, initial, options);
  }

  async filter(
    callback: (object: T, index: number, query: this) => boolean | Promise<boolean>,
    options?: BatchOptions,
  ): Promise<T[]> {
    return (await iteration()).filter(this, callback, options);
  }

  /**
   * Opens a live query, as the current user unless a token is given; see Subscription for its events.
   * Rejects when the server refuses it.
   */
  async subscribe(sessionToken?: string): Promise<Subscription<T>> {
    return (await import("../live/liveQuery.ts")).openSubscription<T>(this, sessionToken);
  }

  /** Calls back for created and updated objects. Returns a function that unsubscribes. */
  onChange(onUpdate: (object: T) => void, onError: (error: unknown) => void = console.warn): () => void {
    const opening = this.subscribe();
    opening.then((subscription) => {
      subscription.on("create", onUpdate);
      subscription.on("update", onUpdate);
      subscription.on("error", onError);
    }, onError);
    return () => {
      // A failure to open is reported to onError above.
      opening.then((subscription) => subscription.unsubscribe()).catch(() => {});
    };
  }

  /** Aborts the running request; its promise resolves without objects. */
  cancel(): this {
    this.#running?.abort();
    this.#running = undefined;
    return this;
  }

  /** Queries the server (the default). */
  fromNetwork(): this {
    this.#local = undefined;
    return this;
  }

  /** Queries the whole local datastore. */
  fromLocalDatastore(): this {
    return this.#fromLocal(undefined);
  }

  /** Queries the objects that are pinned without a name. */
  fromPin(): this {
    return this.#fromLocal(DEFAULT_PIN);
  }

  fromPinWithName(name: string): this {
    return this.#fromLocal(name);
  }

  #fromLocal(pin: string | undefined): this {
    // As in the Parse SDKs, a query without a local datastore goes to the server.
    if (connection().local) this.#local = { pin };
    else console.error("Moralis.enableLocalDatastore() must be called first");
    return this;
  }

  async #fetch(parameters: JsonObject, options: RequestOptions = {}): Promise<CountedResults<T>> {
    const payload = { ...this.toJSON(), ...parameters };
    if (this.#local) {
      const found: { results: unknown[]; count: number } = await localStore().find(
        this.className,
        payload,
        this.#local.pin,
      );
      // The caller who created the query asserts T.
      return found as CountedResults<T>;
    }
    const running = new AbortController();
    this.#running = running;
    const signal = AbortSignal.any([running.signal, options.signal ?? []].flat());
    try {
      const response = await requestResults(pathOf("classes", this.className), payload, {
        ...options,
        signal,
      });
      if (this._parameters.keys && isSingleInstance()) (await iteration()).reconcile(this, response.results);
      return this.#toObjects(response);
    } catch (error) {
      if (running.signal.aborted && !options.signal?.aborted) return { results: [], count: 0 };
      throw error;
    } finally {
      if (this.#running === running) this.#running = undefined;
    }
  }

  #toObjects(response: JsonObject & { results: JsonValue[] }): CountedResults<T> {
    const override = typeof response.className === "string" ? response.className : this.className;
    const results = response.results.filter(isJsonObject).map((result) => {
      const json = { ...result, className: result.className ?? override };
      // The caller who created the query asserts T.
      return objects().fromJSON(json, !this._parameters.keys) as T;
    });
    return { results, count: typeof response.count === "number" ? response.count : results.length };
  }

  _copy(): ClassQuery<T> {
    const copy = new ClassQuery<T>(this.className).withJSON(encodeFields(this.toJSON()));
    copy.#local = this.#local;
    return copy;
  }

  static fromJSON<T extends AnyObject>(className: string, json: JsonObject): ClassQuery<T> {
    return new ClassQuery<T>(className).withJSON(json);
  }

  /** Objects that match any of the queries; all must be of the same class. */
  static or<T extends AnyObject>(...queries: ClassQuery<T>[]): ClassQuery<T> {
    return combine("$or", queries);
  }

  /** Objects that match all of the queries. */
  static and<T extends AnyObject>(...queries: ClassQuery<T>[]): ClassQuery<T> {
    return combine("$and", queries);
  }

  /** Objects that match none of the queries. */
  static nor<T extends AnyObject>(...queries: ClassQuery<T>[]): ClassQuery<T> {
    return combine("$nor", queries);
  }
}

function combine<T extends AnyObject>(
  operator: "$or" | "$and" | "$nor",
  queries: readonly ClassQuery<T>[],
): ClassQuery<T> {
  const [first] = queries;
  if (!first || queries.some((query) => query.className !== first.className)) {
    throw new Error("All queries must be for the same class.");
  }
  const where = { [operator]: queries.map((query) => query.toJSON().where ?? {}) };
  return new ClassQuery<T>(first.className).withJSON({ where });
}
