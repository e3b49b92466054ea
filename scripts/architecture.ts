/*
 * Checks the structure that docs/contribute/architecture.md describes: no import cycles between files, and the layers of
 * the server's folders. Type-only imports count, as they tie files together for a reader as much as others do. Part of
 * `npm run check`.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");
const SERVER = "packages/server/src/";

/** The files that a file imports, by its path; paths are relative to the root of the repository. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

const IMPORT = /(?:^|\n)\s*(?:import|export)\s(?:[^"';]*?\sfrom\s)?\s*"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)/g;

/**
 * The imports of each source, static, dynamic and of types alone, as far as they lead to another source.
 * @param entries the sources that packages are imported as, by specifier, such as "@purse/client".
 */
export function importGraph(
  sources: ReadonlyMap<string, string>,
  entries: ReadonlyMap<string, string> = new Map(),
): ImportGraph {
  const graph = new Map<string, string[]>();
  for (const [file, text] of sources) {
    const imported = new Set<string>();
    for (const [, fixed, dynamic] of text.matchAll(IMPORT)) {
      const specifier = fixed ?? dynamic;
      if (specifier === undefined) continue;
      const target = specifier.startsWith(".")
        ? normalize(join(dirname(file), specifier))
        : entries.get(specifier);
      if (target !== undefined && sources.has(target)) imported.add(target);
    }
    graph.set(file, [...imported]);
  }
  return graph;
}

/** Groups of nodes each of which reaches every other one of its group (Tarjan's strongly connected components). */
export function findCycles(graph: ImportGraph): string[][] {
  const indices = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const cycles: string[][] = [];

  function visit(node: string): number {
    const index = indices.size;
    indices.set(node, index);
    stack.push(node);
    onStack.add(node);
    let low = index;
    for (const next of graph.get(node) ?? []) {
      if (!indices.has(next)) low = Math.min(low, visit(next));
      else if (onStack.has(next)) low = Math.min(low, indices.get(next) ?? low);
    }
    lowest.set(node, low);
    if (low === index) {
      const group = stack.splice(stack.indexOf(node));
      for (const member of group) onStack.delete(member);
      if (group.length > 1 || graph.get(node)?.includes(node)) cycles.push(group.sort());
    }
    return low;
  }

  for (const node of graph.keys()) if (!indices.has(node)) visit(node);
  return cycles;
}

/** The imports between the folders directly below a folder; files beside them count as folders of their own. */
export function folderGraph(graph: ImportGraph, parent: string): ImportGraph {
  const folderOf = (file: string) => file.slice(parent.length).split("/", 1)[0] ?? "";
  const folders = new Map<string, Set<string>>();
  for (const [file, imported] of graph) {
    if (!file.startsWith(parent)) continue;
    const folder = folderOf(file);
    const targets = folders.get(folder) ?? new Set();
    folders.set(folder, targets);
    for (const target of imported) {
      if (target.startsWith(parent) && folderOf(target) !== folder) targets.add(folderOf(target));
    }
  }
  return new Map([...folders].map(([folder, targets]) => [folder, [...targets]]));
}

/** The folders of the server by layer, from the lowest to the highest. A folder imports only from lower layers. */
const LAYERS: readonly (readonly string[])[] = [
  ["core", "config", "processes", "studioApi"],
  ["database"],
  ["data"],
  ["auth", "realtime", "cloud"],
  ["chainData", "chainWork", "dataTransfer", "monitoring", "ownPackages"],
  ["studio"],
  ["module"],
  ["modules"],
  ["api"],
];

/** Imports within a layer that are allowed, as `importer > imported`. */
const ALLOWED: ReadonlySet<string> = new Set(["config > core", "processes > config", "processes > core"]);

const MAX_LEVELS = 10;

/** Imports between folders that the layers do not allow, and folders without a layer. */
export function layerProblems(
  folders: ImportGraph,
  layers: readonly (readonly string[])[] = LAYERS,
  allowed: ReadonlySet<string> = ALLOWED,
): string[] {
  const layerOf = (folder: string) => layers.findIndex((layer) => layer.includes(folder));
  return [...folders].flatMap(([folder, targets]) => {
    // The files beside the folders compose them.
    if (folder.endsWith(".ts")) return [];
    if (layerOf(folder) < 0) return [`${folder} belongs to no layer`];
    return targets
      .filter((target) => layerOf(target) >= layerOf(folder) || layerOf(target) < 0)
      .filter((target) => !allowed.has(`${folder} > ${target}`))
      .map((target) => `${folder} must not import ${target}, which is not in a lower layer`);
  });
}

/** The length of the longest chain of imports between folders without cycles. */
export function levelsOf(folders: ImportGraph): number {
  const levels = new Map<string, number>();
  const levelOf = (folder: string): number => {
    const known = levels.get(folder);
    if (known !== undefined) return known;
    const level = 1 + Math.max(0, ...(folders.get(folder) ?? []).map(levelOf));
    levels.set(folder, level);
    return level;
  };
  return Math.max(0, ...[...folders.keys()].filter((folder) => !folder.endsWith(".ts")).map(levelOf));
}

function readSources(): Map<string, string> {
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  const sources = files
    .split("\n")
    .filter((file) => /^((packages|apps)\/[^/]+\/(src|test)|scripts|tests|bench)\/.*\.[mc]?tsx?$/.test(file))
    .filter((file) => !/\.test\.tsx?$/.test(file) && existsSync(join(ROOT, file)));
  return new Map(sources.map((file) => [file, readFileSync(join(ROOT, file), "utf8")]));
}

/** The sources that the packages of this repository are imported as, by specifier. */
function readEntries(): Map<string, string> {
  const entries = new Map<string, string>();
  for (const folder of readdirSync(join(ROOT, "packages"))) {
    const file = join(ROOT, "packages", folder, "package.json");
    if (!existsSync(file)) continue;
    const { name, exports }: { name: string; exports?: Record<string, string> } = JSON.parse(
      readFileSync(file, "utf8"),
    );
    for (const [path, target] of Object.entries(exports ?? {}))
      entries.set(join(name, path), join("packages", folder, target));
  }
  return entries;
}

function main(): void {
  const graph = importGraph(readSources(), readEntries());
  const folders = folderGraph(graph, SERVER);
  const problems = findCycles(graph).map(
    (cycle) => `import cycle of ${cycle.length} files:\n  ${cycle.join("\n  ")}`,
  );
  const folderCycles = findCycles(folders);
  problems.push(...folderCycles.map((cycle) => `cycle of folders in ${SERVER}: ${cycle.join(", ")}`));
  problems.push(...layerProblems(folders));
  const levels = folderCycles.length === 0 ? levelsOf(folders) : 0;
  if (levels > MAX_LEVELS) problems.push(`${levels} levels of folders in ${SERVER}, at most ${MAX_LEVELS}`);
  for (const problem of problems) console.error(problem);
  console.log(
    `architecture: ${graph.size} files, ${folders.size} folders on ${levels} levels, ${problems.length} problems`,
  );
  process.exitCode = problems.length > 0 ? 1 : 0;
}

if (import.meta.main) main();
