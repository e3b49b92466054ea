import { PageError } from "@purse/ui";
import { createRootRoute } from "@tanstack/react-router";
import { PageNotFound } from "./pages/PageNotFound.tsx";
import { Shell } from "./shell/Shell.tsx";

/** The root route renders the shell around every page. */
export const root = createRootRoute({
  component: Shell,
  notFoundComponent: PageNotFound,
  errorComponent: PageError,
});
