import { type FormEvent, type ReactNode, useId } from "react";
import { Button } from "../../design/Button.tsx";
import { Dialog } from "../../design/Dialog.tsx";
import { ErrorState } from "../../design/states.tsx";
import { useTranslation } from "../../i18n/TranslationContext.tsx";

export interface ConfirmDialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  about?: ReactNode;
  /** Label of the confirm button. */
  confirmLabel: string;
  danger?: boolean;
  wide?: boolean;
  disabled?: boolean;
  busy: boolean;
  /** Error of the last attempt; the inputs keep their values. */
  error?: unknown;
  onConfirm: () => void;
  children?: ReactNode;
}

/** A form in a dialog, or a confirmation. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const {
    open,
    onClose,
    title,
    about,
    confirmLabel,
    danger,
    wide,
    disabled,
    busy,
    error,
    onConfirm,
    children,
  } = props;
  const { t } = useTranslation();
  const formId = useId();
  function submit(event: FormEvent) {
    event.preventDefault();
    onConfirm();
  }
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      {...(about !== undefined && { about })}
      {...(wide !== undefined && { wide })}
      actions={
        <>
          <Button onClick={onClose}>{t("Cancel")}</Button>
          <Button
            type="submit"
            form={formId}
            variant={danger ? "danger" : "primary"}
            busy={busy}
            disabled={disabled}
          >
            {confirmLabel}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="stack" noValidate>
        {children}
        {error ? <ErrorState error={error} /> : null}
      </form>
    </Dialog>
  );
}
