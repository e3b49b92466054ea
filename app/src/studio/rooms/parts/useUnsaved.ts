import { useBlocker } from "@tanstack/react-router";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";

/** Leaving the room, or the page, asks first where there is something that nobody has saved. */
export function useUnsaved(isUnsaved: boolean): void {
  const { t } = useTranslation();
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isUnsaved &&
      current.pathname !== next.pathname &&
      !window.confirm(t("There are changes that are not saved. Leave without them?")),
    enableBeforeUnload: () => isUnsaved,
  });
}
