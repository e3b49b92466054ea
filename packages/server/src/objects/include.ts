import {
  type Condition,
  ErrorCode,
  isJsonObject,
  isPointer,
  type JsonObject,
  type JsonValue,
  MAX_INCLUDED_OBJECTS,
  ProtocolError,
} from "@purse/protocol";

/** Fetches the objects of a class that the caller may read, by id, as they travel. */
export type Fetch = (className: string, ids: string[]) => Promise<Map<string, JsonObject>>;

/** A condition that matches the ids. */
export function idsCondition(ids: string[]): Condition {
  return { kind: "in", path: ["objectId"], operands: ids.map((value) => ({ type: "string", value })) };
}

/**
 * Replaces pointers along the paths by their objects, one query per class and level however many
 * objects there are. Pointers to what is missing or unreadable go, so that neither is told from the other. Throws 102
 * for more pointers than one answer may replace.
 */
export async function includePointers(
  objects: JsonObject[],
  paths: string[][],
  fetch: Fetch,
  budget = { left: MAX_INCLUDED_OBJECTS },
): Promise<void> {
  const children = new Map<string, string[][]>();
  for (const [head, ...rest] of paths) {
    if (head === undefined) continue;
    const below = children.get(head) ?? [];
    if (rest.length > 0) below.push(rest);
    children.set(head, below);
  }
  for (const [field, below] of children) {
    const included = await includeField(objects, field, fetch, budget);
    if (below.length > 0 && included.length > 0) await includePointers(included, below, fetch, budget);
  }
}

async function includeField(
  objects: JsonObject[],
  field: string,
  fetch: Fetch,
  budget: { left: number },
): Promise<JsonObject[]> {
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
  const replace = (value: JsonValue): JsonValue | undefined => {
    if (Array.isArray(value)) return value.map(replace).filter((item) => item !== undefined);
    // What another path has included already is walked through.
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
    budget.left -= 1;
    if (budget.left < 0) {
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
      const value = Object.hasOwn(object, key) ? object[key] : undefined;
      // With `*` only pointers are replaced; plain objects stay.
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
  const value = Object.hasOwn(object, field) ? object[field] : undefined;
  return value === undefined ? [] : [value];
}

function pointersIn(values: JsonValue[]) {
  return values.flatMap((value) => (Array.isArray(value) ? value : [value])).filter(isPointer);
}
