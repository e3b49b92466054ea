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
      Object.values(value._attributes()).forEach(visit);
    } else if (Array.isArray(value) || isPlainObject(value)) {
      Object.values(value).forEach(visit);
    }
  };
  for (const root of roots) Object.values(root._attributes()).forEach(visit);
  return unsaved;
}
