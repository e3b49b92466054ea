import { isJsonObject, type JsonObject, type JsonValue, type Query } from "@purse/protocol";

const ALWAYS: ReadonlySet<string> = new Set([
  "objectId",
  "createdAt",
  "updatedAt",
  "ACL",
  "__type",
  "className",
]);

/** Keeps the keys that were asked for. A dotted key keeps a part of what it leads to. */
export function pick(object: JsonObject, { keys, excludeKeys, score }: Query): JsonObject {
  let result = object;
  if (keys) result = keepKeys(object, score ? [...keys, "score"] : keys, true);
  return excludeKeys.length === 0 ? result : dropKeys(result, excludeKeys);
}

/** `whole` objects keep what every object has; what is nested in them has nothing of its own. */
function keepKeys(object: JsonObject, keys: string[], whole: boolean): JsonObject {
  const below = new Map<string, string[]>();
  for (const key of keys) {
    const [head = "", ...rest] = key.split(".");
    const nested = below.get(head) ?? [];
    below.set(head, rest.length > 0 ? [...nested, rest.join(".")] : [...nested, ""]);
  }
  const kept = Object.entries(object).flatMap(([key, value]): [string, JsonValue][] => {
    const nested = below.get(key);
    if (!nested) return whole && ALWAYS.has(key) ? [[key, value]] : [];
    return [[key, nested.includes("") ? value : keepWithin(value, nested)]];
  });
  return Object.fromEntries(kept);
}

function keepWithin(value: JsonValue, keys: string[]): JsonValue {
  if (Array.isArray(value)) return value.map((item) => keepWithin(item, keys));
  if (!isJsonObject(value)) return value;
  // A pointer that leads nowhere stays what it is.
  if ("__type" in value && value.__type !== "Object") return value;
  return keepKeys(value, keys, value.__type === "Object");
}

function dropKeys(object: JsonObject, keys: string[]): JsonObject {
  const entries = Object.entries(object).flatMap(([key, value]): [string, JsonValue][] => {
    if (keys.includes(key) && !ALWAYS.has(key)) return [];
    const below = keys.flatMap((each) => (each.startsWith(`${key}.`) ? [each.slice(key.length + 1)] : []));
    return [[key, below.length > 0 && isJsonObject(value) ? dropKeys(value, below) : value]];
  });
  return Object.fromEntries(entries);
}
