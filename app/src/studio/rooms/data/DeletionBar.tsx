import { useEffect, useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { ProgressLine } from "./ProgressLine.tsx";
import type { Deletion } from "./useDeletion.ts";

/** Rows that were deleted and can still be had back. */
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
  const { state, beginsAt, done } = deletion;
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
        {count(deletion.count, "{n} row is taken out.", "{n} rows are taken out.")}{" "}
        <span aria-hidden="true">{count(seconds, "Deleted in {n} second.", "Deleted in {n} seconds.")}</span>
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
