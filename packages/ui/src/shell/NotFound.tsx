import { Link } from "@tanstack/react-router";
import { EmptyState } from "../components/EmptyState.tsx";
import { useTranslation } from "../i18n/TranslationContext.tsx";

/** The page for unknown paths, with a link to the first page. */
export function NotFound({ backLabel }: { backLabel: string }) {
  const { t } = useTranslation();
  return (
    <EmptyState
      title={t("Page not found")}
      action={
        <Link to="/" className="button">
          {backLabel}
        </Link>
      }
    >
      {t("The URL may be misspelled, or the page may have moved.")}
    </EmptyState>
  );
}
