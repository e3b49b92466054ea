import { ConfirmDialog, Field, useTranslation } from "@purse/ui";
import { useState } from "react";

export interface TypeToConfirmDialogProps {
  title: string;
  description: string;
  confirmLabel: string;
  /** Text that must be typed to enable the confirm button. */
  confirmationText: string;
  busy: boolean;
  error: unknown;
  onClose: () => void;
  onConfirm: () => void;
}

/** Confirms a destructive action by typing a text. */
export function TypeToConfirmDialog({ confirmationText, onClose, ...dialogProps }: TypeToConfirmDialogProps) {
  const { t } = useTranslation();
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
