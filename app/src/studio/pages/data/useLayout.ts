import { useState } from "react";
import { type Layout, loadLayout, saveLayout } from "./columns.ts";

/** How the columns of a class stand in this browser: `[layout, set, forget]`. */
export function useLayout(className: string) {
  const [layout, setLayout] = useState(() => loadLayout(className, localStorage));
  function set(to: Layout): void {
    saveLayout(className, to, localStorage);
    setLayout(to);
  }
  return [layout, set, () => set(loadLayout(className, { getItem: () => null }))] as const;
}
