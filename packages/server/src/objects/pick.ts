import { isJsonObject, type JsonObject, type JsonValue, type Query } from "@purse/protocol";

/** What every object has, whichever fields are asked for. */
const ALWAYS: ReadonlySet<string> = new Set([
  "objectId",
  "createdAt",
  "updatedAt",
  "ACL",
  "__type",
  "className",
]);

/** Keys by their segments: `a.b` and `c` are a branch `a` with a leaf `b`, and a leaf `c`. */
interface KeyTree {
  /** Whether a key ends here. */
  isLeaf: boolean;
  branches: Map<string, KeyTree>;
}

/**
 * Makes what keeps the fields of objects that a query asks for. The keys are taken apart once, however many objects
 * there are. A dotted key keeps a part of what it leads to.
 */
export function createPick({
  keys,
  excludeKeys,
  score,
}: Pick<Query, "keys" | "excludeKeys" | "score">): (object: JsonObject) => JsonObject {
  const kept = keys && treeOf(score ? [...keys, "score"] : keys);
  const dropped = excludeKeys.length > 0 ? treeOf(excludeKeys) : undefined;
  return (object) => {
    const result = kept ? keep(object, kept, true) : object;
    return dropped ? drop(result, dropped) : result;
  };
}

function treeOf(keys: readonly string[]): KeyTree {
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

/** `isWhole` objects keep what every object has; what is nested in them has nothing of its own. */
function keep(object: JsonObject, { branches }: KeyTree, isWhole: boolean): JsonObject {
  const kept = Object.entries(object).flatMap(([key, value]): [string, JsonValue][] => {
    const branch = branches.get(key);
    if (!branch) return isWhole && ALWAYS.has(key) ? [[key, value]] : [];
    return [[key, branch.isLeaf ? value : keepWithin(value, branch)]];
  });
  return Object.fromEntries(kept);
}

function keepWithin(value: JsonValue, tree: KeyTree): JsonValue {
  if (Array.isArray(value)) return value.map((item) => keepWithin(item, tree));
  if (!isJsonObject(value)) return value;
  // A pointer that leads nowhere stays what it is.
  if ("__type" in value && value.__type !== "Object") return value;
  return keep(value, tree, value.__type === "Object");
}

function drop(object: JsonObject, { branches }: KeyTree): JsonObject {
  const entries = Object.entries(object).flatMap(([key, value]): [string, JsonValue][] => {
    const branch = branches.get(key);
    if (!branch) return [[key, value]];
    if (branch.isLeaf && !ALWAYS.has(key)) return [];
    return [[key, branch.branches.size > 0 && isJsonObject(value) ? drop(value, branch) : value]];
  });
  return Object.fromEntries(entries);
}
