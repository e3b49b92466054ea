import { Button, useTranslation } from "@purse/ui";
import { useHasRole } from "../../StudioContext.tsx";
import { COPY_FORMATS, type CopyFormat } from "./clipboard.ts";

/** Actions for the checked rows. */
export function BulkActionsBar({
  count,
  canEditRows,
  onCopy,
  onDialog,
  onClearSelection,
}: {
  count: number;
  /** False while viewing as another user. */
  canEditRows: boolean;
  onCopy: (format: CopyFormat) => void;
  onDialog: (kind: "update" | "delete") => void;
  onClearSelection: () => void;
}) {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  return (
    <div className="data-bar" data-kind="info">
      <span className="grow" role="status">
        {t("{n, plural, one {# row selected} other {# rows selected}}", { n: count })}
      </span>
      {COPY_FORMATS.map((format) => (
        <Button key={format} small onClick={() => onCopy(format)}>
          {t("Copy as {format}", { format: format.toUpperCase() })}
        </Button>
      ))}
      {canEdit && (
        <>
          <Button small disabled={!canEditRows} onClick={() => onDialog("update")}>
            {t("Update…")}
          </Button>
          <Button small variant="danger" disabled={!canEditRows} onClick={() => onDialog("delete")}>
            {t("Delete…")}
          </Button>
        </>
      )}
      <Button small onClick={onClearSelection}>
        {t("Clear selection")}
      </Button>
    </div>
  );
}
