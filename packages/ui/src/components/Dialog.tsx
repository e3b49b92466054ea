import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import "./Dialog.css";
import { useUnsavedDialog } from "../forms/unsaved.tsx";
import { focusHeading, isFocusLost } from "./focus.ts";

export interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  /** Shown below the title. */
  description?: ReactNode;
  children: ReactNode;
  /** Footer buttons; the primary one is the last. */
  actions?: ReactNode;
  /** Shown as a side panel instead of a centered window. */
  side?: boolean;
  /** Uses a wider window. */
  wide?: boolean;
}

/**
 * A modal dialog. It traps the focus, restores it on close, and closes on Escape, after a question if a form in it has input
 * that is not saved (`useUnsaved`).
 */
export function Dialog({ open, onClose, title, description, children, actions, side, wide }: DialogProps) {
  const { t } = useTranslation();
  const unsaved = useUnsavedDialog(onClose);
  useEffect(
    () => () => {
      // The element that opened the dialog may have been removed.
      requestAnimationFrame(() => {
        if (isFocusLost() && !document.querySelector("[role=dialog]")) focusHeading();
      });
    },
    [],
  );
  const classNames = ["dialog", side && "beside", wide && "wide"].filter(Boolean).join(" ");
  return (
    <Base.Root open={open} onOpenChange={(isOpen) => !isOpen && unsaved.close()}>
      <Base.Portal>
        <Base.Backdrop className="dialog-backdrop" />
        <Base.Popup className={classNames}>
          <header className="dialog-head">
            <div className="grow">
              <Base.Title className="dialog-title">{title}</Base.Title>
              {description && <Base.Description className="soft">{description}</Base.Description>}
            </div>
            <Base.Close className="icon-button" aria-label={t("Close")}>
              <X size={18} aria-hidden="true" />
            </Base.Close>
          </header>
          <div className="dialog-body">{unsaved.wrap(children)}</div>
          {actions && <footer className="dialog-foot">{actions}</footer>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
