import type { StudioFunctionRun } from "@purse/server/studio-api";
import { loadList, saveJson } from "@purse/ui";

export interface FunctionRun extends StudioFunctionRun {
  at: string;
  /** As entered. */
  params: string;
  /** User id that the function ran as; empty for the master key. */
  as: string;
}

const MAX_RUNS = 20;
/** Longer runs are stored without result and logs, in characters of JSON. */
const MAX_RUN_LENGTH = 50_000;

type RunStorage = Pick<Storage, "getItem" | "setItem">;

/** Runs of this operator in this tab, newest first. */
export function loadRuns(storage: RunStorage, key: string): FunctionRun[] {
  return loadList(storage, storageKey(key));
}

/** Stores a run and returns the updated history. */
export function saveRun(storage: RunStorage, key: string, run: FunctionRun): FunctionRun[] {
  const runs = [run, ...loadRuns(storage, key)].slice(0, MAX_RUNS);
  saveJson(storage, storageKey(key), runs.map(truncateRun));
  return runs;
}

function truncateRun(run: FunctionRun): FunctionRun {
  if (JSON.stringify(run).length <= MAX_RUN_LENGTH) return run;
  return { ...run, result: "(too large to store)", logs: [] };
}

function storageKey(key: string): string {
  return `purse:studio:runs:${key}`;
}
