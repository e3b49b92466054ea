import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "./wireValues.ts";

/**
 * What a path leads to in an object: a value, undefined if there is none, or all values that it leads to if it runs
 * through the items of an array.
 */
export type PathValue = JsonValue | TraversedValues | undefined;

/**
 * The values that a path through the items of arrays leads to, one for each item that has the rest of the path. The
 * rules are those of MongoDB: only items that are objects are traversed, not arrays within arrays.
 */
export class TraversedValues {
  readonly values: JsonValue[] = [];
  /** Whether an object on the way lacks the next key, or has a value there that has no keys. */
  hasMissing = false;

  /** Whether the path counts as null: nothing is found, or a value is missing, null, or an array with null. */
  get isNull(): boolean {
    return this.values.length === 0 || this.hasMissing || this.values.some(isNullOrHoldsNull);
  }

  /** The values, with the items of arrays in place of arrays. */
  get items(): JsonValue[] {
    return this.values.flat(1);
  }
}

/** Whether a path counts as null in a condition: nothing is there, or null, or an array with null. */
export function isNullValue(value: PathValue): boolean {
  if (value instanceof TraversedValues) return value.isNull;
  return value === undefined || isNullOrHoldsNull(value);
}

function isNullOrHoldsNull(value: JsonValue): boolean {
  return value === null || (Array.isArray(value) && value.includes(null));
}

/** Whether a path leads to anything, which may be null. */
export function hasValue(value: PathValue): boolean {
  return value instanceof TraversedValues ? value.values.length > 0 : value !== undefined;
}

/** The items of an array, and those that a path through arrays leads to; undefined for other values. */
export function listOf(value: PathValue): JsonValue[] | undefined {
  if (value instanceof TraversedValues) return value.items;
  return Array.isArray(value) ? value : undefined;
}

/** Tests a value. An array, or a path through arrays, passes if one of its items does. */
export function anyItem(value: PathValue, test: (item: JsonValue) => boolean): boolean {
  if (value === undefined) return false;
  if (value instanceof TraversedValues) return value.items.some(test);
  return Array.isArray(value) ? value.some(test) : test(value);
}

/** A key that may be the index of an array. */
const INDEX = /^\d+$/;

/**
 * Returns a function that reads the value at a path of nested keys. A number indexes an array; any other key after an
 * array is read from each of its items.
 */
export function createPathReader([field, ...rest]: [string, ...string[]]): (object: JsonObject) => PathValue {
  const start = (object: JsonObject) => ownValue(object, field);
  return rest.length === 0 ? start : (object) => readPath(start(object), rest);
}

function readPath(value: JsonValue | undefined, path: readonly string[]): PathValue {
  let current = value;
  for (const [position, segment] of path.entries()) {
    if (Array.isArray(current) && !INDEX.test(segment)) {
      const traversed = new TraversedValues();
      traverse(current, path.slice(position), traversed);
      return traversed;
    }
    current = next(current, segment);
    if (current === undefined) return undefined;
  }
  return current;
}

/** Adds the values at a path of each item that is an object. */
function traverse(items: readonly JsonValue[], path: readonly string[], result: TraversedValues): void {
  for (const item of items) {
    if (!isJsonObject(item)) continue;
    const value = readPath(item, path);
    if (value === undefined) result.hasMissing = true;
    else if (value instanceof TraversedValues) {
      for (const each of value.values) result.values.push(each);
      result.hasMissing ||= value.hasMissing;
    } else result.values.push(value);
  }
}

function next(value: JsonValue | undefined, segment: string): JsonValue | undefined {
  if (Array.isArray(value)) return value[Number(segment)];
  return isJsonObject(value) ? ownValue(value, segment) : undefined;
}
