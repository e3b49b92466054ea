import { Link } from "@tanstack/react-router";
import { EmptyState } from "../design/states.tsx";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import { usePageTitle } from "../usePageTitle.ts";

export function NotFound() {
  const { t } = useTranslation();
  usePageTitle("Not found");
  return (
    <EmptyState
      title={t("Page not found")}
      action={
        <Link to="/" className="button">
          {t("Back to home")}
        </Link>
      }
    >
      {t("The URL may be misspelled, or the page may have moved.")}
    </EmptyState>
  );
}
