import { loadList, saveJson } from "@purse/ui";
import { useState } from "react";
import { useOperator } from "../StudioContext.tsx";

export interface TabHistoryOptions<Entry> {
  maxEntries: number;
  /** In characters of JSON; longer entries are not kept. */
  maxLength: number;
  /** What is stored of a longer entry, which is then kept. */
  shorten?: (entry: Entry) => Entry;
  /** Whether an entry takes the place of an earlier one. */
  isSame?: (entry: Entry, earlier: Entry) => boolean;
}

/** What this operator has done in this tab, newest first: `[entries, add]`. */
export function useTabHistory<Entry>(
  name: string,
  { maxEntries, maxLength, shorten, isSame = () => false }: TabHistoryOptions<Entry>,
): [readonly Entry[], (entry: Entry) => void] {
  const key = `purse:studio:${name}:${useOperator().id}`;
  const [entries, setEntries] = useState<readonly Entry[]>(() => loadList(sessionStorage, key));
  function add(entry: Entry): void {
    const isLong = (each: Entry) => JSON.stringify(each).length > maxLength;
    if (isLong(entry) && !shorten) return;
    const earlier = loadList<Entry>(sessionStorage, key).filter((each) => !isSame(entry, each));
    const next = [entry, ...earlier].slice(0, maxEntries);
    saveJson(
      sessionStorage,
      key,
      next.map((each) => (shorten && isLong(each) ? shorten(each) : each)),
    );
    setEntries(next);
  }
  return [entries, add];
}
