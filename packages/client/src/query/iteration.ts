import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import type { AnyObject } from "../object/AnyObject.ts";
import { encode } from "../object/encode.ts";
import { objects } from "../object/registry.ts";
import { pathOf } from "../pathOf.ts";
import { type RequestOptions, requestObject, requestResults } from "../transport.ts";

/* Query operations that send several requests or return values instead of objects. Loaded on first use. */

/** Options of operations that send several requests. */
export interface BatchOptions extends RequestOptions {
  /** Objects per request; 100 by default. */
  batchSize?: number;
}

/** The part of a query that is used here. */
interface IterableQuery<T extends AnyObject> {
  readonly className: string;
  toJSON(): JsonObject;
  withJSON(json: JsonObject): unknown;
  withCount(include: boolean): unknown;
  find(options: RequestOptions): Promise<T[]>;
  _condition(key: string, operator: string, value: unknown): unknown;
  _copy(): IterableQuery<T>;
}

type Callback<T, R, Q> = (object: T, index: number, query: Q) => R | Promise<R>;

/** Calls back for each batch, in the order of objectId, waiting for each. */
export async function eachBatch<T extends AnyObject>(
  source: IterableQuery<T>,
  callback: (batch: T[]) => unknown,
  { batchSize = 100, ...options }: BatchOptions = {},
): Promise<void> {
  const { order, skip, limit } = source.toJSON();
  if (order !== undefined || skip !== undefined || limit !== undefined) {
    throw new Error("Cannot iterate on a query with sort, skip, or limit.");
  }
  const query = source._copy();
  query.withJSON({ ...query.toJSON(), order: "objectId", limit: batchSize });
  query.withCount(false);
  for (;;) {
    const batch = await query.find(options);
    if (batch.length > 0) await callback(batch);
    const last = batch.at(-1)?.id;
    if (batch.length < batchSize || !last) return;
    query._condition("objectId", "$gt", last);
  }
}

/** Finds all objects, in several requests if needed. */
export async function findAll<T extends AnyObject>(
  query: IterableQuery<T>,
  options?: BatchOptions,
): Promise<T[]> {
  const all: T[] = [];
  await eachBatch(query, (batch) => void all.push(...batch), options);
  return all;
}

/** Calls back for each object, one after the other, waiting for each. */
export async function each<T extends AnyObject>(
  query: IterableQuery<T>,
  callback: (object: T) => unknown,
  options?: BatchOptions,
): Promise<void> {
  const callAll = async (batch: T[]): Promise<void> => {
    for (const object of batch) await callback(object);
  };
  await eachBatch(query, callAll, options);
}

/** Without an initial value the first object is used. Throws TypeError if there is none. */
export async function reduce<T extends AnyObject, R>(
  query: IterableQuery<T>,
  callback: (accumulator: R, object: T, index: number) => R | Promise<R>,
  initial: R,
  options?: BatchOptions,
): Promise<R> {
  let accumulator = initial;
  let index = 0;
  const add = async (batch: T[]): Promise<void> => {
    for (const object of batch) {
      // Callers that pass no initial value get the first object, by the type of the callback.
      const first: unknown = object;
      accumulator =
        index === 0 && initial === undefined ? (first as R) : await callback(accumulator, object, index);
      index += 1;
    }
  };
  await eachBatch(query, add, options);
  if (index === 0 && initial === undefined)
    throw new TypeError("Reducing empty query result set with no initial value");
  return accumulator;
}

export function map<T extends AnyObject, R, Q extends IterableQuery<T>>(
  query: Q,
  callback: Callback<T, R, Q>,
  options?: BatchOptions,
): Promise<R[]> {
  const add = async (mapped: R[], object: T, index: number): Promise<R[]> => {
    mapped.push(await callback(object, index, query));
    return mapped;
  };
  return reduce(query, add, [], options);
}

export function filter<T extends AnyObject, Q extends IterableQuery<T>>(
  query: Q,
  callback: Callback<T, boolean, Q>,
  options?: BatchOptions,
): Promise<T[]> {
  const addMatch = async (matches: T[], object: T, index: number): Promise<T[]> => {
    if (await callback(object, index, query)) matches.push(object);
    return matches;
  };
  return reduce(query, addMatch, [], options);
}

export function distinct<T extends AnyObject>(
  query: IterableQuery<T>,
  key: string,
  options?: RequestOptions,
): Promise<JsonValue[]> {
  return requestAggregate(query, { distinct: key, ...withoutObjects(query) }, options);
}

export function aggregate<T extends AnyObject>(
  query: IterableQuery<T>,
  pipeline: object | readonly object[],
  options?: RequestOptions,
): Promise<JsonValue[]> {
  const { where, ...rest } = withoutObjects(query);
  const pipelineStages = Array.isArray(pipeline) ? pipeline : [pipeline];
  const stages =
    isJsonObject(where) && Object.keys(where).length > 0
      ? [{ $match: where }, ...pipelineStages]
      : pipelineStages;
  return requestAggregate(query, { pipeline: encode(stages), ...rest }, options);
}

/** The parameters of a query without those that concern its result objects. */
function withoutObjects<T extends AnyObject>(query: IterableQuery<T>): JsonObject {
  const { include, excludeKeys, keys, count, limit, skip, order, ...rest } = query.toJSON();
  return rest;
}

async function requestAggregate<T extends AnyObject>(
  { className }: IterableQuery<T>,
  payload: JsonObject,
  options?: RequestOptions,
): Promise<JsonValue[]> {
  const asMaster = { ...options, useMasterKey: true };
  return (await requestResults(pathOf("aggregate", className), payload, asMaster)).results;
}

/** Returns the query plan instead of objects, as in the Parse SDKs. */
export async function explain<T extends AnyObject>(
  query: IterableQuery<T>,
  options?: RequestOptions,
): Promise<T[]> {
  const response: Record<string, unknown> = await requestObject(
    "GET",
    pathOf("classes", query.className),
    query.toJSON(),
    options,
  );
  return response.results as T[];
}

/**
 * For queries with selected fields while instances share their data: selected fields that the response lacks are
 * removed, and fields and subfields that were not selected keep their known values.
 */
export function reconcile<T extends AnyObject>(query: IterableQuery<T>, results: JsonValue[]): void {
  const keys = String(query.toJSON().keys).split(",");
  for (const json of results) {
    if (!isJsonObject(json)) continue;
    const { className = query.className, objectId = "" } = json;
    const known = objects().fromJSON({ className, objectId });
    for (const key of keys) {
      const [field = key, subkey] = key.split(".");
      const received = json[field];
      if (received === undefined && subkey === undefined) known._forget(field);
      const before = encode(known._state.serverValue(field));
      if (subkey === undefined || !isJsonObject(received) || !isJsonObject(before)) continue;
      const others = Object.entries(before).filter(([name]) => !keys.includes(`${field}.${name}`));
      json[field] = { ...Object.fromEntries(others), ...received };
    }
  }
}
