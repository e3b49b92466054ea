import {
  type Condition,
  ErrorCode,
  isJsonObject,
  isPointer,
  type JsonObject,
  type JsonValue,
  MAX_INCLUDED_OBJECTS,
  ownValue,
  ProtocolError,
} from "@purse/protocol";
import { jsonLength } from "../../core/limits/answerText.ts";
import type { FieldSelector } from "./fieldSelector.ts";

/** Fetches the objects of a class that the client may read, by id, in wire format. */
type FetchObjects = (className: string, ids: string[]) => Promise<Map<string, JsonObject>>;

/** What the pointers of one response may become. */
export interface IncludeOptions {
  fetchObjects: FetchObjects;
  /** Which fields of included objects the response has; all of them if undefined. */
  selector?: FieldSelector | undefined;
  /** Called with the length of the JSON of all objects that have been included, each as often as it is in the response. */
  assertFits(chars: number): void;
}

/** What has been included in one response. */
interface Included {
  objects: number;
  chars: number;
}

/** Returns a condition that matches the ids. */
export function idsCondition(ids: string[]): Condition {
  return { kind: "in", path: ["objectId"], operands: ids.map((value) => ({ type: "string", value })) };
}

/**
 * Replaces the pointers along the paths with their objects, using one query per class and level. Pointers to missing
 * and to unreadable objects are removed alike, so that clients cannot distinguish them. Throws 102 if there are more
 * pointers than one response may include, and what `assertFits` throws. Returns the length of the included JSON.
 */
export async function includePointers(
  objects: JsonObject[],
  paths: string[][],
  options: IncludeOptions,
): Promise<number> {
  const included: Included = { objects: 0, chars: 0 };
  await includePaths(objects, paths, [], options, included);
  return included.chars;
}

async function includePaths(
  objects: JsonObject[],
  paths: string[][],
  parents: readonly string[],
  options: IncludeOptions,
  included: Included,
): Promise<void> {
  const children = new Map<string, string[][]>();
  for (const [head, ...rest] of paths) {
    if (head === undefined) continue;
    const nestedPaths = children.get(head) ?? [];
    if (rest.length > 0) nestedPaths.push(rest);
    children.set(head, nestedPaths);
  }
  for (const [field, nestedPaths] of children) {
    const path = [...parents, field];
    const found = await includeField(objects, path, options, included);
    if (nestedPaths.length > 0 && found.length > 0)
      await includePaths(found, nestedPaths, path, options, included);
  }
}

async function includeField(
  objects: JsonObject[],
  path: readonly string[],
  { fetchObjects, selector, assertFits }: IncludeOptions,
  total: Included,
): Promise<JsonObject[]> {
  const field = path.at(-1) ?? "";
  const idsByClass = new Map<string, Set<string>>();
  for (const object of objects) {
    for (const pointer of pointersIn(valuesOf(object, field))) {
      const ids = idsByClass.get(pointer.className) ?? new Set();
      idsByClass.set(pointer.className, ids.add(pointer.objectId));
    }
  }
  const found = new Map<string, { object: JsonObject; chars: number }>();
  // Large fields that the response does not have would count as often as the object is included.
  const select = path.includes("*") ? undefined : selector?.at(path);
  await Promise.all(
    [...idsByClass].map(async ([className, ids]) => {
      for (const [id, fetched] of await fetchObjects(className, [...ids])) {
        const object = select ? select(fetched) : fetched;
        found.set(`${className}/${id}`, { object, chars: jsonLength(object) });
      }
    }),
  );
  const included: JsonObject[] = [];
  const replace = (value: JsonValue): JsonValue | undefined => {
    if (Array.isArray(value)) return value.map(replace).filter((item) => item !== undefined);
    // Objects that another path has already included are traversed.
    if (isJsonObject(value) && value.__type === "Object") {
      included.push(value);
      return value;
    }
    if (!isPointer(value)) {
      if (isJsonObject(value)) included.push(value);
      return value;
    }
    const pointed = found.get(`${value.className}/${value.objectId}`);
    if (!pointed) return undefined;
    total.objects += 1;
    total.chars += pointed.chars - jsonLength(value);
    assertFits(total.chars);
    if (total.objects > MAX_INCLUDED_OBJECTS) {
      throw new ProtocolError(
        ErrorCode.INVALID_QUERY,
        `an answer includes ${MAX_INCLUDED_OBJECTS} objects at most`,
      );
    }
    const full: JsonObject = { __type: "Object", className: value.className, ...pointed.object };
    included.push(full);
    return full;
  };
  for (const object of objects) {
    for (const key of field === "*" ? Object.keys(object) : [field]) {
      const value = ownValue(object, key);
      // `*` only replaces pointers and keeps plain objects.
      if (value === undefined || (field === "*" && !isPointer(value) && !Array.isArray(value))) continue;
      const replaced = replace(value);
      if (replaced === undefined) delete object[key];
      else object[key] = replaced;
    }
  }
  return included;
}

function valuesOf(object: JsonObject, field: string): JsonValue[] {
  if (field === "*") return Object.values(object);
  const value = ownValue(object, field);
  return value === undefined ? [] : [value];
}

function pointersIn(values: JsonValue[]) {
  return values.flatMap((value) => (Array.isArray(value) ? value : [value])).filter(isPointer);
}
