import { Button, useTranslation } from "@purse/ui";
import { useEffect, useState } from "react";
import { ProgressLine } from "./ProgressLine.tsx";
import type { Deletion } from "./useDeletion.ts";

export interface DeletionBarProps {
  deletion: Deletion;
  onUndo: () => void;
  onNow: () => void;
}

/** A pending deletion that can be undone. */
export function DeletionBar({ deletion, onUndo, onNow }: DeletionBarProps) {
  const { t } = useTranslation();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  const { state, startsAt: beginsAt, done } = deletion;
  if (state === "running")
    return (
      <ProgressLine
        label={t("Deleting: {done, number} of {all, number}", { done, all: deletion.count })}
        done={done}
        all={deletion.count}
      />
    );
  const seconds = Math.max(0, Math.ceil((beginsAt - now) / 1_000));
  return (
    <div className="data-bar" data-kind="danger">
      <span className="grow" role="status">
        {t("{n, plural, one {# row will be deleted.} other {# rows will be deleted.}}", {
          n: deletion.count,
        })}{" "}
        <span aria-hidden="true">
          {t("{n, plural, one {Deleting in # second.} other {Deleting in # seconds.}}", { n: seconds })}
        </span>
      </span>
      <Button small variant="primary" onClick={onUndo}>
        {t("Undo")}
      </Button>
      <Button small onClick={onNow}>
        {t("Delete now")}
      </Button>
    </div>
  );
}
