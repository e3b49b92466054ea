import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { fileURLToPath } from "node:url";

/** What a server spends its time on, from the network to the database. */
export const LAYERS = [
  "Node.js and system calls",
  "Fastify",
  "API: envelope, routes, limits",
  "sessions",
  "objects, permissions",
  "cloud code",
  "queries, store",
  "SQLite or pg",
  "messages between threads",
  "metrics",
  "garbage collection",
  "V8's own threads",
] as const;
export type Layer = (typeof LAYERS)[number];

interface ProfileNode {
  id: number;
  callFrame: { functionName: string; url: string; lineNumber: number; columnNumber: number };
  children?: number[];
}

/** A profile of V8's sampling profiler. */
export interface CpuProfile {
  nodes: ProfileNode[];
  samples?: number[];
  timeDeltas?: number[];
}

/** The first match decides. Paths are those of the sources, or of Node.js. */
const LAYER_OF_PATH: readonly [RegExp, Layer][] = [
  [/^node:internal\/(?:worker|per_context\/messageport)/, "messages between threads"],
  [/packages\/workers\/|messageBatcher|writerMessages/, "messages between threads"],
  [/^node:/, "Node.js and system calls"],
  [/node_modules\/(?:better-sqlite3|pg\b|pg-|postgres)/, "SQLite or pg"],
  [/node_modules\/(?:prom-client)|server\/src\/monitoring/, "metrics"],
  [/node_modules\/(?:@fastify|fastify|find-my-way|avvio|fast-|ret|secure-json|pino)/, "Fastify"],
  [/server\/src\/auth\//, "sessions"],
  [/server\/src\/data\/|protocol\/src\/(?:acl|operations|values|names)/, "objects, permissions"],
  [/server\/src\/cloud\/|packages\/client\//, "cloud code"],
  [/server\/src\/database\/(?:postgres\/(?:session|pools))/, "SQLite or pg"],
  [/server\/src\/database\/|protocol\/src\//, "queries, store"],
  [/server\/src\//, "API: envelope, routes, limits"],
];
/** Files whose native calls are statements that SQLite executes. */
const SQLITE_CALLERS = /database\/sqlite\/(?:inlineReader|readerWorker|writerWorker|executeWrite)\.ts$/;

/**
 * The share of each layer in the profiles of some threads, without idle time: the sum is 1. Profiles of worker threads
 * do not distinguish idle time from system calls, which therefore do not count there.
 */
export function sharesOfLayers(profiles: readonly CpuProfile[], areWorkers: boolean): Map<Layer, number> {
  const sums = new Map<Layer, number>();
  let total = 0;
  for (const profile of profiles) {
    const layers = layersOfNodes(profile);
    const ignored = areWorkers
      ? profile.nodes.find((node) => node.callFrame.functionName === "(program)")
      : undefined;
    if (ignored) layers.delete(ignored.id);
    const { samples = [], timeDeltas = [] } = profile;
    for (const [index, id] of samples.entries()) {
      const layer = layers.get(id);
      const time = timeDeltas[index] ?? 0;
      if (!layer || time <= 0) continue;
      sums.set(layer, (sums.get(layer) ?? 0) + time);
      total += time;
    }
  }
  return new Map([...sums].map(([layer, time]) => [layer, time / total]));
}

/** The functions that take the most time themselves: name, source, and share of the time that was not idle. */
export function costliestFunctions(profile: CpuProfile, count: number): { name: string; share: number }[] {
  const layers = layersOfNodes(profile);
  const names = namesOfNodes(profile);
  const sums = new Map<string, number>();
  let total = 0;
  for (const [index, id] of (profile.samples ?? []).entries()) {
    const time = profile.timeDeltas?.[index] ?? 0;
    const name = names.get(id);
    if (!layers.has(id) || name === undefined || time <= 0) continue;
    sums.set(name, (sums.get(name) ?? 0) + time);
    total += time;
  }
  const sorted = [...sums].sort(([, a], [, b]) => b - a).slice(0, count);
  return sorted.map(([name, time]) => ({ name, share: time / total }));
}

/** The layer of each node. Idle nodes have none; built-in functions belong to their callers. */
function layersOfNodes({ nodes }: CpuProfile): Map<number, Layer> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const layers = new Map<number, Layer>();
  const visit = (node: ProfileNode, callerLayer: Layer, caller: ProfileNode): void => {
    const layer = layerOf(node, callerLayer, caller);
    if (layer) layers.set(node.id, layer);
    for (const child of node.children ?? []) {
      const childNode = byId.get(child);
      if (childNode) visit(childNode, layer ?? callerLayer, node);
    }
  };
  const [root] = nodes;
  if (root) visit(root, "Node.js and system calls", root);
  return layers;
}

function layerOf({ callFrame }: ProfileNode, callerLayer: Layer, caller: ProfileNode): Layer | undefined {
  const { functionName, url } = callFrame;
  if (functionName === "(idle)") return undefined;
  if (functionName === "(garbage collector)") return "garbage collection";
  if (functionName === "(program)" || functionName === "(root)") return "Node.js and system calls";
  if (url === "") return SQLITE_CALLERS.test(sourceOf(caller.callFrame)) ? "SQLite or pg" : callerLayer;
  const path = sourceOf(callFrame);
  return LAYER_OF_PATH.find(([pattern]) => pattern.test(path))?.[1] ?? callerLayer;
}

/** The name and source of each function. Built-in functions have no source: their caller is added. */
function namesOfNodes({ nodes }: CpuProfile): Map<number, string> {
  const callers = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node])));
  return new Map(
    nodes.map(({ id, callFrame }) => {
      const caller = callFrame.url === "" ? callers.get(id)?.callFrame : undefined;
      const from = caller && caller.functionName !== "(root)" ? ` called by ${describe(caller)}` : "";
      return [id, describe(callFrame) + from];
    }),
  );
}

function describe(callFrame: ProfileNode["callFrame"]): string {
  const source = sourceOf(callFrame).replace(/^.*\/(?=(?:packages|node_modules)\/)/, "");
  return `${callFrame.functionName || "(anonymous)"} ${source}`.trim();
}

const sourceMaps = new Map<string, SourceMap | undefined>();

/** The source file of a function of the bundle. */
function sourceOf({ url, lineNumber, columnNumber }: ProfileNode["callFrame"]): string {
  if (!url.startsWith("file:")) return url;
  if (!sourceMaps.has(url)) sourceMaps.set(url, readSourceMap(fileURLToPath(url)));
  const entry = sourceMaps.get(url)?.findEntry(lineNumber, columnNumber);
  return entry && "originalSource" in entry ? entry.originalSource : url;
}

function readSourceMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")));
  } catch {
    return undefined;
  }
}
