import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslation } from "../i18n/TranslationContext.tsx";

/** The page for unknown paths, with a link to the first page. It is not among the recent pages. */
export function NotFound({ backLabel, app }: { backLabel: string; app: string }) {
  const { t } = useTranslation();
  const title = t("Page not found");
  useEffect(() => {
    document.title = `${title} · ${app}`;
  }, [title, app]);
  return (
    <div className="empty">
      <h1 tabIndex={-1}>{title}</h1>
      <p className="soft">{t("The URL may be misspelled, or the page may have moved.")}</p>
      <Link to="/" className="button">
        {backLabel}
      </Link>
    </div>
  );
}
