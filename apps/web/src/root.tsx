import { ErrorState, isChunkError } from "@purse/ui";
import { createRootRoute } from "@tanstack/react-router";
import { NotFound } from "./pages/NotFound.tsx";
import { Shell } from "./shell/Shell.tsx";

/** The root route renders the shell around every page. */
export const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: ({ error, reset }) => (
    <ErrorState error={error} retry={isChunkError(error) ? () => window.location.reload() : reset} />
  ),
});

/** A non-empty string parameter of the URL; undefined otherwise. */
export function stringParam(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
