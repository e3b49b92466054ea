import { CatchBoundary } from "@tanstack/react-router";
import { type ReactNode, Suspense } from "react";
import { PageError } from "./PageError.tsx";

/** Loads its children on demand. If they fail to load, the rest of the page stays, and an error takes their place. */
export function LazySection({ children }: { children: ReactNode }) {
  return (
    <CatchBoundary getResetKey={() => "section"} errorComponent={PageError}>
      <Suspense>{children}</Suspense>
    </CatchBoundary>
  );
}
