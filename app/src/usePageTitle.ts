import { useEffect } from "react";
import { useTexts } from "./texts/TextsContext.tsx";

/** What the window is called: a sentence of the texts, or one that is put together already. */
export function usePageTitle(title: string): void {
  const { t } = useTexts();
  const said = t(title);
  useEffect(() => {
    document.title = `${said} · Purse`;
  }, [said]);
}
