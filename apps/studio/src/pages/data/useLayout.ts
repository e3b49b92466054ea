import { useState } from "react";
import { type Layout, loadLayout, saveLayout } from "./columns.ts";

/** The saved column layout of a class: `[layout, set, reset]`. */
export function useLayout(className: string) {
  const [layout, setLayout] = useState(() => loadLayout(className, localStorage));
  function set(to: Layout): void {
    saveLayout(className, to, localStorage);
    setLayout(to);
  }
  return [layout, set, () => set(loadLayout(className, { getItem: () => null }))] as const;
}
