import { useEffect } from "react";
import { rememberPage } from "./openedPages.ts";

/** Sets the title of the browser tab: that of the page and the name of the app. */
export function useDocumentTitle(title: string, app: string): void {
  useEffect(() => {
    document.title = `${title} · ${app}`;
    rememberPage(title);
  }, [title, app]);
}
