import type { RequestOptions } from "../transport.ts";

/** How objects are saved and destroyed. */
export interface SaveOptions extends RequestOptions {
  /** Saves the unsaved objects within first; on unless false. */
  cascadeSave?: boolean;
  /** Objects per request of saveAll and destroyAll. */
  batchSize?: number;
}

/** How objects are fetched. */
export interface FetchOptions extends RequestOptions {
  /** Pointers to replace by their objects: "author" or "author.company", one or many. */
  include?: string | readonly string[] | readonly (readonly string[])[];
}

/** "a,b.c" as the server wants it; undefined for nothing. */
export function includePaths(include: FetchOptions["include"]): string | undefined {
  if (include === undefined) return undefined;
  return typeof include === "string" ? include : include.flat().join(",") || undefined;
}
