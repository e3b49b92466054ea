import { Button } from "../../../design/Button.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay } from "../../StudioContext.tsx";
import { COPY_FORMATS, type CopyFormat } from "./clipboard.ts";

/** What can be done with the rows that are picked. */
export function PickedBar({
  count,
  mayChangeHere,
  onCopy,
  onUpdate,
  onDelete,
  onNone,
}: {
  count: number;
  /** Not while one looks as somebody else. */
  mayChangeHere: boolean;
  onCopy: (format: CopyFormat) => void;
  onUpdate: () => void;
  onDelete: () => void;
  onNone: () => void;
}) {
  const { t, count: say } = useTranslation();
  const mayChange = useMay("editor");
  return (
    <div className="data-bar" data-kind="info">
      <span className="grow" role="status">
        {say(count, "{n} row is picked", "{n} rows are picked")}
      </span>
      {COPY_FORMATS.map((format) => (
        <Button key={format} small onClick={() => onCopy(format)}>
          {t("Copy as {format}", { format: format.toUpperCase() })}
        </Button>
      ))}
      {mayChange && (
        <>
          <Button small disabled={!mayChangeHere} onClick={onUpdate}>
            {t("Change…")}
          </Button>
          <Button small variant="danger" disabled={!mayChangeHere} onClick={onDelete}>
            {t("Delete…")}
          </Button>
        </>
      )}
      <Button small onClick={onNone}>
        {t("Pick none")}
      </Button>
    </div>
  );
}
