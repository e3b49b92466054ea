import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { decode } from "../object/decode.ts";
import { encode } from "../object/encode.ts";
import { SetOp } from "../object/Op.ts";
import { ParseObject } from "../object/ParseObject.ts";

/*
 * The record of an object: its JSON, with nested objects as {__type: "Object", className,
 * objectId or _localId}, which have records of their own. `_changes` are unsaved operations
 * with the server's value that they change.
 */

const OBJECT_PREFIX = "Parse_LDS_";

/** Fields of users that are never written to the device. */
const SECRETS: ReadonlySet<string> = new Set(["sessionToken", "password"]);

type AnyObject = ParseObject<object>;

export function isObjectKey(key: string): boolean {
  return key.startsWith(OBJECT_PREFIX);
}

/** The key of an object's record, by its id or local id. */
export function keyOf(className: string, id: string): string {
  return `${OBJECT_PREFIX}${className}_${id}`;
}

export function keyOfObject(object: AnyObject): string {
  return keyOf(object.className, object.id ?? object._localId);
}

/** The records of the object and of all nested objects that have data, by key. */
export function serializeGraph(root: AnyObject): Map<string, JsonObject> {
  const records = new Map<string, JsonObject>();
  const queue: AnyObject[] = [root];
  const serializeValue = (value: unknown): JsonValue =>
    encode(value, {
      object: (found) => {
        if (!(found instanceof ParseObject)) return found.toPointer();
        if (found.id && !found.isDataAvailable() && !found.dirty()) return found.toPointer();
        queue.push(found);
        return referenceTo(found);
      },
    });
  for (let object = queue.pop(); object; object = queue.pop()) {
    const key = keyOfObject(object);
    if (!records.has(key)) records.set(key, serialize(object, serializeValue));
  }
  return records;
}

function serialize(object: AnyObject, serializeValue: (value: unknown) => JsonValue): JsonObject {
  const record: JsonObject = {};
  const isUser = object.className === "_User";
  for (const [key, value] of Object.entries(object.attributes)) {
    if (isUser && SECRETS.has(key)) continue;
    const isTime = (key === "createdAt" || key === "updatedAt") && value instanceof Date;
    record[key] = isTime ? value.toISOString() : serializeValue(value);
  }
  const changes: JsonObject = {};
  const dirty = object.id ? object.dirtyKeys() : [];
  for (const key of dirty) {
    if (isUser && SECRETS.has(key)) continue;
    const op = object._state.operation(key);
    // An operation on a dotted key makes its field dirty too, which has no operation of its own.
    if (!op && dirty.some((other) => other.startsWith(`${key}.`))) continue;
    const field = key.split(".")[0] ?? key;
    const was = object._state.serverValue(field);
    const change: JsonObject = { op: op && !(op instanceof SetOp) ? op.toJSON() : null };
    if (change.op === null) change.value = serializeValue(op instanceof SetOp ? op.value : object._get(key));
    if (was !== undefined) change.was = serializeValue(was);
    changes[key] = change;
  }
  if (Object.keys(changes).length > 0) record._changes = changes;
  if (object.id) record.objectId = object.id;
  if (object._hasLocalId()) record._localId = object._localId;
  return { ...record, __type: "Object", className: object.className };
}

function referenceTo(object: AnyObject): JsonObject {
  const { className, id } = object;
  return id
    ? { __type: "Object", className, objectId: id }
    : { __type: "Object", className, _localId: object._localId };
}

/** All objects that a record refers to, as references. */
export function referencesIn(value: JsonValue | undefined, isRoot = true): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap((item) => referencesIn(item, false));
  if (!isJsonObject(value)) return [];
  const within = Object.values(value).flatMap((item) => referencesIn(item, false));
  return !isRoot && value.__type === "Object" ? [value, ...within] : within;
}

/** Finds the key of a reference's record, if there is one. */
export type KeyFinder = (reference: JsonObject) => string | undefined;

/** Also finds objects by the local id that they had before they were saved. */
export function keyFinder(records: ReadonlyMap<string, JsonObject>): KeyFinder {
  const byLocalId = new Map<string, string>();
  for (const [key, { _localId }] of records) {
    if (typeof _localId === "string") byLocalId.set(_localId, key);
  }
  return ({ className, objectId, _localId }) => {
    const key = typeof objectId === "string" ? keyOf(String(className), objectId) : undefined;
    if (key !== undefined && records.has(key)) return key;
    return typeof _localId === "string" ? byLocalId.get(_localId) : undefined;
  };
}

/**
 * The object's JSON with its nested objects expanded from their records; cycles and
 * objects without a record become pointers.
 */
export function expandRecord(
  key: string,
  records: ReadonlyMap<string, JsonObject>,
  find: KeyFinder,
  ancestors: readonly string[] = [],
): JsonObject {
  const path = [...ancestors, key];
  const expandValue = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(expandValue);
    if (!isJsonObject(value)) return value;
    if (value.__type !== "Object") return expandFields(value);
    const found = find(value);
    if (found !== undefined && !path.includes(found)) return expandRecord(found, records, find, path);
    // The Parse SDK stored nested objects inline.
    if (found === undefined && !isReference(value)) return expandFields(value);
    const { className, objectId } = (found !== undefined && records.get(found)) || value;
    return objectId === undefined ? value : { __type: "Pointer", className: className ?? "", objectId };
  };
  const expandFields = (fields: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, expandValue(value)]));
  return expandFields(records.get(key) ?? {});
}

function isReference(value: JsonObject): boolean {
  const { __type, className, objectId, _localId, ...rest } = value;
  return Object.keys(rest).length === 0;
}

/** Restores an object from its record: the server's data, with the unsaved changes applied to it. */
export function restoreRecord(record: JsonObject, object: AnyObject): void {
  const { className: _, __type: __, _changes, _localId, ...fields } = record;
  if (typeof _localId === "string") object._localId = _localId;
  if (typeof record.objectId !== "string") {
    // All fields of an object that was never saved are changes.
    object._set(valuesOf(fields), { ignoreValidation: true });
    return;
  }
  const changes = Object.entries(isJsonObject(_changes) ? _changes : {});
  for (const [key, change] of changes) {
    const field = key.split(".")[0] ?? key;
    if (isJsonObject(change) && change.was !== undefined) fields[field] = change.was;
    else delete fields[field];
  }
  const objectFields = Object.entries(fields).filter(([, value]) => referencesIn(value, false).length > 0);
  for (const [key] of objectFields) delete fields[key];
  object._finishFetch(fields);
  object._commit(valuesOf(Object.fromEntries(objectFields)));
  for (const [key, change] of changes) {
    if (!isJsonObject(change)) continue;
    const value = restoreValue(change.op ?? change.value);
    object._set({ [key]: value }, { ignoreValidation: true });
  }
}

export function restoreObject(record: JsonObject): AnyObject {
  const object = ParseObject.fromJSON({ className: String(record.className) });
  restoreRecord(record, object);
  return object;
}

function valuesOf(fields: JsonObject): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, restoreValue(value)]));
}

/** Restores nested objects with their own changes. */
function restoreValue(value: JsonValue | undefined): unknown {
  if (Array.isArray(value)) return value.map(restoreValue);
  if (!isJsonObject(value)) return value;
  if (value.__type === "Object") return restoreObject(value);
  return value.__type === undefined && value.__op === undefined ? valuesOf(value) : decode(value);
}
