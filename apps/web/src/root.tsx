import { createRootRoute } from "@tanstack/react-router";
import { PageError } from "./components/PageError.tsx";
import { PageNotFound } from "./pages/PageNotFound.tsx";
import { Shell } from "./shell/Shell.tsx";

/** The root route renders the shell around every page. */
export const root = createRootRoute({
  component: Shell,
  notFoundComponent: PageNotFound,
  errorComponent: PageError,
});
