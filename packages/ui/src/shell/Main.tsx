import { Outlet, useRouterState } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { focusHeading } from "../components/focus.ts";
import { UnsavedPage } from "../forms/unsaved.tsx";

/** Moves the focus to the page heading after each navigation. */
export function Main({ children = <Outlet /> }: { children?: ReactNode }) {
  // Uses the resolved location, because the heading of the previous page is removed.
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const before = useRef<string>(undefined);
  useEffect(() => {
    const isFirst = before.current === undefined;
    before.current = path;
    if (isFirst) return;
    focusHeading();
  }, [path]);
  return (
    <main id="main" tabIndex={-1}>
      <UnsavedPage>{children}</UnsavedPage>
    </main>
  );
}
