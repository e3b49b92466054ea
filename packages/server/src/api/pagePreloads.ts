import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Written by the build of an app: `Link` headers by path. Segments that begin with `$` match any. */
const FILE = "preloads.json";

/**
 * Reads the preloads of the apps in these folders. Returns a function that returns the `Link` header of the page at a path:
 * the files that a browser should request together with those that the document names.
 */
export function readPagePreloads(folders: readonly string[]): (path: string) => string | undefined {
  const pages = folders.flatMap((folder) => {
    const file = join(folder, FILE);
    if (!existsSync(file)) return [];
    const links: Record<string, string> = JSON.parse(readFileSync(file, "utf8"));
    return Object.entries(links).map(([path, link]) => ({ pattern: segmentsOf(path), link }));
  });
  return (path) => {
    const segments = segmentsOf(path);
    return pages.find(({ pattern }) => matches(pattern, segments))?.link;
  };
}

function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "");
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((segment, i) => segment.startsWith("$") || segment === segments[i])
  );
}
