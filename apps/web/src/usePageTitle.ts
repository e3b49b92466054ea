import { useDocumentTitle, useTranslation } from "@purse/ui";

/** Sets the document title to a translation key or a finished text. */
export function usePageTitle(title: string): void {
  const { t } = useTranslation();
  useDocumentTitle(t(title), "Purse");
}
