import type { StudioFunctionRun } from "@purse/protocol";

export interface FunctionRun extends StudioFunctionRun {
  at: string;
  /** As they were typed. */
  params: string;
  /** The user whose rights it had; empty for the operator's. */
  as: string;
}

const MOST = 20;
/** Beyond, a run is kept without what it answered and logged. */
const MOST_CHARACTERS = 50_000;

type Kept = Pick<Storage, "getItem" | "setItem">;

/** What this operator has run in this tab, the newest first; it ends with the tab. */
export function ownRuns(kept: Kept, key: string): FunctionRun[] {
  try {
    const runs: unknown = JSON.parse(kept.getItem(keyOf(key)) ?? "[]");
    return Array.isArray(runs) ? runs : [];
  } catch {
    // Somebody else wrote there, or nothing may be kept: there is no history then.
    return [];
  }
}

/** Answers the history with a new run in it. */
export function keepRun(kept: Kept, key: string, run: FunctionRun): FunctionRun[] {
  const runs = [run, ...ownRuns(kept, key)].slice(0, MOST);
  try {
    kept.setItem(keyOf(key), JSON.stringify(runs.map(shortened)));
  } catch {
    // The room for it is full: the history lasts as long as the page.
  }
  return runs;
}

function shortened(run: FunctionRun): FunctionRun {
  if (JSON.stringify(run).length <= MOST_CHARACTERS) return run;
  return { ...run, result: "(too large to be kept)", logs: [] };
}

function keyOf(key: string): string {
  return `purse:studio:runs:${key}`;
}
