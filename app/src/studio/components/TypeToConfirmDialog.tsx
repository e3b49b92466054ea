import { useState } from "react";
import { Field } from "../../design/Field.tsx";
import { useTexts } from "../../texts/TextsContext.tsx";
import { ConfirmDialog } from "./ConfirmDialog.tsx";

export interface TypeToConfirmDialogProps {
  title: string;
  about: string;
  confirmLabel: string;
  /** What has to be typed before it is done. */
  confirmationText: string;
  busy: boolean;
  error: unknown;
  onClose: () => void;
  onConfirm: () => void;
}

/** A question before something that loses data: it is done once its name is typed. */
export function TypeToConfirmDialog({ confirmationText, onClose, ...dialogProps }: TypeToConfirmDialogProps) {
  const { t } = useTexts();
  const [typed, setTyped] = useState("");
  return (
    <ConfirmDialog {...dialogProps} open danger onClose={onClose} disabled={typed !== confirmationText}>
      <Field
        label={t("Type {word} to confirm", { word: confirmationText })}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
    </ConfirmDialog>
  );
}
