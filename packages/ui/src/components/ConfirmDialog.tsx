import { type FormEvent, type ReactNode, useId, useState } from "react";
import { useUnsaved } from "../forms/unsaved.tsx";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import { Button } from "./Button.tsx";
import { Dialog } from "./Dialog.tsx";
import { ErrorState } from "./ErrorState.tsx";
import { Field } from "./Field.tsx";

export interface ConfirmDialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  description?: ReactNode;
  /** Label of the confirm button. */
  confirmLabel: string;
  danger?: boolean;
  wide?: boolean;
  disabled?: boolean;
  busy?: boolean;
  /** Error of the last attempt; the inputs keep their values. */
  error?: unknown;
  /** A text that must be typed to enable the confirm button. */
  confirmationText?: string;
  onConfirm: () => void;
  children?: ReactNode;
}

/** A form in a dialog, or a confirmation. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const {
    open,
    onClose,
    title,
    description,
    confirmLabel,
    danger,
    wide,
    disabled,
    busy = false,
    error,
    confirmationText,
    onConfirm,
    children,
  } = props;
  const { t } = useTranslation();
  const formId = useId();
  const [typed, setTyped] = useState("");
  const isTyped = confirmationText === undefined || typed === confirmationText;
  function submit(event: FormEvent) {
    event.preventDefault();
    // Events of a dialog that a form opens bubble to the form in React, although the dialog is outside of it.
    event.stopPropagation();
    if (isTyped) onConfirm();
  }
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      {...(description !== undefined && { description })}
      {...(wide !== undefined && { wide })}
      actions={
        <>
          <Button onClick={onClose}>{t("Cancel")}</Button>
          <Button
            type="submit"
            form={formId}
            variant={danger ? "danger" : "primary"}
            busy={busy}
            disabled={disabled || !isTyped}
          >
            {confirmLabel}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="stack" noValidate>
        {children && <UnsavedInput isSaving={busy}>{children}</UnsavedInput>}
        {confirmationText !== undefined && (
          <Field
            label={t("Type {word} to confirm", { word: confirmationText })}
            value={typed}
            onText={setTyped}
            isCode
          />
        )}
        {error ? <ErrorState error={error} /> : null}
      </form>
    </Dialog>
  );
}

/** Counts as unsaved once something was entered in it, except in a search. What saves it may leave the page. */
function UnsavedInput({ children, isSaving }: { children: ReactNode; isSaving: boolean }) {
  const [isEdited, setIsEdited] = useState(false);
  useUnsaved(isEdited && !isSaving);
  return (
    <div
      className="stack"
      onInput={({ target }) => {
        if (!(target instanceof HTMLInputElement && target.type === "search")) setIsEdited(true);
      }}
    >
      {children}
    </div>
  );
}
