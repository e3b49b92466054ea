import { isJsonObject, type JsonValue } from "@purse/protocol";
import { splitPath } from "./fieldPaths.ts";
import { valueCollector } from "./matchPaths.ts";
import { PipelineError } from "./pipelineError.ts";
import { compareValues, type Document, type Value } from "./values.ts";

export type Compare = (a: Value, b: Value) => number;

interface SortKey {
  read: (value: Value) => Value;
  factor: 1 | -1;
}

/** Compiles a sort order such as `{ score: -1, name: 1 }`. Throws for other directions. */
export function compileSortKeys(order: JsonValue, name: string): SortKey[] {
  if (!isJsonObject(order) || Object.keys(order).length === 0) {
    throw new PipelineError(`${name} takes an object with the fields to sort by`);
  }
  return Object.entries(order).map(([path, direction]) => {
    if (direction !== 1 && direction !== -1) throw new PipelineError(`${name} sorts a field by 1 or -1`);
    return { read: sortValueReader(splitPath(path), direction), factor: direction };
  });
}

/** Compiles a sort order to a comparison. */
export function compileOrder(order: JsonValue, name: string): Compare {
  const keys = compileSortKeys(order, name);
  return (a, b) => {
    for (const { read, factor } of keys) {
      const result = compareValues(read(a), read(b)) * factor;
      if (result !== 0) return result;
    }
    return 0;
  };
}

/** Sorts documents; each key is read once. Documents with equal keys keep their order. */
export function sortDocuments(documents: Iterable<Document>, keys: readonly SortKey[]): Document[] {
  const rows = Array.from(documents, (document) => ({
    document,
    values: keys.map(({ read }) => read(document)),
  }));
  rows.sort((a, b) => {
    for (let i = 0; i < keys.length; i++) {
      const result = compareValues(a.values[i], b.values[i]) * (keys[i]?.factor ?? 1);
      if (result !== 0) return result;
    }
    return 0;
  });
  return rows.map(({ document }) => document);
}

/**
 * Returns a function that reads the value by which a document is sorted: of arrays the least item, or the greatest in
 * descending order. Missing values are null, and an empty array comes before null.
 */
function sortValueReader(names: readonly string[], direction: 1 | -1): (value: Value) => Value {
  const collect = valueCollector(names);
  const outermost = (items: readonly Value[]) =>
    items.reduce((best, item) => (compareValues(item, best) * direction < 0 ? item : best));
  return (document) => {
    const values = collect(document);
    const [only] = values;
    if (values.length === 1 && !Array.isArray(only)) return only ?? null;
    return values.length === 0 ? null : outermost(values.flatMap(itemsToSortBy));
  };
}

function itemsToSortBy(value: Value): Value[] {
  if (!Array.isArray(value)) return [value ?? null];
  return value.length === 0 ? [undefined] : value;
}
