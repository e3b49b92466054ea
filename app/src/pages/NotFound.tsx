import { Link } from "@tanstack/react-router";
import { EmptyState } from "../design/states.tsx";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import { usePageTitle } from "../usePageTitle.ts";

export function NotFound() {
  const { t } = useTranslation();
  usePageTitle("Not found");
  return (
    <EmptyState
      title={t("There is no such page")}
      action={
        <Link to="/" className="button">
          {t("Go home")}
        </Link>
      }
    >
      {t("The address may be mistyped, or the page has moved.")}
    </EmptyState>
  );
}
