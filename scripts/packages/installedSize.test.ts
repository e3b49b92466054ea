import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { splitDependencies } from "./featurePackages.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const MB = 1024 ** 2;
const MAX_PACKAGES = 200;
/** Without those of this repository, which have less than 15 MB. */
const MAX_BYTES = 75 * MB;

interface LockedPackage {
  link?: boolean;
  resolved?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

const { packages: locked }: { packages: Record<string, LockedPackage> } = JSON.parse(
  readFileSync(join(ROOT, "package-lock.json"), "utf8"),
);

/** Where a package finds another one, as Node.js does. */
function locationOf(name: string, importer: string): string | undefined {
  for (let folder = importer; ; folder = folder.replace(/\/?(?:node_modules\/)?(?:@[^/]+\/)?[^/]+$/, "")) {
    const location = join(folder, "node_modules", name);
    const found = locked[location];
    if (found) return found.link ? found.resolved : location;
    if (folder === "") return undefined;
  }
}

/** The folders of all packages that come with one of this repository when it is installed. */
function installedWith(start: string): Set<string> {
  const seen = new Set<string>();
  const waiting = [start];
  for (let location = waiting.pop(); location !== undefined; location = waiting.pop()) {
    // Packages of other platforms are locked, but not here.
    if (seen.has(location) || !existsSync(join(ROOT, location))) continue;
    seen.add(location);
    const { dependencies = {}, ...found } = locked[location] ?? {};
    const { kept } = splitDependencies(dependencies);
    const isOwn = location.startsWith("packages/");
    const peers = Object.keys(found.peerDependencies ?? {}).filter(
      (name) => !found.peerDependenciesMeta?.[name]?.optional,
    );
    const names = [
      ...Object.keys(isOwn ? kept : dependencies),
      ...Object.keys(found.optionalDependencies ?? {}),
      ...peers,
    ];
    waiting.push(...names.flatMap((name) => locationOf(name, location) ?? []));
  }
  return seen;
}

function bytesOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((total, entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" ? total : total + bytesOf(path);
    return total + statSync(path).size;
  }, 0);
}

describe("@purse/server, installed in an empty folder", () => {
  it(`brings at most ${MAX_PACKAGES} packages and 90 MB, as its features have packages of their own`, () => {
    const folders = [...installedWith("packages/server")];
    const others = folders.filter((folder) => !folder.startsWith("packages/"));
    expect(folders.length).toBeGreaterThan(100);
    expect(folders.length).toBeLessThanOrEqual(MAX_PACKAGES);
    const bytes = others.reduce((total, folder) => total + bytesOf(join(ROOT, folder)), 0);
    expect(bytes).toBeGreaterThan(40 * MB);
    expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
  });
});
