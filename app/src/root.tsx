import { createRootRoute } from "@tanstack/react-router";
import { isChunkError } from "./chunkErrors.ts";
import { ErrorState } from "./design/states.tsx";
import { NotFound } from "./pages/NotFound.tsx";
import { Shell } from "./shell/Shell.tsx";

/** The shell is the root: every page is shown inside it. */
export const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: ({ error, reset }) => (
    <ErrorState error={error} retry={isChunkError(error) ? () => window.location.reload() : reset} />
  ),
});

/** A text of the address bar; undefined where it is none, or empty. */
export function stringParam(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
