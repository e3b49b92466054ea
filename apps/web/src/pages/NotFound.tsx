import { EmptyState, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
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
