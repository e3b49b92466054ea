import { useSyncExternalStore } from "react";

/** Breakpoint of the single-column layout, as in the CSS. */
const NARROW_QUERY = "(max-width: 760px)";

export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(NARROW_QUERY).matches);
}

function subscribe(notify: () => void): () => void {
  const query = matchMedia(NARROW_QUERY);
  query.addEventListener("change", notify);
  return () => query.removeEventListener("change", notify);
}
