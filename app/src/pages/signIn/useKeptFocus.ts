import { type RefObject, useEffect } from "react";
import { isFocusLost } from "../../design/focus.ts";

/**
 * After each change of `step`: where the focused control went with the step before, the focus goes to the main control of
 * the next one.
 */
export function useKeptFocus(frame: RefObject<HTMLElement | null>, step: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the step is what it follows.
  useEffect(() => {
    if (!isFocusLost()) return;
    const within = frame.current;
    const next = within?.querySelector<HTMLElement>("button.primary") ?? within?.querySelector("button");
    next?.focus();
  }, [frame, step]);
}
