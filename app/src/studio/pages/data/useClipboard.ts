import { type RefObject, useEffect } from "react";

/** The keys of the clipboard (Ctrl+C, Ctrl+V) while an element has the focus. */
export function useClipboard(
  element: RefObject<HTMLElement | null>,
  /** What is copied; undefined leaves the clipboard as it is. */
  getText: () => string | undefined,
  onPaste: (text: string) => void,
): void {
  useEffect(() => {
    // Without a selection of text, browsers tell the body rather than what has the focus.
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
