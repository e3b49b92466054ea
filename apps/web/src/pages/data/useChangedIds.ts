import type { ParseObject } from "@purse/client";
import { useEffect, useRef, useState } from "react";

const HIGHLIGHT_MS = 2_000;

/** The IDs of records that were added or changed recently, to highlight them. */
export function useChangedIds(records: readonly ParseObject[]): ReadonlySet<string> {
  const seen = useRef<Map<string, string> | undefined>(undefined);
  const [changedIds, setChangedIds] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const now = new Map(records.map(({ id, updatedAt }) => [id ?? "", String(updatedAt?.getTime())]));
    const before = seen.current;
    if (now.size > 0) seen.current = now;
    if (!before) return undefined;
    const changed = [...now].filter(([id, at]) => before.get(id) !== at).map(([id]) => id);
    if (changed.length === 0) return undefined;
    setChangedIds(new Set(changed));
    const timer = setTimeout(() => setChangedIds(new Set()), HIGHLIGHT_MS);
    return () => clearTimeout(timer);
  }, [records]);
  return changedIds;
}
