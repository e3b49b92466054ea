/* What was measured of each engine, kept beside the page. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import type { FillRates } from "./fillScale.ts";
import type { ListTimes } from "./measureLists.ts";
import type { Engine } from "./scaleDatabase.ts";

export interface ScaleResult {
  engine: Engine;
  transfers: number;
  /** Those of them that the indexer's writer added, after the others. */
  writtenTransfers: number;
  /** Transfers per second. */
  rates: FillRates;
  lists: ListTimes[];
  /** By table. */
  sqlBytes: Record<string, number>;
  eventBytes: Record<string, number>;
  machine: string;
}

export const root = join(import.meta.dirname, "../../..");
const path = join(root, "docs/internals/benchmarks/chain-scale.json");

export function readResults(): ScaleResult[] {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : [];
}

/** Replaces the result of the engine. */
export function saveResult(result: ScaleResult): void {
  const others = readResults().filter(({ engine }) => engine !== result.engine);
  writeFileSync(path, `${JSON.stringify([...others, result], undefined, 2)}\n`);
}

export function describeMachine(): string {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], {
    cwd: root,
    encoding: "utf8",
  }).trim();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `at commit ${commit} on ${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}), ${memory} GB of memory, Node.js ${process.version}, load average at the end ${loadavg()[0]?.toFixed(1)}`;
}
