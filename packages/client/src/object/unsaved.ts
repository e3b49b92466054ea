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
  const isNew = (found: AnyObject | AnyFile): boolean => !seen.has(found) && seen.add(found).size > 0;
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if (isFile(value)) {
      if (!value.url() && isNew(value)) unsaved.push(value);
    } else if (objects().isObject(value)) {
      const isDirty = value.dirty();
      const held = value._state.held();
      if (!(isDirty || held.length > 0) || !isNew(value)) return;
      if (isDirty) unsaved.push(value);
      held.forEach(visit);
    } else if (Array.isArray(value) || isPlainObject(value)) {
      Object.values(value).forEach(visit);
    }
  };
  for (const root of roots) root._state.held().forEach(visit);
  return unsaved;
}
