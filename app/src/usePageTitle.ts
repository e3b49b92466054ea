import { useEffect } from "react";
import { useTranslation } from "./i18n/TranslationContext.tsx";

/** What the window is called: a sentence of the texts, or one that is put together already. */
export function usePageTitle(title: string): void {
  const { t } = useTranslation();
  const translated = t(title);
  useEffect(() => {
    document.title = `${translated} · Purse`;
  }, [translated]);
}
