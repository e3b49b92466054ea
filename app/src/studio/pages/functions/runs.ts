import type { StudioFunctionRun } from "@purse/protocol";

export interface FunctionRun extends StudioFunctionRun {
  at: string;
  /** As they were typed. */
  params: string;
  /** The user whose rights it had; empty for the operator's. */
  as: string;
}

const MAX_RUNS = 20;
/** Beyond, a run is kept without what it answered and logged. */
const MAX_RUN_LENGTH = 50_000;

type RunStorage = Pick<Storage, "getItem" | "setItem">;

/** What this operator has run in this tab, the newest first; it ends with the tab. */
export function loadRuns(storage: RunStorage, key: string): FunctionRun[] {
  try {
    const runs: unknown = JSON.parse(storage.getItem(storageKey(key)) ?? "[]");
    return Array.isArray(runs) ? runs : [];
  } catch {
    // Somebody else wrote there, or nothing may be kept: there is no history then.
    return [];
  }
}

/** Answers the history with a new run in it. */
export function saveRun(storage: RunStorage, key: string, run: FunctionRun): FunctionRun[] {
  const runs = [run, ...loadRuns(storage, key)].slice(0, MAX_RUNS);
  try {
    storage.setItem(storageKey(key), JSON.stringify(runs.map(truncateRun)));
  } catch {
    // The room for it is full: the history lasts as long as the page.
  }
  return runs;
}

function truncateRun(run: FunctionRun): FunctionRun {
  if (JSON.stringify(run).length <= MAX_RUN_LENGTH) return run;
  return { ...run, result: "(too large to store)", logs: [] };
}

function storageKey(key: string): string {
  return `purse:studio:runs:${key}`;
}
