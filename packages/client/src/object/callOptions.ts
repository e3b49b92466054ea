import type { RequestOptions } from "../transport.ts";

/** How objects are saved and destroyed. */
export interface SaveOptions extends RequestOptions {
  /** Saves unsaved nested objects first; true by default. */
  cascadeSave?: boolean;
  /** Objects per request of saveAll and destroyAll. */
  batchSize?: number;
}

/** How objects are fetched. */
export interface FetchOptions extends RequestOptions {
  /** Pointers to expand: "author" or "author.company", one or more. */
  include?: string | readonly string[] | readonly (readonly string[])[];
}

/** The comma-separated form for the server: "a,b.c"; undefined for nothing. */
export function includePaths(include: FetchOptions["include"]): string | undefined {
  if (include === undefined) return undefined;
  return typeof include === "string" ? include : include.flat().join(",") || undefined;
}
