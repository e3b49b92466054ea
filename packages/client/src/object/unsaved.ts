import type { AnyObject } from "./AnyObject.ts";
import { isPlainObject } from "./encode.ts";
import { ParseFile } from "./File.ts";
import { objects } from "./registry.ts";

/**
 * Everything unsaved that is reached from the objects' fields, but not the objects themselves.
 * The files and objects found may hold one another in any order.
 */
export function unsavedWithin(roots: readonly AnyObject[]): (AnyObject | ParseFile)[] {
  const seen = new Set<unknown>(roots);
  const unsaved: (AnyObject | ParseFile)[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    if (value instanceof ParseFile) {
      if (!value.url()) unsaved.push(value);
    } else if (objects().isObject(value)) {
      if (value.dirty()) unsaved.push(value);
      value._held().forEach(visit);
    } else if (Array.isArray(value) || isPlainObject(value)) {
      Object.values(value).forEach(visit);
    }
  };
  for (const root of roots) root._held().forEach(visit);
  return unsaved;
}
