import { Outlet, useRouterState } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { focusHeading } from "../design/focus.ts";

/** After a change of page the focus goes to its heading, so that keyboards and screen readers follow. */
export function Main({ children = <Outlet /> }: { children?: ReactNode }) {
  // What is shown, not what is still being loaded: the heading of the page before would be gone with it.
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
      {children}
    </main>
  );
}
