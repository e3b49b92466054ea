import { Button } from "../components/Button.tsx";
import { NativeDialog } from "../components/NativeDialog.tsx";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import "./DiscardDialog.css";

export interface DiscardDialogProps {
  onDiscard: () => void;
  onKeep: () => void;
}

/** Asks whether input that is not saved may be lost. Escape keeps it. */
export function DiscardDialog({ onDiscard, onKeep }: DiscardDialogProps) {
  const { t } = useTranslation();
  const title = t("Discard your changes?");
  return (
    <NativeDialog className="discard" role="alertdialog" label={title} onClose={onKeep}>
      <div className="stack">
        <h2>{title}</h2>
        <p>{t("What you have entered is not saved.")}</p>
        <div className="row discard-actions">
          <Button onClick={onKeep}>{t("Keep editing")}</Button>
          <Button variant="danger" onClick={onDiscard}>
            {t("Discard")}
          </Button>
        </div>
      </div>
    </NativeDialog>
  );
}
