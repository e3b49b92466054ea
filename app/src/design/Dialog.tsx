import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import "./Dialog.css";
import { focusHeading, isFocusLost } from "./focus.ts";

export interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  /** Says more under the title. */
  description?: ReactNode;
  children: ReactNode;
  /** The buttons at its foot; the one that goes on is the last. */
  actions?: ReactNode;
  /** In the middle of the window, or beside the page, where what is behind stays in sight. */
  side?: boolean;
  /** Takes more of the window. */
  wide?: boolean;
}

/** A window over the page. The focus stays in it and goes back to where it was; Escape closes. */
export function Dialog({ open, onClose, title, description, children, actions, side, wide }: DialogProps) {
  const { t } = useTranslation();
  useEffect(
    () => () => {
      // What it was opened by may be gone with what was done in it.
      requestAnimationFrame(() => {
        if (isFocusLost() && !document.querySelector("[role=dialog]")) focusHeading();
      });
    },
    [],
  );
  const classNames = ["dialog", side && "beside", wide && "wide"].filter(Boolean).join(" ");
  return (
    <Base.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
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
          <div className="dialog-body">{children}</div>
          {actions && <footer className="dialog-foot">{actions}</footer>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
