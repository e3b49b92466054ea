import { useCallback, useEffect, useRef, useState } from "react";
import { useToast } from "../../../design/Toasts.tsx";
import { explain } from "../../../explain.ts";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useStudio } from "../../StudioContext.tsx";
import { runBulk, type Target } from "./bulk.ts";

/** How long rows that were deleted can be had back: until then nothing has happened to them. */
export const UNDO_MS = 20_000;

export interface Deletion {
  target: Target;
  count: number;
  /** Waits to be taken back, or is carried out. */
  state: "waiting" | "running";
  /** When it begins, in ms since the epoch. */
  beginsAt: number;
  done: number;
}

/**
 * Rows on their way out. They are hidden at once and deleted when the time to take it back is over, or the room is
 * left; a page that is closed deletes nothing. `onGone` is told when it is done, and which rows were refused.
 */
export function useDeletion(
  className: string,
  onGone: (target: Target, refused: ReadonlySet<string>) => void,
) {
  const studio = useStudio();
  const toast = useToast();
  const { t, count: say } = useTranslation();
  const [deletion, setDeletion] = useState<Deletion | undefined>(undefined);
  const waiting = useRef<{ deletion: Deletion; timer: ReturnType<typeof setTimeout> } | undefined>(undefined);

  async function carryOut(given: Deletion): Promise<void> {
    setDeletion({ ...given, state: "running" });
    let refused: ReadonlySet<string> | undefined;
    try {
      const { changed, failed } = await runBulk(
        studio,
        className,
        { action: "delete" },
        given.target,
        (done) => setDeletion({ ...given, state: "running", done }),
      );
      toast(say(changed, "{n} row is deleted.", "{n} rows are deleted."));
      refused = new Set(failed.map(({ objectId }) => objectId));
      const [first] = failed;
      if (first)
        toast(
          t("{n} rows were not deleted: {why}", {
            n: failed.length,
            why: `${first.objectId}: ${first.error}`,
          }),
        );
    } catch (error) {
      toast(explain(error).detail);
    }
    setDeletion((now) => (now?.beginsAt === given.beginsAt ? undefined : now));
    if (refused) onGone(given.target, refused);
  }

  /** Now, rather than when the time is over. */
  function now(): void {
    const held = waiting.current;
    if (!held) return;
    clearTimeout(held.timer);
    waiting.current = undefined;
    void carryOut(held.deletion);
  }

  const latest = useRef(now);
  latest.current = now;
  useEffect(() => () => latest.current(), []);

  const begin = useCallback((target: Target, count: number) => {
    latest.current();
    const made: Deletion = { target, count, state: "waiting", beginsAt: Date.now() + UNDO_MS, done: 0 };
    waiting.current = { deletion: made, timer: setTimeout(() => latest.current(), UNDO_MS) };
    setDeletion(made);
  }, []);

  function undo(): void {
    clearTimeout(waiting.current?.timer);
    waiting.current = undefined;
    setDeletion(undefined);
  }

  return { deletion, begin, now, undo };
}
