import { useSyncExternalStore } from "react";

/** As the styles have it: no room for two columns. */
const NARROW = "(max-width: 760px)";

export function useNarrow(): boolean {
  return useSyncExternalStore(follow, () => matchMedia(NARROW).matches);
}

function follow(tell: () => void): () => void {
  const query = matchMedia(NARROW);
  query.addEventListener("change", tell);
  return () => query.removeEventListener("change", tell);
}
