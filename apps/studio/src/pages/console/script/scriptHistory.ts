import { loadList, saveJson } from "@purse/ui";

/** A script that was run, for the history. */
export interface RunScript {
  code: string;
  at: string;
}

const MAX_SCRIPTS = 30;
/** Longer scripts are not kept, in characters. */
const MAX_LENGTH = 20_000;

type HistoryStorage = Pick<Storage, "getItem" | "setItem">;

/** Scripts that this operator has run in this tab, newest first. */
export function loadScripts(storage: HistoryStorage, operatorId: string): RunScript[] {
  return loadList(storage, storageKey(operatorId));
}

/** Stores a script, in place of an equal one, and returns the updated history. */
export function saveScript(storage: HistoryStorage, operatorId: string, script: RunScript): RunScript[] {
  const before = loadScripts(storage, operatorId);
  if (script.code.length > MAX_LENGTH) return before;
  const scripts = [script, ...before.filter(({ code }) => code !== script.code)].slice(0, MAX_SCRIPTS);
  saveJson(storage, storageKey(operatorId), scripts);
  return scripts;
}

function storageKey(operatorId: string): string {
  return `purse:studio:scripts:${operatorId}`;
}
