import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { connection } from "../connection.ts";
import { pathOf } from "../pathOf.ts";
import { invalidResponse, type Method, type RequestOptions, request, requestResults } from "../transport.ts";
import type { AnyObject } from "./AnyObject.ts";
import { AggregateParseError, ObjectError } from "./batchErrors.ts";
import { type FetchOptions, includePaths, type SaveOptions } from "./callOptions.ts";
import { encode, isPlainObject } from "./encode.ts";
import { findUnsaved } from "./findUnsaved.ts";
import { objects } from "./registry.ts";
import { enqueue } from "./taskQueue.ts";
import { type AnyFile, isFile } from "./valueTypes.ts";

/* Batch operations. Loaded on first use. */

/** Saves a list of objects and their unsaved children, in as few requests as the batch size allows. */
export async function saveAllObjects<T extends AnyObject>(
  list: readonly T[],
  options: SaveOptions = {},
): Promise<T[]> {
  const unsavedChildren = options.cascadeSave === false ? [] : findUnsaved(list);
  const dirty = list.filter((object) => object.dirty());
  await saveMany([...new Set([...unsavedChildren, ...dirty])], options);
  return [...list];
}

/** Saves files and objects in the order of their dependencies. */
export async function saveMany(
  unsaved: readonly (AnyObject | AnyFile)[],
  options: SaveOptions,
): Promise<void> {
  const files = unsaved.filter((item) => isFile(item));
  await Promise.all(files.map((file) => file.save(options)));
  let remaining = unsaved.filter((item): item is AnyObject => !isFile(item));
  const size = options.batchSize ?? connection().batchSize;
  // Only new objects can be dependencies; without cascadeSave their order is the caller's responsibility.
  const isOrdered = options.cascadeSave === false || remaining.some(({ id }) => !id);
  while (remaining.length > 0) {
    const ready = isOrdered ? remaining.filter(canBeSerialized) : remaining;
    if (ready.length === 0) {
      throw new ProtocolError(ErrorCode.OTHER_CAUSE, "Tried to save a batch with a cycle.");
    }
    for (let start = 0; start < ready.length; start += size) {
      const failure = await saveBatch(ready.slice(start, start + size), options);
      if (failure) throw failure;
    }
    const done = new Set(ready);
    remaining = remaining.filter((object) => !done.has(object));
  }
}

/** Whether all objects that the object points to have an id. */
function canBeSerialized(object: AnyObject): boolean {
  return object._state.nestedValues().every(isStored);
}

function isStored(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (isFile(value)) return value.url() !== undefined;
  if (objects().isObject(value)) return value.id !== undefined;
  if (Array.isArray(value) || isPlainObject(value)) return Object.values(value).every(isStored);
  return true;
}

/** Returns the first error of the batch; the other objects are saved regardless. */
async function saveBatch(batch: readonly AnyObject[], options: SaveOptions): Promise<unknown> {
  return enqueue(batch, async () => {
    const requests = batch.map((object) => object._saveParams());
    for (const object of batch) object._state.beginSave();
    let responses: JsonValue[];
    try {
      responses = await requestBatch(requests, options);
    } catch (error) {
      for (const object of batch) object._state.failSave();
      throw error;
    }
    let failure: unknown;
    batch.forEach((object, index) => {
      const response = responses[index];
      if (isJsonObject(response) && isJsonObject(response.success)) {
        object._finishSave(response.success, requests[index]?.method === "POST" ? 201 : 200);
      } else {
        object._state.failSave();
        failure ??= batchError(response, object);
      }
    });
    await connection().local?.synced(batch.filter((_, index) => succeeded(responses[index])));
    return failure;
  });
}

interface BatchRequest {
  method: Method;
  path: string;
  body: JsonObject;
}

async function requestBatch(
  requests: readonly BatchRequest[],
  options: RequestOptions,
): Promise<JsonValue[]> {
  // Entries of a batch contain the full path below the host.
  const prefix = connection().serverUrl.replace(/^[a-z]+:\/\/[^/]*/i, "");
  const list = requests.map(({ method, path, body }) => ({ method, path: `${prefix}/${path}`, body }));
  const { body } = await request("POST", "batch", { requests: list }, options);
  if (!Array.isArray(body)) throw invalidResponse();
  return body;
}

function succeeded(response: JsonValue | undefined): boolean {
  return isJsonObject(response) && "success" in response;
}

function batchError(response: JsonValue | undefined, object: AnyObject): ObjectError {
  const error = isJsonObject(response) ? response.error : undefined;
  const code = isJsonObject(error) && typeof error.code === "number" ? error.code : ErrorCode.INVALID_JSON;
  const message =
    isJsonObject(error) && typeof error.error === "string" ? error.error : invalidResponse().message;
  return new ObjectError(code, message, object);
}

/** Deletes objects; throws AggregateParseError with one entry for each failure. */
export async function destroyAllObjects<T extends AnyObject>(
  list: readonly T[],
  options: SaveOptions = {},
): Promise<T[]> {
  const size = options.batchSize ?? connection().batchSize;
  const saved = list.filter((object) => object.id !== undefined);
  const errors: ObjectError[] = [];
  for (let start = 0; start < saved.length; start += size) {
    const batch = saved.slice(start, start + size);
    const requests = batch.map((object) => ({ method: "DELETE" as const, path: object._path(), body: {} }));
    const responses = await requestBatch(requests, options);
    batch.forEach((object, index) => {
      const response = responses[index];
      if (!succeeded(response)) errors.push(batchError(response, object));
    });
    await connection().local?.destroyed(batch.filter((_, index) => succeeded(responses[index])));
  }
  if (errors.length > 0) throw new AggregateParseError(errors);
  return [...list];
}

/** Fetches objects of one class; with `onlyMissing` only those without data. */
export async function fetchAllObjects<T extends AnyObject>(
  list: readonly T[],
  options: FetchOptions = {},
  onlyMissing = false,
): Promise<T[]> {
  const [first] = list;
  if (!first) return [];
  const { className } = first;
  const error = (code: number, message: string): ProtocolError => new ProtocolError(code, message);
  if (list.some((object) => object.className !== className)) {
    throw error(ErrorCode.INVALID_CLASS_NAME, "All objects should be of the same class");
  }
  if (list.some((object) => !object.id))
    throw error(ErrorCode.MISSING_OBJECT_ID, "All objects must have an ID");
  const missing = onlyMissing ? list.filter((object) => !object.isDataAvailable()) : list;
  if (missing.length === 0) return [...list];
  const ids = [...new Set(missing.map((object) => object.id))];
  const payload: JsonObject = { where: { objectId: { $in: encode(ids) } }, limit: ids.length };
  const include = includePaths(options.include);
  if (include) payload.include = include;
  const { results } = await requestResults(pathOf("classes", className), payload, options);
  const found = new Map(results.filter(isJsonObject).map((result) => [result.objectId, result]));
  for (const object of missing) {
    const result = found.get(object.id ?? "");
    if (result) object._finishFetch(result, true);
    else if (!onlyMissing) throw error(ErrorCode.OBJECT_NOT_FOUND, "All objects must exist on the server.");
  }
  await connection().local?.synced(missing);
  return [...list];
}

/** Whether an object has an id, and an object with that id is on the server. */
export async function existsOnServer(
  { id, className }: AnyObject,
  options: RequestOptions = {},
): Promise<boolean> {
  if (!id) return false;
  const payload = { where: { objectId: id }, keys: "objectId", limit: 1 };
  return (await requestResults(pathOf("classes", className), payload, options)).results.length > 0;
}
