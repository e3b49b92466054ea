import { createRootRoute, Link } from "@tanstack/react-router";
import { EmptyState, ErrorState } from "../design/states.tsx";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import { StudioShell } from "./shell/StudioShell.tsx";

/** The shell is the root: every room is shown inside it. */
export const root = createRootRoute({
  component: StudioShell,
  notFoundComponent: NoRoom,
  errorComponent: ({ error, reset }) => <ErrorState error={error} retry={reset} />,
});

function NoRoom() {
  const { t } = useTranslation();
  return (
    <EmptyState
      title={t("There is no such page")}
      action={
        <Link to="/" className="button">
          {t("Go to the overview")}
        </Link>
      }
    >
      {t("The address may be mistyped, or the page has moved.")}
    </EmptyState>
  );
}

/** A text of the address bar; undefined where it is none, or empty. */
export function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
