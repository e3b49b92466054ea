import type { AnyObject } from "./AnyObject.ts";
import { isPlainObject } from "./encode.ts";
import { objects } from "./registry.ts";
import { type AnyFile, isFile } from "./valueTypes.ts";

/**
 * Everything unsaved that is reached from the objects' fields, but not the objects themselves.
 * The files and objects found may hold one another in any order.
 */
export function unsavedWithin(roots: readonly AnyObject[]): (AnyObject | AnyFile)[] {
  const seen = new Set<AnyObject | AnyFile>(roots);
  const unsaved: (AnyObject | AnyFile)[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const isObject = objects().isObject(value);
    if (isObject || isFile(value)) {
      if (seen.has(value)) return;
      seen.add(value);
      if (isObject ? value.dirty() : !value.url()) unsaved.push(value);
      if (isObject) value._state.held().forEach(visit);
    } else if (Array.isArray(value) || isPlainObject(value)) {
      Object.values(value).forEach(visit);
    }
  };
  for (const root of roots) root._state.held().forEach(visit);
  return unsaved;
}
