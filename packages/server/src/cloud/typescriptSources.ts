import type { ResolveHookSync } from "node:module";

/** Extensions by which TypeScript's own imports name its sources. */
const SOURCES: readonly [written: RegExp, source: string][] = [
  [/\.js$/, ".ts"],
  [/\.mjs$/, ".mts"],
  [/\.cjs$/, ".cts"],
];
const NOT_FOUND: ReadonlySet<unknown> = new Set(["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"]);

/**
 * Finds `x.ts` for an import of `./x.js` that does not exist, as TypeScript does: it has its sources name the files that it
 * would write.
 */
export const resolveTypescriptSource: ResolveHookSync = (specifier, context, next) => {
  try {
    return next(specifier, context);
  } catch (error) {
    const isFile = /^(\.{1,2}\/|\/|file:)/.test(specifier);
    const isMissing = error instanceof Error && "code" in error && NOT_FOUND.has(error.code);
    const [written, source] = SOURCES.find(([extension]) => extension.test(specifier)) ?? [];
    if (!isFile || !isMissing || !written || source === undefined) throw error;
    try {
      return next(specifier.replace(written, source), context);
    } catch {
      // The message names the file that the code imports.
      throw error;
    }
  }
};
