import { useTranslation } from "@purse/ui";
import { useEffect } from "react";

/** Sets the document title to a translation key or a finished text. */
export function usePageTitle(title: string): void {
  const { t } = useTranslation();
  const translated = t(title);
  useEffect(() => {
    document.title = `${translated} · Purse`;
  }, [translated]);
}
