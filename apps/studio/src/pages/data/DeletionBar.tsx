import { Button, useTranslation } from "@purse/ui";
import { useEffect, useState } from "react";
import { ProgressLine } from "./ProgressLine.tsx";
import type { Deletion } from "./useDeletion.ts";

/** A pending deletion that can be undone. */
export function DeletionBar({
  deletion,
  onUndo,
  onNow,
}: {
  deletion: Deletion;
  onUndo: () => void;
  onNow: () => void;
}) {
  const { t, count } = useTranslation();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  const { state, startsAt: beginsAt, done } = deletion;
  if (state === "running")
    return (
      <ProgressLine
        label={t("Deleting: {done} of {all}", { done, all: deletion.count })}
        done={done}
        all={deletion.count}
      />
    );
  const seconds = Math.max(0, Math.ceil((beginsAt - now) / 1_000));
  return (
    <div className="data-bar" data-kind="danger">
      <span className="grow" role="status">
        {count(deletion.count, "{n} row will be deleted.", "{n} rows will be deleted.")}{" "}
        <span aria-hidden="true">
          {count(seconds, "Deleting in {n} second.", "Deleting in {n} seconds.")}
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
