/**
 * Imports an optional package by its name, in a way that bundlers do not see: they would fail or warn about a
 * package that is missing or of another version, even if the application never uses it. Resolves in Node.js and in
 * pages with an import map; rejects elsewhere, where applications register a loader of their own.
 */
export async function importInstalled(name: string): Promise<unknown> {
  return import(/* webpackIgnore: true */ /* @vite-ignore */ name);
}
