import { EmptyState, ErrorState, useTranslation } from "@purse/ui";
import { createRootRoute, Link } from "@tanstack/react-router";
import { StudioShell } from "./shell/StudioShell.tsx";

/** The shell is the root route of all pages. */
export const root = createRootRoute({
  component: StudioShell,
  notFoundComponent: NotFound,
  errorComponent: ({ error, reset }) => <ErrorState error={error} retry={reset} />,
});

function NotFound() {
  const { t } = useTranslation();
  return (
    <EmptyState
      title={t("Page not found")}
      action={
        <Link to="/" className="button">
          {t("Back to overview")}
        </Link>
      }
    >
      {t("The URL may be misspelled, or the page may have moved.")}
    </EmptyState>
  );
}

/** A string search param; undefined when it is missing or empty. */
export function stringParam(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
