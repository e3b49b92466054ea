import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef } from "react";
import "./NativeDialog.css";

export interface NativeDialogProps {
  className: string;
  /** The accessible name. */
  label: string;
  role?: "alertdialog";
  /** Escape, a click beside it, or the browser's own way, such as the back gesture of a phone. */
  onClose: () => void;
  children: ReactNode;
}

/**
 * A modal dialog of the browser, for what the first load contains: it needs no library, and has the focus as soon as it is
 * rendered. It is above all other dialogs. Other dialogs are a `Dialog`.
 */
export function NativeDialog({ className, label, role, onClose, children }: NativeDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    shown?.querySelector<HTMLElement>("input, button")?.focus();
    // Closing moves the focus back.
    return () => shown?.close();
  }, []);
  function handleKeyDown(event: KeyboardEvent) {
    if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
    // A dialog below stays open.
    event.stopPropagation();
    event.preventDefault();
    onClose();
  }
  return (
    <dialog
      ref={dialog}
      className={`native-dialog ${className}`}
      aria-label={label}
      role={role}
      onKeyDown={handleKeyDown}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // The element itself is clicked beside its content.
      onClick={({ target, currentTarget }) => target === currentTarget && onClose()}
    >
      <div className="native-dialog-content">{children}</div>
    </dialog>
  );
}
