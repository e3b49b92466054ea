import { type FormEvent, type ReactNode, useId } from "react";
import { Button } from "../../../design/Button.tsx";
import { Dialog } from "../../../design/Dialog.tsx";
import { ErrorState } from "../../../design/states.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";

export interface AskProps {
  open: boolean;
  onClose: () => void;
  title: string;
  about?: ReactNode;
  /** On the button that does it. */
  verb: string;
  danger?: boolean;
  wide?: boolean;
  disabled?: boolean;
  busy: boolean;
  /** Why it was refused; what was typed stays. */
  error?: unknown;
  onDo: () => void;
  children?: ReactNode;
}

/** A form in a dialog, or a question before something that cannot be undone. */
export function Ask(props: AskProps) {
  const { open, onClose, title, about, verb, danger, wide, disabled, busy, error, onDo, children } = props;
  const { t } = useTranslation();
  const form = useId();
  function submit(event: FormEvent) {
    event.preventDefault();
    onDo();
  }
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      {...(about !== undefined && { description: about })}
      {...(wide !== undefined && { wide })}
      actions={
        <>
          <Button onClick={onClose}>{t("Cancel")}</Button>
          <Button
            type="submit"
            form={form}
            variant={danger ? "danger" : "primary"}
            busy={busy}
            disabled={disabled}
          >
            {verb}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="stack" noValidate>
        {children}
        {error ? <ErrorState error={error} /> : null}
      </form>
    </Dialog>
  );
}
