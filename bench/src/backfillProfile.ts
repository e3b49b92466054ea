import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CpuProfile } from "./serverProfile.ts";

/** What the threads of the indexer spend their time on. */
export const STEPS = [
  "responses of the node: HTTP, `JSON.parse`",
  "checks: hashes, receipts, bloom filters",
  "decoding of logs",
  "rows for the database: bytes, sums, counts",
  "inserts",
  "messages, start, other",
  "garbage collection",
] as const;
export type Step = (typeof STEPS)[number];

/** The first match decides, from the innermost function outwards. */
const STEP_OF_PATH: readonly [RegExp, Step][] = [
  [/better-sqlite3|node_modules\/pg|pg-copy|postgres(?:Sql|Connections?)\.ts/, "inserts"],
  [/chain\/src\/store\/(?:sqliteErc20Balances|sqliteNft|sqliteNewBlocks|sqliteAppendWorker)/, "inserts"],
  [/chain\/src\/store\//, "rows for the database: bytes, sums, counts"],
  [
    /chain\/src\/node\/(?:rpc|transport|nodeFailover)|protocol\/src\//,
    "responses of the node: HTTP, `JSON.parse`",
  ],
  [/chain\/src\/node\//, "checks: hashes, receipts, bloom filters"],
  [/chain\/src\/(?:decode|indexer\/fullScope)/, "decoding of logs"],
  [/undici|node:internal\/(?:deps|webstreams|streams)/, "responses of the node: HTTP, `JSON.parse`"],
];

/** Steps of functions in the file that encodes blocks for the thread that appends them. */
const ENCODING = /^(?:encodeNewBlocks|encodeRows)$/;

/** Seconds of a thread by step. */
export type StepTimes = Map<Step, number>;

/** The threads of the profiles of a folder that index: by their most expensive kind of work. */
export function readProfiles(folder: string): { indexer: StepTimes; append: StepTimes | undefined } {
  const profiles = readdirSync(folder)
    .filter((name) => name.endsWith(".cpuprofile"))
    .map((name): CpuProfile => JSON.parse(readFileSync(join(folder, name), "utf8")));
  const threads = profiles.map((profile) => ({
    times: timesOfSteps(profile),
    appends: hasFile(profile, "sqliteAppendWorker"),
    indexes: hasFile(profile, "chainIndexer.ts"),
  }));
  return {
    indexer: threads.find(({ indexes, appends }) => indexes && !appends)?.times ?? new Map(),
    append: threads.find(({ appends }) => appends)?.times,
  };
}

function hasFile({ nodes }: CpuProfile, name: string): boolean {
  return nodes.some(({ callFrame }) => callFrame.url.includes(name));
}

function timesOfSteps({ nodes, samples = [], timeDeltas = [] }: CpuProfile): StepTimes {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const steps = new Map<number, Step | undefined>();
  const visit = (id: number, outer: Step | undefined): void => {
    const node = byId.get(id);
    if (!node) return;
    const step = stepOf(node.callFrame) ?? outer;
    steps.set(id, node.callFrame.functionName === "(idle)" ? undefined : step);
    for (const child of node.children ?? []) visit(child, step);
  };
  const [root] = nodes;
  if (root) visit(root.id, "messages, start, other");
  const times: StepTimes = new Map();
  for (const [index, id] of samples.entries()) {
    const step = steps.get(id);
    const time = timeDeltas[index] ?? 0;
    if (step && time > 0) times.set(step, (times.get(step) ?? 0) + time / 1e6);
  }
  return times;
}

function stepOf({ functionName, url }: CpuProfile["nodes"][number]["callFrame"]): Step | undefined {
  if (functionName === "(garbage collector)") return "garbage collection";
  if (ENCODING.test(functionName)) return "rows for the database: bytes, sums, counts";
  return STEP_OF_PATH.find(([pattern]) => pattern.test(url))?.[1];
}
