import { useTranslation } from "@purse/ui";
import { useBlocker } from "@tanstack/react-router";

/** Asks for confirmation before navigating away from unsaved changes. */
export function useUnsavedChangesPrompt(hasChanges: boolean, question?: string): void {
  const { t } = useTranslation();
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      hasChanges &&
      current.pathname !== next.pathname &&
      !window.confirm(question ?? t("Leave without saving your changes?")),
    enableBeforeUnload: () => hasChanges,
  });
}
