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

/** Fetches the objects of a class that the client may read, by id, in wire format. */
export type FetchObjects = (className: string, ids: string[]) => Promise<Map<string, JsonObject>>;

/** Returns a condition that matches the ids. */
export function idsCondition(ids: string[]): Condition {
  return { kind: "in", path: ["objectId"], operands: ids.map((value) => ({ type: "string", value })) };
}

/**
 * Replaces the pointers along the paths with their objects, using one query per class and level. Pointers to missing
 * and to unreadable objects are removed alike, so that clients cannot distinguish them. Throws 102 if there are more
 * pointers than one response may include.
 */
export async function includePointers(
  objects: JsonObject[],
  paths: string[][],
  fetchObjects: FetchObjects,
  budget = { remaining: MAX_INCLUDED_OBJECTS },
): Promise<void> {
  const children = new Map<string, string[][]>();
  for (const [head, ...rest] of paths) {
    if (head === undefined) continue;
    const nestedPaths = children.get(head) ?? [];
    if (rest.length > 0) nestedPaths.push(rest);
    children.set(head, nestedPaths);
  }
  for (const [field, nestedPaths] of children) {
    const included = await includeField(objects, field, fetchObjects, budget);
    if (nestedPaths.length > 0 && included.length > 0)
      await includePointers(included, nestedPaths, fetchObjects, budget);
  }
}

async function includeField(
  objects: JsonObject[],
  field: string,
  fetchObjects: FetchObjects,
  budget: { remaining: number },
): Promise<JsonObject[]> {
  const idsByClass = new Map<string, Set<string>>();
  for (const object of objects) {
    for (const pointer of pointersIn(valuesOf(object, field))) {
      const ids = idsByClass.get(pointer.className) ?? new Set();
      idsByClass.set(pointer.className, ids.add(pointer.objectId));
    }
  }
  const found = new Map<string, JsonObject>();
  await Promise.all(
    [...idsByClass].map(async ([className, ids]) => {
      for (const [id, object] of await fetchObjects(className, [...ids]))
        found.set(`${className}/${id}`, object);
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
    const object = found.get(`${value.className}/${value.objectId}`);
    if (!object) return undefined;
    budget.remaining -= 1;
    if (budget.remaining < 0) {
      throw new ProtocolError(
        ErrorCode.INVALID_QUERY,
        `an answer includes ${MAX_INCLUDED_OBJECTS} objects at most`,
      );
    }
    const full: JsonObject = { __type: "Object", className: value.className, ...object };
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
