import { type Condition, isJsonObject, isPointer, type JsonObject, type JsonValue } from "@purse/protocol";

/** Fetches the objects of a class that the caller may read, by id, as they travel. */
export type Fetch = (className: string, ids: string[]) => Promise<Map<string, JsonObject>>;

/** A condition that matches the ids. */
export function idsCondition(ids: string[]): Condition {
  return { kind: "in", path: ["objectId"], operands: ids.map((value) => ({ type: "string", value })) };
}

/**
 * Replaces pointers along the paths by their objects, one query per class and level however many
 * objects there are. Pointers to what is missing or unreadable stay as they are.
 */
export async function includePointers(objects: JsonObject[], paths: string[][], fetch: Fetch): Promise<void> {
  const children = new Map<string, string[][]>();
  for (const [head, ...rest] of paths) {
    if (head === undefined) continue;
    const below = children.get(head) ?? [];
    if (rest.length > 0) below.push(rest);
    children.set(head, below);
  }
  for (const [field, below] of children) {
    const included = await includeField(objects, field, fetch);
    if (below.length > 0 && included.length > 0) await includePointers(included, below, fetch);
  }
}

async function includeField(objects: JsonObject[], field: string, fetch: Fetch): Promise<JsonObject[]> {
  const wanted = new Map<string, Set<string>>();
  for (const object of objects) {
    for (const pointer of pointersIn(valuesOf(object, field))) {
      const ids = wanted.get(pointer.className) ?? new Set();
      wanted.set(pointer.className, ids.add(pointer.objectId));
    }
  }
  const found = new Map<string, JsonObject>();
  await Promise.all(
    [...wanted].map(async ([className, ids]) => {
      for (const [id, object] of await fetch(className, [...ids])) found.set(`${className}/${id}`, object);
    }),
  );
  const included: JsonObject[] = [];
  const replace = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(replace);
    // What another path has included already is walked through.
    if (isJsonObject(value) && value.__type === "Object") {
      included.push(value);
      return value;
    }
    const object = isPointer(value) ? found.get(`${value.className}/${value.objectId}`) : undefined;
    if (!object || !isPointer(value)) {
      if (isJsonObject(value) && !isPointer(value)) included.push(value);
      return value;
    }
    const full: JsonObject = { __type: "Object", className: value.className, ...object };
    included.push(full);
    return full;
  };
  for (const object of objects) {
    if (field === "*")
      for (const key of Object.keys(object)) object[key] = replaceTop(object[key] ?? null, replace);
    else if (Object.hasOwn(object, field)) object[field] = replace(object[field] ?? null);
  }
  return included;
}

/** With `*` only pointers are replaced; plain objects stay. */
function replaceTop(value: JsonValue, replace: (value: JsonValue) => JsonValue): JsonValue {
  return isPointer(value) || Array.isArray(value) ? replace(value) : value;
}

function valuesOf(object: JsonObject, field: string): JsonValue[] {
  if (field === "*") return Object.values(object);
  const value = Object.hasOwn(object, field) ? object[field] : undefined;
  return value === undefined ? [] : [value];
}

function pointersIn(values: JsonValue[]) {
  return values.flatMap((value) => (Array.isArray(value) ? value : [value])).filter(isPointer);
}
