import { isJsonObject, type JsonObject, type JsonValue, type Query } from "@purse/protocol";

/** Fields that are always included, regardless of the selected keys. */
const ALWAYS_INCLUDED: ReadonlySet<string> = new Set([
  "objectId",
  "createdAt",
  "updatedAt",
  "ACL",
  "__type",
  "className",
]);

/** A tree of key segments: `a.b` and `c` become a branch `a` with a leaf `b`, and a leaf `c`. */
interface KeyTree {
  /** Whether a key ends at this node. */
  isLeaf: boolean;
  branches: Map<string, KeyTree>;
}

/**
 * Creates a function that selects the requested fields of objects. The keys are parsed only once. A dotted key selects
 * a part of a nested value.
 */
export function createFieldSelector({
  keys,
  excludeKeys,
  includeScore,
}: Pick<Query, "keys" | "excludeKeys" | "includeScore">): (object: JsonObject) => JsonObject {
  const keptTree = keys && buildKeyTree(includeScore ? [...keys, "score"] : keys);
  const removedTree = excludeKeys.length > 0 ? buildKeyTree(excludeKeys) : undefined;
  return (object) => {
    const result = keptTree ? keepKeys(object, keptTree, true) : object;
    return removedTree ? removeKeys(result, removedTree) : result;
  };
}

function buildKeyTree(keys: readonly string[]): KeyTree {
  const root: KeyTree = { isLeaf: false, branches: new Map() };
  for (const key of keys) {
    let node = root;
    for (const segment of key.split(".")) {
      const next: KeyTree = node.branches.get(segment) ?? { isLeaf: false, branches: new Map() };
      node.branches.set(segment, next);
      node = next;
    }
    node.isLeaf = true;
  }
  return root;
}

/** `isObject` means that the value is a Parse object, whose common fields are always kept. */
function keepKeys(object: JsonObject, { branches }: KeyTree, isObject: boolean): JsonObject {
  const keptTree = Object.entries(object).flatMap(([key, value]): [string, JsonValue][] => {
    const branch = branches.get(key);
    if (!branch) return isObject && ALWAYS_INCLUDED.has(key) ? [[key, value]] : [];
    return [[key, branch.isLeaf ? value : keepNestedKeys(value, branch)]];
  });
  return Object.fromEntries(keptTree);
}

function keepNestedKeys(value: JsonValue, tree: KeyTree): JsonValue {
  if (Array.isArray(value)) return value.map((item) => keepNestedKeys(item, tree));
  if (!isJsonObject(value)) return value;
  // A pointer that was not replaced is kept as it is.
  if ("__type" in value && value.__type !== "Object") return value;
  return keepKeys(value, tree, value.__type === "Object");
}

function removeKeys(object: JsonObject, { branches }: KeyTree): JsonObject {
  const entries = Object.entries(object).flatMap(([key, value]): [string, JsonValue][] => {
    const branch = branches.get(key);
    if (!branch) return [[key, value]];
    if (branch.isLeaf && !ALWAYS_INCLUDED.has(key)) return [];
    return [[key, branch.branches.size > 0 ? removeNestedKeys(value, branch) : value]];
  });
  return Object.fromEntries(entries);
}

function removeNestedKeys(value: JsonValue, tree: KeyTree): JsonValue {
  if (Array.isArray(value)) return value.map((item) => removeNestedKeys(item, tree));
  return isJsonObject(value) ? removeKeys(value, tree) : value;
}
