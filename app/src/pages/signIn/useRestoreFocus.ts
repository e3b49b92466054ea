import { type RefObject, useEffect } from "react";
import { isFocusLost } from "../../design/focus.ts";

/**
 * After each change of `step`: where the focused control went with the step before, the focus goes to the main control of
 * the next one.
 */
export function useRestoreFocus(frame: RefObject<HTMLElement | null>, step: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the step is what it follows.
  useEffect(() => {
    if (!isFocusLost()) return;
    const container = frame.current;
    const next =
      container?.querySelector<HTMLElement>("button.primary") ?? container?.querySelector("button");
    next?.focus();
  }, [frame, step]);
}
