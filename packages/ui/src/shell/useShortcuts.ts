import { ownValue } from "@purse/protocol";
import { useEffect } from "react";

/** Handlers by shortcut: `mod+k` (Ctrl, or ⌘ on a Mac), `?`, or a sequence such as `g p`. */
export type Shortcuts = Readonly<Record<string, () => void>>;

/** Maximum time between the keys of a sequence, in ms. */
const SEQUENCE_MS = 900;

/** Runs shortcuts, except while the user is typing. */
export function useShortcuts(shortcuts: Shortcuts): void {
  useEffect(() => {
    let first = "";
    let at = 0;
    function press(event: KeyboardEvent) {
      const isMod = event.ctrlKey || event.metaKey;
      if (event.altKey || event.isComposing || (!isMod && isTyping(event.target))) return;
      const key = isMod ? `mod+${event.key.toLowerCase()}` : event.key;
      const sequence = event.timeStamp - at < SEQUENCE_MS ? `${first} ${key}` : key;
      const run = ownValue(shortcuts, sequence) ?? ownValue(shortcuts, key);
      [first, at] = [run ? "" : key, event.timeStamp];
      if (!run) return;
      event.preventDefault();
      run();
    }
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [shortcuts]);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName);
}
