import { useSyncExternalStore } from "react";

/** As the styles have it: no room for two columns. */
const NARROW_QUERY = "(max-width: 760px)";

export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(NARROW_QUERY).matches);
}

function subscribe(notify: () => void): () => void {
  const query = matchMedia(NARROW_QUERY);
  query.addEventListener("change", notify);
  return () => query.removeEventListener("change", notify);
}
