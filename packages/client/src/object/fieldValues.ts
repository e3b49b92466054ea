import {
  isJsonObject,
  itemIndex,
  type JsonObject,
  type JsonValue,
  jsonKey,
  MAX_ARRAY_PADDING,
  ownValue,
} from "@purse/protocol";
import { type EncodeOptions, encode, isPlainObject } from "./encode.ts";
import { type Op, RelationOp, UnsetOp } from "./Op.ts";
import { Relation, type RelationParent } from "./Relation.ts";
import { objects } from "./registry.ts";
import { decodeField, isTimestamp, withPointers } from "./serverFields.ts";
import { isFile } from "./valueTypes.ts";

/** Whether a key in wire format is a field. */
export function isField(key: string): boolean {
  return key !== "objectId";
}

/** The field of a dotted path. */
export function fieldOf(key: string): string {
  return key.split(".", 1)[0] ?? key;
}

/** Whether a key is a field or path, or a path in it. */
export function isWithin(key: string, path: string): boolean {
  return `${key}.`.startsWith(`${path}.`);
}

/** Whether one of the operations affects the field or a path in it. */
export function affects(operations: ReadonlyMap<string, Op>, field: string): boolean {
  for (const key of operations.keys()) if (isWithin(key, field)) return true;
  return false;
}

export function isSendable(value: unknown): boolean {
  return value !== undefined && typeof value !== "function";
}

export function isStructured(value: unknown): value is object {
  return (
    typeof value === "object" &&
    value !== null &&
    !objects().isObject(value) &&
    !isFile(value) &&
    !(value instanceof Relation)
  );
}

/** Whether a value differs from its wire format. Values that cannot be encoded do. */
export function isChanged(key: string, value: object, wire: JsonValue = null): boolean {
  try {
    const now = jsonKey(encode(value));
    return now !== jsonKey(wire) && now !== jsonKey(encode(decodeField(key, withPointers(wire))));
  } catch {
    return true;
  }
}

export function toWire(key: string, value: unknown, options?: EncodeOptions): JsonValue {
  return isTimestamp(key) && value instanceof Date ? value.toISOString() : encode(value, options);
}

/** A value in wire format; an empty object if it cannot be encoded. */
export function toWireOrEmpty(key: string, value: unknown): JsonValue {
  try {
    return toWire(key, value);
  } catch {
    return {};
  }
}

/** Whether a value is an untyped object, of which servers send only what changed. */
export function isPlain(value: JsonValue | undefined): value is JsonObject {
  return isJsonObject(value) && value.__type === undefined && value.__op === undefined;
}

export function assign(fields: Record<string, unknown>, key: string, op: Op, owner: RelationParent): void {
  if (op instanceof RelationOp) {
    fields[key] = new Relation(owner, key, op.targetClassName);
    return;
  }
  const [field = key, ...path] = key.split(".");
  fields[field] = applyAt(ownValue(fields, field), path, op);
}

/** Returns a copy of `value` with the operation applied at the path. */
function applyAt(value: unknown, path: readonly string[], op: Op): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return op.applyTo(value);
  if (op instanceof UnsetOp && (value === undefined || value === null)) return value;
  if (Array.isArray(value)) {
    // As the server does it: arrays are padded with null, deleted items become null, and other keys are refused.
    const index = itemIndex(key) ?? Number.POSITIVE_INFINITY;
    const isNear = index - value.length <= MAX_ARRAY_PADDING;
    const item = isNear ? applyAt(value[index], rest, op) : undefined;
    if (item === undefined && index >= value.length) return value;
    const items: unknown[] = [...value];
    while (items.length < index) items.push(null);
    items[index] = item ?? null;
    return items;
  }
  const copy: Record<string, unknown> = isPlainObject(value) ? { ...value } : {};
  const changed = applyAt(ownValue(copy, key), rest, op);
  if (changed === undefined) delete copy[key];
  else copy[key] = changed;
  return copy;
}
