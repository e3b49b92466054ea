import { keepSynced } from "../local/pins.ts";
import { type RequestOptions, request } from "../transport.ts";
import type { AnyObject } from "./AnyObject.ts";
import { isPlainObject } from "./encode.ts";
import { ParseFile } from "./File.ts";
import { objects } from "./registry.ts";

export interface SaveOptions extends RequestOptions {
  /** Saves the unsaved objects within first; on unless false. */
  cascadeSave?: boolean;
  /** Objects per request of saveAll and destroyAll. */
  batchSize?: number;
}

/** Saves one object, and before it what it needs. */
export async function saveObject(object: AnyObject, options: SaveOptions): Promise<void> {
  const within = options.cascadeSave === false ? [] : unsavedWithin([object]);
  if (within.length > 0) await (await import("./batches.ts")).saveMany(within, options);
  await object._enqueue(async () => {
    const { method, path, body } = object._saveParams();
    object._beginSave();
    try {
      const answer = await request(method, path, body, options);
      object._finishSave(answer.body, answer.status);
    } catch (error) {
      object._failSave();
      throw error;
    }
    await object._afterSync();
    await keepSynced([object]);
  });
}

export interface FetchOptions extends RequestOptions {
  /** Pointers to replace by their objects: "author" or "author.company", one or many. */
  include?: string | readonly string[] | readonly (readonly string[])[];
}

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
      Object.values(value.attributes).forEach(visit);
    } else if (Array.isArray(value) || isPlainObject(value)) {
      Object.values(value).forEach(visit);
    }
  };
  for (const root of roots) Object.values(root.attributes).forEach(visit);
  return unsaved;
}

/** "a,b.c" as the server wants it; undefined for nothing. */
export function includePaths(include: FetchOptions["include"]): string | undefined {
  if (include === undefined) return undefined;
  return typeof include === "string" ? include : include.flat().join(",") || undefined;
}
