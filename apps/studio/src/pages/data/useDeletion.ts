import { explain, useToast, useTranslation } from "@purse/ui";
import { useCallback, useEffect, useRef, useState } from "react";
import { useStudio } from "../../StudioContext.tsx";
import { runBulk, type Target } from "./bulkChanges.ts";

/** Delay before rows are deleted, in ms, in which the deletion can be undone. */
const UNDO_MS = 20_000;

export interface Deletion {
  target: Target;
  count: number;
  /** "pending" can be undone, "running" is being executed. */
  state: "pending" | "running";
  /** Start time, in ms since the epoch. */
  startsAt: number;
  done: number;
}

/**
 * A deletion that can be undone. Rows are hidden immediately and deleted after the delay or when the page is left; closing
 * the browser tab deletes nothing. `onDeleted` is called afterwards with the ids that failed.
 */
export function useDeletion(
  className: string,
  onDeleted: (target: Target, failedIds: ReadonlySet<string>) => void,
) {
  const studio = useStudio();
  const toast = useToast();
  const texts = useTranslation();
  const { t } = texts;
  const [deletion, setDeletion] = useState<Deletion | undefined>(undefined);
  const scheduledRef = useRef<{ deletion: Deletion; timer: ReturnType<typeof setTimeout> } | undefined>(
    undefined,
  );

  async function execute(current: Deletion): Promise<void> {
    setDeletion({ ...current, state: "running" });
    let failedIds: ReadonlySet<string> | undefined;
    try {
      const { changed, failed } = await runBulk(
        studio,
        className,
        { action: "delete" },
        current.target,
        (done) => setDeletion({ ...current, state: "running", done }),
      );
      toast(texts.t("{n, plural, one {# row deleted} other {# rows deleted}}", { n: changed }));
      failedIds = new Set(failed.map(({ objectId }) => objectId));
      const [first] = failed;
      if (first)
        toast(
          t("{n, number} rows could not be deleted: {reason}", {
            n: failed.length,
            reason: `${first.objectId}: ${first.error}`,
          }),
        );
    } catch (error) {
      toast(explain(error).detail);
    }
    setDeletion((runNow) => (runNow?.startsAt === current.startsAt ? undefined : runNow));
    if (failedIds) onDeleted(current.target, failedIds);
  }

  /** Executes the pending deletion immediately. */
  function runNow(): void {
    const scheduled = scheduledRef.current;
    if (!scheduled) return;
    clearTimeout(scheduled.timer);
    scheduledRef.current = undefined;
    void execute(scheduled.deletion);
  }

  const latest = useRef(runNow);
  latest.current = runNow;
  useEffect(() => () => latest.current(), []);

  const begin = useCallback((target: Target, count: number) => {
    latest.current();
    const next: Deletion = { target, count, state: "pending", startsAt: Date.now() + UNDO_MS, done: 0 };
    scheduledRef.current = { deletion: next, timer: setTimeout(() => latest.current(), UNDO_MS) };
    setDeletion(next);
  }, []);

  function undo(): void {
    clearTimeout(scheduledRef.current?.timer);
    scheduledRef.current = undefined;
    setDeletion(undefined);
  }

  return { deletion, begin, runNow, undo };
}
