/*
 * Checks the structure that docs describe: no import cycles between files. Type-only imports count, as they tie files
 * together for a reader as much as others do. Part of `npm run check`.
 *   node scripts/run.mjs scripts/architecture.ts [--folders]   with --folders: also lists cycles between folders of the server
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");
const SERVER = "packages/server/src/";

/** The files that a file imports, by its path; paths are relative to the root of the repository. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

const IMPORT = /(?:^|\n)\s*(?:import|export)\s(?:[^"';]*?\sfrom\s)?\s*"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)/g;

/** The relative imports of each source, static, dynamic and of types alone, as far as they lead to another source. */
export function importGraph(sources: ReadonlyMap<string, string>): ImportGraph {
  const graph = new Map<string, string[]>();
  for (const [file, text] of sources) {
    const imported = new Set<string>();
    for (const [, fixed, dynamic] of text.matchAll(IMPORT)) {
      const specifier = fixed ?? dynamic;
      if (!specifier?.startsWith(".")) continue;
      const target = normalize(join(dirname(file), specifier));
      if (sources.has(target)) imported.add(target);
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

function readSources(): Map<string, string> {
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  const sources = files
    .split("\n")
    .filter((file) => /^(packages|apps)\/[^/]+\/src\/.*\.tsx?$/.test(file))
    .filter((file) => !/\.test\.tsx?$/.test(file) && existsSync(join(ROOT, file)));
  return new Map(sources.map((file) => [file, readFileSync(join(ROOT, file), "utf8")]));
}

function main(args: readonly string[]): void {
  const graph = importGraph(readSources());
  const cycles = findCycles(graph);
  for (const cycle of cycles)
    console.error(`import cycle of ${cycle.length} files:\n  ${cycle.join("\n  ")}`);
  if (args.includes("--folders")) {
    for (const cycle of findCycles(folderGraph(graph, SERVER)))
      console.log(`cycle of ${cycle.length} folders in ${SERVER}: ${cycle.join(", ")}`);
  }
  console.log(`${graph.size} files, ${cycles.length} import cycles`);
  process.exitCode = cycles.length > 0 ? 1 : 0;
}

if (import.meta.main) main(process.argv.slice(2));
