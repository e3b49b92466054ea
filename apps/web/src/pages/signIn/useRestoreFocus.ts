import { isFocusLost } from "@purse/ui";
import { type RefObject, useEffect } from "react";

/**
 * Restores the focus after each change of `step`: if the focused control was removed, the main control of the next
 * step gets the focus.
 */
export function useRestoreFocus(frame: RefObject<HTMLElement | null>, step: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after each step.
  useEffect(() => {
    if (!isFocusLost()) return;
    const container = frame.current;
    const next =
      container?.querySelector<HTMLElement>("button.primary") ?? container?.querySelector("button");
    next?.focus();
  }, [frame, step]);
}
