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

/** Selects the requested fields of objects. */
export interface FieldSelector {
  (object: JsonObject): JsonObject;
  /** Selects those of the objects that are included along a path, before they are; undefined for all. */
  at(path: readonly string[]): ((object: JsonObject) => JsonObject) | undefined;
}

/**
 * Creates a function that selects the requested fields of objects. The keys are parsed only once. A dotted key selects
 * a part of a nested value.
 */
export function createFieldSelector({
  keys,
  excludeKeys,
  includeScore,
}: Pick<Query, "keys" | "excludeKeys" | "includeScore">): FieldSelector {
  const keptTree = keys && buildKeyTree(includeScore ? [...keys, "score"] : keys);
  const removedTree = excludeKeys.length > 0 ? buildKeyTree(excludeKeys) : undefined;
  const select = (object: JsonObject): JsonObject => selectFrom(object, keptTree, removedTree);
  const at: FieldSelector["at"] = (path) => {
    const kept = keptTree && branchAt(keptTree, path);
    const removed = removedTree && branchAt(removedTree, path);
    if (removed?.isLeaf) return (object) => keepKeys(object, NOTHING, true);
    const keepsAll = !keptTree || (kept?.isLeaf ?? false);
    if (keepsAll && !removed) return undefined;
    return (object) => selectFrom(object, keepsAll ? undefined : (kept ?? NOTHING), removed);
  };
  return Object.assign(select, { at });
}

const NOTHING: KeyTree = { isLeaf: false, branches: new Map() };

function selectFrom(object: JsonObject, kept: KeyTree | undefined, removed: KeyTree | undefined): JsonObject {
  const result = kept ? keepKeys(object, kept, true) : object;
  return removed ? removeKeys(result, removed) : result;
}

/** The node at the end of a path, or the leaf on the way to it, which is the whole value. */
function branchAt(root: KeyTree, path: readonly string[]): KeyTree | undefined {
  let node: KeyTree | undefined = root;
  for (const segment of path) {
    node = node?.branches.get(segment);
    if (node?.isLeaf) return node;
  }
  return node;
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
