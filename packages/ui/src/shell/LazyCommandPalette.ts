import { lazy } from "react";

/** The command palette, which loads when it first opens; render it inside Suspense. */
export const CommandPalette = lazy(() =>
  import("./CommandPalette.tsx").then((module) => ({ default: module.CommandPalette })),
);
