import { type RefObject, useEffect } from "react";

/** Handles copy and paste while an element is focused. */
export function useClipboard(
  element: RefObject<HTMLElement | null>,
  /** Text to copy; undefined leaves the clipboard unchanged. */
  getText: () => string | undefined,
  onPaste: (text: string) => void,
): void {
  useEffect(() => {
    // Without a text selection, browsers fire the event on the body.
    const isFocused = () => document.activeElement === element.current;
    function copy(event: ClipboardEvent): void {
      const text = isFocused() ? getText() : undefined;
      if (text === undefined) return;
      event.clipboardData?.setData("text/plain", text);
      event.preventDefault();
    }
    function paste(event: ClipboardEvent): void {
      if (!isFocused()) return;
      const text = event.clipboardData?.getData("text/plain");
      if (text) onPaste(text);
      event.preventDefault();
    }
    document.addEventListener("copy", copy);
    document.addEventListener("paste", paste);
    return () => {
      document.removeEventListener("copy", copy);
      document.removeEventListener("paste", paste);
    };
  }, [element, getText, onPaste]);
}
