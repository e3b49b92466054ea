import { useBlocker } from "@tanstack/react-router";
import { useTexts } from "../../texts/TextsContext.tsx";

/** Leaving the room, or the page, asks first where there is something that nobody has saved. */
export function useUnsavedChangesPrompt(hasChanges: boolean): void {
  const { t } = useTexts();
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      hasChanges &&
      current.pathname !== next.pathname &&
      !window.confirm(t("Leave without saving your changes?")),
    enableBeforeUnload: () => hasChanges,
  });
}
