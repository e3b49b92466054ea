import type { AnyObject } from "./AnyObject.ts";
import { isPlainObject } from "./encode.ts";
import { objects } from "./registry.ts";
import { type AnyFile, isFile } from "./valueTypes.ts";

/**
 * Finds all unsaved objects and files that are reachable from the objects' fields, without the objects themselves.
 * The result is in no particular order.
 */
export function findUnsaved(roots: readonly AnyObject[]): (AnyObject | AnyFile)[] {
  const seen = new Set<AnyObject | AnyFile>(roots);
  const unsaved: (AnyObject | AnyFile)[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const isObject = objects().isObject(value);
    if (isObject || isFile(value)) {
      if (seen.has(value)) return;
      seen.add(value);
      if (isObject ? value.dirty() : !value.url()) unsaved.push(value);
      if (isObject) value._state.nestedValues().forEach(visit);
    } else if (Array.isArray(value) || isPlainObject(value)) {
      Object.values(value).forEach(visit);
    }
  };
  for (const root of roots) root._state.nestedValues().forEach(visit);
  return unsaved;
}
