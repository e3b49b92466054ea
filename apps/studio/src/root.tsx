import { NotFound, PageError, useTranslation } from "@purse/ui";
import { createRootRoute } from "@tanstack/react-router";
import { StudioShell } from "./shell/StudioShell.tsx";

/** The shell is the root route of all pages. */
export const root = createRootRoute({
  component: StudioShell,
  notFoundComponent: PageNotFound,
  errorComponent: PageError,
});

function PageNotFound() {
  const { t } = useTranslation();
  return <NotFound backLabel={t("Back to overview")} app="Studio" />;
}
